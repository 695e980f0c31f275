// The known frames of an open file: their order, their times, and the decoded ones.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/media/picture/frame.h"
#include "app/viewer/play/frame_cache.h"
#include "app/viewer/play/frame_index.h"

namespace weft {

// Converts between pts and seconds from the file's first frame.
struct Timeline {
    AVRational time_base{1, 1};
    std::int64_t first_pts = 0;
    double frame_rate = 0;  // 0: unknown

    double seconds(std::int64_t pts) const;
    // The last tick at or before `seconds`, allowing for rounding errors.
    std::int64_t ticks(double seconds) const;
};

// A FrameStore combines the FrameIndex and the FrameCache of one file. It is not synchronized.
class FrameStore {
 public:
    explicit FrameStore(std::size_t budget_bytes) : cache_(budget_bytes) {}

    // Forgets everything, for a file with this timeline.
    void reset(const Timeline& timeline);
    // Adds a frame, decoded directly after the one at `before` if that is given.
    void add(Frame frame, std::optional<std::int64_t> before);
    void set_budget(std::size_t bytes);

    const Timeline& timeline() const { return timeline_; }
    const FrameIndex& index() const { return index_; }
    FrameIndex& index() { return index_; }
    const FrameCache& cache() const { return cache_; }
    FrameCache& cache() { return cache_; }

    bool is_last(std::int64_t pts) const { return index_.last() == pts; }
    // The frame is cached and its end is known.
    bool ready(std::int64_t pts) const;
    double seconds(std::int64_t pts) const { return timeline_.seconds(pts); }
    // Seconds until the next frame if known, else from the frame, else from the frame rate.
    double duration(const Frame& frame) const;
    // When the frame at `pts` ends, as far as known.
    double end_seconds(std::int64_t pts) const;
    // The cached frame nearest to `pts`, preferring earlier ones; null if none is cached.
    std::shared_ptr<const Frame> nearest(std::int64_t pts) const;
    // Time ranges whose frames are cached.
    const std::vector<std::pair<double, double>>& stretches() const;

 private:
    Timeline timeline_;
    FrameIndex index_;
    FrameCache cache_;
    mutable std::optional<std::vector<std::pair<double, double>>> stretches_;  // lazily computed
};

}  // namespace weft
