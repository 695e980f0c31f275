#include "app/viewer/player.h"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "app/viewer/frame_cache.h"
#include "app/viewer/frame_index.h"
#include "app/viewer/frame_source.h"

namespace weft {

namespace {

// Frames decoded ahead of the position: at least kMinAhead, else up to kMaxAhead and a part of the
// budget.
constexpr int kMinAhead = 3;
constexpr int kMaxAhead = 32;
constexpr std::size_t kAheadPart = 4;

constexpr double kMinSpeed = 0.01;
constexpr double kMaxSpeed = 100;
constexpr double kMaxVolume = 1.3;
constexpr double kUnknownDuration = 0.04;

constexpr auto kLongestWait = std::chrono::hours(1);
constexpr SteadyTime kNever = SteadyTime::max();

// Seconds from the first frame, and pts.
struct Timeline {
    AVRational time_base{1, 1};
    std::int64_t first_pts = 0;

    double seconds(std::int64_t pts) const {
        return static_cast<double>(pts - first_pts) * av_q2d(time_base);
    }
    // The last tick at or before: a tenth is for the rounding of seconds() and of sums.
    std::int64_t ticks(double seconds) const {
        constexpr double kMost = 1e18;
        const double ticks = std::floor(std::max(seconds, 0.0) / av_q2d(time_base) + 0.1);
        return first_pts + static_cast<std::int64_t>(std::min(ticks, kMost));
    }
};

// The frame that was asked for last: the one shown at `seconds`, or `pts`, and `steps` from there.
struct Target {
    explicit Target(double at = 0) : seconds(at) {}

    double seconds;
    std::optional<std::int64_t> pts;
    std::int64_t steps = 0;
    std::shared_ptr<const Frame> frame;  // once it is there: steps is 0 then
};

// What is to be decoded next: from at or before `time` on, until it is shown (past: passed).
struct Need {
    std::int64_t time = 0;
    bool past = false;
    bool operator==(const Need&) const = default;
};

}  // namespace

struct Player::Impl {
    explicit Impl(PlayerOptions given) : options(std::move(given)), cache(options.cache_budget) {
        decoder = std::jthread([this](const std::stop_token& stop) { run(stop); });
    }

    // ---- under the mutex, from any thread ----
    void aim(Target wanted) {
        target = std::move(wanted);
        ++serial;
        handed = false;
        ended = false;
        failed = false;
        sought.reset();
    }
    template <class Change>
    void command(Change change);
    void step(int count, SteadyTime now);
    void seek_to(double seconds) {
        aim(Target(seconds));
        clock.wait_at(seconds);
    }
    bool resolved() const { return target.frame != nullptr; }
    std::int64_t position() const {
        if (handed) return handed_pts;
        return target.pts.value_or(timeline.ticks(target.seconds));
    }
    std::optional<Need> resolve();
    std::optional<Need> walk();
    std::optional<Need> read_ahead();
    std::optional<Need> need();
    void give_up();
    void arrive(std::shared_ptr<const Frame> frame);
    bool beyond_loop(std::int64_t pts) const {
        return loop_end && timeline.seconds(pts) >= *loop_end - 1e-9;
    }
    bool is_last(std::int64_t pts) const { return index.last() == pts; }
    bool ready(std::int64_t pts) const {
        return cache.contains(pts) && (is_last(pts) || index.next(pts));
    }
    // The frame to hand out next while playing.
    std::optional<std::int64_t> follower() const;
    bool can_hand() const {
        if (!media || !resolved()) return false;
        return !handed || (!paused && follower());
    }
    double duration(const Frame& frame) const;
    PlayedFrame hand(std::shared_ptr<const Frame> frame);
    PlayedFrame take_next(SteadyTime now);
    // When the last frame of the file or the loop has been shown; nothing while that is open.
    std::optional<SteadyTime> end_time() const;
    void pass_end(SteadyTime now);
    std::vector<std::pair<double, double>> stretches() const;

