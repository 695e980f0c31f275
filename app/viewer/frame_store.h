// What is known and kept of an opened file's frames: their order, their times, some of them
// decoded.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/media/frame.h"
#include "app/viewer/frame_cache.h"
#include "app/viewer/frame_index.h"

namespace weft {

// Seconds from a file's first frame, and pts.
struct Timeline {
    AVRational time_base{1, 1};
    std::int64_t first_pts = 0;
    double frame_rate = 0;  // 0: unknown

    double seconds(std::int64_t pts) const;
    // The last tick at or before, but for what rounding loses.
    std::int64_t ticks(double seconds) const;
};

// Not synchronised.
class FrameStore {
 public:
    explicit FrameStore(std::size_t budget_bytes) : cache_(budget_bytes) {}

    // Forgets all, for a file with this timeline.
    void reset(const Timeline& timeline);
    // A frame that was decoded directly behind the one at `before`, if that is given.
    void add(Frame frame, std::optional<std::int64_t> before);
    void set_budget(std::size_t bytes);

    const Timeline& timeline() const { return timeline_; }
    const FrameIndex& index() const { return index_; }
    FrameIndex& index() { return index_; }
    const FrameCache& cache() const { return cache_; }
    FrameCache& cache() { return cache_; }

    bool is_last(std::int64_t pts) const { return index_.last() == pts; }
    // Here, and known when it ends.
    bool ready(std::int64_t pts) const;
    double seconds(std::int64_t pts) const { return timeline_.seconds(pts); }
    // Seconds until the next frame, else as the frame says, else by the rate.
    double duration(const Frame& frame) const;
    // When the frame at `pts` ends, as far as that is known.
    double end_seconds(std::int64_t pts) const;
    // The cached frame nearest to `pts`, an earlier one preferred; null if there is none.
    std::shared_ptr<const Frame> nearest(std::int64_t pts) const;
    // Stretches of time whose frames are here.
    const std::vector<std::pair<double, double>>& stretches() const;

 private:
    Timeline timeline_;
    FrameIndex index_;
    FrameCache cache_;
    mutable std::optional<std::vector<std::pair<double, double>>> stretches_;  // until a change
};

}  // namespace weft
