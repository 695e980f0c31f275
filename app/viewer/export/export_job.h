// Exports: the user's settings as a job of the pipeline, and one job at a time in its own thread,
// while the window stays usable.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/pipeline/file_job.h"
#include "app/pipeline/progress_meter.h"
#include "app/viewer/screen/stack_request.h"
#include "app/viewer/view/view_state.h"

namespace weft {

struct ExportRequest {
    std::string input;
    std::string output;
    std::vector<StackRequest> stacks;  // the window's; side k of the view is stack k - 1
    ViewState view;                    // selects the stack and how the pictures are compared
    int rotation_degrees = 0;          // of the input, as applied by players
    bool compared = false;             // export the compare view instead of the filtered picture
    // A and B, in seconds from the first frame; first_frame_seconds is that frame's time as counted
    // by -ss.
    std::optional<std::pair<double, double>> part;
    double first_frame_seconds = 0;
    bool lossless = false;
    std::optional<double> crf;
    bool keep_damaged = false;
    bool replace = false;  // an existing output
    Device device;
};

FileJob job_of(const ExportRequest& request);

// A name next to the input: "film.mkv" gives "film-filtered.mkv", with .mkv if the input's
// container cannot be written.
std::string proposed_output(const std::string& input);

// Microseconds from the file's first timestamp; the frame at `end_us` is excluded.
struct ExportRange {
    std::int64_t start_us = 0;
    std::int64_t end_us = 0;
};

// Limits the job to a part of its input, like -ss and -to: the output starts at zero.
void set_range(FileJob& job, const ExportRange& range);

struct ExportRefusal {
    std::string sentence;
    bool exists = false;  // the output exists: ask, then set Overwrite::replace
};

// Checks that need no open files: an unknown container, output = input, a folder with that name, an
// empty range, an existing file. Looks up a few file names; does not block on content.
std::optional<ExportRefusal> why_not_export(const FileJob& job);

enum class ExportState : std::uint8_t { idle, running, cancelling, done };

struct ExportOutcome {
    bool written = false;  // the file is in place
    bool cancelled = false;
    std::string sentence = {};              // the files written and copied, or the error
    std::vector<std::string> details = {};  // warnings, then notes
};

struct ExportStatus {
    ExportState state = ExportState::idle;
    std::string output;
    BatchPace pace = {};         // while running; its fraction is 1 while the file is read back
    ExportOutcome outcome = {};  // of the last export, once done
};

// All calls must come from one thread, the window's.
class ExportJob {
 public:
    // `changed` is called from the export's thread, at most ten times per second and at the end, to
    // wake the window.
    explicit ExportJob(std::function<void()> changed = {});
    // Cancels and waits; removes the unfinished output.
    ~ExportJob();
    ExportJob(const ExportJob&) = delete;
    ExportJob& operator=(const ExportJob&) = delete;

    // Returns immediately. Throws std::logic_error while another export runs.
    void start(FileJob job);
    // Returns immediately; no files are left over. Does nothing if no export is running.
    void cancel();
    bool running() const;
    ExportStatus status() const;

 private:
    void run(const FileJob& job, const std::stop_token& stop);
    void report(const FileProgress& progress);
    void finish(ExportOutcome outcome);

    std::function<void()> changed_;
    mutable std::mutex mutex_;
    ExportStatus status_;
    std::chrono::steady_clock::time_point started_;
    std::chrono::steady_clock::time_point woken_;
    std::jthread thread_;
};

}  // namespace weft
