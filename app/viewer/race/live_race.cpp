#include "app/viewer/race/live_race.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <thread>

#include "kernels/device/stream.h"

namespace weft {
namespace {

using SteadyClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// The video counts as paused after this long without a frame. The slowest usual video is 10 fps.
constexpr milliseconds kStanding{200};
// The longest that the race delays the filter thread, apart from one launch.
constexpr milliseconds kSlice{20};
constexpr milliseconds kLeastBetweenChanges{100};

constexpr std::int64_t kAnyNumber = std::numeric_limits<std::int64_t>::max();

}  // namespace

struct LiveRace::Impl {
    Impl(Device on, std::function<void()> notify)
        : device(std::move(on)), on_change(std::move(notify)), rounds(device), sweep(device) {
        thread = std::jthread([this](const std::stop_token& stop) { run(stop); });
    }

    void run(const std::stop_token& stop);
    bool wait_for_work(const std::stop_token& stop);
    bool can_work() const;
    bool is_still() const;
    bool frame_is_still() const;
    bool prepare();
    void race_still_frame();
    std::unique_lock<std::mutex> enter();
    std::unique_lock<std::mutex> enter_unless_preparing();
    bool left_to_prepare();
    void miss(StepPlace place);
    bool disturbed() const;
    bool apply_settings();
    void publish(bool at_once, bool complete);

    Device device;
    std::function<void()> on_change;

    std::mutex work;  // held during launches; taken before `shared`
    RaceRounds rounds;
    Sweep sweep;
    RaceSettings settings;  // in effect
    double credit = 0;      // seconds left for this frame
    SteadyClock::time_point last_change;
    std::uint64_t revision = 0;

    mutable std::mutex shared;  // held briefly only
    std::condition_variable_any wake;
    RaceSettings wanted;
    std::optional<SweepRequest> wanted_sweep;
    bool changed = false;     // these are not in effect yet
    bool more = false;        // the last frame may have turns left
    bool unprepared = false;  // kernels are left to prepare
    bool preparing = false;   // in progress
    bool missed = false;      // a frame of the raced step came meanwhile
    int frames_in_work = 0;
    int waiting = 0;  // for `work`, in the filter thread
    SteadyClock::time_point last_frame;
    std::shared_ptr<const RaceSnapshot> shown = std::make_shared<const RaceSnapshot>();
    std::shared_ptr<const SweepResult> shown_sweep = sweep.result();

