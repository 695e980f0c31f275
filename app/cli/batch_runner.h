// Runs the files of a batch, some at once, and collects what came of them.
#pragma once

#include <functional>
#include <stop_token>
#include <vector>

#include "app/cli/batch_events.h"
#include "app/cli/job_list.h"
#include "app/pipeline/device_choice.h"
#include "app/pipeline/file_job.h"

namespace weft {

// The job of one file with everything that the options say. `at_once` files share the cores.
FileJob make_file_job(const JobFile& file, const BatchOptions& options, const Stack& stack,
                      const Device& device);

// One result a file, in order. One bad file never stops the others; a stop request ends the
// running ones as failed with ExitCode::interrupted and leaves out the rest.
std::vector<FileResult> run_jobs(const std::vector<JobFile>& files, const BatchOptions& options,
                                 const Stack& stack, const Device& device,
                                 const std::stop_token& stop, BatchEvents& events);

// ok if all are done or skipped; a single file's own code; else some_failed.
ExitCode batch_exit_code(const std::vector<FileResult>& results);

}  // namespace weft
