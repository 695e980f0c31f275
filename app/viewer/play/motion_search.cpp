#include "app/viewer/play/motion_search.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <sys/resource.h>
#include <utility>

namespace weft {
namespace {

// Playing and filtering get the cores first, as with the tracker.
constexpr int kNice = 5;
constexpr std::chrono::milliseconds kInterval{250};

std::size_t step_of(double seconds) {
    return static_cast<std::size_t>(std::max(seconds, 0.0) / FoundMotion::kStepSeconds);
}

void add_point(FoundMotion& found, double seconds, double area) {
    const std::size_t step = step_of(seconds);
    if (found.curve.size() <= step) found.curve.resize(step + 1);
    found.curve[step] = std::max(found.curve[step], static_cast<float>(area));
}

std::vector<MotionEvent> from_first_frame(const FilmMotion& film) {
    std::vector<MotionEvent> events = film.events;
    for (MotionEvent& event : events)
        for (double* const time : {&event.begin, &event.end, &event.peak})
            *time -= film.begin_seconds;
    return events;
}

}  // namespace

const MotionEvent* FoundMotion::event_at(double seconds, double reach) const {
    const auto inside = std::ranges::find_if(events, [&](const MotionEvent& event) {
        return seconds >= event.begin - reach && seconds <= event.end + reach;
    });
    return inside == events.end() ? nullptr : &*inside;
}

std::optional<double> FoundMotion::event_from(double seconds, bool forwards) const {
    // A frame that is shown at an event's beginning is not after it.
    constexpr double kSame = 1e-3;
    std::optional<double> from;
    for (const MotionEvent& event : events) {
        if (forwards && event.begin > seconds + kSame) return event.begin;
        if (!forwards && event.begin < seconds - kSame) from = event.begin;
    }
    return from;
}

float FoundMotion::most_between(double from, double to) const {
    const std::size_t begin = std::min(step_of(from), curve.size());
    const std::size_t end = std::min(step_of(to) + 1, curve.size());
    if (begin >= end) return 0;
    return *std::max_element(curve.begin() + static_cast<std::ptrdiff_t>(begin),
                             curve.begin() + static_cast<std::ptrdiff_t>(end));
}

MotionSearch::MotionSearch(std::function<void()> on_change)
    : task_([this](const Job& job, const auto& cancelled) { search(job, cancelled); },
            std::move(on_change)) {}

void MotionSearch::start(FilmMotionOptions options) {
    options.reader.audio = options.reader.subtitles = false;
    task_.ask(std::move(options),
              [](Found& found) { found = std::make_shared<const FoundMotion>(); });
}

void MotionSearch::cancel() {
    task_.ask(std::nullopt, [](Found& found) { found.reset(); });
}

std::shared_ptr<const FoundMotion> MotionSearch::found() const {
    return task_.read([](const Found& found) { return found; });
}

void MotionSearch::search(const Job& job, const std::stop_token& cancelled) {
    using Clock = std::chrono::steady_clock;
    if (!job) return;
    // Linux applies this to the calling thread and to those that it starts.
    (void)setpriority(PRIO_PROCESS, 0, kNice);
    FoundMotion now;
    const auto publish = [&] {
        auto found = std::make_shared<const FoundMotion>(now);
        task_.publish(cancelled, [&](Found& shown) { shown = std::move(found); });
    };
    Clock::time_point published = Clock::now();
    try {
        const FilmMotion film = find_motion(*job, cancelled, [&](const FilmMotion& so_far) {
            add_point(now, so_far.last.seconds - so_far.begin_seconds, so_far.last.area);
            if (Clock::now() - published < kInterval) return;
            published = Clock::now();
            now.events = from_first_frame(so_far);
            publish();
        });
        now.events = from_first_frame(film);
        if (film.damage.damaged) now.problem = "The film is damaged: " + film.damage.reason;
    } catch (const std::exception& error) {
        now.problem = error.what();
    }
    now.complete = true;
    publish();
}

}  // namespace weft
