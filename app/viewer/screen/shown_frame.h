// A frame for the window: as decoded, and after each displayed stack.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "app/viewer/play/player.h"
#include "app/viewer/screen/picture.h"
#include "filters/frame_info.h"

namespace weft {

struct ShownFrame {
    PlayedFrame played;
    FrameInfo info;
    Picture original;
    std::vector<Picture> filtered;  // one per stack; the original itself if a stack is empty
    std::uint64_t revision = 0;     // stack revision: see FrameWorker::set_stacks()

    // 0: the original; k: the result of stack k - 1, or of the last one if there are fewer.
    const Picture& side(std::size_t k) const {
        if (k == 0 || filtered.empty()) return original;
        return filtered[std::min(k, filtered.size()) - 1];
    }
};

using ShownFramePtr = std::shared_ptr<const ShownFrame>;

}  // namespace weft
