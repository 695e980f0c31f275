// Plain memory on the device for the tensors of tests and of the bench.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/device/image_buffer.h"
#include "kernels/pixels/pixel_ops.h"

namespace weft::test {

// Uninitialised, aligned to 256 bytes, on the current device. Copies are ordered on the stream and
// block if the host memory is not page-locked.
class DeviceBytes {
 public:
    explicit DeviceBytes(std::size_t count)
        : buffer_(kRow, static_cast<int>(count / kRow) + 1, 1, PixelType::u8, Allocation::device) {}

    std::byte* data() const { return static_cast<std::byte*>(buffer_.view().data); }

    void upload(std::span<const std::byte> from, StreamView stream) {
        auto* const host = const_cast<std::byte*>(from.data());  // NOLINT: the view is only read
        copy_rows(from.size(), [&](std::size_t at, int width, int height) {
            copy_image(rows(host + at, width, height, MemorySpace::host),
                       rows(data() + at, width, height, MemorySpace::device), stream);
        });
    }

    void download(std::span<std::byte> to, StreamView stream) const {
        copy_rows(to.size(), [&](std::size_t at, int width, int height) {
            copy_image(rows(data() + at, width, height, MemorySpace::device),
                       rows(to.data() + at, width, height, MemorySpace::host), stream);
        });
    }

 private:
    static constexpr int kRow = 1 << 16;  // bytes; a multiple of a device row's padding

    static ImageView rows(std::byte* at, int width, int height, MemorySpace space) {
        return {.data = at,
                .width = width,
                .height = height,
                .channels = 1,
                .pitch_bytes = kRow,
                .type = PixelType::u8,
                .space = space};
    }

    // Whole rows, then the bytes after them.
    template <class Copy>
    static void copy_rows(std::size_t count, const Copy& copy) {
        const std::size_t whole = count / kRow;
        const std::size_t rest = count % kRow;
        if (whole > 0) copy(0, kRow, static_cast<int>(whole));
        if (rest > 0) copy(whole * kRow, static_cast<int>(rest), 1);
    }

    ImageBuffer buffer_;
};

}  // namespace weft::test
