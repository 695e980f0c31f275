// A plan: the files of a batch, checked once and divided into fixed shards. Every task of a
// batch engine reads the same plan, so that no task depends on what the others have written
// meanwhile.
//
// A text file of JSON lines; docs/plan.schema.json describes each line. The first holds the version
// and the SHA-256 of all bytes after it, the second the stack, the options and the counts. One line
// per file follows, in the order of the outputs. Paths are relative to the folder of the plan and
// stay below it, so a plan is valid wherever that folder is mounted, and a plan from elsewhere
// writes no files outside it. Inputs that are elsewhere are relative to a folder of their own,
// which the second line names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/batch/job_list.h"
#include "app/media/output/atomic_output.h"
#include "app/media/write/resume.h"
#include "app/pipeline/stored_stack.h"

namespace weft {

inline constexpr int kPlanVersion = 1;
inline constexpr int kMostShards = 1'000'000;

// An option that affects the outputs, by its long name: {"--crf", "20"}. Flags have no value.
using PlanOption = std::pair<std::string, std::string>;

struct PlanHead {
    StoredStack stack;
    std::vector<PlanOption> options;
    int shards = 1;
    std::int64_t files = 0;
    std::string inputs = {};  // the folder of the inputs, absolute; empty: the plan's
    int definition = 1;       // definition_of() the stack
};

struct PlannedFile {
    std::string input;      // relative to PlanHead::inputs, or to the plan's folder without it
    std::string output;     // relative to the plan's folder; only parts of one file have the same
    InputStamp stamp = {};  // of the input when the plan was made
    double seconds = 0;     // duration by the headers; 0: unknown
    std::int64_t work = 1;  // the time that it takes compared with other files; at least 1
    int shard = 1;          // 1 to PlanHead::shards
    std::optional<VideoPart> part = {};  // nothing: the whole file
};

// The whole text of a plan. `files` are in any order.
std::string plan_text(PlanHead head, std::vector<PlannedFile> files);

// Writes the text to `path`. Throws Error(usage) if the file exists and `overwrite` is not replace,
// Error(not_written).
void write_plan(const std::string& path, const std::string& text, Overwrite overwrite);

// Whether the file begins like a plan of any version; PlanReader decides if it can be read. False
// for anything but regular files. Never throws.
bool is_plan(const std::string& path);

// The folder that the paths of a plan are relative to: the one that the file is in, with links to
// it followed. Empty: the working folder.
std::filesystem::path plan_folder(const std::string& plan);

// `path` relative to `folder`, following links only if it is not below it by its name. Nothing if
// it is elsewhere.
std::optional<std::string> path_below(const std::filesystem::path& folder, const std::string& path);

// Reads a plan file by file, in a fixed amount of memory. A plan is not trusted: every field is
// checked.
class PlanReader {
 public:
    // Reads the whole file once to check its hash. Throws Error(usage) for a plan that is
    // truncated, changed, of another version or has anything that this program does not know;
    // Error(failed) if it cannot be read.
    explicit PlanReader(const std::string& path);
    ~PlanReader();
    PlanReader(const PlanReader&) = delete;
    PlanReader& operator=(const PlanReader&) = delete;

    const PlanHead& head() const;
    // The SHA-256 in the first line, which identifies the plan.
    const std::string& hash() const;
    // The next file; nothing after the last. Throws Error(usage) as above.
    std::optional<PlannedFile> next();

 private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace weft
