// Decode, filter and encode a file, in three threads with bounded queues between them.
#pragma once

#include <stop_token>

#include "app/pipeline/chain_plan.h"
#include "app/pipeline/file_job.h"

namespace weft {

// Thrown where a stop was requested before the end.
class Cancelled : public std::runtime_error {
 public:
    Cancelled() : std::runtime_error("stopped before the end") {}
};

// Filters one file. Frames and packets keep their order, every frame goes in and comes out once.
// `progress` is called on the calling thread after each frame written; it may be empty.
//
// Errors do not leave as exceptions: the result carries the sentence and the exit code, and the
// output is then untouched. Damaged input gives FileStatus::damaged, with the output in place only
// if the job keeps it. Throws Cancelled when `stop` is triggered: at most some frames later, with
// the unfinished output gone before it waits for a blocked read of the input.
FileResult filter_file(const FileJob& job, const std::stop_token& stop,
                       const ProgressCallback& progress);

// What filter_file() would do, from the first frame, without writing anything.
struct FilePlan {
    ChainPlan chain;  // of whole frames, or of the upper field
    std::string pixel_format;
    std::int64_t frames_estimated = 0;
    std::vector<std::string> notes;
    std::vector<std::string> warnings;
};

// Throws Error or FilterError.
FilePlan plan_file(const FileJob& job);

}  // namespace weft
