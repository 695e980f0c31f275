#include "app/viewer/frame_source.h"

#include <utility>
#include <variant>

namespace weft {

namespace {

// Where the container lists no key frames, decoding on is worth while for so long.
constexpr double kNearSeconds = 1;

ReaderOptions video_only(const std::string& path) {
    ReaderOptions options;
    options.path = path;
    options.audio = false;
    options.subtitles = false;
    return options;
}

std::optional<Frame> next_frame(Reader& reader) {
    for (;;) {
        MediaItem item = reader.next();
        if (std::holds_alternative<EndOfInput>(item)) return std::nullopt;
        if (auto* frame = std::get_if<Frame>(&item)) return std::move(*frame);
    }
}

}  // namespace

FrameSource::FrameSource(std::string path)
    : path_(std::move(path)), reader_(std::make_unique<Reader>(video_only(path_))) {
    time_base_ = reader_->time_base();
    first_pts_ = reader_->first_frame().pts;
}

std::optional<Frame> FrameSource::next() {
    auto frame = reader_ ? next_frame(*reader_) : seeker_->next();
    over_ = !frame;
    return frame;
}

void FrameSource::seek(std::int64_t pts) {
    over_ = false;
    reader_.reset();
    if (!seeker_) seeker_ = std::make_unique<VideoSeeker>(video_only(path_));
    if (pts <= first_pts_ || !seeker_->seek(pts))
        reader_ = std::make_unique<Reader>(video_only(path_));
}

bool FrameSource::seek_is_shorter(std::int64_t from, std::int64_t to) const {
    if (seeker_)
        if (const auto listed = seeker_->key_between(from, to)) return *listed;
    return static_cast<double>(to - from) * av_q2d(time_base_) > kNearSeconds;
}

std::string FrameSource::damage() const {
    return over_ && reader_ && reader_->damage().damaged ? reader_->damage().reason : "";
}

}  // namespace weft
