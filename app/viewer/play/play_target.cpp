#include "app/viewer/play/play_target.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace weft {

namespace {

// Frames ahead: at least kMinAhead, at most kMaxAhead within this share of the budget. At a loop's
// end they cover the time until a GPU has a decoder again: 0.6 s, or 36 frames of 60 per second.
constexpr int kMinAhead = 3;
constexpr int kMaxAhead = 64;
constexpr std::size_t kAheadPart = 4;

// Frames before the current one, within another share of it.
constexpr int kBehind = 50;
constexpr std::size_t kBehindPart = 2;

}  // namespace

PlayTarget PlayTarget::at(double seconds, bool roughly) {
    PlayTarget target;
    target.seconds_ = seconds;
    target.roughly_ = roughly;
    return target;
}

PlayTarget PlayTarget::stepped(std::int64_t count) const {
    PlayTarget target = *this;
    target.steps_ += count;
    target.backward_ = count < 0;
    target.roughly_ = false;
    target.frame_.reset();
    return target;
}

std::optional<Need> PlayTarget::walk(const FrameStore& store) {
    const FrameIndex& index = store.index();
    while (steps_ > 0) {
        const auto next = index.next(*pts_);
        if (!next && !store.is_last(*pts_)) return Need{*pts_, true};
        steps_ = next ? steps_ - 1 : 0;
        pts_ = next.value_or(*pts_);
    }
    while (steps_ < 0) {
        const auto previous = index.neighbour(*pts_, -1);
        if (!previous && *pts_ != index.first()) return Need{*pts_ - 1, true};
        steps_ = previous ? steps_ + 1 : 0;
        pts_ = previous.value_or(*pts_);
    }
    return std::nullopt;
}

std::optional<Need> PlayTarget::resolve(const FrameStore& store) {
    if (!pts_) {
        const std::int64_t time = store.timeline().ticks(seconds_);
        pts_ = store.index().shown_at(time);
        if (!pts_) return Need{time, true};
    }
    if (const auto need = walk(store)) return need;
    auto frame = store.cache().find(*pts_);
    if (!frame) return Need{*pts_, false};
    settle(std::move(frame), store);
    return std::nullopt;
}

void PlayTarget::settle(std::shared_ptr<const Frame> frame, const FrameStore& store) {
    pts_ = frame->pts;
    steps_ = 0;
    seconds_ = store.seconds(frame->pts);
    frame_ = std::move(frame);
}

std::int64_t PlayTarget::about(const FrameStore& store) const {
    return pts_.value_or(store.timeline().ticks(seconds_));
}

std::optional<Need> need_ahead(FrameStore& store, std::int64_t position,
                               const std::optional<PlayLoop>& loop) {
    std::int64_t at = position;
    bool in_next_round = false;
    const std::size_t limit = store.cache().budget() / kAheadPart;
    std::size_t bytes = 0;
    for (int ahead = 0; ahead < kMaxAhead && (ahead < kMinAhead || bytes < limit); ++ahead) {
        auto next = store.index().next(at);
        if (loop && at < loop->end && (next ? *next >= loop->end : store.is_last(at))) {
            next = store.index().shown_at(loop->begin);
            if (!next) return Need{loop->begin, true};
            in_next_round = true;
        }
        if (in_next_round)
            store.cache().keep_loop_to(next.value_or(at));
        else
            store.cache().keep(position, next.value_or(at));
        if (!next) return store.is_last(at) ? std::nullopt : std::optional(Need{at, true});
        const auto frame = store.cache().find(*next);
        if (!frame) return Need{*next, false};
        bytes += frame_bytes(*frame->av);
        at = *next;
    }
    return std::nullopt;
}

namespace {

// Covers up to `count` frames before `position`, stopping once they exceed `limit` bytes.
std::optional<Need> walk_back(const FrameStore& store, std::int64_t position, int count,
                              std::size_t limit) {
    std::int64_t at = position;
    std::size_t bytes = 0;
    for (int behind = 0; behind < count && bytes < limit; ++behind) {
        const auto previous = store.index().neighbour(at, -1);
        if (!previous && at == store.index().first()) return std::nullopt;
        if (!previous) return Need{at - 1, true};
        const auto frame = store.cache().find(*previous);
        if (!frame) return Need{*previous, false};
        bytes += frame_bytes(*frame->av);
        at = *previous;
    }
    return std::nullopt;
}

}  // namespace

std::optional<Need> need_behind(const FrameStore& store, std::int64_t position) {
    return walk_back(store, position, kBehind, store.cache().budget() / kBehindPart);
}

std::optional<Need> need_before(FrameStore& store, std::int64_t pts, int count) {
    std::int64_t oldest = pts;
    for (int k = 0; k < count; ++k) oldest = store.index().neighbour(oldest, -1).value_or(oldest);
    store.cache().keep(oldest, pts);
    return walk_back(store, pts, count, std::numeric_limits<std::size_t>::max());
}

std::vector<std::shared_ptr<const Frame>> frames_before(const FrameStore& store, std::int64_t pts,
                                                        int count) {
    std::vector<std::shared_ptr<const Frame>> frames;
    for (auto at = store.index().neighbour(pts, -1);
         at && store.cache().contains(*at) && static_cast<int>(frames.size()) < count;
         at = store.index().neighbour(*at, -1))
        frames.push_back(store.cache().find(*at));
    std::ranges::reverse(frames);
    return frames;
}

}  // namespace weft
