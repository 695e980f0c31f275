#include "app/viewer/edit/region_tracker.h"

#include <algorithm>
#include <exception>
#include <sys/resource.h>
#include <utility>

#include "app/media/libav/error.h"

namespace weft {
namespace {

// Playing and filtering get the cores first. At 15, as elsewhere, other programs starve the
// tracker, for which the user waits.
constexpr int kNice = 5;
constexpr std::chrono::milliseconds kInterval{100};

}  // namespace

RegionTracker::RegionTracker(std::function<void()> on_change)
    : task_([this](const std::vector<TrackJob>& jobs,
                   const auto& cancelled) { follow(jobs, cancelled); },
            std::move(on_change)) {}

void RegionTracker::start(std::vector<TrackJob> jobs) {
    task_.ask(std::move(jobs), [](State& state) { state = {.progress = 0, .answer = nullptr}; });
}

void RegionTracker::cancel() {
    task_.ask({}, [](State& state) { state = {}; });
}

std::optional<double> RegionTracker::progress() const {
    return task_.read(&State::progress);
}

std::optional<RegionTracker::Answer> RegionTracker::take() {
    const std::shared_ptr<const Answer> answer = task_.read(&State::answer);
    if (!answer) return std::nullopt;
    cancel();
    return *answer;
}

RegionTracker::Answer RegionTracker::follow_all(const std::vector<TrackJob>& jobs,
                                                const std::stop_token& cancelled) {
    using Clock = std::chrono::steady_clock;
    Answer answer;
    Clock::time_point published = Clock::now();
    for (const TrackJob& job : jobs) {
        const auto before = static_cast<double>(answer.reports.size());
        answer.reports.push_back(
            track_film(job, cancelled, [&](std::int64_t done, std::int64_t total) {
                if (Clock::now() - published < kInterval || total <= 0) return;
                published = Clock::now();
                const double part = static_cast<double>(done) / static_cast<double>(total);
                const double share =
                    (before + std::min(part, 1.0)) / static_cast<double>(jobs.size());
                task_.publish(cancelled, [&](State& state) { state.progress = share; });
            }));
    }
    return answer;
}

void RegionTracker::follow(const std::vector<TrackJob>& jobs, const std::stop_token& cancelled) {
    if (jobs.empty()) return;
    // Linux applies this to the calling thread and to those that it starts.
    (void)setpriority(PRIO_PROCESS, 0, kNice);
    Answer answer;
    try {
        answer = follow_all(jobs, cancelled);
    } catch (const Cancelled&) {
        return;
    } catch (const std::exception& error) {
        answer.problem = error.what();
    }
    const auto shared = std::make_shared<const Answer>(std::move(answer));
    task_.publish(cancelled,
                  [&](State& state) { state = {.progress = std::nullopt, .answer = shared}; });
}

}  // namespace weft
