// Finds the parts of a film in which something moves, in a thread of its own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/pipeline/latest_task.h"
#include "app/pipeline/motion/film_motion.h"

namespace weft {

// The motion of a film as far as it was read. Times count from the film's first frame, as the
// player's do.
struct FoundMotion {
    // From one value of the curve to the next. A film of ten hours has 360,000 of them.
    static constexpr double kStepSeconds = 0.1;

    std::vector<float> curve = {};  // the largest share of the picture that moved in each step
    std::vector<MotionEvent> events = {};
    bool complete = false;
    std::string problem = {};  // the reason why the search ended early, or ""

    // The event at that time, or within `reach` seconds of it; null without one.
    const MotionEvent* event_at(double seconds, double reach) const;
    // The beginning of the next event after that time, or of the previous one.
    std::optional<double> event_from(double seconds, bool forwards) const;
    // The largest share of the picture that moved in this time, from 0 to 1.
    float most_between(double from, double to) const;
};

// For one thread, the window's.
class MotionSearch {
 public:
    // `on_change` is called from the thread, at most four times per second and at the end. Must not
    // block.
    explicit MotionSearch(std::function<void()> on_change = {});

    // Returns immediately. A search that is running is cancelled, and its result is dropped.
    void start(FilmMotionOptions options);
    void cancel();

    // The result so far; null if no search was started, or if it was cancelled.
    std::shared_ptr<const FoundMotion> found() const;

 private:
    using Found = std::shared_ptr<const FoundMotion>;
    using Job = std::optional<FilmMotionOptions>;
    void search(const Job& job, const std::stop_token& cancelled);

    LatestTask<Job, Found> task_;
};

}  // namespace weft
