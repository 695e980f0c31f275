// Lists of files, one name per line: --input-list and --failed-list.
#pragma once

#include <string>
#include <vector>

#include "app/batch/job_list.h"
#include "app/pipeline/file_job.h"

namespace weft {

// The names in the file `list`, or on standard input if that is "-": one per line, or separated by
// NUL bytes if it contains any, as `find -print0` writes them. Empty names are left out. Throws
// Error(failed) if the list cannot be read, Error(usage) if it contains no name or is too long.
std::vector<std::string> read_input_list(const std::string& list);

// The file of --failed-list. It has no mark of its own, so that other programs can read it; an
// existing file may be replaced without -y if each of its lines is an input of this run, as in the
// list of a previous one.
class FailedList {
 public:
    // Throws Error(usage) or Error(not_written) if `path` cannot be written.
    FailedList(std::string path, const std::vector<JobFile>& files, Overwrite overwrite);

    // Writes the inputs that failed, are damaged, or were not finished, one per line; an empty file
    // if all are done. Returns the number of names that contain line breaks, which are left out.
    // Throws Error(not_written).
    std::size_t write(const std::vector<FileResult>& results) const;

 private:
    std::string path_;
    Overwrite overwrite_;
};

}  // namespace weft
