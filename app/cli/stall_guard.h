// Work on files that may keep libav busy for ever.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "app/media/error.h"
#include "app/media/heartbeat.h"
#include "app/pipeline/file_job.h"

namespace weft {

class StallGuard {
 public:
    // `tick`: of Heartbeat::tick(), another one for tests.
    explicit StallGuard(std::chrono::milliseconds tick = std::chrono::seconds(1)) : tick_(tick) {}

    // Calls `work` on a thread of its own and returns when it has ended, with its exception if it
    // threw one. If `heart` stalls first, the work is told to stop and has five ticks to do so;
    // then its thread is abandoned, and what `work` refers to must live until the process has ended
    // by leave(). Throws Error(failed) where it stalled. Where the system gives no thread, `work`
    // is called on this one, unwatched.
    void run(const std::string& path, const std::shared_ptr<Heartbeat>& heart,
             std::function<void(const std::stop_token&)> work, const std::stop_token& stop);

    // run() for a command with nothing else to do: where the work is abandoned, the error is
    // printed and the process left.
    void run_alone(const std::string& path, const std::shared_ptr<Heartbeat>& heart,
                   const std::function<void()>& work);

    // Whether a thread is still at work on what it was told to leave.
    bool has_abandoned() const { return abandoned_; }

 private:
    std::chrono::milliseconds tick_;
    std::atomic<bool> abandoned_ = false;
};

// filter_file() under a guard: a file that stalls has failed.
FileResult filter_guarded(StallGuard& guard, FileJob job, const std::stop_token& stop,
                          const ProgressCallback& progress);

// Ends the process without waiting for its threads, with all output written. Files without a name
// are gone then, as after kill -9.
[[noreturn]] void leave(ExitCode code);

}  // namespace weft
