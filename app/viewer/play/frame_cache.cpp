#include "app/viewer/play/frame_cache.h"

#include <cstdlib>
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
    keep_to_budget();
}

void FrameCache::set_budget(std::size_t bytes) {
    budget_ = bytes;
    keep_to_budget();
}

void FrameCache::keep_to_budget() {
    while (bytes_ > budget_) {
        const auto out = farthest();
        if (out == frames_.end()) break;
        bytes_ -= out->second.bytes;
        frames_.erase(out);
    }
}

bool FrameCache::kept(std::int64_t pts) const {
    return (pts >= keep_first_ && pts <= keep_last_) || (pts >= loop_first_ && pts <= loop_last_);
}

// Searches from both ends; end() if all frames are kept.
FrameCache::Entries::iterator FrameCache::farthest() {
    auto first = frames_.begin();
    while (first != frames_.end() && kept(first->first)) ++first;
    if (first == frames_.end()) return first;
    auto last = std::prev(frames_.end());
    while (kept(last->first)) --last;
    const auto distance = [&](std::int64_t pts) { return std::abs(pts - keep_first_); };
    return distance(first->first) >= distance(last->first) ? first : last;
}

void FrameCache::clear() {
    frames_.clear();
    bytes_ = 0;
    keep_loop(0, -1);
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