    // ---- the decoding thread ----
    void run(const std::stop_token& stop);
    void wait(std::unique_lock<std::mutex>& lock, const std::stop_token& stop, std::uint64_t seen);
    bool work(std::unique_lock<std::mutex>& lock);
    void open_next(std::unique_lock<std::mutex>& lock);
    void take_media(std::unique_ptr<FrameSource> opened, std::shared_ptr<const MediaInfo> info);
    void close_file();
    void decode_toward(Need wanted, std::unique_lock<std::mutex>& lock);
    template <class Call>
    void unlocked(std::unique_lock<std::mutex>& lock, Call call);
    void decode_one(std::unique_lock<std::mutex>& lock);
    void take(Frame frame);

    void changed() {
        wake.notify_all();
        if (options.on_change) options.on_change();
    }

    const PlayerOptions options;
    mutable std::mutex mutex;
    std::condition_variable_any wake;
    std::uint64_t news = 0;  // changes so far that the decoding thread must look at
    std::optional<std::string> open_request;
    std::uint64_t opened_for = 0;  // how often open() or close() was called
    bool opening = false;
    bool close_request = false;
    std::shared_ptr<const MediaInfo> media;
    Timeline timeline;
    FrameIndex index;
    FrameCache cache;
    PlaybackClock clock;
    Target target;
    std::uint64_t serial = 0;
    bool handed = false;  // the target was handed out; handed_pts is the newest handed out
    std::int64_t handed_pts = 0;
    bool paused = true;
    bool ended = false;
    bool arrived = false;  // the target was found and nobody was told yet
    bool failed = false;   // nothing more can be decoded until a command comes
    std::optional<double> loop_begin, loop_end;
    double volume = 1;
    bool muted = false;
    std::int64_t dropped = 0;
    std::string damage;
    std::string error;  // to be told without the mutex

    // The decoding thread's own.
    std::unique_ptr<FrameSource> source;
    std::optional<std::int64_t> decoded;  // the newest frame out of the source since its seek
    bool at_end = false;
    std::optional<Need> sought;  // why the source was moved last

