#include "app/media/read/video_seeker.h"

#include <span>
#include <utility>

namespace weft {

namespace {

ReaderOptions without_range(ReaderOptions options) {
    options.start_us.reset();
    options.end_us.reset();
    return options;
}

}  // namespace

VideoSeeker::VideoSeeker(ReaderOptions options)
    : options_(without_range(std::move(options))), source_(options_) {
    const AVFormatContext& context = source();
    for (AVStream* stream : std::span(context.streams, context.nb_streams))
        if (stream->index != source_.video_index()) stream->discard = AVDISCARD_ALL;
}

bool VideoSeeker::seek(std::int64_t pts) {
    pending_.reset();
    draining_ = true;
    if (!source_.can_seek()) return false;
    for (const std::int64_t earlier_us : SeekingDecoder::kBackOffUs) {
        if (!source_.may_land(earlier_us)) continue;
        if (!seek_and_decode(pts - av_rescale_q(earlier_us, av_get_time_base_q(), time_base())))
            break;
        if (pending_ && pending_->pts <= pts) return true;
    }
    pending_.reset();
    draining_ = true;
    return false;
}

// Seeks to a key frame and decodes it. False if the container cannot seek.
bool VideoSeeker::seek_and_decode(std::int64_t timestamp) {
    pending_.reset();
    if (!source_.seek(timestamp)) return false;
    maker_.emplace(source_.demuxer().context(), source_.video(), source_.is_mirrored(),
                   options_.path);
    draining_ = false;
    pending_ = decode();
    // The position of a key frame without a timestamp would be a guess.
    return source_.key_pts().has_value();
}

std::optional<Frame> VideoSeeker::next() {
    if (pending_) return std::exchange(pending_, std::nullopt);
    return decode();
}

std::optional<Frame> VideoSeeker::decode() {
    for (;;) {
        AVFramePtr decoded = source_.decoder().receive();
        if (!decoded && draining_) return std::nullopt;
        if (!decoded && !send_packet()) {
            source_.decoder().send_end();
            draining_ = true;
        }
        if (!decoded) continue;
        // Frames before the key frame lack their references.
        const std::optional<std::int64_t>& key = source_.key_pts();
        const bool leads = decoded->pts != AV_NOPTS_VALUE && key && decoded->pts < *key;
        if (!leads) return maker_->make(std::move(decoded));
    }
}

// Sends the decoder the next video packet, from the first key frame on. False at the end.
bool VideoSeeker::send_packet() {
    for (;;) {
        const AVPacketPtr packet = make_packet();
        const int result = source_.read(*packet);
        if (result == AVERROR_EOF) return false;
        if (result < 0 || packet->stream_index != source_.video_index()) continue;
        if (!source_.is_decodable(*packet)) continue;
        source_.decoder().send(*packet);
        return true;
    }
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
