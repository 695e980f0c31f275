// From inputs and -o to the files that will be read and written, with everything refused that can
// be refused before work starts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/media/run_files.h"
#include "app/media/writer.h"

namespace weft {

struct JobFile {
    std::string input;
    std::string output;
    bool skip = false;  // the output exists and -n was given
};

struct JobRequest {
    std::vector<std::string> inputs;
    std::string output;
    std::string format = {};  // -f
    bool recursive = false;
    Overwrite overwrite = Overwrite::refuse;
};

// One entry a file, folders expanded in the order of their names. Reads folders and file
// attributes only. Throws Error(usage): two inputs for one output, an output that is an input (by
// path, link or inode), an output that exists and neither -y nor -n, no container for the output,
// standard output for several inputs; Error(failed): a folder that holds no media or cannot be
// read. Every file of a numbered sequence counts. `run` knows what else is read; the inputs are
// added to it.
std::vector<JobFile> list_jobs(const JobRequest& request, RunFiles& run);

// Throws Error(usage) if `report`, the file of `option` (--json, --trace), is one of the files that
// are read or one of the outputs.
void check_report_path(std::string_view option, const std::string& report,
                       const std::vector<JobFile>& jobs, const RunFiles& run);
// Throws Error(usage) if both name one file.
void check_reports_differ(const std::string& json, const std::string& trace);

}  // namespace weft
