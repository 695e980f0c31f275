// Runs the files of a batch, several at once and on several devices, and collects the results.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "app/batch/batch_events.h"
#include "app/batch/batch_options.h"
#include "app/batch/job_list.h"
#include "app/pipeline/file_job.h"

namespace weft {

// The devices and job slots of a batch.
struct BatchRoom {
    std::vector<Device> devices;  // at least one
    int jobs = 1;                 // files at once on all devices together; they share the cores
    // Takes files that failed because of a GPU when no other GPU is left for them.
    std::optional<Device> fallback = {};
};

// The room from the options and the machine. The CPU is a fallback if no GPU was required: with
// --gpu auto, unless a kernel is forced or -hwaccel cuda given.
BatchRoom batch_room(const std::vector<JobFile>& files, const BatchOptions& options,
                     const std::vector<Device>& devices);

// The job of one file with all options except the stack; `writer` has the options that its output
// supports. `at_once` files share the cores.
FileJob make_file_job(const JobFile& file, const BatchOptions& options, WriterOptions writer,
                      const Device& device, int at_once);

// Filters one file on one device; called by several threads at once. Throws Cancelled.
using RunFile =
    std::function<FileResult(const JobFile&, const Device&, const ProgressCallback& progress)>;

// One result per file, in order. One bad file never stops the others; a stop request ends the
// running ones as failed with ExitCode::interrupted and leaves out the rest.
//
// A device gets its next file when one of its own is done. A file that fails because of its GPU
// runs once more, on another GPU or on the fallback, which is reported immediately and in its
// result. Files that come from or go to a pipe, or have their output already, do not run again. A
// lost GPU gets no more files; when none is left and there is no fallback, the rest fail.
std::vector<FileResult> run_jobs(const std::vector<JobFile>& files, const BatchRoom& room,
                                 const RunFile& run, const std::stop_token& stop,
                                 BatchEvents& events);

// ok if all are done or skipped; the file's own code for a single file; otherwise some_failed.
ExitCode batch_exit_code(const std::vector<FileResult>& results);

}  // namespace weft
