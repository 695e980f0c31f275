// One export at a time in its own thread, while the window stays usable.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/pipeline/file_job.h"
#include "app/pipeline/progress_meter.h"
#include "app/viewer/export/export_pace.h"

namespace weft {

enum class ExportState : std::uint8_t { idle, running, cancelling, done };

struct ExportOutcome {
    bool written = false;  // the file is in place
    bool cancelled = false;
    std::int64_t bytes = 0;                 // the size of the written file
    std::string sentence = {};              // the files written and copied, or the error
    int write_errno = 0;                    // FileResult::write_errno
    std::vector<std::string> details = {};  // warnings, then notes
};

struct ExportStatus {
    ExportState state = ExportState::idle;
    std::string output;
    bool paused = false;
    std::string full_disk = {};  // if that paused it: which disk, and what to do
    BatchPace pace = {};         // while running; its fraction is 1 while the file is read back
    std::int64_t bytes = 0;      // written so far; 0: unknown
    ExportOutcome outcome = {};  // of the last export, once done
};

// All calls must come from one thread, the window's.
class ExportJob {
 public:
    // `changed` is called from the export's thread, at most ten times per second and at the end, to
    // wake the window.
    explicit ExportJob(std::function<void()> changed = {});
    // Cancels and waits.
    ~ExportJob();
    ExportJob(const ExportJob&) = delete;
    ExportJob& operator=(const ExportJob&) = delete;

    // Returns immediately. Segments of an interrupted export of the same name are continued if the
    // job is resumable, else removed once the output is written. Throws std::logic_error while
    // another export runs.
    void start(FileJob job);
    // Returns immediately; no files are left except the segments of a resumable job. Does nothing
    // if no export is running.
    void cancel();
    // Pauses the running export after the frame that it is writing; its threads sleep and keep
    // their memory. Reading the finished file back is not paused. The next export starts unpaused.
    // A full disk pauses the export, too: it then continues with the bytes that did not fit, or
    // starts again if its file could not be created or synced.
    void set_paused(bool paused);
    bool running() const;
    ExportStatus status() const;

 private:
    void run(FileJob& job, const std::stop_token& stop);
    void report(const FileProgress& progress);
    void hold(const std::stop_token& stop);
    ExportOutcome attempt(const FileJob& job, const std::stop_token& stop);
    bool hold_on_full_disk(int error, const char* next, const std::stop_token& stop);
    bool wait_for_resume(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
    void finish(ExportOutcome outcome);

    std::function<void()> changed_;
    mutable std::mutex mutex_;
    std::condition_variable_any unpaused_;
    ExportStatus status_;
    ExportPace pace_;                                // the current attempt's, for its thread
    std::chrono::steady_clock::time_point started_;  // later by the time spent paused
    std::chrono::steady_clock::time_point woken_;
    std::jthread thread_;
};

}  // namespace weft
