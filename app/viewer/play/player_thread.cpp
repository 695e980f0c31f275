// The decoding thread of a Player: decodes the frames needed next, one at a time.
#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "app/media/check/damage_watch.h"
#include "app/viewer/play/player_impl.h"

namespace weft {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kLongestWait = std::chrono::hours(1);

// Interval of notifications while the cache fills.
constexpr auto kReportEvery = std::chrono::milliseconds(250);

// Interval for following the audio clock.
constexpr auto kFollowEvery = std::chrono::milliseconds(50);

// Decoding may trail the clock by this many wall-clock seconds before frames are skipped to
// the next key frame; less at high speed. If no key frame helps, the clock is set back.
constexpr double kMaxLag = 0.5;
constexpr double kMaxLagFast = 0.1;
constexpr double kFast = 2;
constexpr double kMaxLagOfClock = 1;

// Frames kept at a loop's beginning, for its next round.
constexpr int kKeptOfLoop = 8;

// Needs given up because of damage before decoding stops.
constexpr int kMaxGivenUp = 8;

}  // namespace

void Player::Impl::run(const std::stop_token& stop) {
    Lock lock(mutex);
    while (!stop.stop_requested()) {
        const std::uint64_t seen = changes;
        const Work done = work(lock);
        if (done == Work::none && !decoding.unreported) {
            wait(lock, stop, seen);
            continue;
        }
        report(lock, done);
    }
}

// One more cached frame is no reason to redraw: the window is notified at intervals, and when no
// work is left.
void Player::Impl::report(Lock& lock, Work done) {
    const SteadyTime now = Clock::now();
    decoding.unreported = done == Work::decoded && now - decoding.reported_at < kReportEvery;
    if (!decoding.unreported) decoding.reported_at = now;
    const std::string problem = std::exchange(decoding.error, {});
    lock.unlock();
    if (!problem.empty() && options.on_error) options.on_error(problem);
    if (decoding.unreported)
        wake.notify_all();
    else
        changed();
    lock.lock();
}

void Player::Impl::wait(Lock& lock, const std::stop_token& stop, std::uint64_t seen) {
    const auto has_changes = [&] { return changes != seen; };
    if (!clock.runs()) {
        wake.wait(lock, stop, has_changes);
        return;
    }
    SteadyTime until = Clock::now() + kLongestWait;
    if (sound.plays) until = Clock::now() + kFollowEvery;
    if (delivered_last()) until = std::min(until, clock.when(store.end_seconds(delivered_pts)));
    wake.wait_until(lock, stop, until, has_changes);
}

Player::Impl::Work Player::Impl::work(Lock& lock) {
    if (std::exchange(target_is_unseen, false)) {
        decoding.head.forget_sought();
        decoding.earlier_frames_exhausted = false;
        decoding.given_up = 0;
    }
    if (std::exchange(opening.close, false)) {
        loop_begin = loop_end = std::nullopt;
        close_file(lock);
        return Work::changed;
    }
    if (opening.input) {
        open_next(lock);
        return Work::changed;
    }
    if (follow_clock(Clock::now())) return Work::changed;
    const bool was_there = target.frame() != nullptr;
    const bool was_open = earlier.is_open;
    const auto wanted = need();
    if ((!was_there && target.frame()) || (was_open && !earlier.is_open)) return Work::changed;
    if (!wanted) return Work::none;
    decode_toward(*wanted, lock);
    return failed || (!was_there && target.frame()) ? Work::changed : Work::decoded;
}

// ---- time --------------------------------------------------------------------------------------

bool Player::Impl::follow_clock(SteadyTime now) {
    if (!clock.runs()) return false;
    if (sound.plays)
        if (const auto heard = sound.player->playback_position(now)) clock.follow(*heard, now);
    if (delivered_last()) {
        if (clock.at(now) < store.end_seconds(delivered_pts)) return false;
        restart_loop_or_pause(now);
        return true;
    }
    return catch_up(now);
}

