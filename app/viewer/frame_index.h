// The times of a file's frames, learnt while they are decoded: what comes before and after a frame,
// and its number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace weft {

struct FrameNumber {
    std::int64_t number = 0;
    bool exact = true;  // false: computed from the rate, as nothing before it has been decoded yet
};

// Times are pts of the video stream. Frames that were decoded one after the other form a run; runs
// grow together where decoding reaches the next. Never forgets: eight bytes a frame.
class FrameIndex {
 public:
    // The file's first frame, and how many frames a tick lasts where numbers must be estimated (0:
    // unknown).
    explicit FrameIndex(std::int64_t first_pts = 0, double frames_per_tick = 0);

    // A frame whose predecessor is not known.
    void add(std::int64_t pts);
    // `pts` was decoded directly behind `before`, which is known.
    void add_after(std::int64_t before, std::int64_t pts);
    // What follows `pts` turned out to be wrong.
    void forget_after(std::int64_t pts);
    // The file's last frame.
    void end_at(std::int64_t pts);

    std::int64_t first() const { return first_; }
    // Nothing until the end was reached once.
    std::optional<std::int64_t> last() const { return last_; }
    bool knows(std::int64_t pts) const;

    // The frame that is shown at `time`: the last with pts ≤ time, if what follows it is known. The
    // first frame for times before it.
    std::optional<std::int64_t> shown_at(std::int64_t time) const;
    // The frame behind `pts`, if known; nothing for the file's last.
    std::optional<std::int64_t> next(std::int64_t pts) const { return neighbour(pts, 1); }
    // The frame `count` frames after (before, if negative) `pts`, if all between are known.
    std::optional<std::int64_t> neighbour(std::int64_t pts, std::int64_t count) const;
    // The first and the last frame of the run that `pts` lies in; `pts` itself if it is not known.
    std::int64_t run_begin(std::int64_t pts) const;
    std::int64_t run_end(std::int64_t pts) const;

    FrameNumber number(std::int64_t pts) const;

 private:
    using Run = std::vector<std::int64_t>;     // rising
    using Runs = std::map<std::int64_t, Run>;  // by their first frame

    // The run that holds `pts`, and where.
    struct Place {
        const Run* run = nullptr;
        std::size_t at = 0;
    };
    Place find(std::int64_t pts) const;
    Runs::const_iterator run_before(std::int64_t time) const;

    std::int64_t first_;
    double frames_per_tick_;
    std::optional<std::int64_t> last_;
    Runs runs_;
};

}  // namespace weft
