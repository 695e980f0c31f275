// Decodes a video stream on the GPU or in software: packets in, frames out; errors are counted,
// not fatal.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "app/media/libav/ffmpeg.h"
#include "app/media/read/gpu_surfaces.h"
#include "app/media/read/libav_decoder.h"
#include "app/media/read/reader.h"
#include "app/media/read/replay.h"

namespace weft {

class Decoder {
 public:
    // VP8 and VP9 with alpha are decoded by libvpx, the only decoder to support it. Throws
    // MediaError(failed) if no decoder exists, or the stream's frames exceed the limits; (no_gpu)
    // if the options require a GPU and it cannot decode the stream. `stream` and `options` outlive
    // the decoder.
    Decoder(const AVStream& stream, bool is_image, const ReaderOptions& options);
    // The same, with other surfaces than those of options.gpu: for tests.
    Decoder(const AVStream& stream, const ReaderOptions& options, std::unique_ptr<Surfaces> gpu);

    // Sends a packet; call receive() until it returns null before the next one. Throws
    // MediaError(damaged), before anything is allocated, for a picture whose header promises more
    // pixels than its bytes can hold, (failed) for one over the limits. This and the next two throw
    // MediaError(failed) when memory runs out, and if the options require a GPU that has no surface
    // left for a picture. Otherwise software then decodes again from the last closed key frame.
    void send(const AVPacket& packet);
    // Marks the end of the packets: receive() then returns the frames held back.
    void send_end();
    // The next frame in display order, or null if the decoder needs more packets or has ended.
    AVFramePtr receive();
    // Drops all frames, before packets from elsewhere in the file. Also undoes send_end().
    void flush();
    // Reads stream properties from a packet, without returning its frame or counting errors.
    void read_properties(const AVPacket& packet);
    // Makes another decoder continue with the next packet, for which is_closed_key() holds: on the
    // GPU (only if the first one was there; in software if the GPU has no room any more) or in
    // software. receive() returns the frames held back by the old one first.
    void change_to(DecoderKind kind);
    // Frees libav's decoder and the last frame that it keeps. Allows no more send or receive.
    void close() { codec_->close(); }

    // The decoder that takes the next packet.
    DecoderKind kind() const { return codec_->kind(); }
    // Whether receive() has a frame of the decoder before change_to(), without decoding.
    bool has_waiting() const { return !waiting_.empty(); }
    // Whether the GPU has had no surface for a picture, or has refused a change of size or format
    // in mid-stream. After the latter libav decodes in software, with one thread.
    bool gpu_gave_up() const { return gpu_gave_up_; }
    // Failed calls of the decoder so far, and errors that it only logs; 0 until the choice between
    // GPU and software is made.
    std::int64_t errors() const { return tries_gpu() ? 0 : all_errors() - forgiven_; }
    // Like LibavDecoder::lacks_feature(), for the present decoder.
    bool lacks_feature() const { return codec_ && codec_->lacks_feature(); }
    // Final once the first frame has been returned.
    const Decoding& decoding() const { return decoding_; }
    const std::vector<std::string>& notes() const { return notes_; }

 private:
    void open_on_gpu();
    void open(const AVCodec& codec, DecoderKind kind);
    bool decode_jpeg_on_gpu(const AVPacket& packet);
    AVFramePtr jpeg_on_gpu(const AVPacket& packet);
    bool has_gpu_jpegs() const;
    bool reopen_on_gpu();
    bool tries_gpu() const { return gpu_ && !decoding_.on_gpu; }
    std::int64_t all_errors() const { return errors_ + (codec_ ? codec_->errors() : 0); }
    void renew();
    void keep(const AVPacket& packet);
    AVFramePtr next_frame();
    bool take_from_surface(AVFramePtr& frame);
    bool settle(const AVFrame* frame);
    void refuse_gpu(std::string why_not);
    void start_in_software(std::string why_not);
    bool leave_gpu_if_short();
    void leave_gpu(const std::string& why_not, Outcome outcome);
    void send_again(const Replay& replay);
    void identify_encoder();

    const AVStream& stream_;
    const ReaderOptions& options_;
    bool is_image_;
    std::unique_ptr<Surfaces> gpu_;  // outlives codec_
    std::unique_ptr<LibavDecoder> codec_;
    bool gpu_gave_up_ = false;
    bool tries_jpeg_ = false;  // on the GPU
    Decoding decoding_;
    Replay replay_;          // of the GPU's decoder, for software
    std::int64_t skip_ = 0;  // frames of codec_ that have been delivered before
    AVPacketPtr properties_packet_;
    bool used_ = false;  // a packet was sent
    bool ended_ = false;
    std::deque<AVFramePtr> waiting_;  // frames of a closed decoder, or of packets sent again
    AVPacketPtr first_;               // identifies the encoder; later decoders need that
    std::int64_t errors_ = 0;         // of closed decoders
    std::int64_t forgiven_ = 0;       // errors in read_properties() and change_to()
    std::vector<std::string> notes_;
};

}  // namespace weft
