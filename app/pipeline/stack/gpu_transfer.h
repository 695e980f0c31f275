// Copies a frame's planes to the GPU and back, unless they are there already: directly from and to
// page-locked memory, through pinned buffers for other memory.
#pragma once

#include <span>
#include <vector>

#include "app/pipeline/report/stage_timer.h"
#include "kernels/device/image_buffer.h"
#include "kernels/device/inplace_vector.h"
#include "kernels/device/stream.h"

namespace weft {

// Planes that are not `used` are ignored: their views are empty and nothing is copied. Planes in
// device memory are used in place; buffers for the others are allocated on first use.
class GpuTransfer {
 public:
    // Creates a stream on the current device. Throws CudaError.
    explicit GpuTransfer(std::vector<bool> used);

    StreamView stream() const { return stream_.view(); }
    std::span<const ImageView> source() const { return source_; }
    std::span<const ImageView> target() const { return target_; }

    // Sets source() and target() to the used planes of `src` and `dst`, and copies the host planes
    // of `src`, ordered on the stream. Pageable memory is read before it returns.
    void upload(std::span<const ImageView> src, std::span<const ImageView> dst);
    // Whether part of upload()'s `src` is still to be read.
    bool reads_source() const { return reads_source_; }
    // Copies target() to the used host planes of `dst`, ordered on the stream; pageable memory
    // receives its pixels in finish().
    void download(std::span<const ImageView> dst);
    // Blocks until all work on the stream is done and the planes given to download() are filled.
    void finish();
    // Blocks like finish(), but fills no planes and ignores device errors: for a frame that failed
    // halfway. No work is pending afterwards.
    void give_up() noexcept;

    // The time that the copies of the last frame took; valid after finish().
    double upload_seconds() const { return upload_copy_ + upload_timer_.seconds(); }
    double download_seconds() const { return download_copy_ + download_timer_.seconds(); }
    // The copies alone; null if nothing was copied.
    const StageTimer* uploading() const { return uploads_ ? &upload_timer_ : nullptr; }
    const StageTimer* downloading() const { return downloads_ ? &download_timer_ : nullptr; }

 private:
    // One plane's buffers on both sides; empty if the plane is in device memory.
    struct Lane {
        ImageBuffer pinned_in, device_in, device_out, pinned_out;
    };
    // The used planes of `images` in host memory.
    InplaceVector<std::size_t, 4> host_planes(std::span<const ImageView> images) const;
    void stage(std::span<const ImageView> src);
    void bind(std::span<const ImageView> src, std::span<const ImageView> dst);

    Stream stream_;
    StreamEvent done_;
    std::vector<Lane> lanes_;
    std::vector<bool> used_;
    std::vector<ImageView> source_, target_;
    std::vector<ImageView> from_;  // source of the upload: page-locked
    std::vector<ImageView> to_;    // pageable planes to fill in finish(), else empty views
    bool reads_source_ = false;
    bool uploads_ = false;
    bool downloads_ = false;
    StageTimer upload_timer_{true}, download_timer_{true};
    double upload_copy_ = 0;  // seconds between pageable and pinned memory
    double download_copy_ = 0;
};

}  // namespace weft
