// One picture of what the filters did to the files of a trial.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/batch/job_list.h"
#include "app/media/demux/reader_options.h"

namespace weft {

// Saves NAME.png in `folder`, or NAME-2.png and so on if that exists, and returns a sentence that
// names it and the file of each row. A row shows the picture at the middle of the output, before
// the filters on the left and after them on the right. Shows at most 20 files, spread over the
// list. `reader` are the options by which they were read. Blocks on decoding. Throws Error if the
// picture cannot be written.
std::string save_trial_sheet(const std::vector<JobFile>& files, const ReaderOptions& reader,
                             const std::filesystem::path& folder, const std::string& name);

}  // namespace weft
