// What a job's receipt is compared by.
#pragma once

#include "app/media/write/resume.h"
#include "app/pipeline/file_job.h"

namespace weft {

// The options that decide the output, by their names on the command line: {"-vf",
// "gaussian=sigma=2"}, {"--lossless", "yes"}. Defaults are left out, and so are options that decide
// only how the work is done: device, kernels, files in flight, --resume. Paths of matrices are
// relative to the output's folder; "files" has a hash of each. Throws Error(failed) if one of these
// cannot be read.
JobFacts receipt_job(const FileJob& job);

}  // namespace weft
