// `--resume`: which files of a batch can go on where an interrupted run ended.
#pragma once

#include <string>
#include <vector>

#include "app/cli/job_list.h"
#include "app/media/resume.h"

namespace weft {

// Why nothing is kept of an interrupted run of this file, as a sentence that names it; empty: its
// finished segments are. `format` is -f.
std::string why_not_resumable(const JobFile& file, const std::string& format);

// Throws Error(usage) with the first reason if there is one for every file. In a batch of videos
// and pictures, pictures begin anew.
void check_resume(const std::vector<JobFile>& files, const std::string& format);

// What frames depend on that is the same for all jobs of this program.
JobFacts program_facts();

// The last line of a run that a signal stopped.
std::string stopped_text(const std::vector<JobFile>& files, bool resume);

}  // namespace weft