    std::jthread thread;  // last: it uses all of the above
};

void LiveRace::Impl::run(const std::stop_token& stop) {
    try {
        use_device(device);
    } catch (const std::exception&) {
        return;  // the filter thread reports the error
    }
    while (wait_for_work(stop))
        if (!prepare()) race_still_frame();
    const std::scoped_lock lock(work);
    rounds.set({});  // frees memory while the device is current
    sweep = Sweep(device);
}

// Requires `shared`, like can_work().
bool LiveRace::Impl::is_still() const {
    return SteadyClock::now() >= last_frame + kStanding;
}

bool LiveRace::Impl::frame_is_still() const {
    const std::scoped_lock lock(shared);
    return is_still();
}

bool LiveRace::Impl::can_work() const {
    if (waiting > 0) return false;
    return unprepared || (frames_in_work == 0 && (changed || (more && is_still())));
}

// Returns false when a stop was requested.
bool LiveRace::Impl::wait_for_work(const std::stop_token& stop) {
    std::unique_lock lock(shared);
    while (!stop.stop_requested()) {
        if (can_work()) return true;
        const auto due = std::max(last_frame + kStanding, SteadyClock::now() + milliseconds(5));
        const auto has_work = [&] { return more || changed || unprepared; };
        if (has_work())
            wake.wait_until(lock, stop, due, [&] { return can_work(); });
        else
            wake.wait(lock, stop, has_work);
    }
    return false;
}

// Prepares one kernel while the filter thread continues. Returns false if none was left.
bool LiveRace::Impl::prepare() {
    {
        const std::scoped_lock lock(shared);
        if (!unprepared) return false;
        if (waiting > 0) return true;
        preparing = true;
    }
    const std::scoped_lock lock(work);
    (void)apply_settings();
    (void)rounds.prepare();
    {
        const std::scoped_lock results(shared);
        unprepared = !rounds.is_prepared();
        preparing = false;
        more = true;
        if (std::exchange(missed, false)) rounds.miss_frame();
    }
    publish(rounds.is_prepared(), false);
    return true;
}

void LiveRace::Impl::miss(StepPlace place) {
    const std::scoped_lock lock(shared);
    missed = missed || (place.stack == wanted.stack && place.step == wanted.step);
}

// Requires `work`. Asks the other thread to prepare the remaining kernels.
bool LiveRace::Impl::left_to_prepare() {
    if (rounds.is_prepared()) return false;
    {
        const std::scoped_lock lock(shared);
        unprepared = true;
    }
    wake.notify_all();
    return true;
}

void LiveRace::Impl::race_still_frame() {
    const std::scoped_lock lock(work);
    const bool applied = apply_settings();
    if (left_to_prepare() || !frame_is_still()) return publish(applied, false);
    const auto end = SteadyClock::now() + kSlice;
    bool any = true;
    while (any && SteadyClock::now() < end && !disturbed())
        any = sweep.take_turn() || rounds.take_turn(settings.samples).has_value();
    {
        const std::scoped_lock results(shared);
        more = any;
    }
    publish(applied || !any, !any);
}

// Whether the filter thread needs the device.
bool LiveRace::Impl::disturbed() const {
    const std::scoped_lock lock(shared);
    return waiting > 0 || frames_in_work > 0;
}

// Returns whether there were new settings.
bool LiveRace::Impl::apply_settings() {
    std::optional<SweepRequest> request;
    {
        const std::scoped_lock lock(shared);
        if (!changed) return false;
        settings = wanted;
        request = wanted_sweep;
        changed = false;
    }
    rounds.set(settings);
    sweep.set(std::move(request));
    return true;
}

// Locks `work` for the filter thread, ahead of the other thread.
std::unique_lock<std::mutex> LiveRace::Impl::enter() {
    {
        const std::scoped_lock lock(shared);
        ++waiting;
    }
    std::unique_lock lock(work);
    const std::scoped_lock done(shared);
    --waiting;
    return lock;
}

// The same, or a lock of nothing while a kernel is prepared, which takes long.
std::unique_lock<std::mutex> LiveRace::Impl::enter_unless_preparing() {
    {
        const std::scoped_lock lock(shared);
        if (preparing) return {};
    }
    return enter();
}

void LiveRace::Impl::publish(bool at_once, bool complete) {
    const auto now = SteadyClock::now();
    if (!at_once && now < last_change + kLeastBetweenChanges) return;
    last_change = now;
    auto made = std::make_shared<RaceSnapshot>(rounds.snapshot());
    made->complete = complete;
    made->revision = ++revision;
    {
        const std::scoped_lock lock(shared);
        shown = std::move(made);
        shown_sweep = sweep.result();
    }
    if (on_change) on_change();
}

LiveRace::LiveRace(Device device, std::function<void()> on_change)
    : impl_(std::make_unique<Impl>(std::move(device), std::move(on_change))) {}

LiveRace::~LiveRace() = default;

void LiveRace::set(RaceSettings settings) {
    {
        const std::scoped_lock lock(impl_->shared);
        if (settings == impl_->wanted) return;
        impl_->wanted = std::move(settings);
        impl_->changed = true;
    }
    impl_->wake.notify_all();
}

RaceSettings LiveRace::settings() const {
    const std::scoped_lock lock(impl_->shared);
    return impl_->wanted;
}

std::shared_ptr<const RaceSnapshot> LiveRace::snapshot() const {
    const std::scoped_lock lock(impl_->shared);
    return impl_->shown;
}

void LiveRace::set_sweep(std::optional<SweepRequest> request) {
    {
        const std::scoped_lock lock(impl_->shared);
        std::optional<SweepRequest>& wanted = impl_->wanted_sweep;
        if (request.has_value() == wanted.has_value() &&
            (!request || same_sweep(*request, *wanted)))
            return;
        wanted = std::move(request);
        impl_->changed = true;
    }
    impl_->wake.notify_all();
}

std::shared_ptr<const SweepResult> LiveRace::sweep() const {
    const std::scoped_lock lock(impl_->shared);
    return impl_->shown_sweep;
}

void LiveRace::set_stacks(StackPlans stacks) {
    const std::unique_lock lock = impl_->enter();
    (void)impl_->apply_settings();
    impl_->rounds.set_stacks(std::move(stacks));
    impl_->publish(true, false);
}

void LiveRace::on_step(StepPlace place, std::span<const ImageView> sources, StreamView stream) {
    const std::unique_lock lock = impl_->enter_unless_preparing();
    if (!lock) return impl_->miss(place);
    const bool applied = impl_->apply_settings();
    const RaceSettings& settings = impl_->settings;
    if (!settings.enabled || place.stack != settings.stack || place.step != settings.step) return;
    impl_->rounds.keep(sources, stream);
    if (impl_->left_to_prepare()) return impl_->publish(applied, false);
    impl_->credit = std::min(impl_->credit, 0.0) + impl_->settings.budget_seconds;
    while (impl_->credit > 0) {
        const std::optional<double> cost = impl_->rounds.take_turn(kAnyNumber, stream);
        if (!cost) break;
        impl_->credit -= *cost;
    }
    impl_->publish(applied, false);
}

LiveRace::Frame::Frame(LiveRace& race) : race_(&race) {
    const std::unique_lock lock = race.impl_->enter_unless_preparing();
    const std::scoped_lock count(race.impl_->shared);
    ++race.impl_->frames_in_work;
}

LiveRace::Frame::~Frame() {
    {
        const std::scoped_lock lock(race_->impl_->shared);
        --race_->impl_->frames_in_work;
        race_->impl_->last_frame = SteadyClock::now();
        race_->impl_->more = true;
    }
    race_->impl_->wake.notify_all();
}

}  // namespace weft
