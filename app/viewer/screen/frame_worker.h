// Filters a player's frames for the screen, in its own thread.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/viewer/screen/presenter.h"
#include "app/viewer/screen/screen_filter.h"

namespace weft {

struct FrameWorkerOptions {
    Device device;
    // Observers of the filtering; must outlive the worker. May be null.
    LiveRace* race = nullptr;
    StageTimes* times = nullptr;
    // Called from the worker's thread when a frame is ready in the presenter or status() changes.
    std::function<void()> on_change;
};

// A FrameWorker makes ShownFrames of the player's PlayedFrames. After an error, which status()
// reports, the frames are shown unfiltered.
class FrameWorker {
 public:
    // `player` and `presenter` must outlive this.
    FrameWorker(Player& player, Presenter& presenter, FrameWorkerOptions options);
    FrameWorker(const FrameWorker&) = delete;
    FrameWorker& operator=(const FrameWorker&) = delete;

    // Takes effect with the next frame; while paused, Player::refilter() makes the shown frame the
    // next one. Returns the revision that ShownFrame will carry.
    std::uint64_t set_stacks(std::vector<StackRequest> stacks);

    WorkerStatus status() const;

 private:
    void run(const std::stop_token& stop);
    void take_stacks();
    void show(const PlayedFrame& played, const std::stop_token& stop);
    std::optional<ShownFrame> filtered(const PlayedFrame& played, const std::stop_token& stop);
    int rotation() const;
    void publish(WorkerStatus now);
    void fail(const std::string& sentence);

    Player& player_;
    Presenter& presenter_;
    const FrameWorkerOptions options_;
    ScreenFilter filter_;                 // used by the thread only
    std::uint64_t revision_in_work_ = 0;  // used by the thread only
    mutable std::mutex mutex_;
    std::optional<std::vector<StackRequest>> wanted_;
    std::uint64_t revision_ = 0;
    WorkerStatus status_;
    std::jthread thread_;  // last: it uses all of the above
};

}  // namespace weft
