// Runs a planned stack over frames: on the CPU straight on the frame's planes, on a GPU with
// several frames in flight, so that copies both ways and kernels run side by side.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/pipeline/chain_plan.h"
#include "app/pipeline/durations.h"
#include "app/pipeline/trace.h"
#include "kernels/image_view.h"

namespace weft {

struct StepTimes {
    Durations frames;         // one sample a frame: the step's launches together, kernel time only
    double last_seconds = 0;  // the last of them
    std::int64_t launches = 0;
};

struct ChainTimes {
    Durations upload;    // pageable to pinned memory and to the device; empty on the CPU
    Durations kernels;   // all steps of a frame
    Durations download;  // as upload, the other way
    std::vector<StepTimes> steps;
    std::int64_t replays = 0;  // of CUDA graphs, each in place of several of the steps' launches
};

// Called after each step of a frame with what its convolutions have read: an image for each entry
// of StepPlan::plans, where the device computes. The images stay as they are during the call.
using StepObserver =
    std::function<void(std::size_t step, std::span<const ImageView> sources, StreamView stream)>;

struct ChainOptions {
    // Launches that repeat are recorded and replayed as CUDA graphs: less work for the CPU, the
    // same pixels and times.
    bool graphs = true;
};

// Everything is allocated by the constructor and the first run(), or by the first run() after
// release(). Frames must come in order: steps in time remember earlier ones. Not thread-safe, but
// may move between threads that call use_device().
class FilterChain {
 public:
    // Makes the plan's device current. Throws Error naming the device when it cannot be used; its
    // cause, and that of what the other functions throw, is the device where CUDA failed.
    explicit FilterChain(ChainPlan plan, const ChainOptions& options = {});
    ~FilterChain();
    FilterChain(FilterChain&&) noexcept;
    FilterChain& operator=(FilterChain&&) noexcept;

    // Begins to filter one frame. `src` and `dst` are the planes of two frames of the plan's
    // format, in its order, on the host or, where the plan's device is a GPU, in its memory; every
    // pixel of `dst` is written. `source_read`, if given, is called as soon as `src` is not needed
    // any more, by this call or by finish(); `dst` must stay until finish(). At most
    // most_in_flight() frames may be unfinished. On the CPU all is done at return. Throws Error
    // naming the device; then nothing reads or writes the planes any more, and `source_read` is not
    // called.
    void submit(std::span<const ImageView> src, std::span<const ImageView> dst,
                std::function<void()> source_read = {});
    // Blocks until the oldest unfinished frame is done. Throws Error.
    void finish();
    // Blocks until nothing reads or writes the planes of the newest unfinished frame, which then
    // counts as never begun.
    void give_up() noexcept;
    std::size_t most_in_flight() const;  // 1 on the CPU

    // Both, for one frame while none is in flight.
    void run(std::span<const ImageView> src, std::span<const ImageView> dst,
             std::function<void()> source_read = {});

    // From now on; its time counts in no step.
    void observe(StepObserver observer);

    // From now on, while no frame is in flight: what is done with each frame goes to rows of the
    // trace whose names begin with `label`. Makes the plan's device current. Throws Error.
    void trace(const FileTrace& file, const std::string& label);

    // Frees all buffers, and with them what steps in time remember; plan() and times() stay.
    void release();

    const ChainPlan& plan() const;
    const ChainTimes& times() const;

 private:
    template <class Work>
    void on_device(const Work& work);

    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace weft
