// `--resume`: which files of a batch can continue an interrupted run.
#pragma once

#include <string>
#include <vector>

#include "app/batch/job_list.h"
#include "app/media/write/resume.h"

namespace weft {

// Why no segments of an interrupted run of this file can be kept, as a sentence that names it;
// empty: they can. `format` is -f.
std::string why_not_resumable(const JobFile& file, const std::string& format);

// Throws Error(usage) with the first reason if every file has one. In a batch of videos and
// pictures, pictures start again.
void check_resume(const std::vector<JobFile>& files, const std::string& format);

// Facts that decide the frames and are the same for all jobs of this program.
JobFacts program_facts();

// The last line of a run that a signal stopped.
std::string stopped_text(const std::vector<JobFile>& files, bool resume);

}  // namespace weft
