// Images for tests: poisoned memory all around the pixels, awkward layouts, host or device.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/device/image_buffer.h"
#include "kernels/image_view.h"

namespace weft::test {

// Arrangement of the rows in memory.
enum class Layout {
    tight,       // rows follow each other
    padded,      // 13 samples between rows
    misaligned,  // begins one sample after an aligned address, odd number of samples between rows
    bottom_up,   // negative pitch
};
inline constexpr Layout kLayouts[] = {Layout::tight, Layout::padded, Layout::misaligned,
                                      Layout::bottom_up};
std::string_view name_of(Layout layout);

struct Shape {
    int width = 1, height = 1, channels = 1;
    PixelType type = PixelType::u8;
};

// A plane in host memory with kGuardBytes before and after. All bytes outside the pixels hold
// `poison`, as do the pixels until they are set. A poison of 0xFF is NaN in f32.
class TestPlane {
 public:
    TestPlane(const Shape& shape, Layout layout, std::byte poison);
    TestPlane(const TestPlane&) = delete;  // view() points into this one's memory
    TestPlane(TestPlane&&) = default;

    const ImageView& view() const { return view_; }
    std::vector<std::byte>& bytes() { return bytes_; }
    const std::vector<std::byte>& bytes() const { return bytes_; }
    // The same view into another copy of bytes(), on the device.
    ImageView view_at(void* base, MemorySpace space) const;

    void set(const std::vector<double>& samples);  // row-major, channels interleaved
    std::vector<double> samples() const;
    // True when every byte outside the pixels still holds the poison.
    bool surroundings_untouched() const;

 private:
    static constexpr std::size_t kGuardBytes = 256;

    std::byte* sample(int x, int y, int c) const;

    std::byte poison_;
    std::vector<std::byte> bytes_;
    std::size_t offset_ = 0;  // start of the first row in bytes_
    ImageView view_;
};

// Planes for one call.
template <class... Planes>
std::vector<TestPlane> planes_of(Planes&&... planes) {
    std::vector<TestPlane> out;
    out.reserve(sizeof...(planes));
    (out.push_back(std::forward<Planes>(planes)), ...);
    return out;
}

// A copy of a TestPlane, surroundings included, on the device; one copy each way.
class DevicePlane {
 public:
    DevicePlane(TestPlane& plane, StreamView stream);
    ImageView view() const;
    void download(StreamView stream);  // asynchronous

 private:
    TestPlane& plane_;
    ImageBuffer buffer_;
};

}  // namespace weft::test
