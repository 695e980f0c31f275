#include "app/viewer/play/player.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/viewer/play/player_impl.h"

namespace weft {

namespace {

constexpr double kMinSpeed = 0.01;
constexpr double kMaxSpeed = 100;
constexpr double kMaxVolume = 1.3;

}  // namespace

Player::Player(PlayerOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Player::~Player() = default;

void Player::open(std::string path, double at_seconds, std::optional<double> frame_rate) {
    impl_->command([&](SteadyTime now) {
        impl_->open({std::move(path), frame_rate}, at_seconds, now);
    });
}

void Player::play(std::string path, double at_seconds, std::optional<double> frame_rate) {
    impl_->command([&](SteadyTime now) {
        impl_->open({std::move(path), frame_rate}, at_seconds, now);
        impl_->set_paused(false, now);
    });
}

void Player::close() {
    impl_->command([&](SteadyTime) {
        Impl::Opening& opening = impl_->opening;
        opening.input.reset();
        ++opening.requests;
        opening.pending = false;
        opening.close = true;
        impl_->seek_to(0);
    });
}

void Player::set_paused(bool paused) {
    impl_->command([&](SteadyTime now) {
        if (!paused && impl_->is_at_end()) impl_->seek_to(impl_->loop_end ? *impl_->loop_begin : 0);
        impl_->set_paused(paused, now);
    });
}

void Player::seek(double seconds) {
    impl_->command([&](SteadyTime) { impl_->seek_to(std::max(seconds, 0.0)); });
}

void Player::refilter(const PlayedFrame& shown) {
    if (shown.serial != serial()) return;  // no change to report, however often it is called
    impl_->command([&](SteadyTime) {
        if (shown.serial == impl_->serial) impl_->refilter(shown);
    });
}

void Player::step(int count) {
    impl_->command([&](SteadyTime now) { impl_->step(count, now); });
}

void Player::set_speed(double speed) {
    impl_->command([&](SteadyTime now) {
        impl_->clock.set_speed(std::clamp(speed, kMinSpeed, kMaxSpeed), now);
    });
}

void Player::set_loop(std::optional<double> begin, std::optional<double> end) {
    impl_->command([&](SteadyTime) { impl_->set_loop(begin, end); });
}

void Player::set_file_loop(bool loops) {
    impl_->command([&](SteadyTime) { impl_->loops_file = loops; });
}

void Player::set_volume(double volume) {
    impl_->command([&](SteadyTime) {
        impl_->sound.volume = std::clamp(volume, 0.0, kMaxVolume);
        impl_->sound.apply_volume();
    });
}

void Player::set_muted(bool muted) {
    impl_->command([&](SteadyTime) {
        impl_->sound.muted = muted;
        impl_->sound.apply_volume();
    });
}

void Player::set_cache_budget(std::size_t bytes) {
    impl_->command([&](SteadyTime) {
        impl_->store.cache().keep(impl_->position(), impl_->position());
        impl_->store.set_budget(impl_->within_memory(bytes));
    });
}

void Player::started(const PlayedFrame& frame, SteadyTime now) {
    impl_->command([&](SteadyTime) {
        if (frame.serial == impl_->serial && impl_->target.frame())
            impl_->clock.start(frame.seconds, now);
    });
}

void Player::count_dropped(std::int64_t frames) {
    if (frames != 0) impl_->command([&](SteadyTime) { impl_->dropped += frames; });
}

PlayerStatus Player::status() const {
    const Impl& impl = *impl_;
    const std::scoped_lock lock(impl.mutex);
    PlayerStatus status;
    status.media = impl.media;
    status.opening = impl.opening.pending;
    status.seeking = impl.media && !status.opening && !impl.target.frame() && !impl.failed;
    status.delivered = impl.media && impl.delivered;
    status.paused = impl.paused;
    status.ended = impl.ended;
    status.speed = impl.clock.speed();
    status.loop_begin = impl.loop_begin;
    status.loop_end = impl.loop_end;
    status.loops_file = impl.loops_file;
    status.volume = impl.sound.volume;
    status.muted = impl.sound.muted;
    status.sound = impl.why_silent();
    status.dropped = impl.dropped;
    status.cache_bytes = impl.store.cache().bytes();
    status.cache_budget = impl.store.cache().budget();
    status.damage = impl.damage;
    for (const std::int64_t pts : impl.damaged) status.damaged.push_back(impl.store.seconds(pts));
    status.cached = impl.store.stretches();
    return status;
}

std::uint64_t Player::serial() const {
    const std::scoped_lock lock(impl_->mutex);
    return impl_->serial;
}

double Player::clock(SteadyTime now) const {
    const std::scoped_lock lock(impl_->mutex);
    return impl_->clock.at(now);
}

std::optional<PlayedFrame> Player::next(const std::stop_token& stop) {
    Impl& impl = *impl_;
    Impl::Lock lock(impl.mutex);
    const bool can = impl.wake.wait(lock, stop, [&] { return impl.can_deliver(); });
    if (!can || stop.stop_requested()) return std::nullopt;
    const std::int64_t dropped = impl.dropped;
    PlayedFrame played = impl.take_next(std::chrono::steady_clock::now());
    const bool has_dropped = impl.dropped != dropped;
    ++impl.changes;
    lock.unlock();
    if (has_dropped)
        impl.changed();
    else
        impl.wake.notify_all();
    return played;
}

EarlierFrames Player::before(const PlayedFrame& frame, int count, const std::stop_token& stop) {
    Impl& impl = *impl_;
    Impl::Lock lock(impl.mutex);
    const auto stale = [&] { return impl.serial != frame.serial; };
    if (count <= 0 || stale()) return {};
    if (impl.target.roughly()) return frames_before(impl.store, frame.frame->pts, count);
    impl.earlier = {frame.frame->pts, count, true, {}};
    ++impl.changes;
    impl.wake.notify_all();
    (void)impl.wake.wait(lock, stop,
                         [&] { return stale() || !impl.earlier.is_open || impl.failed; });
    if (stop.stop_requested() || stale()) return {};
    if (impl.earlier.is_open) impl.close_earlier();
    return std::exchange(impl.earlier.frames, {});
}

}  // namespace weft
