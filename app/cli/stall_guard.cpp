#include "app/cli/stall_guard.h"

#include <condition_variable>
#include <cstdio>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "app/cli/exit_code.h"
#include "app/cli/terminal/messages.h"
#include "app/media/libav/assertion_trap.h"
#include "app/media/libav/undecodable.h"
#include "app/pipeline/job_receipt.h"
#include "app/pipeline/pipeline.h"

namespace weft {
namespace {

constexpr int kTicksToStop = 5;

// Shared by the working thread and the watching one, whichever lives longer.
class GuardedRun {
 public:
    explicit GuardedRun(std::function<void(const std::stop_token&)> work)
        : work_(std::move(work)) {}

    void stop() { stop_.request_stop(); }

    void run() {
        std::exception_ptr error;
        try {
            work_(stop_.get_token());
        } catch (...) {  // rethrown by the watching thread
            error = std::current_exception();
        }
        const std::scoped_lock lock(mutex_);
        over_ = true;
        error_ = std::move(error);
        ended_.notify_all();
    }

    bool ends_within(std::chrono::milliseconds time) {
        std::unique_lock lock(mutex_);
        return ended_.wait_for(lock, time, [this] { return over_; });
    }

    // Call it after the end.
    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

 private:
    std::function<void(const std::stop_token&)> work_;
    std::stop_source stop_;
    std::mutex mutex_;
    std::condition_variable ended_;
    bool over_ = false;
    std::exception_ptr error_;
};

// Does the work on this thread if the system provides no other.
std::jthread start(const std::shared_ptr<GuardedRun>& run, std::optional<AssertionWatch>& watch) {
    try {
        return std::jthread([run] { run->run(); });
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
    watch.reset();
    run->run();
    return {};
}

}  // namespace

void StallGuard::run(const std::string& path, const std::shared_ptr<Heartbeat>& heart,
                     std::function<void(const std::stop_token&)> work,
                     const std::stop_token& stop) {
    const auto run = std::make_shared<GuardedRun>(std::move(work));
    const std::stop_callback pass_on(stop, [&] { run->stop(); });
    std::optional<AssertionWatch> assertions(std::in_place, heart.get());
    std::jthread thread = start(run, assertions);
    while (!run->ends_within(tick_))
        if (assertions->failed() || heart->tick()) {
            heart->give_up();
            run->stop();
            if (!run->ends_within(kTicksToStop * tick_)) {
                abandoned_ = true;
                thread.detach();
            }
            if (assertions->failed())
                throw Undecodable(path +
                                  ": an assertion of FFmpeg fails on this file, which would have "
                                  "ended the run; the file is too large for FFmpeg, or malicious");
            throw Error(Outcome::failed,
                        fmt::format("{}: nothing was read or decoded for {} seconds: FFmpeg makes "
                                    "no progress with this file, which may be malicious",
                                    path, Heartbeat::kPatience));
        }
    run->rethrow();
}

void StallGuard::run_alone(const std::string& path, const std::shared_ptr<Heartbeat>& heart,
                           const std::function<void()>& work) {
    try {
        run(path, heart, [&](const std::stop_token&) { work(); }, {});
    } catch (const Error& error) {
        if (!abandoned_) throw;
        print_error(error.what());
        leave(error.outcome());
    }
}

FileResult filter_guarded(StallGuard& guard, FileJob job, const std::stop_token& stop,
                          const ProgressCallback& progress) {
    struct Work {
        FileJob job;
        ProgressCallback progress;
        std::optional<FileResult> result;
    };
    const auto work = std::make_shared<Work>(Work{std::move(job), progress, std::nullopt});
    FileResult failed;
    failed.input = work->job.reader.path;
    failed.output = work->job.writer.path;
    try {
        guard.run(
            failed.input, work->job.reader.heartbeat,
            [work](const std::stop_token& stop_work) {
                work->result = filter_file(work->job, stop_work, [&](const FileProgress& p) {
                    if (!stop_work.stop_requested() && work->progress) work->progress(p);
                });
            },
            stop);
    } catch (const Error& error) {
        failed.outcome = error.outcome();
        failed.error = error.what();
        JobReceipt receipt(work->job);
        if (dynamic_cast<const Undecodable*>(&error) != nullptr) receipt.is_final();
        receipt.write_failure(failed);
        return failed;
    }
    return std::move(*work->result);
}

void leave(Outcome outcome) {
    (void)std::fflush(nullptr);
    _exit(exit_code(outcome));
}

}  // namespace weft
