// Decodes, filters and encodes a file, in three threads with bounded queues between them.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/pipeline/file_job.h"
#include "app/pipeline/size_estimate.h"
#include "app/pipeline/stack/stack_plan.h"

namespace weft {

// Filters one file. Frames and packets keep their order, and every frame is filtered exactly once.
// `progress` is called on the calling thread after each frame written; it may be empty.
//
// Errors are not thrown: the result carries the sentence and the exit code, and the output is then
// untouched. Damaged input gives FileStatus::damaged, with the output in place only if the job
// keeps it. Throws Cancelled when `stop` is triggered: within a few frames, and after removing the
// unfinished output before it waits for a blocked read of the input.
FileResult filter_file(const FileJob& job, const std::stop_token& stop,
                       const ProgressCallback& progress);

// The plan of filter_file(), from the first frame, without writing anything.
struct FilePlan {
    StackPlan stack;  // for whole frames, or for the upper field
    std::string pixel_format;
    std::int64_t frames_estimated = 0;
    std::vector<std::string> notes;
    std::vector<std::string> warnings;
    // Jobs whose output is kNoOutput write nothing and have no such report.
    std::optional<WriteReport> written = {};  // before the first frame
    std::string container = {};
    std::optional<SizeEstimate> size = {};  // nothing: unknown
};

// Throws Error or FilterError.
FilePlan plan_file(const FileJob& job);

}  // namespace weft
