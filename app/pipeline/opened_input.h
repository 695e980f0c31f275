// An input and the plan for its frames.
#pragma once

#include <string>
#include <vector>

#include "app/media/read/reader.h"
#include "app/pipeline/file_job.h"
#include "app/pipeline/stack/stack_plan.h"

namespace weft {

// Known once the first frame is decoded and the stack is planned.
struct OpenedInput {
    Reader reader;
    std::vector<StackPlan> plans;                // one, or one per field
    std::vector<StackPlan> compared_plans = {};  // of FileJob::compared; empty if that is

    // Notes of the reader and the filters, for the report.
    std::vector<std::string> notes() const;
};

// Checks the whole job except its output. Throws Error that names the file, or FilterError.
OpenedInput open_input(const FileJob& job);

}  // namespace weft
