#include "tests/viewer/player_support.h"

#include <chrono>
#include <stop_token>
#include <thread>
#include <utility>
#include <variant>

#include <gtest/gtest.h>

#include "app/media/reader.h"

namespace weft::test {

namespace {

constexpr auto kLongest = std::chrono::minutes(1);

void add_bytes(std::uint64_t& hash, const std::uint8_t* bytes, int count) {
    for (int i = 0; i < count; ++i) hash = (hash ^ bytes[i]) * 1099511628211U;
}

}  // namespace

std::uint64_t frame_hash(const AVFrame& frame) {
    const auto format = static_cast<AVPixelFormat>(frame.format);
    const FrameInfo info = frame_info(frame, 0);
    std::uint64_t hash = 14695981039346656037U;
    for (std::size_t p = 0; p < info.planes.size(); ++p) {
        const int bytes = av_image_get_linesize(format, frame.width, static_cast<int>(p));
        for (int y = 0; y < info.planes[p].height; ++y)
            add_bytes(hash, frame.data[p] + std::ptrdiff_t{y} * frame.linesize[p], bytes);
    }
    return hash;
}

std::vector<KnownFrame> linear_frames(const std::filesystem::path& file) {
    ReaderOptions options;
    options.path = file.string();
    options.audio = options.subtitles = false;
    Reader reader(options);
    const std::int64_t first = reader.first_frame().pts;
    std::vector<KnownFrame> frames;
    for (MediaItem item = reader.next(); !std::holds_alternative<EndOfInput>(item);
         item = reader.next())
        if (const auto* frame = std::get_if<Frame>(&item))
            frames.push_back({frame->pts,
                              static_cast<double>(frame->pts - first) * av_q2d(reader.time_base()),
                              frame_hash(*frame->av)});
    return frames;
}

PlayerOptions silent() {
    PlayerOptions options;
    options.sound = false;
    return options;
}

PlayerProbe::PlayerProbe(PlayerOptions options) {
    av_log_set_level(AV_LOG_QUIET);
    options.on_change = [this] {
        const std::scoped_lock lock(mutex_);
        ++changes_;
        changed_.notify_all();
    };
    options.on_error = [this](std::string sentence) {
        const std::scoped_lock lock(mutex_);
        errors_.push_back(std::move(sentence));
    };
    player_ = std::make_unique<Player>(std::move(options));
}

std::optional<PlayedFrame> PlayerProbe::open(const std::filesystem::path& file, double at_seconds) {
    player_->open(file.string(), at_seconds);
    return next();
}

std::optional<PlayedFrame> PlayerProbe::next() {
    std::stop_source stop;
    std::mutex mutex;
    std::condition_variable_any done;
    const std::jthread watchdog([&](const std::stop_token& over) {
        std::unique_lock lock(mutex);
        done.wait_for(lock, over, kLongest, [] { return false; });
        if (!over.stop_requested()) stop.request_stop();
    });
    auto frame = player_->next(stop.get_token());
    EXPECT_TRUE(frame) << "no frame came";
    return frame;
}

void PlayerProbe::show(const PlayedFrame& frame) {
    player_->started(frame, std::chrono::steady_clock::now());
}

bool PlayerProbe::wait_for(const std::function<bool(const PlayerStatus&)>& holds) {
    const auto until = std::chrono::steady_clock::now() + kLongest;
    std::unique_lock lock(mutex_);
    for (;;) {
        const std::uint64_t seen = changes_;
        lock.unlock();
        if (holds(player_->status())) return true;
        lock.lock();
        if (!changed_.wait_until(lock, until, [&] { return changes_ != seen; })) return false;
    }
}

std::vector<std::string> PlayerProbe::errors() const {
    const std::scoped_lock lock(mutex_);
    return errors_;
}

}  // namespace weft::test
