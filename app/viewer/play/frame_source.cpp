#include "app/viewer/play/frame_source.h"

#include <utility>
#include <variant>

namespace weft {

namespace {

std::optional<Frame> next_frame(Reader& reader) {
    for (;;) {
        MediaItem item = reader.next();
        if (std::holds_alternative<EndOfInput>(item)) return std::nullopt;
        if (auto* frame = std::get_if<Frame>(&item)) return std::move(*frame);
    }
}

}  // namespace

FrameSource::FrameSource(std::string path, Device gpu, std::optional<double> frame_rate)
    : path_(std::move(path)),
      gpu_(std::move(gpu)),
      frame_rate_(frame_rate),
      reader_(std::make_unique<Reader>(video_only())) {
    video_index_ = reader_->video_stream().index;
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
    if (!seeker_) seeker_ = std::make_unique<VideoSeeker>(video_only());
    if (pts <= first_pts_ || !seeker_->seek(pts)) reader_ = std::make_unique<Reader>(video_only());
}

ReaderOptions FrameSource::video_only() const {
    ReaderOptions options;
    options.path = path_;
    options.audio = false;
    options.subtitles = false;
    options.hwaccel = Hwaccel::automatic;
    options.gpu = gpu_;
    options.frame_rate = frame_rate_;
    return options;
}

AVStream& FrameSource::video() const {
    const AVFormatContext& context = reader_ ? reader_->source() : seeker_->source();
    return *context.streams[video_index_];
}

bool FrameSource::key_between(std::int64_t from, std::int64_t to, double usual) const {
    if (const auto listed = lists_key_between(video(), from, to)) return *listed;
    return static_cast<double>(to - from) * av_q2d(time_base_) > usual;
}

std::string FrameSource::damage() const {
    return over_ && reader_ && reader_->damage().damaged ? reader_->damage().reason : "";
}

}  // namespace weft
