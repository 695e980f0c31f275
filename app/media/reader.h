// Opens a video, an image or a numbered sequence, decodes the picture to be filtered and hands
// through the packets of everything else, in file order.
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
    std::int64_t max_pixels = 256LL << 20;  // of one frame, checked before allocation
    int max_side = 65535;
    int max_streams = 64;
};

// Who decodes the video: -hwaccel.
enum class Hwaccel : std::uint8_t {
    none,       // FFmpeg's software decoders
    automatic,  // the GPU where it can, else software
    cuda,       // the GPU, or nobody
};

struct ReaderOptions {
    std::string path;                      // "-" is standard input; "img_%03d.png" is a sequence
    std::string format;                    // -f: demuxer name, for standard input; empty: probe
    std::optional<std::int64_t> start_us;  // -ss: frames before it are dropped, exactly
    std::optional<std::int64_t> end_us;    // -to, or -ss plus -t: in the file's own time
    bool audio = true;                     // -an clears
    bool subtitles = true;                 // -sn clears
    double sequence_rate = 25;             // frames per second of a numbered sequence
    int decoder_threads = 0;               // 0: as many as cores
    Hwaccel hwaccel = Hwaccel::none;
    // Hwaccel::automatic: after a second of the video software decodes one, too, and the faster one
    // goes on, unless something else than decoding bounds the run.
    bool compare_decoders = false;
    // Where frames go: decodes by hwaccel; what it does not decode comes in page-locked memory. The
    // CPU: there is none.
    Device gpu;
    ReaderLimits limits;
    // Beats while the reader gets on; copies of the options share it.
    std::shared_ptr<Heartbeat> heartbeat = std::make_shared<Heartbeat>();
};

// Who decodes, known with the first frame; `compared` later.
struct Decoding {
    bool on_gpu = false;  // frames lie in the GPU's memory: in_gpu_memory()
    std::string why_not;  // a clause, where the GPU was wanted and does not
    std::string compared =
        {};  // of both, where they were compared: which goes on, and their speeds
};

// What is wrong with the input, complete once next() has returned the end.
// Damage = frames missing against what the container promises, frames that the decoder flags or
// conceals, decode errors, or a file shorter than its index says. Edit lists, open GOPs at the
// start, VFR and audio longer than video are healthy.
struct DamageReport {
    bool damaged = false;
    std::string reason;  // one sentence with the first bad pts (seconds) and byte, as known
    std::optional<double> first_bad_seconds;
    std::optional<std::int64_t> first_bad_byte;
    std::int64_t corrupt_frames = 0;
    std::int64_t decode_errors = 0;
    std::optional<std::int64_t> frames_expected;  // where the container promises a count
    // The part of the file that proves that no frame is missing, for example "its index". Empty for
    // a damaged input, and for a file without such proof: a raw stream can lose its last pictures.
    std::string proven_by;
};

// A packet of a stream that is copied: stream_index and timestamps are the source's.
struct SourcePacket {
    AVPacketPtr packet;
};

struct EndOfInput {};

using MediaItem = std::variant<Frame, SourcePacket, EndOfInput>;

class Reader {
 public:
    // Opens, probes and decodes the first frame. Only regular files and "-" are opened: anything
    // else is refused without opening it. Throws MediaError: ExitCode::failed for what cannot be
    // opened or decoded, ExitCode::damaged where a file is recognisable but broken,
    // ExitCode::no_gpu where Hwaccel::cuda cannot be had.
    explicit Reader(ReaderOptions options);
    ~Reader();
    Reader(Reader&&) noexcept;
    Reader& operator=(Reader&&) noexcept;

    // The source's streams, chapters and tags, for the Writer. Lives as long as the Reader.
    const AVFormatContext& source() const;
    // The stream that is decoded: the best video stream that is no cover picture.
    const AVStream& video_stream() const;
    // Units of Frame::pts.
    AVRational time_base() const;
    // The first frame, decoded and not yet delivered by next(): format, size, colour, side data.
    const Frame& first_frame() const;
    // Clockwise turn that a player applies: 0, 90, 180, 270.
    int rotation_degrees() const;
    bool interlaced() const;
    bool is_still_image() const;  // one picture without a clock: png, jpeg, …
    const Decoding& decoding() const;
    // Sentences for the report: conversions made, alpha decoded by libvpx, …
    const std::vector<std::string>& notes() const;
    // What has changed in mid-stream in what was read so far; complete at the end.
    const StreamChanges& changes() const;
    // Frames the container promises, or estimated from the duration; 0 when unknown. For progress.
    std::int64_t estimated_frames() const;

    // The next frame or packet in file order; then EndOfInput for ever. Blocks on I/O and decode.
    // Frames keep coming after damage; see damage(). Throws MediaError on I/O errors.
    MediaItem next();

    // Valid once next() has returned EndOfInput. An input that changed while it was read is
    // damaged.
    const DamageReport& damage() const;
    // How the input has changed since it was opened, as a sentence; empty: it has not.
    std::string input_change() const;

 private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace weft
