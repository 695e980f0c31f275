// Opens a video, an image or a numbered sequence, decodes the video to be filtered and passes on
// the packets of all other streams, in file order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/media/ffmpeg.h"
#include "app/media/frame.h"
#include "app/media/heartbeat.h"
#include "kernels/device.h"

namespace weft {

class StreamChanges;

struct ReaderLimits {
    std::int64_t max_pixels = 256LL << 20;  // per frame, checked before allocation
    int max_side = 65535;
    int max_streams = 64;
};

// Hardware decoding: -hwaccel.
enum class Hwaccel : std::uint8_t {
    none,       // FFmpeg's software decoders
    automatic,  // the GPU if it can, else software
    cuda,       // the GPU; an error if it cannot
};

struct ReaderOptions {
    std::string path;                      // "-" is standard input; "img_%03d.png" is a sequence
    std::string format;                    // -f: demuxer name, for standard input; empty: probe
    std::optional<std::int64_t> start_us;  // -ss: earlier frames are dropped, exactly
    std::optional<std::int64_t> end_us;    // -to, or -ss plus -t: in the file's own time
    bool audio = true;                     // -an clears
    bool subtitles = true;                 // -sn clears
    double sequence_rate = 25;             // frames per second of a numbered sequence
    int decoder_threads = 0;               // 0: one per core
    Hwaccel hwaccel = Hwaccel::none;
    // Hwaccel::automatic: after one second of video, software decodes one second as well, and the
    // faster decoder is used from then on, unless decoding is not the bottleneck.
    bool compare_decoders = false;
    // Target GPU. Decodes if `hwaccel` allows; software frames are placed in page-locked memory.
    // The CPU device means none.
    Device gpu;
    ReaderLimits limits;
    // Beats while the reader makes progress; copies of the options share it.
    std::shared_ptr<Heartbeat> heartbeat = std::make_shared<Heartbeat>();
};

// The decoder in use, known with the first frame; `compared` later.
struct Decoding {
    bool on_gpu = false;  // frames are in GPU memory: in_gpu_memory()
    std::string why_not;  // a clause, if the GPU was requested but does not decode
    std::string compared =
        {};  // if both were compared: which one is used from then on, and their speeds
};

// Problems of the input, complete once next() has returned the end.
// Damage: fewer frames than the container promises, frames that the decoder flags or conceals,
// decode errors, or a file shorter than its index requires. Edit lists, open GOPs at the start, VFR
// and audio longer than video are healthy.
struct DamageReport {
    bool damaged = false;
    std::string reason;  // one sentence with the first bad pts (seconds) and byte, if known
    std::optional<double> first_bad_seconds;
    std::optional<std::int64_t> first_bad_byte;
    std::int64_t corrupt_frames = 0;
    std::int64_t decode_errors = 0;
    std::optional<std::int64_t> frames_expected;  // if the container promises a count
    // The part of the file that proves that no frame is missing, for example "its index". Empty for
    // damaged input and for files without such proof: a raw stream can lose its last pictures.
    std::string proven_by;
};

// A packet of a copied stream: stream_index and timestamps are the source's.
struct SourcePacket {
    AVPacketPtr packet;
};

struct EndOfInput {};

using MediaItem = std::variant<Frame, SourcePacket, EndOfInput>;

class Reader {
 public:
    // Opens, probes and decodes the first frame. Opens only regular files and "-"; everything else
    // is refused without opening it. Throws MediaError: ExitCode::failed for files that cannot be
    // opened or decoded, ExitCode::damaged for a recognisable but broken file, ExitCode::no_gpu if
    // Hwaccel::cuda is unavailable.
    explicit Reader(ReaderOptions options);
    ~Reader();
    Reader(Reader&&) noexcept;
    Reader& operator=(Reader&&) noexcept;

    // The source's streams, chapters and tags, for the Writer. Valid as long as the Reader.
    const AVFormatContext& source() const;
    // The decoded stream: the best video stream that is not a cover picture.
    const AVStream& video_stream() const;
    // The unit of Frame::pts.
    AVRational time_base() const;
    // The first frame: format, size, colour, side data; its pixels only until next() delivers it.
    const Frame& first_frame() const;
    // The clockwise rotation that players apply: 0, 90, 180, 270.
    int rotation_degrees() const;
    bool interlaced() const;
    bool is_still_image() const;  // one picture without a clock: png, jpeg, …
    const Decoding& decoding() const;
    // Sentences for the report: conversions made, alpha decoded by libvpx, …
    const std::vector<std::string>& notes() const;
    // Mid-stream changes in the part read so far; complete at the end.
    const StreamChanges& changes() const;
    // The number of frames that the container promises, or an estimate from the duration; 0 if
    // unknown. For progress.
    std::int64_t estimated_frames() const;

    // Returns the next frame or packet in file order, and EndOfInput on every call after the last.
    // Blocks on I/O and decoding. Frames keep coming after damage; see damage(). Throws MediaError
    // on I/O errors.
    MediaItem next();

    // Valid once next() has returned EndOfInput. An input that changed while being read counts as
    // damaged.
    const DamageReport& damage() const;
    // Describes how the input has changed since it was opened; empty if it has not.
    std::string input_change() const;

 private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace weft
