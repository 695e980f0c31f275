// The facts that decide the frames of a job's output, for runs that continue an interrupted one.
#pragma once

#include "app/media/write/resume.h"
#include "app/pipeline/file_job.h"
#include "app/pipeline/opened_input.h"

namespace weft {

// The input by size, time and beginning, its range of frames, and the stack. Device and kernels are
// facts only if frames may differ between them (see same_on_every_device()), because these must not
// be mixed in a file. The decoder is not a fact: GPUs decode only codecs whose standard fixes every
// bit. Throws Error(failed) for an input that is not a file.
JobFacts frame_facts(const FileJob& job, const OpenedInput& opened);

}  // namespace weft
