#include "app/viewer/frame_cache.h"

#include <iterator>
#include <utility>

namespace weft {

std::size_t frame_bytes(const AVFrame& frame) {
    std::size_t bytes = 0;
    for (const AVBufferRef* buffer : frame.buf)
        if (buffer) bytes += buffer->size;
    return bytes;
}

void FrameCache::insert(std::shared_ptr<const Frame> frame) {
    const std::size_t bytes = frame_bytes(*frame->av);
    const std::int64_t pts = frame->pts;
    const auto [at, is_new] = frames_.try_emplace(pts, Entry{std::move(frame), bytes});
    if (is_new) bytes_ += bytes;
    while (bytes_ > budget_) {
        const auto out = farthest();
        if (out == frames_.end()) break;
        bytes_ -= out->second.bytes;
        frames_.erase(out);
    }
}

// One of the two ends, as long as that lies outside the kept range.
FrameCache::Entries::iterator FrameCache::farthest() {
    const auto first = frames_.begin();
    const auto last = std::prev(frames_.end());
    const bool may_first = first->first < keep_first_;
    const bool may_last = last->first > keep_last_;
    if (!may_first && !may_last) return frames_.end();
    if (may_first && may_last)
        return keep_first_ - first->first > last->first - keep_first_ ? first : last;
    return may_first ? first : last;
}

void FrameCache::clear() {
    frames_.clear();
    bytes_ = 0;
}

std::shared_ptr<const Frame> FrameCache::find(std::int64_t pts) const {
    const auto found = frames_.find(pts);
    return found == frames_.end() ? nullptr : found->second.frame;
}

std::vector<std::int64_t> FrameCache::times() const {
    std::vector<std::int64_t> times;
    times.reserve(frames_.size());
    for (const auto& [pts, entry] : frames_) times.push_back(pts);
    return times;
}

}  // namespace weft
