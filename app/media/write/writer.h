// Encodes the filtered video, copies all other streams, and renames the verified file to its final
// name; on failure it leaves no file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/media/output/atomic_output.h"
#include "app/media/picture/frame.h"
#include "app/media/read/reader.h"
#include "app/media/write/output_verifier.h"
#include "app/media/write/remedies.h"
#include "app/media/write/resume.h"
#include "app/media/write/written_proof.h"
#include "kernels/device/device.h"

namespace weft {

class EncoderSurfaces;
class GpuJpegs;
class PictureMetadata;
struct UnreadMetadata;

// Hashes of everything that is written: WriteReport::proof.
enum class ProofMode {
    none,
    with_output,
    alone,  // nothing is encoded or written: to compare with the hashes of another run
};

struct WriterOptions {
    std::string path;         // "-" is standard output, with `format`
    bool numbered = false;    // `path` is a pattern, out_%03d.png, and each picture becomes a file
    std::string format;       // -f: row of the container table or muxer name; empty: by extension
    std::string video_codec;  // -c:v; empty: the container's default
    std::string audio_codec;  // -c:a; empty or "copy": copy, converted only if necessary
    bool audio = true;        // false: sound is left out
    std::optional<double> quality;  // -q:v, on the encoder's scale
    std::optional<double> crf;
    std::string bit_rate;  // -b:v, in ffmpeg's notation: "4M"
    std::string preset;
    // -profile:v, -x264-params, -tune and others, by libav's names.
    std::map<std::string, std::string> encoder_options = {};
    std::string pixel_format;  // -pix_fmt
    bool index_first = false;  // -movflags +faststart
    bool lossless = false;
    bool strict = false;  // losses are errors instead of warnings
    // The output keeps no other picture of its source, and a note names those that are left out:
    // covers, further videos, attachments but fonts and texts, pictures in metadata. No loss.
    bool redacted = false;
    Overwrite overwrite = Overwrite::refuse;
    std::shared_ptr<RunFiles> run = {};  // null: a run with only this output and its source
    std::optional<Verify> verify;        // nothing: decode with `lossless`, else packets
    int encoder_threads = 0;             // 0: one per core
    int threads = 0;  // -threads, of a repeatable video encoder; 0: encoder_threads, not repeatable
    ProofMode proof = ProofMode::none;
    // Empty, or called with the proof of the finished file if a file is in its place, which is
    // replaced although `overwrite` may forbid it. False: the file in place is the same and is
    // kept. May throw. For ProofMode::with_output.
    std::function<bool(WrittenProof&)> may_replace = {};
    // Empty, or called with each frame as the encoder would get it. For ProofMode::alone.
    std::function<void(const AVFrame&)> on_frame = {};
    Device gpu;  // for GPU encoders; the CPU: the first GPU that supports the encoder
    std::shared_ptr<GpuJpegs> gpu_jpegs = nullptr;  // encode JPEG stills on `gpu`
    std::int64_t shift_us = 0;  // subtracted from every timestamp: -ss makes the output start at 0
    std::optional<std::int64_t> length_us;  // -t, -to: later chapters are dropped
    // --resume: the facts besides these options that the video depends on; nothing: no resume. The
    // video is stored in segments as they are finished; those of an interrupted run are reused.
    std::optional<JobFacts> resume;
    // With `resume`, only this part of the video is made, into part_file(); there is no output.
    std::optional<VideoPart> part = {};
    Remedies remedies = {};
    OnFullDisk on_full_disk = {};  // none: the output fails; called by the thread that writes
    // Empty, or called when a file that is no sequence is complete and only has to reach the disk.
    std::function<void()> on_complete = {};

