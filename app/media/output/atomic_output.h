// Output files appear under their names complete or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/media/libav/error.h"
#include "app/media/output/file_sink.h"
#include "app/media/output/partial_name.h"
#include "app/media/output/run_files.h"
#include "filters/text/file_descriptor.h"

namespace weft {

// Thrown if an output exists, or has appeared since the first check, and must not be replaced.
class OutputExists : public Error {
 public:
    explicit OutputExists(const std::string& message) : Error(Outcome::usage, message) {}
};

// Policy for existing outputs: neither flag, -y, -n.
enum class Overwrite { refuse, replace, skip };

// `path` with symbolic links in its last component followed, so that writing through a link
// replaces the file the link leads to and the link stays a link. Throws Error(usage) on a loop.
std::filesystem::path follow_links(const std::filesystem::path& path);

// Throws Error(usage) if `path` is a folder, or exists and `overwrite` is not replace; throws
// Error(not_written) if it is not a regular file or must not be written. Allows checks before any
// work starts; the class below repeats them.
void check_output_path(const std::filesystem::path& path, Overwrite overwrite);

// Whether the name exists, dangling links included. If it is `numbered`, a pattern: whether any of
// its files exists.
bool output_exists(const std::string& output, bool numbered);

// Blocks until the names in `folder` are on disk. Throws Error(not_written).
void sync_folder(const std::filesystem::path& folder);

// Removes the leftovers of crashed writers in `folder`: files and folders with the names that
// partial_name() makes on this boot of this machine, unless a live process holds their lock or they
// are sources of `run`, which may be null. Pictures that were being moved are moved. Runs once per
// folder of a run. Skips files that it cannot remove. Throws std::bad_alloc.
void remove_stale_partials(const std::filesystem::path& folder, RunFiles* run = nullptr);

// Moves the pictures in `moving`, a folder named by moving_name() that a killed writer has left,
// into place. They are complete, so that any process may do this, also several at once. False: some
// are left, because another process has locked the folder or another user owns it, or because a
// file in their place has changed since, which is then not replaced. Throws std::bad_alloc.
bool finish_move(const std::filesystem::path& moving);

struct OutputOptions {
    Overwrite overwrite = Overwrite::refuse;
    std::shared_ptr<RunFiles> run = {};  // null: an output that cannot be a source
    bool anonymous = true;               // false: never O_TMPFILE, to test the named path
    OnFullDisk on_full_disk = {};        // none: writes fail
    // Empty, or called by commit() before it waits for the disk.
    std::function<void()> on_complete = {};
};

// One output file. The bytes go to an unnamed file in the target's folder (O_TMPFILE), or, if the
// file system does not support that, to a hidden name made by partial_name(), locked with flock so
// that later processes on this machine can distinguish it from a dead one's. commit() syncs it,
// gives it its name atomically and syncs the folder: at any moment, power loss included, the name
// leads to the old file, to the complete new one, or to nothing. Only on file systems with neither
// links nor a non-replacing rename can a crash in that step leave a new name empty. Not
// thread-safe.
class AtomicOutput {
 public:
    // Follows links, checks the path (as above; commit() checks again), removes stale partial files
    // in the folder, creates the temporary and tests whether it can be given a name. Keeps the mode
    // of a replaced file; a new one gets 0666 & ~umask. Throws Error(usage or not_written).
    AtomicOutput(const std::string& path, OutputOptions options);
    ~AtomicOutput() = default;  // without commit(): removes the temporary
    AtomicOutput(const AtomicOutput&) = delete;
    AtomicOutput& operator=(const AtomicOutput&) = delete;

    FileSink& sink() { return sink_; }

    // Appends text; throws Error(not_written).
    void write(std::string_view text);

    // Blocks until the file is on disk. Throws Error(not_written), or Error(usage) if the name now
    // leads to a source, or has appeared and must not be replaced; the target is then untouched.
    void commit();

 private:
    void open_temporary();
    bool open_anonymous();
    bool open_named();
    void publish();
    void link_to(const std::filesystem::path& name);
    void rename_to_target();

    std::filesystem::path target_;
    OutputOptions options_;
    FileDescriptor file_;
    HiddenName temporary_;  // none while the file has no name
    FileSink sink_;
};

// A numbered sequence of files, published together. Files are written into a hidden folder next to
// the targets; commit() moves each into place once all are complete on disk. A crash during commit
// leaves some of the files, each complete, and the others in a folder named by moving_name(): the
// readers of the sequence then refuse it, and the next writer in this folder finishes the move. Not
// thread-safe.
class AtomicSequence {
 public:
    // The files go into `folder`; `label` names the hidden folder (`.LABEL.weft-…`).
    AtomicSequence(std::filesystem::path folder, const std::string& label, OutputOptions options);
    ~AtomicSequence() = default;  // without commit(): removes everything
    AtomicSequence(const AtomicSequence&) = delete;
    AtomicSequence& operator=(const AtomicSequence&) = delete;

    // Creates, writes, syncs and closes one file; modes as above. `name` has no folder part. Throws
    // Error(not_written), or Error(usage) if it exists and must not be replaced.
    void add(const std::string& name, const void* data, std::int64_t size);

    // Path of the unpublished file `name`, for reading it back.
    std::filesystem::path staged(const std::string& name) const { return staging_.path / name; }

    // Throws as AtomicOutput::commit(). Nothing is then replaced, unless the system refuses a
    // rename after others have replaced a file: the message then names the folder of the other
    // pictures.
    void commit();

 private:
    struct Move {
        std::filesystem::path from;
        std::filesystem::path to;
    };

    void check_rename() const;
    void begin_move();
    [[noreturn]] void stop_move(const std::vector<Move>& moves, std::size_t done, int error);
    void check_target(const std::filesystem::path& target) const;

    std::filesystem::path folder_;
    std::filesystem::path moving_;
    OutputOptions options_;
    std::vector<std::string> names_;
    FileDescriptor lock_;
    HiddenName staging_;
};

}  // namespace weft
