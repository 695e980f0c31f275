// Pixels on their way to the screen, on the host or in a GPU's memory.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "filters/frame_info.h"
#include "kernels/image_buffer.h"
#include "kernels/plane_views.h"

namespace weft {

// The planes of a frame, in the order of FrameInfo::planes, and whoever keeps their pixels alive.
// Shared between threads and never written once it is handed on.
struct Picture {
    PlaneViews planes;
    std::shared_ptr<const void> owner;

    bool on_device() const {
        return !planes.empty() && planes.front().space == MemorySpace::device;
    }
};

// Pictures of one shape, whose memory is used again when the last user has let go of it, in
// whatever thread that happens. The pool may be gone by then.
class PicturePool {
 public:
    // Planes as `info` says; `where` is host, or device on the current device.
    PicturePool(const FrameInfo& info, Allocation where);

    // With pixels of any value. Allocates only when all earlier ones are in use. Throws
    // std::bad_alloc or CudaError.
    Picture get();

 private:
    struct Slot {
        std::vector<ImageBuffer> planes;
    };
    struct Shelf {
        std::mutex mutex;
        std::vector<std::unique_ptr<Slot>> free;
    };
    std::unique_ptr<Slot> make_slot() const;

    std::vector<PlaneInfo> shapes_;
    PixelType type_;
    Allocation where_;
    std::shared_ptr<Shelf> shelf_ = std::make_shared<Shelf>();
};

// A rectangle of one plane, copied to the host: rows from top to bottom, channels interleaved, in
// the samples' own units. Blocks. The rectangle is cut at the plane's edges; see `width`, `height`.
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
