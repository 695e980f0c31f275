// Writes the shell command in which ffmpeg applies those filters of a stack that weft lacks.
#pragma once

#include "app/batch/batch_options.h"
#include "app/cli/commands.h"

namespace weft {

// Returns if the stack of `options`, which `arguments` gave, names no filter that ffmpeg has and
// weft lacks, or one that neither has. Otherwise prints the same work as a pipe of both programs,
// to be pasted into a shell, and throws Error(usage).
void refuse_foreign_filters(Arguments arguments, const BatchOptions& options);

}  // namespace weft
