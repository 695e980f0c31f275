#include "app/viewer/play/player_impl.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace weft {

Player::Impl::Impl(PlayerOptions given)
    : options(std::move(given)), store(within_memory(options.cache_budget)) {
    thread = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

// Frames may be in GPU memory, which other data needs too.
std::size_t Player::Impl::within_memory(std::size_t budget) const {
    return options.gpu.is_gpu() ? std::min(budget, options.gpu.memory_bytes / 4) : budget;
}

void Player::Impl::changed() {
    wake.notify_all();
    if (options.on_change) options.on_change();
}

void Player::Impl::set_target(PlayTarget wanted) {
    target = std::move(wanted);
    ++serial;
    delivered = false;
    ended = false;
    failed = false;
    target_is_unseen = true;
    earlier.is_open = false;
    decoding.skipped_from.reset();
}

void Player::Impl::open(PlayerInput input, double at_seconds, SteadyTime now) {
    if (!opening.pending) {
        opening.seconds_before = clock.at(now);
        opening.paused_before = paused;
    }
    opening.input = std::move(input);
    ++opening.requests;
    opening.pending = true;
    seek_to(std::max(at_seconds, 0.0));
}

void Player::Impl::set_paused(bool now_paused, SteadyTime now) {
    paused = now_paused;
    clock.set_paused(now_paused, now);
}

void Player::Impl::seek_to(double seconds) {
    set_target(PlayTarget::at(seconds));
    clock.wait_at(seconds);
    sound.plays = false;
}

void Player::Impl::refilter(const PlayedFrame& shown) {
    PlayTarget same;
    same.settle(shown.frame, store);
    set_target(std::move(same));
    clock.wait_at(shown.seconds);
}

// Steps from the frame on the screen: while playing, the clock's.
void Player::Impl::step(int count, SteadyTime now) {
    const bool on_screen = target.frame() && delivered && !clock.waits();
    const PlayTarget from = on_screen ? PlayTarget::at(clock.at(now)) : target;
    set_paused(true, now);
    set_target(from.stepped(count));
    clock.wait_at(target.seconds());
    sound.plays = false;
}

void Player::Impl::set_loop(std::optional<double> begin, std::optional<double> end) {
    if (begin && end && *end < *begin) std::swap(begin, end);
    loop_begin = begin;
    loop_end = end;
    // As a rule B is set at the shown frame, which is not part of the loop.
    if (!paused && delivered && beyond_loop(delivered_pts)) seek_to(*loop_begin);
}

bool Player::Impl::is_at_loop_end() const {
    return delivered && beyond_loop(delivered_pts) &&
           store.index().shown_at(store.timeline().ticks(*loop_end)) == delivered_pts;
}

// Resuming at the last frame would end immediately.
bool Player::Impl::is_at_end() const {
    const bool shows_last = media && !media->still && target.frame() && delivered &&
                            store.is_last(delivered_pts) && delivered_pts == target.frame()->pts;
    return ended || (paused && (shows_last || is_at_loop_end()));
}

void Player::Impl::Sound::follow(const PlaybackClock& picture, SteadyTime now) {
    if (!player) return;
    const bool wanted = picture.runs() && picture.speed() == 1;
    if (wanted && !plays) player->play(picture.at(now), now);
    if (!wanted) player->stop();
    plays = wanted;
}

void Player::Impl::Sound::apply_volume() const {
    if (player) player->set_volume(muted ? 0 : volume);
}

std::string Player::Impl::why_silent() const {
    if (sound.player) return sound.player->problem();
    if (media && !media->has_audio) return "the file has no audio";
    return options.sound ? "" : "audio is disabled";
}

// ---- delivery ----------------------------------------------------------------------------------

std::int64_t Player::Impl::position() const {
    return delivered ? delivered_pts : target.about(store);
}

bool Player::Impl::beyond_loop(std::int64_t pts) const {
    return loop_begin && loop_end && pts >= store.timeline().ticks(*loop_end);
}

std::optional<double> Player::Impl::loop_start() const {
    if (loop_begin && loop_end) return loop_begin;
    if (loops_file && media && !media->still) return 0;
    return std::nullopt;
}

std::optional<PlayLoop> Player::Impl::loop() const {
    const std::optional<double> start = loop_start();
    if (!start) return std::nullopt;
    PlayLoop loop{.begin = store.timeline().ticks(*start)};
    if (loop_begin && loop_end) loop.end = store.timeline().ticks(*loop_end);
    return loop;
}

std::optional<std::int64_t> Player::Impl::follower() const {
    const auto next = store.index().next(delivered_pts);
    if (!next || !store.ready(*next)) return std::nullopt;
    if (beyond_loop(*next) && !beyond_loop(delivered_pts)) return std::nullopt;
    return next;
}

bool Player::Impl::can_deliver() const {
    if (!media || !target.frame()) return false;
    return !delivered || (!paused && follower());
}

// The frames between the one shown when catching up started and the one that it has reached. The
// clock does not give their number: at high speeds it is soon far past the end.
void Player::Impl::count_skipped(const Frame& reached) {
    if (!decoding.skipped_from) return;
    const double seconds = store.seconds(reached.pts) - store.seconds(*decoding.skipped_from);
    dropped += std::max<std::int64_t>(std::llround(seconds * store.timeline().frame_rate) - 1, 0);
    decoding.skipped_from.reset();
}

PlayedFrame Player::Impl::deliver(std::shared_ptr<const Frame> frame) {
    count_skipped(*frame);
    delivered = true;
    delivered_pts = frame->pts;
    const FrameNumber number = store.index().number(frame->pts);
    PlayedFrame played;
    played.seconds = store.seconds(frame->pts);
    played.file_seconds = played.seconds + (media ? media->first_frame_seconds : 0);
    played.duration = store.duration(*frame);
    played.number = number.number;
    played.number_exact = number.exact;
    played.serial = serial;
    played.frame = std::move(frame);
    return played;
}

PlayedFrame Player::Impl::take_next(SteadyTime now) {
    if (!delivered) return deliver(target.frame());
    PlayedFrame played = deliver(store.cache().find(*follower()));
    while (clock.runs() && played.seconds + played.duration < clock.at(now) && follower()) {
        ++dropped;
        played = deliver(store.cache().find(*follower()));
    }
    return played;
}

bool Player::Impl::delivered_last() const {
    if (!media || media->still || !delivered) return false;
    const auto next = store.index().next(delivered_pts);
    if (next && beyond_loop(*next) && !beyond_loop(delivered_pts)) return true;
    return store.is_last(delivered_pts) || (failed && !follower());
}

}  // namespace weft
