// Tracks the decoding position in a file and decides how to reach a needed frame.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "app/viewer/play/frame_source.h"
#include "app/viewer/play/play_target.h"

namespace weft {

class DecodeHead {
 public:
    enum class Move { decode, seek, give_up };

    DecodeHead() = default;
    // `source` must be positioned before its first frame.
    explicit DecodeHead(std::unique_ptr<FrameSource> source) : source_(std::move(source)) {}

    // The next action for `need`; `follower` is the frame after decoded(), if known. give_up: the
    // file was read from before the needed frame to past it, and the frame did not appear.
    Move toward(const Need& need, const std::optional<std::int64_t>& follower);
    // Makes a need equal to the last one start a new search.
    void forget_sought() { sought_.reset(); }
    // Whether seeking to `time` is preferable to decoding on.
    bool would_seek(std::int64_t time) const;
    // Whether a key frame exists between the current position and `time`, certainly or very likely.
    bool can_skip_to(std::int64_t time) const;

    // Both block and throw MediaError.
    void seek(const Need& need);
    std::optional<Frame> decode() { return source_->next(); }
    // Records the result of decode(); returns the pts of the previous frame, if known.
    std::optional<std::int64_t> passed(const std::optional<Frame>& frame);

    const FrameSource& source() const { return *source_; }
    bool at_end() const { return at_end_; }
    // The newest frame since the last seek.
    std::optional<std::int64_t> decoded() const { return decoded_; }

 private:
    std::int64_t position() const;

    std::unique_ptr<FrameSource> source_;
    std::optional<std::int64_t> decoded_;
    std::optional<std::int64_t> sought_time_;  // nullopt: the file's first frame
    bool at_end_ = false;
    std::optional<Need> sought_;  // the need that caused the last seek, unless forgotten
};

}  // namespace weft
