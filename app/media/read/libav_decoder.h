// An opened decoder of libav, watched for errors that libav reports in its log or not at all.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/media/demux/reader_options.h"
#include "app/media/libav/ffmpeg.h"
#include "app/media/read/gpu_surfaces.h"

namespace weft {

class GuardedDecoding;
class LogWatch;
class ShortageWatch;

enum class DecoderKind : std::uint8_t { gpu, software };

// FFmpeg's software decoder for a stream. VP8 and VP9 with alpha are decoded by libvpx, since no
// other decoder outputs the alpha; `notes` gets a sentence on that. Null if FFmpeg has no decoder.
const AVCodec* find_software_decoder(const AVStream& stream, std::vector<std::string>& notes);

class LibavDecoder {
 public:
    struct Source {
        const AVStream& stream;
        bool is_image = false;
        const ReaderOptions& options;
    };
    // `gpu` decodes; null: software. Everything referred to outlives the decoder. Throws
    // MediaError(failed).
    LibavDecoder(const AVCodec& codec, const Source& source, const Surfaces* gpu);
    ~LibavDecoder();
    LibavDecoder(const LibavDecoder&) = delete;
    LibavDecoder& operator=(const LibavDecoder&) = delete;

    DecoderKind kind() const { return kind_; }

    // Sends a packet, or null after the last one. Like receive(), it throws MediaError(failed) when
    // memory runs out in software, and MediaError(damaged), before anything is allocated, if a
    // header promises more pixels than the bytes can hold. Other errors are counted.
    void send(const AVPacket* packet);
    // The next frame in display order, still in its surface if it has one, or null if the decoder
    // needs more packets or has ended.
    AVFramePtr receive();
    void flush() { avcodec_flush_buffers(codec_.get()); }
    // Frees libav's decoder and the last frame that it keeps. Allows no more calls but errors().
    void close() { codec_.reset(); }

    // Failed calls so far, and errors that are only logged.
    std::int64_t errors() const;
    // Whether the first error was a feature that the decoder lacks, not damage: later errors may
    // follow from it.
    bool lacks_feature() const;
    // Whether the GPU has had no surface or memory for a picture. Frames returned by the same call
    // and later ones may be wrong.
    bool lacks_surfaces() const;
    // The format that software would decode this surface to: frames in the old format still
    // arrive after the decoder changes to another mid-stream.
    AVPixelFormat format_of(const AVFrame& surface);

 private:
    void count(int result, const ShortageWatch& watch);

    const ReaderOptions& options_;
    DecoderKind kind_;
    std::unique_ptr<LogWatch> log_;     // outlives codec_
    GuardedDecoding* guard_ = nullptr;  // log_, for codecs that need it
    CodecContextPtr codec_;
    BufferPtr surfaces_;  // frames context of the latest surface
    AVPixelFormat surface_format_ = AV_PIX_FMT_NONE;
    std::int64_t failed_calls_ = 0;
    std::optional<bool> first_error_lacks_;  // a feature
    bool gpu_out_of_memory_ = false;
};

}  // namespace weft
