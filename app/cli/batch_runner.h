// Runs the files of a batch, some at once and on some devices, and collects what came of them.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "app/cli/batch_events.h"
#include "app/cli/job_list.h"
#include "app/pipeline/file_job.h"

namespace weft {

// What the files are spread over.
struct BatchRoom {
    std::vector<Device> devices;  // at least one
    int jobs = 1;                 // files at once, over all devices; they share the cores
    // Takes what failed because of a GPU where no other one is left for it.
    std::optional<Device> fallback = {};
};

// The room that the options and the machine give. The CPU is a fallback where a GPU was not asked
// for: with --gpu auto, unless a kernel is forced or -hwaccel cuda given.
BatchRoom batch_room(const std::vector<JobFile>& files, const BatchOptions& options,
                     const std::vector<Device>& devices);

// The job of one file with all that the options say but the stack; `writer` are the options that
// its output can use. `at_once` files share the cores.
FileJob make_file_job(const JobFile& file, const BatchOptions& options, WriterOptions writer,
                      const Device& device, int at_once);

// Filters one file on one device; called by several threads at once. Throws Cancelled.
using RunFile =
    std::function<FileResult(const JobFile&, const Device&, const ProgressCallback& progress)>;

// One result a file, in order. One bad file never stops the others; a stop request ends the
// running ones as failed with ExitCode::interrupted and leaves out the rest.
//
// A device gets its next file when one of its own is done. A file that fails because of its GPU
// runs once more, on another one or on the fallback, which is told at once and in its result,
// unless it comes from or goes to a pipe or has its output already; a GPU that is lost gets no more
// files, and when none is left and there is no fallback the rest fail.
std::vector<FileResult> run_jobs(const std::vector<JobFile>& files, const BatchRoom& room,
                                 const RunFile& run, const std::stop_token& stop,
                                 BatchEvents& events);

// ok if all are done or skipped; a single file's own code; else some_failed.
ExitCode batch_exit_code(const std::vector<FileResult>& results);

}  // namespace weft
