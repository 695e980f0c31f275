#include "tests/viewer/play/player_support.h"

#include <chrono>
#include <stop_token>
#include <thread>
#include <utility>
#include <variant>

#include <gtest/gtest.h>

#include "app/media/read/reader.h"

namespace weft::test {

namespace {

constexpr auto kLongest = std::chrono::minutes(1);

}  // namespace

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
