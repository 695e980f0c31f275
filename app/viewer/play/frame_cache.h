// Decoded frames by time, within a memory budget.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "app/media/picture/frame.h"

namespace weft {

// Size of the buffers that a frame references.
std::size_t frame_bytes(const AVFrame& frame);

// A FrameCache keeps whole frames, whereas a FrameIndex keeps only their times. Over budget it
// evicts those farthest from the position first, but none in the kept ranges. Not synchronized.
class FrameCache {
 public:
    explicit FrameCache(std::size_t budget_bytes) : budget_(budget_bytes) {}

    // Never evicts `first` to `last` (pts, inclusive); `first` is the position.
    void keep(std::int64_t first, std::int64_t last) {
        keep_first_ = first;
        keep_last_ = last;
    }
    // A second range that is never evicted: the target of a loop.
    void keep_loop(std::int64_t first, std::int64_t last) {
        loop_first_ = first;
        loop_last_ = last;
    }
    // Extends that range up to `last`, if it ends earlier.
    void keep_loop_to(std::int64_t last) { loop_last_ = std::max(loop_last_, last); }
    void insert(std::shared_ptr<const Frame> frame);
    void set_budget(std::size_t bytes);
    void clear();

    // Null if not cached.
    std::shared_ptr<const Frame> find(std::int64_t pts) const;
    bool contains(std::int64_t pts) const { return frames_.contains(pts); }
    std::vector<std::int64_t> times() const;  // ascending
    std::size_t bytes() const { return bytes_; }
    std::size_t budget() const { return budget_; }

 private:
    struct Entry {
        std::shared_ptr<const Frame> frame;
        std::size_t bytes = 0;
    };
    using Entries = std::map<std::int64_t, Entry>;

    void keep_to_budget();
    bool kept(std::int64_t pts) const;
    Entries::iterator farthest();

    std::size_t budget_;
    std::size_t bytes_ = 0;
    std::int64_t keep_first_ = 0;
    std::int64_t keep_last_ = 0;
    std::int64_t loop_first_ = 0;
    std::int64_t loop_last_ = -1;
    Entries frames_;
};

}  // namespace weft
