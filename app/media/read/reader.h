// Opens a video, an image or a numbered sequence, decodes the video to be filtered and passes on
// the packets of all other streams, in file order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/media/check/damage.h"
#include "app/media/demux/reader_options.h"
#include "app/media/libav/ffmpeg.h"
#include "app/media/picture/frame.h"

namespace weft {

class PictureMetadata;
struct ClosedKey;
struct UnreadMetadata;
class StreamChanges;

// The decoder in use, known with the first frame; `compared` later.
struct Decoding {
    bool on_gpu = false;  // frames are in GPU memory: in_gpu_memory()
    std::string why_not;  // a clause, if the GPU was requested but does not decode
    std::string compared =
        {};  // if both were compared: which one is used from then on, and their speeds
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
    // is refused without opening it. Throws MediaError: Outcome::failed for files that cannot be
    // opened or decoded, Outcome::damaged for a recognisable but broken file, Outcome::no_gpu if
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
    // The clockwise rotation that players apply: 0, 90, 180, 270. Frames of a display matrix that
    // mirrors as well arrive mirrored.
    int rotation_degrees() const;
    bool interlaced() const;
    bool is_still_image() const;  // one picture without a clock: png, jpeg, …
    // The metadata of a picture file, or of a sequence's first one; null for videos.
    const PictureMetadata* picture_metadata() const;
    // Metadata that a video's file states and libav does not read.
    const UnreadMetadata& unread_metadata() const;
    Decoding decoding() const;
    // Sentences for the report: conversions made, alpha decoded by libvpx, …
    const std::vector<std::string>& notes() const;
    // Mid-stream changes in the part read so far; complete at the end.
    const StreamChanges& changes() const;
    // The number of frames that the container promises, or an estimate from the duration; 0 if
    // unknown. For progress.
    std::int64_t estimated_frames() const;

    // Makes next() continue at this key frame, found by list_frames(), without the packets of other
    // streams and without judging damage. Call before next(). False, and nothing changes, if the
    // key frame is not found.
    bool skip_to(const ClosedKey& key);
    // The number of frames that skip_to() left out; Frame::index counts them.
    std::int64_t frames_skipped() const;

    // The number of frames before -ss, if ReaderOptions::counts_frames; else 0.
    std::int64_t frames_before_start() const;

    // Returns the next frame or packet in file order, and EndOfInput on every call after the last.
    // Blocks on I/O and decoding. Frames keep coming after damage; see damage(). Throws MediaError
    // on I/O errors.
    MediaItem next();

    // Whether the whole input has been read and decoded, so that next() does not block: a picture's
    // when it is opened.
    bool at_end() const;

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
