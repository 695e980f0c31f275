// Output frames that are used again once the encoder has let go of them.
#pragma once

#include <vector>

#include "app/media/frame.h"

namespace weft {

// Frames of one format and size. A frame's pixels return to the pool by themselves when the last
// reference to them is gone, in whatever thread that happens. Not thread-safe.
class FramePool {
 public:
    // A writable frame of the format and size of `like`, with its colour tags, side data and
    // timing and uninitialised pixels. Allocates pixels only when all of the pool's are in use.
    AVFramePtr get(const AVFrame& like);

 private:
    std::vector<AVFramePtr> frames_;  // each holds one reference to its pixels
};

}  // namespace weft
