// The requested frame, and the decoding needed for it and around it.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "app/viewer/play/frame_store.h"

namespace weft {

// Decoding required: from a frame at or before `time` until the frame at `time` or, with `past`,
// a later one has been decoded.
struct Need {
    std::int64_t time = 0;
    bool past = false;
    bool operator==(const Need&) const = default;
};

class PlayTarget {
 public:
    PlayTarget() = default;
    // The frame displayed at `seconds`. `roughly`: the first frame returned after a seek there.
    static PlayTarget at(double seconds, bool roughly = false);
    // The frame `count` frames from this one.
    PlayTarget stepped(std::int64_t count) const;

    // Finds the frame; returns the decoding needed before it can be found.
    std::optional<Need> resolve(const FrameStore& store);
    // Accepts `frame` as the requested one.
    void settle(std::shared_ptr<const Frame> frame, const FrameStore& store);

    // Null until the frame is available.
    const std::shared_ptr<const Frame>& frame() const { return frame_; }
    double seconds() const { return seconds_; }
    bool roughly() const { return roughly_; }
    bool was_backward() const { return backward_; }
    // Its approximate pts.
    std::int64_t about(const FrameStore& store) const;

 private:
    std::optional<Need> walk(const FrameStore& store);

    double seconds_ = 0;
    bool roughly_ = false;
    bool backward_ = false;  // the last step
    std::optional<std::int64_t> pts_;
    std::int64_t steps_ = 0;  // remaining steps from pts_
    std::shared_ptr<const Frame> frame_;
};

// The frames from `begin` to before `end` (pts) repeat; the largest `end` stands for the file's.
struct PlayLoop {
    std::int64_t begin = 0;
    std::int64_t end = std::numeric_limits<std::int64_t>::max();
};

// Frames to keep decoded around the current one, within a share of the cache's budget. The first
// two also set the range that the cache must keep. Those ahead are in the order of playback: the
// begin of a loop follows its end.
std::optional<Need> need_ahead(FrameStore& store, std::int64_t position,
                               const std::optional<PlayLoop>& loop);
// The `count` frames before `pts`; all of them are kept.
std::optional<Need> need_before(FrameStore& store, std::int64_t pts, int count);
// The available ones of these, oldest first, up to the one before `pts`.
std::vector<std::shared_ptr<const Frame>> frames_before(const FrameStore& store, std::int64_t pts,
                                                        int count);
// Frames for stepping backward: enough that the next steps are immediate.
std::optional<Need> need_behind(const FrameStore& store, std::int64_t position);

}  // namespace weft
