#include "app/viewer/play/decode_head.h"

namespace weft {

namespace {

// Where the container lists no key frames, one is assumed in any stretch of this length: the first
// applies when a frame past it is wanted anyway, the second when seeking only serves to skip
// frames.
constexpr double kNearSeconds = 1;
constexpr double kFarSeconds = 5;

}  // namespace

DecodeHead::Move DecodeHead::toward(const Need& need, const std::optional<std::int64_t>& follower) {
    const bool behind = need.past ? decoded_ > need.time : decoded_ >= need.time;
    const bool passed = at_end_ || (decoded_ && behind);
    if (sought_ == need) return passed ? Move::give_up : Move::decode;
    if (passed) return Move::seek;
    // Where that is a key frame, it comes next in any case, and a seek would empty the decoder.
    if (need.time == follower) return Move::decode;
    return would_seek(need.time) ? Move::seek : Move::decode;
}

std::int64_t DecodeHead::position() const {
    return decoded_.value_or(sought_time_.value_or(source_->first_pts()));
}

bool DecodeHead::would_seek(std::int64_t time) const {
    return position() < time && source_->key_between(position(), time, kNearSeconds);
}

bool DecodeHead::can_skip_to(std::int64_t time) const {
    return position() < time && source_->key_between(position(), time, kFarSeconds);
}

void DecodeHead::seek(const Need& need) {
    sought_ = need;
    sought_time_ = need.time;
    decoded_.reset();
    at_end_ = false;
    source_->seek(need.time);
}

std::optional<std::int64_t> DecodeHead::passed(const std::optional<Frame>& frame) {
    const std::optional<std::int64_t> before = decoded_;
    at_end_ = !frame;
    if (frame) decoded_ = frame->pts;
    return before;
}

}  // namespace weft
