#include "app/media/check/frame_list.h"

#include <algorithm>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "app/media/check/packet_check.h"
#include "app/media/demux/demuxer.h"
#include "app/media/demux/time_range.h"
#include "app/media/demux/video_stream.h"

namespace weft {
namespace {

bool has_exact_times(const Demuxer& demuxer, int video) {
    const std::string_view format = demuxer.format_name();
    return (format == "matroska,webm" || format.starts_with("mov,")) && demuxer.can_seek(video);
}

// Each packet is one frame, and its units show which ones refer to no earlier one.
bool has_frame_packets(const AVCodecParameters& codec) {
    const bool known = codec.codec_id == AV_CODEC_ID_H264 || codec.codec_id == AV_CODEC_ID_HEVC;
    const bool fields =
        codec.field_order != AV_FIELD_PROGRESSIVE && codec.field_order != AV_FIELD_UNKNOWN;
    return known && !fields && nal_length_bytes(codec) > 0;
}

bool is_plain(const AVPacket& packet) {
    return packet.size > 0 && packet.pts != AV_NOPTS_VALUE &&
           (packet.flags & (AV_PKT_FLAG_DISCARD | AV_PKT_FLAG_CORRUPT)) == 0 &&
           av_packet_get_side_data(&packet, AV_PKT_DATA_NEW_EXTRADATA, nullptr) == nullptr;
}

// A FrameLister makes a FrameList of the packets that it takes.
class FrameLister {
 public:
    explicit FrameLister(const AVCodecParameters& codec) : codec_(codec) {}

    // False if the packet leaves the number of a frame uncertain.
    bool take(const AVPacket& packet) {
        if (!is_plain(packet)) return false;
        // A decoder that begins here must know the parameters that one from the beginning knows.
        const std::optional<std::vector<std::string>> sets = parameter_sets(packet, codec_);
        if (!sets) return false;
        const auto repeated = [&](const std::string& set) {
            return std::ranges::find(*sets, set) != sets->end();
        };
        if (is_closed_key(packet, codec_) && std::ranges::all_of(sets_, repeated))
            keys_.push_back(times_.size());
        sets_.insert(sets->begin(), sets->end());
        times_.push_back(packet.pts);
        return sets_.size() <= kMostSets;
    }

    std::optional<FrameList> list(const TimeRange& range, AVRational time_base) const {
        std::vector<std::int64_t> sorted = times_;
        std::ranges::sort(sorted);
        if (std::ranges::adjacent_find(sorted) != sorted.end()) return std::nullopt;
        const auto begin = std::ranges::partition_point(
            sorted, [&](std::int64_t pts) { return range.before(pts, time_base); });
        const auto end = std::ranges::partition_point(
            sorted, [&](std::int64_t pts) { return !range.after(pts, time_base); });
        FrameList found;
        found.frames = std::max<std::int64_t>(end - begin, 0);
        // All frames before the key frame are shown before it, and all others after it.
        std::int64_t last = std::numeric_limits<std::int64_t>::min();
        auto key = keys_.begin();
        for (std::size_t k = 0; k < times_.size() && key != keys_.end(); ++k) {
            const std::int64_t frame = static_cast<std::int64_t>(k) - (begin - sorted.begin());
            if (k == *key) {
                ++key;
                if (times_[k] == sorted[k] && last < times_[k] && 0 < frame && frame < found.frames)
                    found.keys.push_back({times_[k], frame});
            }
            last = std::max(last, times_[k]);
        }
        return found;
    }

 private:
    static constexpr std::size_t kMostSets = 64;

    const AVCodecParameters& codec_;
    std::vector<std::int64_t> times_;  // the packets', in their order
    std::vector<std::size_t> keys_;    // places in it
    std::set<std::string> sets_;
};

}  // namespace

std::optional<FrameList> list_frames(const ReaderOptions& options, const std::stop_token& stop) {
    Demuxer demuxer(options);
    const int video = find_video_stream(demuxer.context(), options.path);
    const AVStream& stream = *demuxer.context().streams[video];
    if (!has_exact_times(demuxer, video) || !has_frame_packets(*stream.codecpar))
        return std::nullopt;
    for (AVStream* other : std::span(demuxer.context().streams, demuxer.context().nb_streams))
        if (other->index != video) other->discard = AVDISCARD_ALL;
    FrameLister lister(*stream.codecpar);
    const AVPacketPtr packet = make_packet();
    for (;;) {
        if (stop.stop_requested()) throw Cancelled();
        const int result = demuxer.read(*packet);
        if (result == AVERROR_EOF) break;
        if (result < 0) return std::nullopt;
        const bool plain = packet->stream_index != video || lister.take(*packet);
        av_packet_unref(packet.get());
        if (!plain) return std::nullopt;
    }
    return lister.list(TimeRange(options, demuxer.context()), stream.time_base);
}

}  // namespace weft
