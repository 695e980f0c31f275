#include "app/media/stream_copier.h"

#include <string_view>

#include "app/media/stream_plan.h"

namespace weft {
namespace {

// The filter that brings H.264 or HEVC from length prefixes to start codes, or null.
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

}  // namespace

StreamCopier::StreamCopier(const AVStream& in, AVStream& out, const AVOutputFormat& muxer,
                           TimeShift shift)
    : in_(in), shift_(shift.in(in.time_base)) {
    copy_parameters(in, muxer, *out.codecpar);
    out.time_base = in.time_base;
    out.avg_frame_rate = in.avg_frame_rate;
    out.r_frame_rate = in.r_frame_rate;
    out.sample_aspect_ratio = in.sample_aspect_ratio;
    if (const AVBitStreamFilter* filter = start_code_filter(*in.codecpar, muxer)) {
        filter_ = open_filter(*filter, in);
        av_check(avcodec_parameters_copy(out.codecpar, filter_->par_out),
                 "copying stream parameters", filter->name);
        out.codecpar->codec_tag = 0;
    }
}

void StreamCopier::write(AVPacketPtr packet, const TimedPacketSink& sink) {
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
