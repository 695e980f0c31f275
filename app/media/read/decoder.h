// The decoder of a Reader: packets in, pictures out; errors are counted, not fatal.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/media/libav/ffmpeg.h"
#include "app/media/libav/log_watch.h"
#include "app/media/read/decoder_trial.h"
#include "app/media/read/gpu_surfaces.h"
#include "app/media/read/guarded_decoding.h"
#include "app/media/read/reader.h"

namespace weft {

class Decoder {
 public:
    // VP8 and VP9 with alpha are decoded by libvpx, the only decoder to support it. Throws
    // MediaError(failed) if no decoder exists, or the stream's frames exceed the limits; (no_gpu)
    // if the options require a GPU and it cannot decode the stream. `stream` and `options` outlive
    // the decoder.
    Decoder(const AVStream& stream, bool is_image, const ReaderOptions& options);

    // Sends a packet; call receive() until it returns null before the next one. Throws
    // MediaError(damaged), before anything is allocated, for a picture whose header promises more
    // pixels than its bytes can hold, (failed) for one over the limits. This and the next two throw
    // MediaError(failed) when memory runs out.
    void send(const AVPacket& packet);
    // Marks the end of the packets: receive() then returns the pictures held back.
    void send_end();
    // The next picture in display order, or null if the decoder needs more packets or has ended.
    AVFramePtr receive();
    // Drops all pictures, before packets from elsewhere in the file. Also undoes send_end().
    void flush();
    // Learns stream properties from a packet, without returning its picture or counting errors.
    void learn(const AVPacket& packet);
    // Makes another decoder continue with the next packet, for which is_closed_key() holds: on the
    // GPU (only if the first one was there; in software if the GPU has no room any more) or in
    // software. receive() returns the pictures held back by the old one first.
    void change_to(DecoderTrial::Who who);
    // Frees libav's decoder and the last picture that it keeps. Allows no more send or receive.
    void close() { codec_.reset(); }

    // Failed calls of the decoder so far, and errors that it only logs; 0 until the choice between
    // GPU and software is made.
    std::int64_t errors() const { return tries_gpu() ? 0 : all_errors() - forgiven_; }
    // Final once the first picture has been returned.
    const Decoding& decoding() const { return decoding_; }
    const std::vector<std::string>& notes() const { return notes_; }

 private:
    using Clock = std::chrono::steady_clock;

    void open_on_gpu();
    void open(const AVCodec& codec, DecoderTrial::Who who);
    bool tries_gpu() const { return gpu_ && !decoding_.on_gpu; }
    std::int64_t all_errors() const { return errors_ + log_->errors(); }
    void begin_trial();
    void compare(const AVPacket& packet);
    bool reopen_on_gpu();
    void account(Clock::time_point began, int pictures);
    AVFramePtr take();
    AVFramePtr from_surface(AVFramePtr frame);
    AVPixelFormat format_of(const AVFrame& surface);
    bool settle(const AVFrame* picture);
    void refuse_gpu(std::string why_not);
    void send_anew(const AVPacket& packet);
    void count(int result, const ShortageWatch& watch);

    const AVStream& stream_;
    const ReaderOptions& options_;
    bool is_image_;
    std::unique_ptr<GpuSurfaces> gpu_;  // outlives codec_, as does the next
    std::unique_ptr<LogWatch> log_;
    GuardedDecoding* guard_ = nullptr;  // log_, for codecs that need it
    CodecContextPtr codec_;
    // Frames context of the latest surface and the format that software would decode it to:
    // pictures in the old format still arrive after the decoder changes to another mid-stream.
    BufferPtr surfaces_;
    AVPixelFormat surface_format_ = AV_PIX_FMT_NONE;
    bool gpu_gave_up_ = false;  // after a mid-stream change
    Decoding decoding_;
    // Packets sent to the GPU, kept for software until the GPU is known to accept the stream.
    std::deque<AVPacketPtr> tried_;
    AVPacketPtr learned_;
    bool ended_ = false;
    std::deque<AVFramePtr> waiting_;  // pictures of a closed decoder, or of packets sent again
    DecoderTrial::Who who_ = DecoderTrial::Who::software;
    std::optional<DecoderTrial> trial_;
    double busy_ = 0;  // seconds in the decoder since its last picture
    Clock::time_point last_picture_;
    AVPacketPtr first_;  // identifies the encoder; later decoders need that
    std::int64_t errors_ = 0;
    std::int64_t forgiven_ = 0;  // errors in learn() and change_to()
    std::vector<std::string> notes_;
};

}  // namespace weft
