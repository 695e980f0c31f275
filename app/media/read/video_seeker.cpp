#include "app/media/read/video_seeker.h"

#include <array>
#include <span>
#include <utility>

#include "app/media/demux/video_stream.h"
#include "app/media/read/stream_beginning.h"

namespace weft {

namespace {

// How much earlier to look for a key frame if a seek lands after the requested time.
constexpr std::array<std::int64_t, 3> kBackOffUs = {0, 2'000'000, 15'000'000};

// Give up on a demuxer that fails this often in a row.
constexpr int kMaxReadErrors = 64;

ReaderOptions without_range(ReaderOptions options) {
    options.start_us.reset();
    options.end_us.reset();
    return options;
}

}  // namespace

VideoSeeker::VideoSeeker(ReaderOptions options)
    : options_(without_range(std::move(options))),
      demuxer_(options_),
      video_index_(find_video_stream(demuxer_.context(), options_.path)),
      decoder_(video(), demuxer_.is_images(), options_) {
    const AVFormatContext& context = demuxer_.context();
    for (AVStream* stream : std::span(context.streams, context.nb_streams))
        if (stream->index != video_index_) stream->discard = AVDISCARD_ALL;
    read_beginning(demuxer_, video_index_, decoder_);
}

bool VideoSeeker::seek(std::int64_t pts) {
    landed_.reset();
    draining_ = true;
    if (!demuxer_.can_seek(video_index_)) return false;
    for (const std::int64_t earlier_us : kBackOffUs) {
        if (earlier_us == 0 && demuxer_.seeks_roughly()) continue;
        const std::int64_t earlier =
            av_rescale_q(earlier_us, av_get_time_base_q(), video().time_base);
        if (!land(pts - earlier)) break;
        if (landed_ && landed_->pts <= pts) return true;
    }
    landed_.reset();
    draining_ = true;
    return false;
}

// Seeks to a key frame and decodes it. False if the container cannot seek.
bool VideoSeeker::land(std::int64_t timestamp) {
    landed_.reset();
    if (!demuxer_.seek(video_index_, timestamp)) return false;
    decoder_.flush();
    maker_.emplace(demuxer_.context(), video(), options_.path);
    draining_ = false;
    key_seen_ = false;
    key_pts_.reset();
    landed_ = decode();
    // The position of a key frame without a timestamp would be a guess.
    return key_pts_.has_value();
}

std::optional<Frame> VideoSeeker::next() {
    if (landed_) return std::exchange(landed_, std::nullopt);
    return decode();
}

std::optional<Frame> VideoSeeker::decode() {
    for (;;) {
        AVFramePtr decoded = decoder_.receive();
        if (!decoded && draining_) return std::nullopt;
        if (!decoded && !send_packet()) {
            decoder_.send_end();
            draining_ = true;
        }
        if (!decoded) continue;
        const bool leads = decoded->pts != AV_NOPTS_VALUE && key_pts_ && decoded->pts < *key_pts_;
        if (!leads) return maker_->make(std::move(decoded));
    }
}

// Sends the decoder the next video packet, from the first key frame on. False at the end.
bool VideoSeeker::send_packet() {
    AVPacketPtr packet = make_packet();
    for (int errors = 0; errors <= kMaxReadErrors;) {
        const int result = demuxer_.read(*packet);
        if (result == AVERROR_EOF) return false;
        if (result == AVERROR(ENOMEM)) av_check(result, "reading", options_.path);
        errors = result < 0 ? errors + 1 : 0;
        if (result < 0 || packet->stream_index != video_index_) {
            av_packet_unref(packet.get());
            continue;
        }
        const bool key = (packet->flags & AV_PKT_FLAG_KEY) != 0;
        if (key && !key_seen_ && packet->pts != AV_NOPTS_VALUE) key_pts_ = packet->pts;
        key_seen_ = key_seen_ || key;
        if (key_seen_) {
            decoder_.send(*packet);
            return true;
        }
        av_packet_unref(packet.get());
    }
    return false;
}

std::optional<bool> lists_key_between(AVStream& video, std::int64_t from, std::int64_t to) {
    const int count = avformat_index_get_entries_count(&video);
    const AVIndexEntry* last = avformat_index_get_entry(&video, count - 1);
    if (!last || last->timestamp <= from) return std::nullopt;
    const AVIndexEntry* key =
        avformat_index_get_entry_from_timestamp(&video, to, AVSEEK_FLAG_BACKWARD);
    return key && key->timestamp > from;
}

}  // namespace weft
