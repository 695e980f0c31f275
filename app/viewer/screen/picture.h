// Pixels on their way to the screen, in host or GPU memory.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "filters/frame_info.h"
#include "kernels/device/image_buffer.h"
#include "kernels/plane_views.h"

namespace weft {

// The planes of a frame, in the order of FrameInfo::planes, and the owner of their pixels. Shared
// between threads and never written after it is handed over.
struct Picture {
    PlaneViews planes;
    std::shared_ptr<const void> owner;
};

// Pictures of one shape, whose memory is reused once the last user, on any thread, releases them.
// They may outlive the pool.
class PicturePool {
 public:
    // `info` gives the planes; `where` is host, or device on the current device.
    PicturePool(const FrameInfo& info, Allocation where);

    // Returns a picture with uninitialized pixels. Allocates only if all others are in use. Throws
    // std::bad_alloc or CudaError.
    Picture get();

 private:
    using Buffers = std::vector<ImageBuffer>;  // one per plane
    struct Shelf {
        std::mutex mutex;
        std::vector<std::unique_ptr<Buffers>> free;
    };
    std::unique_ptr<Buffers> make_buffers() const;

    std::vector<PlaneInfo> shapes_;
    PixelType type_;
    Allocation where_;
    std::shared_ptr<Shelf> shelf_ = std::make_shared<Shelf>();
};

// A rectangle of one plane, copied to the host: rows from top to bottom, interleaved channels, in
// sample values. Blocks. Clipped to the plane; see `width` and `height`.
struct SampleBlock {
    int x = 0, y = 0, width = 0, height = 0, channels = 1;
    std::vector<float> samples;

    float at(int column, int row, int channel) const {
        const int index = ((row - y) * width + column - x) * channels + channel;
        return samples[static_cast<std::size_t>(index)];
    }
    bool contains(int column, int row) const {
        return column >= x && row >= y && column < x + width && row < y + height;
    }
};
SampleBlock read_samples(const ImageView& plane, int x, int y, int width, int height);

}  // namespace weft
