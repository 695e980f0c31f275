// Follows the object in a region through the film, in a thread of its own.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/pipeline/latest_task.h"
#include "app/pipeline/track/film_track.h"

namespace weft {

// For one thread, the window's.
class RegionTracker {
 public:
    // `on_change` is called from the thread, at most ten times per second and at the end. Must not
    // block.
    explicit RegionTracker(std::function<void()> on_change = {});

    // Returns immediately. A track that is running is cancelled.
    void start(std::vector<TrackJob> jobs);
    void cancel();

    // The finished share, from 0 to 1; nothing while no track is running.
    std::optional<double> progress() const;

    struct Answer {
        std::vector<TrackReport> reports;  // one per job
        std::string problem;               // the reason why no reports exist, or ""
    };
    // The answer to the last start(), once.
    std::optional<Answer> take();

 private:
    struct State {
        std::optional<double> progress;
        std::shared_ptr<const Answer> answer;
    };
    void follow(const std::vector<TrackJob>& jobs, const std::stop_token& cancelled);
    Answer follow_all(const std::vector<TrackJob>& jobs, const std::stop_token& cancelled);

    LatestTask<std::vector<TrackJob>, State> task_;
};

}  // namespace weft
