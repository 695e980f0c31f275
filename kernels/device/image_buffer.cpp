#include "kernels/device/image_buffer.h"

#include <new>

namespace weft {

namespace {

constexpr std::align_val_t kHostAlignment{256};

std::size_t round_up(std::size_t value, std::size_t step) {
    return (value + step - 1) / step * step;
}

}  // namespace

void* allocate_raw(std::size_t bytes, Allocation where) {
    if (where == Allocation::host) return ::operator new(bytes, kHostAlignment);
    return allocate_cuda(bytes, where);
}

void release_raw(void* memory, Allocation where) noexcept {
    if (where == Allocation::host) {
        ::operator delete(memory, kHostAlignment);
    } else {
        release_cuda(memory, where);
    }
}

ImageBuffer::ImageBuffer(int width, int height, int channels, PixelType type, Allocation where) {
    view_ = {.width = width, .height = height, .channels = channels, .type = type};
    const bool on_device = where == Allocation::device;
    view_.space = on_device ? MemorySpace::device : MemorySpace::host;
    const std::size_t pitch = round_up(view_.row_bytes(), on_device ? 256 : 64);
    view_.pitch_bytes = static_cast<std::ptrdiff_t>(pitch);
    void* const memory = allocate_raw(pitch * static_cast<std::size_t>(height), where);
    memory_ = std::unique_ptr<void, Release>(memory, Release{where});
    view_.data = memory_.get();
}

void ImageBuffer::Release::operator()(void* p) const noexcept {
    release_raw(p, where);
}

}  // namespace weft
