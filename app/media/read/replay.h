// Keeps the packets with which a second decoder continues a stream when the first one fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "app/media/libav/ffmpeg.h"

namespace weft {

// Keeps all packets since the last closed key frame whose frame was delivered, or since the first
// packet. A second decoder that is sent these packets outputs frames() frames again, and then those
// that the first one failed to deliver.
class Replay {
 public:
    // `most_bytes` limits the packets that are kept, except those before the first frame.
    explicit Replay(std::size_t most_bytes = std::size_t{64} << 20) : most_bytes_(most_bytes) {}

    // Call before a packet is sent. `closed_key`: is_closed_key() holds and the packet has a time.
    // `errors` of the stream so far. Throws MediaError(failed) when memory runs out.
    void sent(const AVPacket& packet, bool closed_key, std::int64_t errors);
    // Call for each frame of the decoder that is passed on.
    void delivered(const AVFrame& frame);

    // False from the time when the packets exceed the limit to the next key frame.
    bool possible() const { return possible_; }
    const std::deque<AVPacketPtr>& packets() const { return packets_; }
    std::int64_t frames() const { return frames_; }
    // The errors of the stream before the first packet that is kept.
    std::int64_t errors() const { return errors_; }
    // Whether the first packet is a later one than the first sent.
    bool begins_later() const { return first_ > 0; }

 private:
    struct Key {
        std::int64_t pts = 0;
        std::int64_t number = 0;  // of its packet
        std::int64_t errors = 0;
    };
    void drop_before(std::int64_t number);

    std::size_t most_bytes_;
    std::deque<AVPacketPtr> packets_;
    std::size_t bytes_ = 0;
    std::int64_t first_ = 0;  // number of packets_.front()
    std::int64_t next_ = 0;
    std::deque<Key> keys_;  // whose frames have not been delivered
    bool possible_ = true;
    std::int64_t frames_ = 0;
    std::int64_t errors_ = 0;
};

}  // namespace weft
