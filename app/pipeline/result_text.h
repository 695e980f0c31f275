// One file's result in words.
#pragma once

#include <string>
#include <vector>

#include "app/pipeline/file_job.h"

namespace weft {

// "in.mp4 -> out/in.mp4: 300 frames, 2 audio copied; nothing dropped"
std::string result_line(const FileResult& result);

// "step filter kernel median p95 total", a line a step; steps of several files that ran the same
// kernel are counted together. Empty when nothing ran.
std::string kernel_table(const std::vector<FileResult>& results);

// "ok", "skipped", "failed", "damaged"
std::string_view status_name(FileStatus status);

}  // namespace weft
