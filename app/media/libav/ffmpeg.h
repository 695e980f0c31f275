// Owners of libav objects, the error check for libav calls, and the times of packets.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavcodec/bsf.h>
#include <libavformat/avformat.h>
#include <libavutil/buffer.h>
#include <libavutil/frame.h>
#include <libavutil/imgutils.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>
}

#include <concepts>
#include <cstdint>
#include <memory>
#include <source_location>
#include <string>

#include "app/media/libav/error.h"
#include "app/media/libav/shortage.h"

namespace weft {

// Deletes with a C function that takes T* or T** (av_frame_free).
template <auto Free>
struct CDelete {
    template <class T>
    void operator()(T* p) const noexcept {
        if constexpr (std::invocable<decltype(Free), T**>)
            (void)Free(&p);
        else
            (void)Free(p);
    }
};

// Frees an AVIOContext and its buffer without flushing.
void free_avio(AVIOContext* io) noexcept;

using AvioPtr = std::unique_ptr<AVIOContext, CDelete<free_avio>>;
using AVFramePtr = std::unique_ptr<AVFrame, CDelete<av_frame_free>>;
using AVPacketPtr = std::unique_ptr<AVPacket, CDelete<av_packet_free>>;
using BufferPtr = std::unique_ptr<AVBufferRef, CDelete<av_buffer_unref>>;
using BufferPoolPtr = std::unique_ptr<AVBufferPool, CDelete<av_buffer_pool_uninit>>;
using CodecContextPtr = std::unique_ptr<AVCodecContext, CDelete<avcodec_free_context>>;
using InputContextPtr = std::unique_ptr<AVFormatContext, CDelete<avformat_close_input>>;
using OutputContextPtr = std::unique_ptr<AVFormatContext, CDelete<avformat_free_context>>;
using BsfContextPtr = std::unique_ptr<AVBSFContext, CDelete<av_bsf_free>>;
using SwsContextPtr = std::unique_ptr<SwsContext, CDelete<sws_freeContext>>;
using SwrContextPtr = std::unique_ptr<SwrContext, CDelete<swr_free>>;

// A failed libav call: carries the AVERROR code along with the message.
class MediaError : public Error {
 public:
    MediaError(Outcome outcome, const std::string& message, int av_code = 0,
               Cause cause = Cause::file)
        : Error(outcome, message, cause), av_code_(av_code) {}
    int av_code() const { return av_code_; }

 private:
    int av_code_;
};

// Returns the text of av_strerror().
std::string av_error_text(int av_code);

// Returns `result` if it is not negative; otherwise throws MediaError(outcome) whose text names the
// operation, the path and libav's reason; libav's log gets the source line. ENOMEM is failed with
// kNoMemory, whatever `outcome` is.
int av_check(int result, const std::string& doing, const std::string& path,
             Outcome outcome = Outcome::failed,
             std::source_location where = std::source_location::current());

// av_dict_set() that throws when memory runs out.
void set_entry(AVDictionary** dict, const char* key, const char* value, int flags = 0);

// Threads for a codec context: `wanted`, or for 0 the cores that this process may use. libav's own
// count, its 0, is returned where no control group limits the cores: libav does not see the limit.
int codec_threads(int wanted);

// Both return a new object, or call throw_no_memory().
AVFramePtr make_frame();
AVPacketPtr make_packet();

// The presentation time, or else the decoding time, in the stream's time base; AV_NOPTS_VALUE if
// neither is known.
inline std::int64_t packet_time(const AVPacket& packet) {
    return packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
}

// The same in seconds, for messages; 0 if neither is known.
inline double packet_seconds(const AVPacket& packet, AVRational time_base) {
    const std::int64_t time = packet_time(packet);
    return time == AV_NOPTS_VALUE ? 0 : static_cast<double>(time) * av_q2d(time_base);
}

// A frame's duration in the time base of its packet. FFmpeg 6 has a new field for it, and 7 no
// longer has the old one.
inline std::int64_t& frame_duration(AVFrame& frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
    return frame.duration;
#else
    return frame.pkt_duration;
#endif
}
inline std::int64_t frame_duration(const AVFrame& frame) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): only read
    return frame_duration(const_cast<AVFrame&>(frame));
}

}  // namespace weft