    std::jthread decoder;  // last: ends first
};

// ---- which frame, and what has to be decoded for it --------------------------------------------

std::optional<Need> Player::Impl::walk() {
    while (target.steps > 0) {
        const auto next = index.next(*target.pts);
        if (!next && !is_last(*target.pts)) return Need{*target.pts, true};
        target.steps = next ? target.steps - 1 : 0;
        target.pts = next.value_or(*target.pts);
    }
    while (target.steps < 0) {
        const auto previous = index.neighbour(*target.pts, -1);
        if (!previous && *target.pts != index.first()) return Need{*target.pts - 1, true};
        target.steps = previous ? target.steps + 1 : 0;
        target.pts = previous.value_or(*target.pts);
    }
    return std::nullopt;
}

std::optional<Need> Player::Impl::resolve() {
    if (!target.pts) {
        const std::int64_t time = timeline.ticks(target.seconds);
        target.pts = index.shown_at(time);
        if (!target.pts) return Need{time, true};
    }
    if (const auto more = walk()) return more;
    if (auto frame = cache.find(*target.pts)) {
        arrive(std::move(frame));
        return std::nullopt;
    }
    return Need{*target.pts, false};
}

void Player::Impl::arrive(std::shared_ptr<const Frame> frame) {
    target.pts = frame->pts;
    target.steps = 0;
    target.seconds = timeline.seconds(frame->pts);
    target.frame = std::move(frame);
    arrived = true;
    clock.wait_at(target.seconds);
}

// Decoding passed the wanted time without bringing the frame: damage. The nearest is shown.
void Player::Impl::give_up() {
    failed = resolved();
    if (failed) return;
    const std::vector<std::int64_t> times = cache.times();
    if (times.empty()) {
        failed = true;
        return;
    }
    const std::int64_t wanted = position();
    const auto after = std::upper_bound(times.begin(), times.end(), wanted);
    arrive(cache.find(after == times.begin() ? *after : *std::prev(after)));
}

std::optional<Need> Player::Impl::read_ahead() {
    std::int64_t at = position();
    const std::size_t limit = cache.budget() / kAheadPart;
    std::size_t bytes = 0;
    for (int ahead = 0; ahead < kMaxAhead && (ahead < kMinAhead || bytes < limit); ++ahead) {
        const auto next = index.next(at);
        cache.keep(position(), next.value_or(at));
        if (!next) return is_last(at) ? std::nullopt : std::optional(Need{at, true});
        const auto frame = cache.find(*next);
        if (!frame) return Need{*next, false};
        bytes += frame_bytes(*frame->av);
        at = *next;
    }
    return std::nullopt;
}

std::optional<Need> Player::Impl::need() {
    if (!media || failed) return std::nullopt;
    if (!resolved()) {
        cache.keep(position(), position());
        if (const auto wanted = resolve()) return wanted;
    }
    return read_ahead();
}

// ---- handing out -------------------------------------------------------------------------------

std::optional<std::int64_t> Player::Impl::follower() const {
    const auto next = index.next(handed_pts);
    if (!next || !ready(*next) || beyond_loop(*next)) return std::nullopt;
    return next;
}

double Player::Impl::duration(const Frame& frame) const {
    if (const auto next = index.next(frame.pts))
        return timeline.seconds(*next) - timeline.seconds(frame.pts);
    if (frame.duration > 0) return static_cast<double>(frame.duration) * av_q2d(timeline.time_base);
    return media->frame_rate > 0 ? 1 / media->frame_rate : kUnknownDuration;
}

PlayedFrame Player::Impl::hand(std::shared_ptr<const Frame> frame) {
    handed = true;
    handed_pts = frame->pts;
    PlayedFrame played;
    played.seconds = timeline.seconds(frame->pts);
    played.duration = duration(*frame);
    const FrameNumber number = index.number(frame->pts);
    played.number = number.number;
    played.number_exact = number.exact;
    played.serial = serial;
    played.frame = std::move(frame);
    return played;
}

PlayedFrame Player::Impl::take_next(SteadyTime now) {
    if (!handed) return hand(target.frame);
    PlayedFrame played = hand(cache.find(*follower()));
    while (clock.runs() && played.seconds + played.duration < clock.at(now) && follower()) {
        ++dropped;
        played = hand(cache.find(*follower()));
    }
    return played;
}

std::optional<SteadyTime> Player::Impl::end_time() const {
    if (!media || media->still || !handed || !clock.runs()) return std::nullopt;
    const auto next = index.next(handed_pts);
    if (next ? !beyond_loop(*next) : !is_last(handed_pts)) return std::nullopt;
    const auto frame = cache.find(handed_pts);
    return clock.when(timeline.seconds(handed_pts) + (frame ? duration(*frame) : 0));
}

void Player::Impl::pass_end(SteadyTime now) {
    if (loop_begin && loop_end) {
        seek_to(*loop_begin);
        return;
    }
    ended = true;
    paused = true;
    clock.set_paused(true, now);
    clock.wait_at(timeline.seconds(handed_pts));
}

std::vector<std::pair<double, double>> Player::Impl::stretches() const {
    std::vector<std::pair<double, double>> found;
    std::optional<std::int64_t> expected;
    for (const std::int64_t pts : cache.times()) {
        const auto next = index.next(pts);
        if (pts != expected) found.emplace_back(timeline.seconds(pts), 0);
        found.back().second = next ? timeline.seconds(*next) : timeline.seconds(pts);
        expected = next;
    }
    return found;
}

// ---- the decoding thread -----------------------------------------------------------------------

void Player::Impl::run(const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
        const std::uint64_t seen = news;
        if (!work(lock)) {
            wait(lock, stop, seen);
            continue;
        }
        const std::string told = std::exchange(error, {});
        lock.unlock();
        if (!told.empty() && options.on_error) options.on_error(told);
        changed();
        lock.lock();
    }
}

