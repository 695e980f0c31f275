// Encodes the filtered frames with an encoder of libav, or JPEGs on a GPU.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/media/libav/ffmpeg.h"
#include "app/media/metadata/jpeg_tables.h"
#include "app/media/metadata/png_chunks.h"
#include "app/media/write/frame_clock.h"
#include "app/media/write/video_choice.h"
#include "kernels/device/device.h"

namespace weft {

class GpuJpegs;

struct EncoderSettings {
    VideoChoice choice;
    AVRational time_base{1, 25};
    AVRational frame_rate{25, 1};
    AVRational sample_aspect{0, 1};
    AVFieldOrder field_order = AV_FIELD_PROGRESSIVE;
    bool global_header = false;  // the container stores the headers separately
    bool reorder = true;         // false: no B-frames, for containers without pts
    bool lossless = false;
    bool repeatable = false;  // the same bits from the same frames, in any encoder opened alike
    std::optional<double> quality;  // -q:v
    std::optional<double> crf;
    std::string bit_rate;
    std::string preset;
    // For mjpeg, instead of its default; without the options above.
    std::optional<JpegTables> jpeg_tables = {};
    std::map<std::string, std::string> options = {};  // by libav's names; they override all others
    int threads = 0;
    std::int64_t frames = 0;                        // to come; 0: unknown
    Device gpu;                                     // for GPU encoders; the CPU: any GPU
    std::shared_ptr<GpuJpegs> gpu_jpegs = nullptr;  // encode JPEG on `gpu`, if it is one
    AVBufferRef* surfaces = nullptr;  // frames are in this AVHWFramesContext; null: on the host
    std::string path;                 // for messages
};

using PacketSink = std::function<void(AVPacketPtr)>;

// Frees the table of chroma as well, which avcodec_free_context() leaks (libav 5.1).
void free_encoder(AVCodecContext** context) noexcept;
using EncoderPtr = std::unique_ptr<AVCodecContext, CDelete<free_encoder>>;

class VideoEncoder {
 public:
    // `sample` has the size, sample format and colour tags of all following frames. Throws
    // Error(usage) for options the encoder does not have or values it refuses, also if it only logs
    // that it ignores one; Error(no_gpu) if it has no GPU to run on.
    VideoEncoder(const EncoderSettings& settings, const AVFrame& sample);
    ~VideoEncoder();
    VideoEncoder(const VideoEncoder&) = delete;
    VideoEncoder& operator=(const VideoEncoder&) = delete;

    const AVCodecContext& context() const { return *context_; }
    // Why software took over from the GPU, if that failed; empty otherwise.
    const std::string& gpu_failure() const { return gpu_failure_; }
    // The unit of the packets' timestamps.
    AVRational time_base() const { return time_base_; }

    // Encodes one frame shown at `time` (in time_base()); frames come in pts order and share their
    // pixels with the encoder. Packets that are ready go to `sink`, with pts, dts and duration.
    void encode(AVFramePtr frame, FrameTime time, const PacketSink& sink);
    void flush(const PacketSink& sink);

 private:
    bool encode_on_gpu(const AVFrame& frame, const PacketSink& sink);
    void pass_on(AVPacketPtr packet, std::int64_t pts, const PacketSink& sink);
    void send(const AVFrame* frame, const char* doing);
    void check(int result, const ShortageWatch& watch, const char* doing) const;
    void drain(const PacketSink& sink);
    void restore_times(AVPacket& packet);
    std::int64_t time_of_index(std::int64_t index) const;

    std::string path_;
    AVRational time_base_;
    EncoderPtr context_;
    // If not null, it encodes JPEGs like `gpu_model_`, which context_'s encoder has made, on gpu_.
    std::shared_ptr<GpuJpegs> gpu_jpegs_;
    Device gpu_;
    AVPacketPtr gpu_model_;
    std::string gpu_failure_;
    std::optional<std::vector<PngChunk>> png_chunks_;  // of PNG and APNG
    bool lossless_webp_ = false;  // pictures with hidden colors go to encode_exact_webp()
    bool counts_frames_;          // the encoder is given frame numbers instead of times
    std::int64_t index_ = 0;
    std::int64_t first_index_ = 0;                    // of times_.front()
    std::deque<FrameTime> times_;                     // of frames whose packets may still come
    std::map<std::int64_t, std::int64_t> durations_;  // by pts given to the encoder
};

}  // namespace weft
