// A watchdog for files that may keep libav busy indefinitely.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "app/media/demux/heartbeat.h"
#include "app/media/libav/error.h"
#include "app/pipeline/file_job.h"

namespace weft {

class StallGuard {
 public:
    // `tick`: interval of Heartbeat::tick(), shorter in tests.
    explicit StallGuard(std::chrono::milliseconds tick = std::chrono::seconds(1)) : tick_(tick) {}

    // Calls `work` on a thread of its own and returns when it has ended, with its exception if it
    // threw one. If `heart` stalls first, `work` is requested to stop within five ticks; after that
    // its thread is abandoned, and all objects that `work` refers to must live until leave() ends
    // the process. Throws Error(failed) if it stalled. If the system provides no thread, `work` is
    // called on this one, unwatched.
    void run(const std::string& path, const std::shared_ptr<Heartbeat>& heart,
             std::function<void(const std::stop_token&)> work, const std::stop_token& stop);

    // run() for a command with nothing else to do: if the work is abandoned, prints the error and
    // leaves the process.
    void run_alone(const std::string& path, const std::shared_ptr<Heartbeat>& heart,
                   const std::function<void()>& work);

    // Whether an abandoned thread is still running.
    bool has_abandoned() const { return abandoned_; }

 private:
    std::chrono::milliseconds tick_;
    std::atomic<bool> abandoned_ = false;
};

// filter_file() under a guard: a file that stalls fails.
FileResult filter_guarded(StallGuard& guard, FileJob job, const std::stop_token& stop,
                          const ProgressCallback& progress);

// Ends the process without waiting for its threads, after flushing all output. Files without a name
// disappear, as after kill -9.
[[noreturn]] void leave(Outcome outcome);

}  // namespace weft
