// The frame that was asked for, and what has to be decoded for it and around it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/viewer/frame_store.h"

namespace weft {

// What is to be decoded: from a frame at or before `time` on, until the one at `time` came, or one
// behind it (past).
struct Need {
    std::int64_t time = 0;
    bool past = false;
    bool operator==(const Need&) const = default;
};

class PlayTarget {
 public:
    PlayTarget() = default;
    // The frame shown at that time. `roughly`: the first that a seek there brings.
    static PlayTarget at(double seconds, bool roughly = false);
    // The frame `count` frames from this one.
    PlayTarget stepped(std::int64_t count) const;

    // Finds the frame; what has to be decoded before it can be found.
    std::optional<Need> resolve(const FrameStore& store);
    // Takes this frame for what was asked for.
    void settle(std::shared_ptr<const Frame> frame, const FrameStore& store);

    // Null until the frame is there.
    const std::shared_ptr<const Frame>& frame() const { return frame_; }
    double seconds() const { return seconds_; }
    bool roughly() const { return roughly_; }
    bool was_backward() const { return backward_; }
    // About where it will be.
    std::int64_t about(const FrameStore& store) const;

 private:
    std::optional<Need> walk(const FrameStore& store);

    double seconds_ = 0;
    bool roughly_ = false;
    bool backward_ = false;  // the last step
    std::optional<std::int64_t> pts_;
    std::int64_t steps_ = 0;  // still to be walked from pts_
    std::shared_ptr<const Frame> frame_;
};

// Frames that should be there beside the shown one, within a part of the cache's budget. The first
// two also tell the cache which frames it must keep.
std::optional<Need> need_ahead(FrameStore& store, std::int64_t position);
// The `count` frames before the one at `pts`, of which all are kept.
std::optional<Need> need_before(FrameStore& store, std::int64_t pts, int count);
// Those of them that are there, the oldest first, up to the one before `pts`.
std::vector<std::shared_ptr<const Frame>> frames_before(const FrameStore& store, std::int64_t pts,
                                                        int count);
// For steps backward: so many that the next ones are there at once.
std::optional<Need> need_behind(const FrameStore& store, std::int64_t position);

}  // namespace weft
