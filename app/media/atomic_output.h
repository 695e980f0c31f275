// Every file the project makes appears under its name complete, or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/media/error.h"
#include "app/media/file_sink.h"
#include "app/media/run_files.h"

namespace weft {

// Thrown where an output exists, or came into being, and must not be replaced.
class OutputExists : public Error {
 public:
    explicit OutputExists(const std::string& message) : Error(ExitCode::usage, message) {}
};

// What to do when the output exists: neither flag, -y, -n.
enum class Overwrite { refuse, replace, skip };

// `path` with symbolic links in its last component followed, so that writing through a link
// replaces the file the link leads to and the link stays a link. Throws Error(usage) on a loop.
std::filesystem::path follow_links(const std::filesystem::path& path);

// Throws Error(usage) if `path` is a folder, or exists and `overwrite` is not replace; throws
// Error(not_written) if it is no regular file or must not be written. For checks before any work
// starts: the class below repeats them.
void check_output_path(const std::filesystem::path& path, Overwrite overwrite);

// Whether anything has the name, a link to nothing included; of a pattern: whether any of its files
// exists.
bool output_exists(const std::string& output);

// Blocks until the disk has the names in `folder`. Throws Error(not_written).
void sync_folder(const std::filesystem::path& folder);

// Removes what writers that died have left in `folder`: files and folders named
// as partial_name() does on this boot of this machine, that no live process holds locked and that
// are no source of `run`, which may be null; once for each folder of a run. What cannot be removed
// stays. Throws std::bad_alloc.
void remove_stale_partials(const std::filesystem::path& folder, RunFiles* run = nullptr);

struct OutputOptions {
    Overwrite overwrite = Overwrite::refuse;
    std::shared_ptr<RunFiles> run = {};  // null: an output that no source can be
    bool anonymous = true;               // false: never O_TMPFILE, for tests of the other way
};

// One output file. The bytes go to a file without a name in the target's folder (O_TMPFILE), or,
// where the file system has none, to a hidden name of partial_name(), locked with flock so that a
// later start on this machine can tell it from a dead one's. commit() syncs it, gives it its name
// in one step and syncs the folder: at any moment, power loss included, the name leads to the old
// file, to the complete new one, or to nothing. Only where the file system has neither links nor a
// rename that refuses to replace, a crash in that step can leave a new name empty. Not thread-safe.
class AtomicOutput {
 public:
    // Follows links, checks the path (above; again before it gets its name), removes stale partial
    // files in the folder, creates the temporary and tries whether it can get a name. A replaced
    // file's mode is kept, a new one gets 0666 & ~umask. Throws Error(usage or not_written).
    AtomicOutput(const std::string& path, OutputOptions options);
    ~AtomicOutput();  // without commit(): removes the temporary
    AtomicOutput(const AtomicOutput&) = delete;
    AtomicOutput& operator=(const AtomicOutput&) = delete;

    FileSink& sink() { return sink_; }

    // Appends text; throws Error(not_written).
    void write(std::string_view text);

    // Blocks until the disk has it. Throws Error(not_written), or Error(usage) if the name leads to
    // a source by now, or came into being and replacing was not asked for; the target is then
    // untouched.
    void commit();

 private:
    void remove_temporary() noexcept;
    void open_temporary();
    bool open_anonymous();
    bool open_named();
    void publish();
    void link_to(const std::filesystem::path& name);
    void rename_to_target();

    std::filesystem::path target_;
    OutputOptions options_;
    std::filesystem::path temporary_;  // empty while the file has no name
    int fd_ = -1;
    FileSink sink_;
};

// A numbered sequence of files that is published together. Files are written into a hidden folder
// beside the targets; commit() moves each into place after all are complete on disk. A crash
// during commit leaves some of the files, each complete. Not thread-safe.
class AtomicSequence {
 public:
    // `folder` is where the files go; `label` names the hidden folder (`.LABEL.weft-…`).
    AtomicSequence(std::filesystem::path folder, const std::string& label, OutputOptions options);
    ~AtomicSequence();  // without commit(): removes everything
    AtomicSequence(const AtomicSequence&) = delete;
    AtomicSequence& operator=(const AtomicSequence&) = delete;

    // Creates, writes, syncs and closes one file; modes as above. `name` has no folder part. Throws
    // Error(not_written), or Error(usage) if it exists and must not be replaced.
    void add(const std::string& name, const void* data, std::int64_t size);

    // Where the unpublished file `name` is, for reading it back.
    std::filesystem::path staged(const std::string& name) const { return staging_ / name; }

    void commit();

 private:
    void remove_staging() noexcept;
    void check_rename() const;
    void check_target(const std::filesystem::path& target) const;

    std::filesystem::path folder_;
    std::filesystem::path staging_;
    OutputOptions options_;
    std::vector<std::string> names_;
    int lock_fd_ = -1;
};

}  // namespace weft
