// Plays a file through a stack and races kernels on every frame.
#pragma once

#include <functional>
#include <stop_token>

#include "app/pipeline/file_job.h"
#include "app/pipeline/race/race_report.h"
#include "app/pipeline/race/step_race.h"

namespace weft {

struct RaceOptions {
    RaceChoice choice;
    std::int64_t frames = 0;  // stop after this many; 0: at the end of the file
};

// Called on the calling thread after each frame.
using RaceProgress = std::function<void(const RaceReport&)>;

// Reads, filters and races; writes nothing: the job's writer and its policy for damaged input are
// ignored. The next step gets the output of the planned kernels, so that all kernels of a step see
// the same pixels. A still picture counts as the requested number of frames, 50 by default. Ends
// early, with the results so far, when `stop` is triggered. Throws Error or FilterError.
RaceReport race_kernels(const FileJob& job, const RaceOptions& options, const std::stop_token& stop,
                        const RaceProgress& progress);

}  // namespace weft
