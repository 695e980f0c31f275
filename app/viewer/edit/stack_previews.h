// Thumbnails of the effect of stacks on a frame, computed in the background.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "app/pipeline/latest_task.h"
#include "app/viewer/play/thumbnails.h"
#include "app/viewer/screen/shown_frame.h"
#include "filters/stack.h"
#include "kernels/device/device.h"

namespace weft {

// The stack applied on the CPU to consecutive frames of one size (at least one). Sizes in pixels
// are those of the thumbnail, so that a blur is wider in it than in the frame. Returns the result
// for the last frame; temporal filters use as many of the others as they need. Null if the stack
// cannot be computed, for example because a file is missing.
ThumbnailPtr stack_preview(const Stack& stack, std::span<const ThumbnailPtr> frames);

// Frames before the shown one that the stack needs for its preview; 0 for most stacks.
int frames_before_preview(const Stack& stack);

// For one thread, the window's.
class StackPreviews {
 public:
    static constexpr int kMaxSide = 96;

    // `device` holds the frames. `changed` is called from the thread for each new picture.
    StackPreviews(Device device, std::function<void()> changed);

    // Returns immediately. Drops the pictures of other frames, and makes one for each of the stacks
    // that has none yet, in their order, those with temporal filters last: the earlier frames are
    // decoded again for them. `media` gives the frame's rotation and aspect.
    void ask(ShownFramePtr shown, std::shared_ptr<const MediaInfo> media,
             std::vector<Stack> stacks);
    // Null if not made yet, or if stack_preview() makes none.
    ThumbnailPtr of(const Stack& stack) const;

 private:
    struct Request {
        ShownFramePtr shown;
        std::shared_ptr<const MediaInfo> media;
        std::vector<Stack> stacks;
    };
    using Pictures = std::vector<std::pair<Stack, ThumbnailPtr>>;
    void make_all(const Request& request, const std::stop_token& superseded);
    void make_in_time(const Request& request, const std::vector<Stack>& stacks, ThumbnailPtr shown,
                      const std::stop_token& superseded);
    // Makes the picture of the stack. False if another request was made.
    bool make(const Stack& stack, std::span<const ThumbnailPtr> frames,
              const std::stop_token& superseded);

    std::weak_ptr<const ShownFrame> last_;  // does not keep the frame's memory in use
    LatestTask<Request, Pictures> task_;
};

}  // namespace weft
