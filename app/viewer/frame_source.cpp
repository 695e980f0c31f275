#include "app/viewer/frame_source.h"

#include <utility>
#include <variant>

namespace weft {

namespace {

// How much earlier to begin, until a frame at or before the wanted time is found.
constexpr std::int64_t kEarlierUs[] = {200'000, 2'000'000, 20'000'000};

ReaderOptions video_only(const std::string& path) {
    ReaderOptions options;
    options.path = path;
    options.audio = false;
    options.subtitles = false;
    return options;
}

std::int64_t container_start(const AVFormatContext& context) {
    return context.start_time == AV_NOPTS_VALUE ? 0 : context.start_time;
}

}  // namespace

FrameSource::FrameSource(std::string path)
    : path_(std::move(path)), reader_(std::make_unique<Reader>(video_only(path_))) {
    time_base_ = reader_->time_base();
    first_pts_ = reader_->first_frame().pts;
}

std::optional<Frame> FrameSource::next() {
    for (;;) {
        MediaItem item = reader_->next();
        over_ = std::holds_alternative<EndOfInput>(item);
        if (over_) return std::nullopt;
        if (auto* frame = std::get_if<Frame>(&item)) return std::move(*frame);
    }
}

void FrameSource::seek(std::int64_t pts) {
    over_ = false;
    const std::int64_t start = container_start(reader_->source());
    const std::int64_t us = av_rescale_q(pts, time_base_, av_get_time_base_q()) - start;
    for (const std::int64_t earlier : kEarlierUs) {
        if (us - earlier <= 0) break;
        ReaderOptions options = video_only(path_);
        options.start_us = us - earlier;
        try {
            auto reader = std::make_unique<Reader>(std::move(options));
            const bool found = reader->first_frame().pts <= pts;
            if (found) reader_ = std::move(reader);
            if (found) return;
        } catch (const MediaError&) {
            // No frame so late in the file: look earlier.
        }
    }
    reader_ = std::make_unique<Reader>(video_only(path_));
}

std::string FrameSource::damage() const {
    return over_ && reader_->damage().damaged ? reader_->damage().reason : std::string();
}

}  // namespace weft
