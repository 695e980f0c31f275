#include "app/media/write/stream_copier.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "app/media/libav/ffmpeg.h"
#include "app/media/write/stream_plan.h"

namespace weft {
namespace {

// The filter that converts H.264 or HEVC from length prefixes to start codes, or null.
const AVBitStreamFilter* start_code_filter(const AVCodecParameters& par,
                                           const AVOutputFormat& muxer) {
    const bool prefixed = par.extradata_size > 0 && par.extradata[0] == 1;
    if (std::string_view(muxer.name) != "avi" || !prefixed) return nullptr;
    if (par.codec_id == AV_CODEC_ID_H264) return av_bsf_get_by_name("h264_mp4toannexb");
    if (par.codec_id == AV_CODEC_ID_HEVC) return av_bsf_get_by_name("hevc_mp4toannexb");
    return nullptr;
}

BsfContextPtr open_filter(const AVBitStreamFilter& filter, const AVStream& in) {
    AVBSFContext* raw = nullptr;
    av_check(av_bsf_alloc(&filter, &raw), "starting a bitstream filter", filter.name);
    BsfContextPtr context(raw);
    av_check(avcodec_parameters_copy(raw->par_in, in.codecpar), "copying stream parameters",
             filter.name);
    raw->time_base_in = in.time_base;
    av_check(av_bsf_init(raw), "starting a bitstream filter", filter.name);
    return context;
}

void shift_times(AVPacket& packet, std::int64_t shift) {
    if (packet.pts != AV_NOPTS_VALUE) packet.pts -= shift;
    if (packet.dts != AV_NOPTS_VALUE) packet.dts -= shift;
}

// Muxers that use AAC's first ADTS header for all packets.
bool takes_headers_off(const AVStream& in, const AVOutputFormat& muxer) {
    constexpr std::array<std::string_view, 3> kMuxers = {"matroska", "mp4", "mov"};
    return in.codecpar->codec_id == AV_CODEC_ID_AAC &&
           std::ranges::find(kMuxers, muxer.name) != kMuxers.end();
}

}  // namespace

StreamCopier::StreamCopier(CopySettings settings, AVStream& out)
    : in_(settings.in),
      shift_(settings.shift.in(in_.time_base)),
      path_(std::move(settings.path)),
      takes_headers_off_(takes_headers_off(in_, settings.muxer)) {
    copy_parameters(in_, settings.muxer, *out.codecpar);
    out.time_base = in_.time_base;
    out.avg_frame_rate = in_.avg_frame_rate;
    out.r_frame_rate = in_.r_frame_rate;
    out.sample_aspect_ratio = in_.sample_aspect_ratio;
    if (const AVBitStreamFilter* filter = start_code_filter(*in_.codecpar, settings.muxer)) {
        filter_ = open_filter(*filter, in_);
        av_check(avcodec_parameters_copy(out.codecpar, filter_->par_out),
                 "copying stream parameters", filter->name);
        out.codecpar->codec_tag = 0;
    }
}

void StreamCopier::refuse_change(const AVPacket& packet) {
    if (!takes_headers_off_ || packet.data == nullptr) return;
    const auto now = read_adts({packet.data, static_cast<std::size_t>(packet.size)});
    if (!now) return;
    const AdtsHeader first = header_.value_or(*now);
    header_ = first;
    if (first == *now) return;
    throw MediaError(
        Outcome::failed,
        fmt::format(
            "{}: at {:.3f} s {} changes from {} Hz and {} channels to {} Hz and {}, but the "
            "output can state only one format; -c:a aac re-encodes the audio, -an leaves it out",
            path_, packet_seconds(packet, in_.time_base), stream_name(in_), first.sample_rate,
            first.channels, now->sample_rate, now->channels));
}

void StreamCopier::write(AVPacketPtr packet, const TimedPacketSink& sink) {
    // Muxers drop these, and a bitstream filter would take one for the end.
    if (packet->size == 0 && packet->side_data_elems == 0) return;
    refuse_change(*packet);
    shift_times(*packet, shift_);
    if (!filter_) return sink(std::move(packet), in_.time_base);
    av_check(av_bsf_send_packet(filter_.get(), packet.get()), "rewriting a packet",
             filter_->filter->name);
    drain(sink);
}

void StreamCopier::finish(const TimedPacketSink& sink) {
    if (!filter_) return;
    av_check(av_bsf_send_packet(filter_.get(), nullptr), "ending a bitstream filter",
             filter_->filter->name);
    drain(sink);
}

void StreamCopier::drain(const TimedPacketSink& sink) {
    while (true) {
        AVPacketPtr packet = make_packet();
        const int result = av_bsf_receive_packet(filter_.get(), packet.get());
        if (result == AVERROR(EAGAIN) || result == AVERROR_EOF) return;
        av_check(result, "rewriting a packet", filter_->filter->name);
        sink(std::move(packet), filter_->time_base_out);
    }
}

}  // namespace weft
