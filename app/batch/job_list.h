// Expands inputs and -o into the files to read and write, with all checks that are possible before
// work starts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/batch/shard.h"
#include "app/media/output/run_files.h"
#include "app/media/write/writer.h"

namespace weft {

// The state of a file, which changes with every write.
struct InputStamp {
    std::int64_t bytes = 0;
    std::int64_t mtime_ns = 0;  // since 1970

    bool operator==(const InputStamp&) const = default;
};

// Opens the file for its stamp, so that file servers report the current state, not a cached one.
// Throws Error(failed) if it cannot be opened or is not a regular file.
InputStamp stamp_of(const std::string& path);

struct JobFile {
    std::string input;
    std::string output;
    bool numbered = false;   // the output is a pattern: see WriterOptions
    std::string name = {};   // the input, relative to the folder that was given
    bool skip = false;       // the output exists and -n was given, without receipts
    bool elsewhere = false;  // of another shard
    // The input's state when the plan of this run was made; nothing: a run without a plan.
    std::optional<InputStamp> planned = {};
    std::int64_t work = 1;  // compared with other files of that plan
    // From a plan, of a video that several tasks share: the part to make, or the parts to join.
    std::optional<VideoPart> part = {};
    std::vector<VideoPart> joined = {};
};

// Throws Error(usage) if the input is not the one that was planned, and Error(failed) if it cannot
// be opened. Does nothing without a plan.
void check_since_plan(const JobFile& file);

struct JobRequest {
    std::vector<std::string> inputs;
    std::string output;
    std::string format = {};  // -f
    bool recursive = false;
    bool into_folder = false;  // even a single file: the inputs come from a list
    Overwrite overwrite = Overwrite::refuse;
    bool receipts = false;  // with -n, these decide which outputs are done
    std::optional<Shard> shard = {};
};

// Files by the extension of their names, in lower case and without the dot; "/" counts folders.
using ExtensionCounts = std::map<std::string, std::size_t>;

// One entry per file, folders expanded in the order of their names. Reads only folders and file
// attributes. Throws Error(usage): two inputs for one output, an output that is an input (by path,
// link or inode), an existing output without -y or -n, no container for the output, standard output
// for several inputs; Error(failed): a folder that contains no media or cannot be read. Every file
// of a numbered sequence counts. `run` knows the other files that are read; the inputs are added to
// it. With a shard the files of the others are listed and checked, too, so that every task of a
// batch engine finds the same mistakes; but their outputs may exist: other tasks write them
// meanwhile. `others` counts the files of the folders whose names are of no video or image.
std::vector<JobFile> list_jobs(const JobRequest& request, RunFiles& run, ExtensionCounts& others);

// A file that is written in addition to the outputs, and the option that names it.
struct ReportName {
    std::string_view option;  // "--json"
    std::string path;
};

// Throws Error(usage) if `report`, the file of `option` (--json, --trace), is one of the files that
// are read or one of the outputs, and Error(not_written) if it has no folder, which may be one that
// the outputs of these jobs make.
void check_report_path(std::string_view option, const std::string& report,
                       const std::vector<JobFile>& jobs, const RunFiles& run);
// Throws Error(usage) if two of them name one file.
void check_reports_differ(const std::vector<ReportName>& reports);

}  // namespace weft
