#include "tests/kernels/pixels/test_plane.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "kernels/pixels/pixel_ops.h"

namespace weft::test {

namespace {

template <class T>
double load(const std::byte* at) {
    T v;
    std::memcpy(&v, at, sizeof v);
    return static_cast<double>(v);
}

template <class T>
void store(std::byte* at, double value) {
    const T v = static_cast<T>(value);
    std::memcpy(at, &v, sizeof v);
}

double load_sample(const std::byte* at, PixelType type) {
    switch (type) {
        case PixelType::u8:
            return load<std::uint8_t>(at);
        case PixelType::u16:
            return load<std::uint16_t>(at);
        case PixelType::f32:
            return load<float>(at);
    }
    return NAN;
}

void store_sample(std::byte* at, PixelType type, double value) {
    switch (type) {
        case PixelType::u8:
            return store<std::uint8_t>(at, value);
        case PixelType::u16:
            return store<std::uint16_t>(at, value);
        case PixelType::f32:
            return store<float>(at, value);
    }
}

std::size_t samples_between_rows(const Shape& s, Layout layout) {
    switch (layout) {
        case Layout::tight:
        case Layout::bottom_up:
            return 0;
        case Layout::padded:
            return 13;
        case Layout::misaligned:
            return s.width * s.channels % 2 == 0 ? 7 : 8;
    }
    return 0;
}

}  // namespace

std::string_view name_of(Layout layout) {
    switch (layout) {
        case Layout::tight:
            return "tight";
        case Layout::padded:
            return "padded";
        case Layout::misaligned:
            return "misaligned";
        case Layout::bottom_up:
            return "bottom-up";
    }
    return "unknown";
}

TestPlane::TestPlane(const Shape& shape, Layout layout, std::byte poison) : poison_(poison) {
    const std::size_t sample_bytes = bytes_per_sample(shape.type);
    view_ = {.width = shape.width,
             .height = shape.height,
             .channels = shape.channels,
             .type = shape.type,
             .space = MemorySpace::host};
    const std::size_t pitch =
        view_.row_bytes() + samples_between_rows(shape, layout) * sample_bytes;
    offset_ = kGuardBytes + (layout == Layout::misaligned ? sample_bytes : 0);
    bytes_.assign(2 * kGuardBytes + offset_ + pitch * shape.height, poison);
    view_.pitch_bytes = static_cast<std::ptrdiff_t>(pitch);
    if (layout == Layout::bottom_up) {
        offset_ += pitch * (shape.height - 1);
        view_.pitch_bytes = -view_.pitch_bytes;
    }
    view_.data = bytes_.data() + offset_;
}

ImageView TestPlane::view_at(void* base, MemorySpace space) const {
    ImageView v = view_;
    v.data = static_cast<std::byte*>(base) + offset_;
    v.space = space;
    return v;
}

std::byte* TestPlane::sample(int x, int y, int c) const {
    return view_.row(y) +
           (static_cast<std::size_t>(x) * view_.channels + c) * bytes_per_sample(view_.type);
}

void TestPlane::set(const std::vector<double>& samples) {
    std::size_t i = 0;
    for (int y = 0; y < view_.height; ++y)
        for (int x = 0; x < view_.width; ++x)
            for (int c = 0; c < view_.channels; ++c)
                store_sample(sample(x, y, c), view_.type, samples[i++]);
}

std::vector<double> TestPlane::samples() const {
    std::vector<double> out;
    out.reserve(static_cast<std::size_t>(view_.width) * view_.height * view_.channels);
    for (int y = 0; y < view_.height; ++y)
        for (int x = 0; x < view_.width; ++x)
            for (int c = 0; c < view_.channels; ++c)
                out.push_back(load_sample(sample(x, y, c), view_.type));
    return out;
}

bool TestPlane::surroundings_untouched() const {
    std::vector<std::byte> rest = bytes_;
    for (int y = 0; y < view_.height; ++y)
        std::memset(rest.data() + (view_.row(y) - bytes_.data()), std::to_integer<int>(poison_),
                    view_.row_bytes());
    for (const std::byte b : rest)
        if (b != poison_) return false;
    return true;
}

DevicePlane::DevicePlane(TestPlane& plane, StreamView stream)
    : plane_(plane),
      buffer_(static_cast<int>(plane.bytes().size()), 1, 1, PixelType::u8, Allocation::device) {
    ImageView host = buffer_.view();
    host.data = plane.bytes().data();
    host.space = MemorySpace::host;
    copy_image(host, buffer_.view(), stream);
}

ImageView DevicePlane::view() const {
    return plane_.view_at(buffer_.view().data, MemorySpace::device);
}

void DevicePlane::download(StreamView stream) {
    ImageView host = buffer_.view();
    host.data = plane_.bytes().data();
    host.space = MemorySpace::host;
    copy_image(buffer_.view(), host, stream);
}

}  // namespace weft::test
