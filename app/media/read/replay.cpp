#include "app/media/read/replay.h"

#include <algorithm>

namespace weft {

void Replay::sent(const AVPacket& packet, bool closed_key, std::int64_t errors) {
    if (closed_key) keys_.push_back({packet.pts, next_, errors});
    ++next_;
    packets_.emplace_back(av_packet_clone(&packet));
    if (!packets_.back()) throw_no_memory();
    bytes_ += static_cast<std::size_t>(packet.size);
    const bool any = frames_ > 0 || begins_later();
    if (!any || (possible_ && bytes_ <= most_bytes_)) return;
    possible_ = false;
    if (!keys_.empty() && keys_.front().number == first_ && bytes_ > most_bytes_) keys_.pop_front();
    drop_before(keys_.empty() ? next_ : keys_.front().number);
}

void Replay::delivered(const AVFrame& frame) {
    ++frames_;
    if (frame.pict_type != AV_PICTURE_TYPE_I) return;
    const auto key = std::ranges::find(keys_, frame.pts, &Key::pts);
    if (key == keys_.end()) return;
    drop_before(key->number);
    possible_ = true;
    // HEVC's leading pictures are displayed before the key frame that they follow.
    frames_ = 1 + std::ranges::count_if(packets_, [&](const AVPacketPtr& packet) {
                  return packet->pts != AV_NOPTS_VALUE && packet->pts < key->pts;
              });
    errors_ = key->errors;
    keys_.erase(keys_.begin(), key + 1);
}

void Replay::drop_before(std::int64_t number) {
    for (; first_ < number; ++first_) {
        bytes_ -= static_cast<std::size_t>(packets_.front()->size);
        packets_.pop_front();
    }
}

}  // namespace weft
