// The files that a run reads and writes, identified by inode instead of by name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <sys/stat.h>
#include <sys/types.h>
#include <tuple>
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

// Shared by the outputs of one run: the files that the run reads, which no output may replace,
// those that it has written, which no other output may, and the folders already cleared of stale
// partial files. Add sources before creating the first output; the rest is thread-safe.
class RunFiles {
 public:
    RunFiles() = default;
    explicit RunFiles(const std::string& source) { add_source(source); }

    // A file, "-" (the file that standard input is redirected from, if any) or a pattern, which
    // adds every file of the sequence. Missing files are ignored.
    void add_source(const std::string& path);

    // Throws Error(usage) if `output` leads to a source or to another output of this run, as two
    // names do that differ by case only on exFAT: a name, "-" (the file that standard output is
    // redirected to) or a pattern, whose existing files are all checked. Checks the disk on each
    // call, because names can change in mid-run.
    void refuse_taken(const std::string& output) const;

    // Calls `give_name`, which makes the file `made` appear as `target`, unless refuse_taken()
    // throws.
    void publish(const std::filesystem::path& target, const struct stat& made,
                 const std::function<void()>& give_name);

    // The name of the source that `path` leads to. A file with the size and time of a source may be
    // that source on another mount of its disk (FUSE, a file server), with another inode: then a
    // file is created next to `path` for a moment, to see whether it appears next to the source.
    std::optional<std::string> source_at(const std::filesystem::path& path) const;

    // True once per folder: listing it once per output reads 10^8 entries for 10,000 outputs.
    bool first_output_in(const std::filesystem::path& folder);

 private:
    using Folders = std::pair<std::string, std::string>;
    using SizeAndTime = std::pair<std::int64_t, std::int64_t>;  // in bytes and seconds
    using FileStamp = std::tuple<dev_t, std::int64_t, std::int64_t, std::int64_t>;

    static FileStamp stamp_of(const struct stat& info);

    void add_file(const std::string& path);
    bool are_same_folder(const Folders& folders) const;
    std::optional<std::string> output_at(const std::filesystem::path& path) const;

    std::map<FileId, std::string> sources_;
    std::map<SizeAndTime, std::set<std::string>> source_folders_;  // the folders of such sources
    std::mutex publishing_;
    mutable std::mutex mutex_;  // for the members below
    std::set<FileId> folders_;
    std::map<FileId, std::string> outputs_;
    std::map<FileStamp, std::string> outputs_by_stamp_;
    mutable std::map<Folders, bool> same_folders_;  // as far as they were compared
};

}  // namespace weft
