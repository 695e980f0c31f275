// Filters a player's frames for the screen, in its own thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/pipeline/stack/stack_runner.h"
#include "app/viewer/play/player.h"
#include "app/viewer/play/stage_times.h"
#include "app/viewer/race/live_race.h"
#include "app/viewer/screen/presenter.h"
#include "app/viewer/screen/stack_request.h"
#include "kernels/device/device.h"

namespace weft {

// The result of planning and running a step, for the panels.
struct StepNote {
    std::string filter;
    std::string kernels;  // by name: "tensor_int8 + column_row_reuse"
    std::string reason;
    std::vector<std::string> notes;
    double seconds = 0;  // for the last frame, kernels only
};

struct WorkerStatus {
    std::string error;  // why the stack cannot process such frames, or the failure; else empty
    std::vector<std::vector<StepNote>> stacks;
    double upload_seconds = 0;  // for the last frame; 0 on the CPU
    double filter_seconds = 0;  // wall time for the last frame, all stacks
    std::uint64_t revision = 0;
};

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
    ~FrameWorker();
    FrameWorker(const FrameWorker&) = delete;
    FrameWorker& operator=(const FrameWorker&) = delete;

    // Takes effect with the next frame; while paused, Player::refilter() makes the shown frame the
    // next one. Returns the revision that ShownFrame will carry.
    std::uint64_t set_stacks(std::vector<StackRequest> stacks);

    WorkerStatus status() const;

 private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace weft
