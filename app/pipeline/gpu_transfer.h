// Brings a frame's planes to the GPU and back through pinned memory, unless they are there already.
#pragma once

#include <span>
#include <vector>

#include "app/pipeline/samples.h"
#include "app/pipeline/stage_timer.h"
#include "kernels/image_buffer.h"

namespace weft {

// Planes that are not `used` take no part: their views are empty and nothing is copied. Planes in
// device memory are taken as they are; buffers are made for the others when they first come.
class GpuTransfer {
 public:
    // On the current device. Throws CudaError.
    explicit GpuTransfer(std::vector<bool> used);

    StreamView stream() const { return stream_.view(); }
    std::span<const ImageView> source() const { return source_; }
    std::span<const ImageView> target() const { return target_; }

    // Makes source() and target() stand for the used planes of `src` and `dst`, and copies those of
    // `src` that lie on the host, ordered on the stream.
    void upload(std::span<const ImageView> src, std::span<const ImageView> dst);
    // Copies target() to the used planes of `dst` that lie on the host. Blocks until all work on
    // the stream is done.
    void download(std::span<const ImageView> dst);

    // Of the last frame, valid after download().
    double upload_seconds() const { return upload_copy_ + upload_timer_.seconds(); }
    double download_seconds() const { return download_copy_ + download_timer_.seconds(); }

 private:
    // One plane's buffers, on either side; empty where it lies on the device.
    struct Lane {
        ImageBuffer pinned_in, device_in, device_out, pinned_out;
    };
    // The planes of `images` that are used and lie on the host.
    std::vector<std::size_t> host_planes(std::span<const ImageView> images) const;
    void bind(std::span<const ImageView> src, std::span<const ImageView> dst);

    Stream stream_;
    std::vector<Lane> lanes_;
    std::vector<bool> used_;
    std::vector<ImageView> source_, target_;
    StageTimer upload_timer_{true}, download_timer_{true};
    double upload_copy_ = 0;  // seconds between pageable and pinned memory
    double download_copy_ = 0;
};

}  // namespace weft