// Until a command or next() changes something, or the end of what plays has been shown.
void Player::Impl::wait(std::unique_lock<std::mutex>& lock, const std::stop_token& stop,
                        std::uint64_t seen) {
    const auto is_news = [&] { return news != seen; };
    if (const auto end = end_time()) {
        const auto latest = std::chrono::steady_clock::now() + kLongestWait;
        wake.wait_until(lock, stop, std::min(*end, latest), is_news);
    } else {
        wake.wait(lock, stop, is_news);
    }
}

// One step of what is due. False: nothing is.
bool Player::Impl::work(std::unique_lock<std::mutex>& lock) {
    if (std::exchange(close_request, false)) {
        close_file();
    } else if (open_request) {
        open_next(lock);
    } else if (const auto now = std::chrono::steady_clock::now();
               end_time().value_or(kNever) <= now) {
        pass_end(now);
    } else {
        const auto wanted = need();
        if (std::exchange(arrived, false)) return true;
        if (!wanted) return false;
        decode_toward(*wanted, lock);
    }
    return true;
}

void Player::Impl::open_next(std::unique_lock<std::mutex>& lock) {
    const std::string path = *std::exchange(open_request, std::nullopt);
    const std::uint64_t asked = opened_for;
    std::unique_ptr<FrameSource> opened;
    std::shared_ptr<const MediaInfo> info;
    std::string problem;
    lock.unlock();
    try {
        opened = std::make_unique<FrameSource>(path);
        info = std::make_shared<MediaInfo>(media_info(opened->reader(), path));
    } catch (const std::exception& thrown) {
        problem = thrown.what();
    }
    lock.lock();
    if (asked != opened_for) return;  // closed, or another file was asked for
    opening = false;
    error = problem;
    if (info) take_media(std::move(opened), std::move(info));
}

void Player::Impl::take_media(std::unique_ptr<FrameSource> opened,
                              std::shared_ptr<const MediaInfo> info) {
    close_file();
    source = std::move(opened);
    media = std::move(info);
    timeline = {source->time_base(), source->first_pts()};
    index = FrameIndex(source->first_pts(), media->frame_rate * av_q2d(timeline.time_base));
}

// The target stays: after open() it is the new file's.
void Player::Impl::close_file() {
    source.reset();
    media.reset();
    cache.clear();
    index = FrameIndex();
    decoded.reset();
    sought.reset();
    at_end = failed = false;
    target.frame.reset();
    damage.clear();
    dropped = 0;
}

void Player::Impl::decode_toward(Need wanted, std::unique_lock<std::mutex>& lock) {
    const bool passed =
        at_end || (decoded && (wanted.past ? *decoded > wanted.time : *decoded >= wanted.time));
    const std::int64_t stands = decoded.value_or(sought ? sought->time : index.first());
    const bool seek =
        passed || (stands < wanted.time && source->seek_is_shorter(stands, wanted.time));
    if (!seek || (sought == wanted && !passed)) return decode_one(lock);
    if (sought == wanted) {
        sought.reset();
        return give_up();
    }
    sought = wanted;
    decoded.reset();
    at_end = false;
    unlocked(lock, [&] { source->seek(wanted.time); });
}

// Runs a call of the source without the mutex. Errors end what can be decoded.
template <class Call>
void Player::Impl::unlocked(std::unique_lock<std::mutex>& lock, Call call) {
    std::string problem;
    lock.unlock();
    try {
        call();
    } catch (const std::exception& thrown) {
        problem = thrown.what();
    }
    lock.lock();
    if (problem.empty()) return;
    error = problem;
    failed = true;
    if (!resolved()) give_up();
}

void Player::Impl::decode_one(std::unique_lock<std::mutex>& lock) {
    std::optional<Frame> frame;
    unlocked(lock, [&] { frame = source->next(); });
    if (failed) return;
    at_end = !frame;
    if (frame) return take(std::move(*frame));
    damage = source->damage();
    if (decoded) index.end_at(*decoded);
}

