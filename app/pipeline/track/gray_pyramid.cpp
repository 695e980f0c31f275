#include "app/pipeline/track/gray_pyramid.h"

#include <algorithm>

namespace weft {
namespace {

constexpr int kLeastSide = 16;

GrayImage blank(int width, int height) {
    return {width, height,
            std::vector<std::uint8_t>(static_cast<std::size_t>(width) *
                                      static_cast<std::size_t>(height))};
}

template <class Sample>
void halve_row(const Sample* __restrict above, const Sample* __restrict below, int shift,
               std::uint8_t* __restrict to, int width) {
    for (int x = 0; x < width; ++x) {
        const unsigned sum = static_cast<unsigned>(above[2 * x]) + above[2 * x + 1] + below[2 * x] +
                             below[2 * x + 1];
        to[x] = static_cast<std::uint8_t>((sum + 2) >> (2 + shift));
    }
}

template <class Sample>
GrayImage halved(const Sample* samples, std::ptrdiff_t pitch, int width, int height, int shift) {
    GrayImage half = blank(width / 2, height / 2);
    for (int y = 0; y < half.height; ++y)
        halve_row(samples + 2 * y * pitch, samples + (2 * y + 1) * pitch, shift, half.row(y),
                  half.width);
    return half;
}

bool can_be_halved(int width, int height) {
    return std::min(width, height) >= 2 * kLeastSide;
}

template <class Sample>
GrayImage first_level(const ImageView& luma, int shift, bool halve) {
    const auto* samples = reinterpret_cast<const Sample*>(luma.row(0));
    const std::ptrdiff_t pitch = luma.pitch_bytes / static_cast<std::ptrdiff_t>(sizeof(Sample));
    if (halve) return halved(samples, pitch, luma.width, luma.height, shift);
    GrayImage copy = blank(luma.width, luma.height);
    for (int y = 0; y < copy.height; ++y)
        std::transform(samples + y * pitch, samples + y * pitch + luma.width, copy.row(y),
                       [&](Sample s) { return static_cast<std::uint8_t>(s >> shift); });
    return copy;
}

}  // namespace

GrayPyramid::GrayPyramid(const ImageView& luma, int depth_bits, int finest)
    : width_(luma.width), height_(luma.height) {
    const bool halve = finest > 0 && can_be_halved(luma.width, luma.height);
    finest_ = halve ? 1 : 0;
    const int shift = depth_bits - 8;
    GrayImage image = luma.type == PixelType::u8 ? first_level<std::uint8_t>(luma, shift, halve)
                                                 : first_level<std::uint16_t>(luma, shift, halve);
    for (;;) {
        const bool last = !can_be_halved(image.width, image.height);
        GrayImage next;
        if (!last) next = halved(image.samples.data(), image.width, image.width, image.height, 0);
        if (finest_ < finest && !last)
            ++finest_;
        else
            levels_.push_back(std::move(image));
        if (last) return;
        image = std::move(next);
    }
}

int GrayPyramid::nearest_level(int level) const {
    return std::clamp(level, finest(), coarsest());
}

std::size_t GrayPyramid::bytes() const {
    std::size_t sum = 0;
    for (const GrayImage& image : levels_) sum += image.samples.size();
    return sum;
}

}  // namespace weft
