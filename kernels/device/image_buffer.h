// Owners of pixels, of CUDA streams and of events: move-only, released by their destructors.
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

// Owns a non-blocking CUDA stream on the current device.
class Stream {
 public:
    Stream();
    StreamView view() const { return stream_.get(); }
    void synchronize() const;  // blocks until all work on it is done; throws CudaError

 private:
    struct Destroy {
        void operator()(CUstream_st* s) const noexcept;
    };
    std::unique_ptr<CUstream_st, Destroy> stream_;
};

// Makes `device` current for the calling thread. No-op for the CPU.
void use_device(const Device& device);

}  // namespace weft
