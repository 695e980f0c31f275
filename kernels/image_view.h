// A plane of pixels in host or device memory, not owned.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft {

enum class PixelType : std::uint8_t { u8, u16, f32 };

enum class MemorySpace : std::uint8_t { host, device };

constexpr std::size_t bytes_per_sample(PixelType type) {
    switch (type) {
        case PixelType::u8:
            return 1;
        case PixelType::u16:
            return 2;
        case PixelType::f32:
            return 4;
    }
    return 0;
}

// height rows of width pixels of `channels` interleaved samples; row y starts at data + y *
// pitch_bytes. pitch_bytes may exceed the row (the padding is never written) and may be negative
// (bottom-up images). A view is a value: copying it copies no pixels, and its creator keeps the
// pixels alive while it is used.
struct ImageView {
    void* data = nullptr;
    int width = 0;
    int height = 0;
    int channels = 1;  // 1 to 4
    std::ptrdiff_t pitch_bytes = 0;
    PixelType type = PixelType::u8;
    MemorySpace space = MemorySpace::host;

    std::size_t row_bytes() const {
        return static_cast<std::size_t>(width) * static_cast<std::size_t>(channels) *
               bytes_per_sample(type);
    }
    std::byte* row(int y) const { return static_cast<std::byte*>(data) + y * pitch_bytes; }
};

}  // namespace weft