    bool chooses_quality() const { return quality || crf || !bit_rate.empty(); }
};

struct StreamOutcome {
    int source_index = 0;
    std::string kind;     // "video", "audio", "subtitle", "attachment", "data"
    std::string outcome;  // "encoded libx264", "copied", "converted aac to libopus", "dropped"
    std::string reason;   // unless copied; if encoded: the quality, if known
};

struct WriteReport {
    std::int64_t frames = 0;  // frames written and verified in the file
    std::int64_t bytes = 0;
    std::string video_codec;
    std::string pixel_format;
    std::vector<StreamOutcome> streams;
    std::vector<std::string> warnings;      // losses, one sentence each
    std::vector<std::string> notes;         // other deviations: pixels turned, not verified, …
    std::optional<SegmentCounts> segments;  // with WriterOptions::resume
    std::optional<WrittenProof> proof;      // with WriterOptions::proof
    // The segments of an interrupted run, if there are any, from Writer::plan() with
    // WriterOptions::resume.
    std::optional<KeptSegments> kept = {};
};

// The Writer's view of its source, filled from a Reader. All pointers must outlive the Writer.
struct WriterSource {
    const AVFormatContext* streams = nullptr;
    int video_index = 0;                 // index in streams
    AVRational time_base{1, 25};         // unit of Frame::pts
    const Frame* first_frame = nullptr;  // format, size, colour and side data of all frames
    int rotation_degrees = 0;            // if the stream has no display matrix (EXIF)
    bool interlaced = false;
    const PictureMetadata* picture = nullptr;  // of a picture file; null: a video
    const UnreadMetadata* unread = nullptr;    // of a video's file
    bool still = false;                        // a single picture: it keeps its metadata
    std::int64_t frames_skipped = 0;           // before the first one that is written
    bool frames_on_gpu = false;  // made by WriterOptions::gpu, and can stay in its memory
};

WriterSource source_of(const Reader& reader);

class Writer {
 public:
    // Chooses codecs by the container table and creates the temporary file next to the target.
    // Throws MediaError: Outcome::usage for errors detectable before decoding (unknown container,
    // codec that does not fit, --strict), no_gpu if an encoder's GPU is missing, not_written for
    // lack of space or permissions.
    Writer(WriterOptions options, const Reader& source);
    Writer(WriterOptions options, const WriterSource& source);
    // The report of a writer before its first frame, for a dry run: codecs, streams, warnings and
    // notes. Opens the encoder, and no file but kept segments, which it only reads. Throws as the
    // constructors do, except for lack of space or permissions.
    static WriteReport plan(WriterOptions options, const WriterSource& source);
    ~Writer();  // without finish(): removes the temporary file
    Writer(Writer&&) noexcept;
    Writer& operator=(Writer&&) noexcept;

    // The GPU memory in which the encoder expects all frames; null if it expects them on the host.
    // The result may outlive the Writer.
    std::shared_ptr<EncoderSurfaces> surfaces() const;
    // The number of first frames already encoded by an interrupted run: write() uses only their
    // times. For a part these are the frames before it and its stored ones.
    std::int64_t frames_stored() const;
    // Progress so far; nothing without WriterOptions::resume. Finished segments outlive this object
    // unless the output has been renamed into place.
    std::optional<SegmentCounts> segments() const;

    // The bytes in the file so far, not counting data held back by encoder and muxer; 0 for stills.
    std::int64_t bytes_so_far() const;

    // Takes frames in pts order, packets in file order. Blocks on the encoder, the disk and
    // WriterOptions::on_full_disk. A frame whose size differs from the first frame's is refused:
    // Error(failed).
    void write(Frame frame);
    void write(SourcePacket packet);

    // Flushes, closes, reads the file back (packet counts and pts must equal those sent), fsyncs,
    // renames, fsyncs the folder. If it throws, the target is untouched. Standard output cannot be
    // read back, which the notes mention.
    // `expected`: the required number of frames; another count throws Error(failed).
    // `stop` is checked between packets that the encoder held back, and before the file is read
    // back, and ends finish() with Cancelled: slow presets leave more than a second of work for the
    // end.
    WriteReport finish(const std::stop_token& stop = {}, std::optional<std::int64_t> expected = {});

 private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace weft
