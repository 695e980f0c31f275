// An input, the plan for its frames, and the facts that decide them.
#pragma once

#include <string>
#include <vector>

#include "app/media/demux/input_file.h"
#include "app/media/read/reader.h"
#include "app/media/write/resume.h"
#include "app/pipeline/file_job.h"
#include "app/pipeline/stack/mask_source.h"
#include "app/pipeline/stack/stack_plan.h"

namespace weft {

// Known once the first frame is decoded and the stack is planned.
struct OpenedInput {
    Reader reader;
    std::vector<StackPlan> plans;  // one, or one per field
    StepMasks masks = {};
    std::vector<StackPlan> compared_plans = {};  // of FileJob::compared; empty if that is
    StepMasks compared_masks = {};

    // Notes of the reader and the filters, for the report.
    std::vector<std::string> notes() const;
};

// Checks the whole job except its output. Throws Error that names the file, or FilterError.
OpenedInput open_input(const FileJob& job);

// The hash of all bytes, since a file that was written to may have its old time and size. Throws
// Error(failed).
std::string content_hash(const InputFile& file);

// The facts that decide the frames of a job's output, for runs that continue an interrupted one:
// the input by size, time and hash, its range of frames, and the stack. Device and kernels are
// facts only if frames may differ between them (see same_on_every_device()), because these must not
// be mixed in a file. The decoder is not a fact: GPUs decode only codecs whose standard fixes every
// bit. Throws Error(failed) for an input that is not a file.
JobFacts frame_facts(const FileJob& job, const OpenedInput& opened);

}  // namespace weft
