// Decoded frames by their time, within a budget of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "app/media/frame.h"

namespace weft {

// Bytes of the buffers that a frame refers to.
std::size_t frame_bytes(const AVFrame& frame);

// Not synchronised. What does not fit is thrown out by its distance from the position, the farthest
// first; frames of the kept range stay even beyond the budget.
class FrameCache {
 public:
    explicit FrameCache(std::size_t budget_bytes) : budget_(budget_bytes) {}

    // From `first` to `last` (pts, inclusive) nothing is thrown out; `first` is the position.
    void keep(std::int64_t first, std::int64_t last) {
        keep_first_ = first;
        keep_last_ = last;
    }
    // Nor from `first` to `last`: where a loop goes on.
    void keep_too(std::int64_t first, std::int64_t last) {
        too_first_ = first;
        too_last_ = last;
    }
    void insert(std::shared_ptr<const Frame> frame);
    void set_budget(std::size_t bytes);
    void clear();

    // Null: not here.
    std::shared_ptr<const Frame> find(std::int64_t pts) const;
    bool contains(std::int64_t pts) const { return frames_.contains(pts); }
    std::vector<std::int64_t> times() const;  // rising
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
    std::int64_t too_first_ = 0;
    std::int64_t too_last_ = -1;
    Entries frames_;
};

}  // namespace weft
