#include "app/viewer/play/frame_index.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace weft {

FrameIndex::FrameIndex(std::int64_t first_pts, double frames_per_tick)
    : first_(first_pts), frames_per_tick_(frames_per_tick) {
    runs_[first_pts] = {first_pts};
}

// The last run that starts at or before `time`.
FrameIndex::Runs::const_iterator FrameIndex::run_before(std::int64_t time) const {
    const auto after = runs_.upper_bound(time);
    return after == runs_.begin() ? runs_.end() : std::prev(after);
}

FrameIndex::Place FrameIndex::find(std::int64_t pts) const {
    const auto found = run_before(pts);
    if (found == runs_.end()) return {};
    const Run& run = found->second;
    const auto at = std::lower_bound(run.begin(), run.end(), pts);
    if (at == run.end() || *at != pts) return {};
    return {&run, static_cast<std::size_t>(at - run.begin())};
}

bool FrameIndex::knows(std::int64_t pts) const {
    return find(pts).run != nullptr;
}

// After damage, decoders may return a time within a known run that belongs to none of its frames:
// the run stays unchanged.
void FrameIndex::add(std::int64_t pts) {
    const auto before = run_before(pts);
    if (before != runs_.end() && before->second.back() >= pts) return;
    runs_.emplace(pts, Run{pts});
}

void FrameIndex::add_after(std::int64_t before, std::int64_t pts) {
    const auto found = runs_.find(run_begin(before));
    if (found == runs_.end() || found->second.back() != before || pts <= before) return;
    const auto following = std::next(found);
    if (following == runs_.end() || pts < following->first) {
        found->second.push_back(pts);
    } else if (pts == following->first) {
        found->second.insert(found->second.end(), following->second.begin(),
                             following->second.end());
        runs_.erase(following);
    }
}

void FrameIndex::forget_after(std::int64_t pts) {
    const auto found = run_before(pts);
    if (found == runs_.end()) return;
    Run& run = runs_.at(found->first);
    run.erase(std::upper_bound(run.begin(), run.end(), pts), run.end());
}

void FrameIndex::end_at(std::int64_t pts) {
    last_ = pts;
}

std::optional<std::int64_t> FrameIndex::shown_at(std::int64_t time) const {
    if (time <= first_) return first_;
    const auto found = run_before(time);
    if (found == runs_.end()) return std::nullopt;
    const Run& run = found->second;
    const auto after = std::upper_bound(run.begin(), run.end(), time);
    if (after == run.end() && run.back() != last_ && run.back() != time) return std::nullopt;
    return *std::prev(after);
}

std::optional<std::int64_t> FrameIndex::neighbour(std::int64_t pts, std::int64_t count) const {
    const Place place = find(pts);
    if (!place.run) return std::nullopt;
    const std::int64_t at = static_cast<std::int64_t>(place.at) + count;
    if (at < 0 || at >= static_cast<std::int64_t>(place.run->size())) return std::nullopt;
    return (*place.run)[static_cast<std::size_t>(at)];
}

std::int64_t FrameIndex::run_begin(std::int64_t pts) const {
    const Place place = find(pts);
    return place.run ? place.run->front() : pts;
}

FrameNumber FrameIndex::number(std::int64_t pts) const {
    const Place place = find(pts);
    if (place.run && place.run->front() == first_)
        return {static_cast<std::int64_t>(place.at), true};
    return {std::llround(static_cast<double>(pts - first_) * frames_per_tick_), false};
}

}  // namespace weft
