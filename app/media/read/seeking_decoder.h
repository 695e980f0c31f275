// An input and the decoder of its video, from the beginning or from any key frame: what Reader and
// VideoSeeker share.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "app/media/demux/demuxer.h"
#include "app/media/metadata/picture_metadata.h"
#include "app/media/read/comparing_decoder.h"
#include "app/media/read/reader.h"

namespace weft {

class SeekingDecoder {
 public:
    // How much earlier to look for a key frame, attempt by attempt, if a seek lands after the
    // wanted time.
    static constexpr std::array<std::int64_t, 3> kBackOffUs = {0, 2'000'000, 15'000'000};

    // Opens the input at its beginning. `options` outlives the decoder. Throws MediaError as Reader
    // does.
    explicit SeekingDecoder(const ReaderOptions& options);

    // False if the input can be read from its beginning only.
    bool can_seek() const { return demuxer_.can_seek(video_index_); }
    // Whether to try a seek that far back: not to the exact time if seeks land between key frames.
    bool may_land(std::int64_t earlier_us) const {
        return earlier_us > 0 || !demuxer_.seeks_roughly();
    }
    // Moves to the last key frame up to `timestamp` and drops all frames. False if the seek
    // failed, which leaves the position unknown. Blocks. Throws MediaError on I/O errors.
    bool seek(std::int64_t timestamp);
    // Whether the latest seek() succeeded.
    bool is_seeked() const { return seeked_; }

    // Reads the next packet of any stream. Returns 0, AVERROR_EOF at the end or once the demuxer
    // makes no progress, or another AVERROR after which the next call may continue. Throws
    // MediaError on I/O errors and when memory runs out.
    int read(AVPacket& packet);
    // Call for each packet of the video, in order. False after a seek until the first key frame:
    // seeks in ts and ps land between key frames, where decoders invent references.
    bool is_decodable(const AVPacket& packet);
    // The time of the key frame that a seek landed on; nothing if it has none or is not reached.
    const std::optional<std::int64_t>& key_pts() const { return key_pts_; }

    const Demuxer& demuxer() const { return demuxer_; }
    ComparingDecoder& decoder() { return decoder_; }
    const ComparingDecoder& decoder() const { return decoder_; }
    int video_index() const { return video_index_; }
    // The metadata of a picture file, or of a sequence's first one; null for videos.
    const std::shared_ptr<PictureMetadata>& picture_metadata() const { return metadata_; }
    // Whether the stream's display matrix mirrored; video() has the rotation alone.
    bool is_mirrored() const { return mirrored_; }
    AVStream& video() const { return *demuxer_.context().streams[video_index_]; }

 private:
    void read_beginning();

    const ReaderOptions& options_;
    Demuxer demuxer_;
    int video_index_;
    std::shared_ptr<PictureMetadata> metadata_;
    ComparingDecoder decoder_;
    bool mirrored_;
    bool beginning_read_ = false;
    bool seeked_ = false;
    bool key_seen_ = true;  // since the latest seek
    std::optional<std::int64_t> key_pts_;
    int read_errors_ = 0;  // in a row
};

}  // namespace weft