void Player::Impl::take(Frame frame) {
    const std::int64_t pts = frame.pts;
    if (decoded)
        index.add_after(*decoded, pts);
    else
        index.add(pts);
    decoded = pts;
    cache.insert(std::make_shared<const Frame>(std::move(frame)));
}

// ---- commands ----------------------------------------------------------------------------------

Player::Player(PlayerOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Player::~Player() = default;

// Changes the state under the mutex, then tells everyone.
template <class Change>
void Player::Impl::command(Change change) {
    {
        const std::scoped_lock lock(mutex);
        change(std::chrono::steady_clock::now());
        ++news;
    }
    changed();
}

void Player::open(std::string path, double at_seconds) {
    impl_->command([&](SteadyTime) {
        impl_->open_request = std::move(path);
        ++impl_->opened_for;
        impl_->opening = true;
        impl_->seek_to(at_seconds);
    });
}

void Player::close() {
    impl_->command([&](SteadyTime) {
        impl_->open_request.reset();
        ++impl_->opened_for;
        impl_->opening = false;
        impl_->close_request = true;
        impl_->seek_to(0);
    });
}

void Player::set_paused(bool paused) {
    impl_->command([&](SteadyTime now) {
        if (!paused && impl_->ended) impl_->seek_to(impl_->loop_begin.value_or(0));
        impl_->paused = paused;
        impl_->clock.set_paused(paused, now);
    });
}

void Player::seek(double seconds) {
    impl_->command([&](SteadyTime) { impl_->seek_to(std::max(seconds, 0.0)); });
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
    impl_->command([&](SteadyTime) {
        impl_->loop_begin = begin;
        impl_->loop_end = end;
    });
}

void Player::set_volume(double volume) {
    impl_->command([&](SteadyTime) { impl_->volume = std::clamp(volume, 0.0, kMaxVolume); });
}

void Player::set_muted(bool muted) {
    impl_->command([&](SteadyTime) { impl_->muted = muted; });
}

void Player::started(const PlayedFrame& frame, SteadyTime now) {
    impl_->command([&](SteadyTime) {
        if (frame.serial == impl_->serial && impl_->resolved())
            impl_->clock.start(frame.seconds, now);
    });
}

void Player::count_dropped(std::int64_t frames) {
    impl_->command([&](SteadyTime) { impl_->dropped += frames; });
}

// From what is on the screen: while playing, that is what the clock says.
void Player::Impl::step(int count, SteadyTime now) {
    Target from = target;
    if (resolved() && !clock.waits() && handed) from = Target(clock.at(now));
    paused = true;
    clock.set_paused(true, now);
    from.steps += count;
    from.frame.reset();
    aim(std::move(from));
    clock.wait_at(target.seconds);
}

// ---- questions ---------------------------------------------------------------------------------

PlayerStatus Player::status() const {
    const Impl& impl = *impl_;
    const std::scoped_lock lock(impl.mutex);
    PlayerStatus status;
    status.media = impl.media;
    status.opening = impl.opening;
    status.seeking = impl.media && !impl.resolved() && !impl.failed;
    status.paused = impl.paused;
    status.ended = impl.ended;
    status.speed = impl.clock.speed();
    status.loop_begin = impl.loop_begin;
    status.loop_end = impl.loop_end;
    status.volume = impl.volume;
    status.muted = impl.muted;
    status.dropped = impl.dropped;
    status.cache_bytes = impl.cache.bytes();
    status.cache_budget = impl.cache.budget();
    status.damage = impl.damage;
    status.cached = impl.stretches();
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
    std::unique_lock lock(impl.mutex);
    const bool can = impl.wake.wait(lock, stop, [&] { return impl.can_hand(); });
    if (!can || stop.stop_requested()) return std::nullopt;
    PlayedFrame played = impl.take_next(std::chrono::steady_clock::now());
    ++impl.news;
    lock.unlock();
    impl.changed();
    return played;
}

}  // namespace weft