void Player::Impl::restart_loop_or_pause(SteadyTime now) {
    // A file that cannot be decoded to its end would start over at once.
    if (const auto start = loop_start(); start && !failed) {
        seek_to(*start);
    } else {
        ended = true;
        set_paused(true, now);
    }
    sound.follow(clock, now);
}

bool Player::Impl::catch_up(SteadyTime now) {
    if (!delivered || follower()) return false;
    const double due = clock.at(now);
    const double lag = (due - store.end_seconds(delivered_pts)) / clock.speed();
    if (lag < (clock.speed() > kFast ? kMaxLagFast : kMaxLag)) return false;
    if (decoding.head.can_skip_to(store.timeline().ticks(due))) {
        const std::int64_t from = delivered_pts;
        set_target(PlayTarget::at(due, true));
        decoding.skipped_from = from;
        return true;
    }
    if (lag < kMaxLagOfClock) return false;
    const double shown = store.seconds(delivered_pts);
    set_target(PlayTarget::at(shown).stepped(1));
    clock.wait_at(shown);
    sound.plays = false;
    sound.follow(clock, now);
    return true;
}

// ---- needs --------------------------------------------------------------------------------------

std::optional<Need> Player::Impl::need() {
    if (!media || failed) return std::nullopt;
    store.cache().keep(position(), position());
    if (!target.frame()) {
        if (const auto wanted = target.resolve(store)) return wanted;
        settle(target.frame());
    }
    keep_loop_begin();
    if (earlier.is_open)
        if (const auto before = need_earlier()) return before;
    const auto repeated = decoding.earlier_frames_exhausted ? std::nullopt : loop();
    if (const auto ahead = need_ahead(store, position(), repeated)) return ahead;
    if (!target.was_backward() || decoding.earlier_frames_exhausted) return std::nullopt;
    return need_behind(store, position());
}

std::optional<Need> Player::Impl::need_earlier() {
    auto wanted = need_before(store, earlier.pts, earlier.count);
    if (!wanted) close_earlier();
    return wanted;
}

void Player::Impl::close_earlier() {
    earlier.is_open = false;
    earlier.frames = frames_before(store, earlier.pts, earlier.count);
}

void Player::Impl::keep_loop_begin() {
    const std::optional<double> start = loop_start();
    if (!start) return store.cache().keep_loop(0, -1);
    const auto begin = store.index().shown_at(store.timeline().ticks(*start));
    if (!begin) return;
    std::int64_t first = *begin;
    std::int64_t last = *begin;
    for (int i = 0; i < earlier.count; ++i)
        first = store.index().neighbour(first, -1).value_or(first);
    for (int i = 0; i < kKeptOfLoop; ++i) last = store.index().next(last).value_or(last);
    store.cache().keep_loop(first, last);
}

// The clock waits at the frame until it is shown; while catching up it keeps running.
void Player::Impl::settle(std::shared_ptr<const Frame> frame) {
    const bool running = target.roughly() && clock.runs();
    target.settle(std::move(frame), store);
    if (!running) clock.wait_at(target.seconds());
}

template <class Call>
void Player::Impl::unlocked(Lock& lock, Call call) {
    lock.unlock();
    try {
        call();
    } catch (const std::exception& thrown) {
        decoding.error = thrown.what();
    }
    lock.lock();
}

void Player::Impl::decode_toward(const Need& wanted, Lock& lock) {
    const std::optional<std::int64_t> last = decoding.head.decoded();
    const auto follower = last ? store.index().next(*last) : std::nullopt;
    const DecodeHead::Move move = decoding.head.toward(wanted, follower);
    if (move == DecodeHead::Move::give_up) return give_up(wanted);
    std::optional<Frame> frame;
    const SteadyTime began = Clock::now();
    unlocked(lock, [&] {
        if (move == DecodeHead::Move::seek)
            decoding.head.seek(wanted);
        else
            frame = decoding.head.decode();
    });
    if (frame && options.times != nullptr)
        options.times->add(Stage::decode,
                           std::chrono::duration<double>(Clock::now() - began).count());
    if (!decoding.error.empty()) {
        failed = true;
        if (auto best = store.nearest(position()); best && !target.frame()) settle(best);
    } else if (move == DecodeHead::Move::decode) {
        take(std::move(frame));
    }
}

