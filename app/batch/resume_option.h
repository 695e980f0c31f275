// `--resume`: which files of a batch can continue an interrupted run.
#pragma once

#include <string>
#include <vector>

#include "app/batch/job_list.h"

namespace weft {

// Throws Error(usage) with the first reason if every file has one. In a batch of videos and
// pictures, pictures start again.
void check_resume(const std::vector<JobFile>& files, const std::string& format);

// The last line of a run that a signal stopped.
std::string stopped_text(const std::vector<JobFile>& files, bool resume);

}  // namespace weft
