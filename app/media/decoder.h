// The one decoder of a Reader: packets in, pictures out, errors counted rather than fatal.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/media/decoder_trial.h"
#include "app/media/ffmpeg.h"
#include "app/media/gpu_surfaces.h"
#include "app/media/guarded_decoding.h"
#include "app/media/log_watch.h"
#include "app/media/reader.h"

namespace weft {

class Decoder {
 public:
    // VP8 and VP9 with alpha are decoded by libvpx, which alone sees it. Throws MediaError(failed)
    // if there is no decoder, or the stream's frames exceed the limits; (no_gpu) if the options
    // demand a GPU that does not decode this.
    // Both outlive the decoder.
    Decoder(const AVStream& stream, bool is_image, const ReaderOptions& options);

    // Hands a packet over; call receive() until it returns null before the next one.
    // Throws MediaError(damaged), before anything is allocated, for a picture whose header promises
    // more pixels than its bytes can hold, (failed) for one over the limits. This and the next two
    // throw MediaError(failed) where memory runs out.
    void send(const AVPacket& packet);
    // No more packets: the pictures held back come out of receive().
    void send_end();
    // The next picture in display order, or null: more packets are wanted, or all is out.
    AVFramePtr receive();
    // Forgets all pictures, for packets from elsewhere in the file. Also ends send_end().
    void flush();
    // Takes from a packet what it says of the whole stream: no picture comes of it, no error
    // counts.
    void learn(const AVPacket& packet);
    // Another decoder, on the GPU (only where one began there; software where it has no room any
    // more) or in software, goes on with the next packet, for which is_closed_key() holds. Pictures
    // held back by the old one come first.
    void change_to(DecoderTrial::Who who);
    // Gives back what libav's decoder keeps, its last picture among it. No more send or receive.
    void close() { codec_.reset(); }

    // Calls of the decoder that failed so far, and errors that it only logs; none before it is
    // settled who decodes.
    std::int64_t errors() const { return tries_gpu() ? 0 : all_errors() - forgiven_; }
    // Settled when the first picture has come.
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
    // Where the latest surface came from, and what software would have made of it: pictures of the
    // old format still come when the decoder has gone on to another in mid-stream.
    BufferPtr surfaces_;
    AVPixelFormat surface_format_ = AV_PIX_FMT_NONE;
    bool gpu_gave_up_ = false;  // behind a change in mid-stream
    Decoding decoding_;
    // While it is not known whether the GPU takes the stream: what it was sent, for the software.
    std::deque<AVPacketPtr> tried_;
    AVPacketPtr learned_;
    bool ended_ = false;
    std::deque<AVFramePtr> waiting_;  // pictures of a decoder that is gone, or of packets sent anew
    DecoderTrial::Who who_ = DecoderTrial::Who::software;
    std::optional<DecoderTrial> trial_;
    double busy_ = 0;  // seconds in the decoder since its last picture
    Clock::time_point last_picture_;
    AVPacketPtr first_;  // what it says of the encoder, decoders that begin later must know
    std::int64_t errors_ = 0;
    std::int64_t forgiven_ = 0;  // of learn()
    std::vector<std::string> notes_;
};

}  // namespace weft
