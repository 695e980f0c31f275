// Encodes the filtered picture, copies every other stream, and puts the verified file in place
// under its name, or leaves nothing behind.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/media/atomic_output.h"
#include "app/media/frame.h"
#include "app/media/output_verifier.h"
#include "app/media/reader.h"
#include "app/media/resume.h"
#include "kernels/device.h"

namespace weft {

class EncoderSurfaces;

struct WriterOptions {
    std::string path;         // "-" is standard output, with `format`; "out_%03d.png" a sequence
    std::string format;       // -f: row of the container table or muxer name; empty: by extension
    std::string video_codec;  // -c:v; empty: the container's default
    std::string audio_codec;  // -c:a; empty or "copy": copy, converted only where it must be
    std::optional<double> crf;
    std::string bit_rate;  // -b:v, ffmpeg's spelling: "4M"
    std::string preset;
    std::string pixel_format;  // -pix_fmt
    bool lossless = false;
    bool strict = false;  // what cannot be kept is an error, not a warning
    Overwrite overwrite = Overwrite::refuse;
    std::shared_ptr<RunFiles> run = {};  // null: a run of this output and its source alone
    std::optional<Verify> verify;        // nothing: decode with `lossless`, else packets
    int encoder_threads = 0;             // 0: as many as cores
    Device gpu;                 // of encoders that run on one; the CPU: the first that has any
    std::int64_t shift_us = 0;  // subtracted from every timestamp: -ss makes the output start at 0
    std::optional<std::int64_t> length_us;  // -t, -to: chapters beyond it are left out
    // --resume: the picture is kept in segments as they are finished, and those of an interrupted
    // run are taken over. What it depends on beside these options; nothing: kept is none.
    std::optional<JobFacts> resume;
};

struct StreamOutcome {
    int source_index = 0;
    std::string kind;     // "video", "audio", "subtitle", "attachment", "data"
    std::string outcome;  // "encoded libx264", "copied", "converted aac to libopus", "dropped"
    std::string reason;   // why, unless copied
};

struct WriteReport {
    std::int64_t frames = 0;  // frames handed in and verified in the file
    std::int64_t bytes = 0;
    std::string video_codec;
    std::string pixel_format;
    std::vector<StreamOutcome> streams;
    std::vector<std::string> warnings;  // what could not be kept, one sentence each
    std::vector<std::string> notes;     // what was done otherwise: pixels turned, not verified, …
    std::optional<SegmentCounts> segments;  // with WriterOptions::resume
};

// What the Writer needs to know about its source; a Reader gives it. Everything that is pointed to
// must outlive the Writer.
struct WriterSource {
    const AVFormatContext* streams = nullptr;
    int video_index = 0;                 // in streams
    AVRational time_base{1, 25};         // of Frame::pts
    const Frame* first_frame = nullptr;  // format, size, colour and side data of all
    int rotation_degrees = 0;            // where the stream has no display matrix (EXIF)
    bool interlaced = false;
    bool frames_on_gpu = false;  // they are made by WriterOptions::gpu and can stay in its memory
};

WriterSource source_of(const Reader& reader);

// Thrown by Writer::finish() where a stop was requested before the file was complete.
class Stopped : public Error {
 public:
    Stopped() : Error(ExitCode::interrupted, "stopped before the end") {}
};

class Writer {
 public:
    // Chooses codecs by the container table and creates the temporary file beside the target.
    // Throws MediaError: ExitCode::usage for what can be known before anything is decoded (no such
    // container, codec that does not fit, --strict), no_gpu for an encoder without its GPU,
    // not_written for space and rights.
    Writer(WriterOptions options, const Reader& source);
    Writer(WriterOptions options, const WriterSource& source);
    ~Writer();  // without finish(): removes the temporary file
    Writer(Writer&&) noexcept;
    Writer& operator=(Writer&&) noexcept;

    // Null, or where the encoder wants all frames: it reads them in the GPU's memory. May outlive
    // the Writer.
    std::shared_ptr<EncoderSurfaces> surfaces() const;
    // The first frames, which an interrupted run has encoded: write() looks at their times alone.
    std::int64_t frames_stored() const;
    // So far; nothing without WriterOptions::resume. What is finished outlives this object unless
    // the output got its name.
    std::optional<SegmentCounts> segments() const;

    // Frames in pts order, packets in file order. Blocks on the encoder and the disk. A frame of
    // another size than the first is refused: Error(failed).
    void write(Frame frame);
    void write(SourcePacket packet);

    // Flushes, closes, reads the file back (packet count and pts list equal what was sent),
    // fsyncs, renames, fsyncs the folder. Throws; on any throw the target is untouched. Standard
    // output cannot be read back: the notes say so.
    // `expected`: the frames that there should be; another count throws Error(failed).
    // Between two packets that the encoder held back, and before the file is read back, `stop` ends
    // it with Stopped: slow presets keep more than a second of work for the end.
    WriteReport finish(const std::stop_token& stop = {}, std::optional<std::int64_t> expected = {});

 private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace weft
