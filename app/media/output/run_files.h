// The files that a run reads and writes, identified by inode instead of by name.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace weft {

// Device and inode: the same for every name, link and bind mount of a file.
using FileId = std::pair<dev_t, ino_t>;

// The id of the file that `path` leads to, following links; nothing if no file exists.
std::optional<FileId> file_id(const std::filesystem::path& path);

// The existing files of a numbered sequence, in a folder that may be missing; none if `path` is no
// pattern. Throws MediaError(failed) if the folder cannot be listed.
std::vector<std::string> sequence_paths(const std::string& path);

// Shared by the outputs of one run: the files that the run reads, which no output may replace, and
// the folders already cleared of stale partial files. Add sources before creating the first output;
// the rest is thread-safe.
class RunFiles {
 public:
    RunFiles() = default;
    explicit RunFiles(const std::string& source) { add_source(source); }

    // A file, "-" (the file that standard input is redirected from, if any) or a pattern, which
    // adds every file of the sequence. Missing files are ignored.
    void add_source(const std::string& path);

    // Throws Error(usage) if `output` leads to a source: a name, "-" (the file that standard output
    // is redirected to) or a pattern, whose existing files are all checked. Checks the disk on each
    // call, because names can change in mid-run.
    void refuse_source(const std::string& output) const;

    // The name of the source that `path` leads to.
    std::optional<std::string> source_at(const std::filesystem::path& path) const;

    // True once per folder: listing it once per output reads 10^8 entries for 10,000 outputs.
    bool first_output_in(const std::filesystem::path& folder);

 private:
    std::map<FileId, std::string> sources_;
    std::mutex mutex_;
    std::set<FileId> folders_;
};

}  // namespace weft
