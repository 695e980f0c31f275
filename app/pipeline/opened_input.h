// An input with the plan of what will be done to its frames.
#pragma once

#include <string>
#include <vector>

#include "app/media/reader.h"
#include "app/pipeline/chain_plan.h"
#include "app/pipeline/file_job.h"

namespace weft {

// Known once the first frame is decoded and the stack is planned.
struct OpenedInput {
    Reader reader;
    std::vector<ChainPlan> plans;                // one, or one a field
    std::vector<ChainPlan> compared_plans = {};  // of FileJob::compared; none if that is empty

    // What the reader and the filters have to say, for the report.
    std::vector<std::string> notes() const;
};

// Looks at all of the job but its output. Throws Error that names the file, or FilterError.
OpenedInput open_input(const FileJob& job);

}  // namespace weft