void Player::Impl::take(std::optional<Frame> frame) {
    const std::optional<std::int64_t> before = decoding.head.passed(frame);
    if (!frame) {
        damage = decoding.head.source().damage();
        if (before) store.index().end_at(*before);
        return;
    }
    const std::int64_t pts = frame->pts;
    if (DecodedFacts(*frame->av).corrupt) damaged.insert(pts);
    store.add(std::move(*frame), before);
    if (!target.frame() && target.roughly() && pts > decoding.skipped_from)
        settle(store.nearest(pts));
}

// Decoding passed the wanted time without producing the frame: the file is damaged there.
void Player::Impl::give_up(const Need& wanted) {
    decoding.head.forget_sought();
    if (++decoding.given_up > kMaxGivenUp) failed = true;
    if (!target.frame()) {
        if (auto best = store.nearest(position()))
            settle(std::move(best));
        else
            failed = true;
    } else if (earlier.is_open) {
        close_earlier();
    } else if (wanted.time < position()) {
        decoding.earlier_frames_exhausted = true;
    } else if (!wanted.past) {
        store.index().forget_after(wanted.time - 1);
    } else if (decoding.head.at_end()) {
        store.index().end_at(wanted.time);
    } else {
        store.index().add_after(wanted.time, *decoding.head.decoded());
    }
}

// ---- opening and closing -----------------------------------------------------------------------

void Player::Impl::open_next(Lock& lock) {
    const PlayerInput input = *std::exchange(opening.input, std::nullopt);
    const std::uint64_t request = opening.requests;
    std::unique_ptr<FrameSource> source;
    std::shared_ptr<const MediaInfo> info;
    unlocked(lock, [&] {
        source = std::make_unique<FrameSource>(input.path, options.gpu, input.frame_rate);
        MediaInfo opened = media_info(source->reader(), input.path);
        opened.wanted_rate = input.frame_rate;
        info = std::make_shared<MediaInfo>(std::move(opened));
    });
    if (request != opening.requests) return decoding.error.clear();  // closed, or another file
    opening.pending = false;
    if (!info) return keep_present_file(std::chrono::steady_clock::now());
    if (media && media->path != info->path) loop_begin = loop_end = std::nullopt;
    close_file(lock);
    if (request != opening.requests) return;
    store.reset({source->time_base(), source->first_pts(), info->frame_rate});
    decoding.head = DecodeHead(std::move(source));
    media = std::move(info);
    loops_file = media->duration > 0 && media->duration < options.loop_below_seconds;
    if (options.sound && media->has_audio) open_sound();
}

void Player::Impl::keep_present_file(SteadyTime now) {
    set_paused(opening.paused_before, now);
    seek_to(opening.seconds_before);
}

void Player::Impl::open_sound() {
    AudioPlayerOptions wanted;
    wanted.path = media->path;
    wanted.origin = media->origin;
    wanted.open_output = options.open_audio;
    wanted.on_change = [this] { changed(); };
    sound.player = std::make_unique<AudioPlayer>(std::move(wanted));
    sound.apply_volume();
}

void Player::Impl::close_file(Lock& lock) {
    media.reset();
    store.reset({});
    damage.clear();
    damaged.clear();
    dropped = 0;
    failed = sound.plays = false;
    std::unique_ptr<AudioPlayer> old_sound = std::move(sound.player);
    DecodeHead old_head = std::exchange(decoding.head, {});
    unlocked(lock, [&] {
        old_sound.reset();
        old_head = {};
    });
}

}  // namespace weft
