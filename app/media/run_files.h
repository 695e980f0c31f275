// The files that a run reads and writes, by identity and not by name.
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

// Of what `path` leads to, links followed; nothing where it leads nowhere.
std::optional<FileId> file_id(const std::filesystem::path& path);

// The files of a numbered sequence that exist, in a folder that may be missing; none for what is no
// pattern. Throws MediaError(failed) where the folder cannot be listed.
std::vector<std::string> sequence_paths(const std::string& path);

// Shared by the outputs of one run: the files that the run reads, none of which an output may
// replace, and the folders that were cleared of stale partial files. Sources are added before the
// first output is made; the rest is thread-safe.
class RunFiles {
 public:
    RunFiles() = default;
    explicit RunFiles(const std::string& source) { add_source(source); }

    // A file, "-" (the file that standard input is redirected from, if any) or a pattern: then
    // every file of the sequence. What does not exist is passed over.
    void add_source(const std::string& path);

    // Throws Error(usage) if `output` leads to a source: one name, "-" (the file that standard
    // output is redirected to) or a pattern, of which every file that exists is looked at. Looks at
    // the disk on each call, for names can change in mid-run.
    void refuse_source(const std::string& output) const;

    // The name of the source that `path` leads to.
    std::optional<std::string> source_at(const std::filesystem::path& path) const;

    // True once for each folder: listing it once per output takes 10^8 entries for 10,000 outputs.
    bool first_output_in(const std::filesystem::path& folder);

 private:
    std::map<FileId, std::string> sources_;
    std::mutex mutex_;
    std::set<FileId> folders_;
};

}  // namespace weft
