// Maps a file's frames, learned while decoding: the neighbours of a frame and its number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace weft {

// A FrameNumber is the position of a frame in its file, from 0, as far as a FrameIndex knows it.
struct FrameNumber {
    std::int64_t number = 0;
    bool exact = true;  // false: estimated from the rate, as earlier frames are not decoded yet
};

// A FrameIndex keeps the pts of every decoded frame, in eight bytes; a FrameCache keeps pixels.
// Frames decoded consecutively form a run, and two runs are joined when decoding connects them.
class FrameIndex {
 public:
    // `first_pts` is the file's first frame; `frames_per_tick` is used to estimate numbers (0:
    // unknown).
    explicit FrameIndex(std::int64_t first_pts = 0, double frames_per_tick = 0);

    // Adds a frame whose predecessor is unknown.
    void add(std::int64_t pts);
    // Adds `pts`, decoded directly after the known frame `before`.
    void add_after(std::int64_t before, std::int64_t pts);
    // Drops the frames recorded after `pts`, which turned out to be wrong.
    void forget_after(std::int64_t pts);
    // Sets the file's last frame.
    void end_at(std::int64_t pts);

    std::int64_t first() const { return first_; }
    // nullopt until the end has been reached once.
    std::optional<std::int64_t> last() const { return last_; }
    bool knows(std::int64_t pts) const;

    // The frame displayed at `time`: the last one with pts ≤ time, if its successor is known. For
    // earlier times, the first frame.
    std::optional<std::int64_t> shown_at(std::int64_t time) const;
    // The frame after `pts`, if known; nullopt for the file's last frame.
    std::optional<std::int64_t> next(std::int64_t pts) const { return neighbour(pts, 1); }
    // The frame `count` frames after (before, if negative) `pts`, if all frames in between are
    // known.
    std::optional<std::int64_t> neighbour(std::int64_t pts, std::int64_t count) const;
    // The first frame of the run that contains `pts`; `pts` itself if it is unknown.
    std::int64_t run_begin(std::int64_t pts) const;

    FrameNumber number(std::int64_t pts) const;

 private:
    using Run = std::vector<std::int64_t>;     // ascending
    using Runs = std::map<std::int64_t, Run>;  // by first frame

    // The run that contains `pts`, and its position there.
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
