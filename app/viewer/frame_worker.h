// Filters the frames that a player plays, in a thread of its own, for the screen.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/pipeline/filter_chain.h"
#include "app/viewer/live_race.h"
#include "app/viewer/player.h"
#include "app/viewer/presenter.h"
#include "app/viewer/stack_request.h"
#include "app/viewer/stage_times.h"
#include "kernels/device.h"

namespace weft {

// What became of a step: for the panels.
struct StepNote {
    std::string filter;
    std::string kernels;  // by name: "tensor_int8 + column_row_reuse"
    std::string reason;
    std::vector<std::string> notes;
    double seconds = 0;  // of the last frame, kernels alone
};

struct WorkerStatus {
    std::string error;  // why the stack cannot be used on such frames, or what failed; else empty
    std::vector<std::vector<StepNote>> stacks;
    double upload_seconds = 0;  // of the last frame; 0 on the CPU
    double filter_seconds = 0;  // wall time of the last frame, all stacks
    std::uint64_t revision = 0;
};

// Who looks on while frames are filtered; they must outlive the filter. Null: nobody.
struct FilterWatchers {
    LiveRace* race = nullptr;
    StageTimes* times = nullptr;
};

struct FrameWorkerOptions {
    Device device;
    FilterWatchers watchers = {};
    // Called from the worker's thread when a frame waits in the presenter or status() changed.
    std::function<void()> on_change;
};

// Errors do not leave the thread: they are in status(), and frames come unfiltered then.
class FrameWorker {
 public:
    // `player` and `presenter` must outlive this.
    FrameWorker(Player& player, Presenter& presenter, FrameWorkerOptions options);
    ~FrameWorker();
    FrameWorker(const FrameWorker&) = delete;
    FrameWorker& operator=(const FrameWorker&) = delete;

    // From the next frame on: while paused, seek to the frame that is shown. Returns the revision
    // that ShownFrame will carry.
    std::uint64_t set_stacks(std::vector<StackRequest> stacks);

    WorkerStatus status() const;
    const Device& device() const;

 private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace weft
