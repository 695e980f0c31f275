// Where decoding stands in a file, and how it gets to what is needed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "app/viewer/frame_source.h"
#include "app/viewer/play_target.h"

namespace weft {

class DecodeHead {
 public:
    enum class Move { decode, seek, give_up };

    DecodeHead() = default;
    // Of a source that stands before its first frame.
    explicit DecodeHead(std::unique_ptr<FrameSource> source) : source_(std::move(source)) {}

    // What to do next for `need`. give_up: the file was read from before it to behind it, and it
    // did not come.
    Move toward(const Need& need);
    // A need like the last is then sought anew.
    void forget_sought() { sought_.reset(); }
    // Whether it would rather seek to `time` than decode on.
    bool would_seek(std::int64_t time) const;
    // Whether a key frame lies between where it stands and `time`, surely or very likely.
    bool can_skip_to(std::int64_t time) const;

    // Both block and throw MediaError.
    void seek(const Need& need);
    std::optional<Frame> decode() { return source_->next(); }
    // What decode() brought; returns the pts of the frame before it, if that is known.
    std::optional<std::int64_t> passed(const std::optional<Frame>& frame);

    const FrameSource& source() const { return *source_; }
    bool at_end() const { return at_end_; }
    // The newest frame since the last seek.
    std::optional<std::int64_t> decoded() const { return decoded_; }

 private:
    std::int64_t stands() const;

    std::unique_ptr<FrameSource> source_;
    std::optional<std::int64_t> decoded_;
    std::optional<std::int64_t> sought_time_;  // nothing: the file's first frame
    bool at_end_ = false;
    std::optional<Need> sought_;  // why the source was moved last, unless forgotten
};

}  // namespace weft
