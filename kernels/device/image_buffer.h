// Owners of pixels: move-only, released by their destructors. Raw memory is internal to kernels/.
#pragma once

#include <cstddef>
#include <memory>

#include "kernels/device/device.h"
#include "kernels/image_view.h"

namespace weft {

// Where an ImageBuffer's pixels live. `pinned` is page-locked host memory, from which copies to
// the device are asynchronous; in a CPU-only build it is an error.
enum class Allocation { host, pinned, device };

// Whether host memory is pinned, by any allocator. False in a CPU-only build.
bool is_page_locked(const void* memory);

// Owns one plane. Rows are padded to 64 bytes on the host and to 256 bytes on the device, so every
// row starts aligned for 16-byte loads. Contents are uninitialised.
class ImageBuffer {
 public:
    ImageBuffer() = default;
    // Throws std::bad_alloc (host) or CudaError.
    ImageBuffer(int width, int height, int channels, PixelType type, Allocation where);

    const ImageView& view() const { return view_; }  // valid while this lives

 private:
    struct Release {
        Allocation where;
        void operator()(void* p) const noexcept;
    };
    std::unique_ptr<void, Release> memory_;
    ImageView view_;
};

// At least `bytes` bytes, aligned to 256; uninitialised. Throws std::bad_alloc (host) or CudaError;
// std::runtime_error with a sentence for pinned and device memory of a CPU-only build.
void* allocate_raw(std::size_t bytes, Allocation where);

// `memory` came from allocate_raw with the same `where`, or is null.
void release_raw(void* memory, Allocation where) noexcept;

// The two kinds that need CUDA, without the cases that do not.
void* allocate_cuda(std::size_t bytes, Allocation where);
void release_cuda(void* memory, Allocation where) noexcept;

}  // namespace weft
