// A frame for the window: as decoded, and after each displayed stack.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "app/viewer/play/player.h"
#include "app/viewer/screen/picture.h"
#include "app/viewer/view/view_state.h"
#include "filters/frame_info.h"

namespace weft {

// A ShownFrame is a PlayedFrame with the pictures that the displayed stacks made of it.
struct ShownFrame {
    PlayedFrame played;
    FrameInfo info;
    Picture original;
    std::vector<Picture> filtered;  // one per stack; the original itself if a stack is empty
    std::uint64_t revision = 0;     // stack revision: see FrameWorker::set_stacks()

    // 0: the original; k: the result of stack k - 1, or of the last one if there are fewer.
    const Picture& side(Side k) const {
        if (k == 0 || filtered.empty()) return original;
        return filtered[std::min(k, filtered.size()) - 1];
    }
};

using ShownFramePtr = std::shared_ptr<const ShownFrame>;

// The picture of a side as a frame with the decoded one's tags. The original shares its pixels;
// others are copied, if necessary from the GPU, on a thread that has made the device current.
// Blocks. Throws MediaError or CudaError.
AVFramePtr frame_of(const ShownFrame& shown, Side side);

}  // namespace weft
