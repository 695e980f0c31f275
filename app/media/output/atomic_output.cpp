#include "app/media/output/atomic_output.h"

#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <set>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/media/demux/image_sequence.h"
#include "app/media/libav/error.h"
#include "app/media/output/write_error.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxLinks = 40;  // the kernel's limit
constexpr int kNameAttempts = 100;

[[noreturn]] void throw_not_written(const fs::path& path, int error) {
    throw WriteError(path.string(), error);
}

fs::path folder_of(const fs::path& path) {
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

FileDescriptor open_folder(const fs::path& path, int flags = 0) {
    return FileDescriptor(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags));
}

// fsync, plus the error that close would report, while the lock is still held: closing any copy of
// a descriptor makes NFS flush and return its error.
int sync_and_probe_close(int fd) {
    if (fsync(fd) != 0) return errno;
    FileDescriptor copy(dup(fd));
    return copy.is_open() && copy.close() ? 0 : errno;
}

std::string exists_text(const fs::path& path, Overwrite overwrite) {
    return overwrite == Overwrite::skip
               ? fmt::format("{}: exists and is left alone (-n)", path.string())
               : fmt::format("{}: exists; give -y to replace it or -n to skip it", path.string());
}

int rename_over(const fs::path& from, const fs::path& to) {
    return std::rename(from.c_str(), to.c_str()) != 0 ? errno : 0;
}

// Creates an empty file under the name, which fails if it exists, and replaces it at once: a crash
// between the two leaves it empty.
int rename_over_placeholder(const fs::path& from, const fs::path& to) {
    const FileDescriptor made(open(to.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
    if (!made.is_open()) return errno;
    const int error = rename_over(from, to);
    if (error != 0) unlink(to.c_str());
    return error;
}

// Renames without replacing. Returns 0 or an errno.
int rename_new(const fs::path& from, const fs::path& to) {
    if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return errno;
    // Without RENAME_NOREPLACE, use a hard link, which also fails if the name exists. FAT, some
    // FUSE file systems and CIFS have no links either, and report that with different errors.
    if (link(from.c_str(), to.c_str()) == 0) return unlink(from.c_str()) != 0 ? errno : 0;
    return errno == EEXIST ? errno : rename_over_placeholder(from, to);
}

int rename_by_policy(const fs::path& from, const fs::path& to, Overwrite overwrite) {
    return overwrite == Overwrite::replace ? rename_over(from, to) : rename_new(from, to);
}

// Gives an unnamed file a name that does not exist. Returns 0 or an errno.
int link_file(int fd, const fs::path& name) {
    const std::string self = fmt::format("/proc/self/fd/{}", fd);
    const bool linked =
        linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
    return linked ? 0 : errno;
}

// Whether an unnamed file can be linked into `folder`. Tested before the work, with an empty file.
bool can_link(const fs::path& folder) {
    const FileDescriptor file(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (!file.is_open()) return false;
    const fs::path name = folder / partial_name("probe");
    const bool linked = link_file(file.get(), name) == 0;
    unlink(name.c_str());  // a file server may report the failure of a link that it has made
    return linked;
}

// A file system without rename (object stores) cannot give a complete file its name. Tests this
// before the work by renaming the temporary, and returns its new name.
fs::path renamed_temporary(const fs::path& temporary, const fs::path& target) {
    fs::path other = temporary.parent_path() / partial_name(target.filename().string());
    const int error = rename_over(temporary, other);
    if (error == 0) return other;
    unlink(other.c_str());  // a file server may report the failure of a rename that it has done
    throw Error(Outcome::not_written,
                fmt::format("{}: this file system cannot rename files ({}), so outputs cannot be "
                            "put in place safely; choose another folder",
                            target.string(), std::strerror(error)));
}

// Waits for a writer of the same sequence that is alive. The pictures that are left by it or by a
// killed one are older than the caller's.
void remove_locked(const fs::path& moving) {
    const FileDescriptor lock = open_folder(moving, O_NOFOLLOW);
    if (!lock.is_open()) return;
    (void)flock(lock.get(), LOCK_EX);
    std::error_code ignored;
    if (leads_to(moving, lock.get())) fs::remove_all(moving, ignored);
}

bool changed_since(const fs::path& path, const timespec& since) {
    struct stat info {};
    if (lstat(path.c_str(), &info) != 0) return false;
    const timespec& changed = info.st_ctim;
    return changed.tv_sec != since.tv_sec ? changed.tv_sec > since.tv_sec
                                          : changed.tv_nsec > since.tv_nsec;
}

// `since`: when the last file was moved.
bool move_out_of(const fs::path& moving, const timespec& since) {
    const fs::path folder = folder_of(moving);
    std::vector<std::pair<fs::path, fs::path>> moves;
    std::error_code error;
    for (fs::directory_iterator it(moving, error), end; !error && it != end; it.increment(error)) {
        const fs::path to = follow_links(folder / it->path().filename());
        if (changed_since(to, since)) return false;
        moves.emplace_back(it->path(), to);
    }
    if (error) return false;
    for (const auto& [from, to] : moves)
        if (rename_over(from, to) != 0) return false;
    sync_folder(folder);
    return rmdir(moving.c_str()) == 0;
}

// Gives the new file the mode of the one it replaces, before it has any content to read.
void keep_mode(int fd, const fs::path& target) {
    struct stat old {};
    struct stat made {};
    if (stat(target.c_str(), &old) != 0) return;
    const mode_t mode = old.st_mode & 0777U;
    // File systems without modes reject any change of them.
    const bool same = fstat(fd, &made) == 0 && (made.st_mode & 0777U) == mode;
    if (!same && fchmod(fd, mode) != 0) throw_not_written(target, errno);
}

}  // namespace

fs::path follow_links(const fs::path& path) {
    fs::path current = path;
    for (int i = 0; i < kMaxLinks; ++i) {
        std::error_code error;
        if (!fs::is_symlink(fs::symlink_status(current, error))) return current;
        const fs::path next = fs::read_symlink(current, error);
        if (error) throw_not_written(current, error.value());
        current = next.is_absolute() ? next : folder_of(current) / next;
    }
    throw Error(Outcome::usage, fmt::format("{}: the symbolic links form a loop", path.string()));
}

void check_output_path(const fs::path& path, Overwrite overwrite) {
    refuse_address(path.string());
    struct stat info {};
    if (stat(path.c_str(), &info) != 0) {
        if (errno == ENAMETOOLONG) throw_not_written(path, errno);
        return;
    }
    if (S_ISDIR(info.st_mode))
        throw Error(Outcome::usage,
                    fmt::format("{}: is a folder; name a file in it", path.string()));
    if (!S_ISREG(info.st_mode))
        throw Error(Outcome::not_written,
                    fmt::format("{}: is not a regular file and cannot be written safely; name a "
                                "file, or - for standard output",
                                path.string()));
    if (overwrite != Overwrite::replace) throw OutputExists(exists_text(path, overwrite));
    // A rename needs only the folder's permissions, and root may write any file.
    if ((info.st_mode & 0222U) == 0)
        throw Error(Outcome::not_written,
                    fmt::format("{}: is read-only (mode {:04o}) and is not replaced; allow writing "
                                "(chmod u+w) or choose another name",
                                path.string(), info.st_mode & 07777U));
    if (faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) throw_not_written(path, errno);
}

bool output_exists(const std::string& output, bool numbered) {
    std::error_code error;
    if (numbered) return !sequence_paths(output).empty();
    return fs::exists(fs::symlink_status(output, error));
}

void sync_folder(const fs::path& folder) {
    const FileDescriptor file = open_folder(folder);
    // Some file systems (FUSE, CIFS) have no fsync for folders and return EINVAL.
    if (!file.is_open() || (fsync(file.get()) != 0 && errno != EINVAL))
        throw_not_written(folder, errno);
}

AtomicOutput::AtomicOutput(const std::string& path, OutputOptions options)
    : target_(follow_links(path)), options_(std::move(options)), sink_(-1, path) {
    if (options_.run) options_.run->refuse_taken(target_);
    check_output_path(target_, options_.overwrite);
    remove_stale_partials(folder_of(target_), options_.run.get());
    open_temporary();
    keep_mode(file_.get(), target_);
    sink_ = FileSink(file_.get(), path, options_.on_full_disk);
}

void AtomicOutput::open_temporary() {
    if (options_.anonymous && open_anonymous()) return;
    if (open_named()) return;
    throw_not_written(target_, errno);
}

bool AtomicOutput::open_anonymous() {
    const fs::path folder = folder_of(target_);
    file_ = FileDescriptor(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666));
    return file_.is_open() && flock(file_.get(), LOCK_EX | LOCK_NB) == 0 && can_link(folder);
}

bool AtomicOutput::open_named() {
    for (int i = 0; i < kNameAttempts; ++i) {
        fs::path name = folder_of(target_) / partial_name(target_.filename().string());
        file_ = FileDescriptor(open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666));
        if (!file_.is_open() && errno == EEXIST) continue;
        if (!file_.is_open()) {
            const int error = errno;
            unlink(name.c_str());  // it may be there, although the call failed
            errno = error;
            return false;
        }
        // Between open and flock a starting process may take the file for a dead one's and remove
        // it: keep it only if the name still leads to it.
        if (lock_partial(file_.get(), name)) {
            temporary_.path = std::move(name);
            temporary_.path = renamed_temporary(temporary_.path, target_);
            return true;
        }
    }
    errno = EEXIST;
    return false;
}

void AtomicOutput::write(std::string_view text) {
    sink_.write(text.data(), static_cast<std::int64_t>(text.size()));
    sink_.check();
}

void AtomicOutput::commit() {
    sink_.check();
    if (options_.on_complete) options_.on_complete();
    if (const int error = sync_and_probe_close(file_.get()); error != 0) sink_.fail(error);
    sink_.check();
    const fs::path folder = folder_of(target_);
    struct stat made {};
    if (fstat(file_.get(), &made) != 0) throw_not_written(target_, errno);
    if (options_.run)
        options_.run->publish(target_, made, [this] { publish(); });
    else
        publish();
    (void)file_.close();
    sync_folder(folder);
}

void AtomicOutput::publish() {
    if (!temporary_.path.empty()) return rename_to_target();
    if (options_.overwrite != Overwrite::replace) return link_to(target_);
    // A link never replaces: if the name exists, give the file a hidden name first, then rename.
    if (link_file(file_.get(), target_) == 0) return;
    temporary_.path = folder_of(target_) / partial_name(target_.filename().string());
    link_to(temporary_.path);
    rename_to_target();
}

void AtomicOutput::link_to(const fs::path& name) {
    const int error = link_file(file_.get(), name);
    if (error == EEXIST) throw OutputExists(exists_text(name, options_.overwrite));
    if (error != 0) throw_not_written(name, error);
}

void AtomicOutput::rename_to_target() {
    const int error = rename_by_policy(temporary_.path, target_, options_.overwrite);
    if (error == EEXIST) throw OutputExists(exists_text(target_, options_.overwrite));
    if (error != 0) throw_not_written(target_, error);
    temporary_.path.clear();
}

bool finish_move(const fs::path& moving) {
    const FileDescriptor lock = open_folder(moving, O_NOFOLLOW);
    struct stat info {};
    if (!lock.is_open() || fstat(lock.get(), &info) != 0) return false;
    try {
        // Files that another user has put there would replace files of this one.
        return info.st_uid == geteuid() && lock_partial(lock.get(), moving) &&
               move_out_of(moving, info.st_mtim);
    } catch (const Error&) {
        return false;  // a link may lead nowhere: the pictures stay where they are
    }
}

AtomicSequence::AtomicSequence(fs::path folder, const std::string& label, OutputOptions options)
    : folder_(folder.empty() ? fs::path(".") : std::move(folder)),
      moving_(folder_ / moving_name(label)),
      options_(std::move(options)) {
    if (options_.run) options_.run->refuse_taken(folder_ / label);
    remove_stale_partials(folder_, options_.run.get());
    bool locked = false;
    for (int i = 0; i < kNameAttempts && !locked; ++i) {
        fs::path name = folder_ / partial_name(label);
        if (mkdir(name.c_str(), 0700) != 0) {
            if (errno == EEXIST) continue;
            throw_not_written(folder_ / label, errno);
        }
        staging_.path = std::move(name);
        lock_ = open_folder(staging_.path);
        if (!lock_.is_open() && errno != ENOENT) throw_not_written(folder_ / label, errno);
        locked = lock_.is_open() && lock_partial(lock_.get(), staging_.path);
    }
    if (!locked) throw_not_written(folder_ / label, EEXIST);
    check_rename();
}

// Renames a probe file within the staging folder.
void AtomicSequence::check_rename() const {
    const fs::path probe = staged(partial_name("probe"));
    const FileDescriptor made(open(probe.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
    if (!made.is_open()) throw_not_written(folder_, errno);
    unlink(renamed_temporary(probe, folder_ / "sequence").c_str());
}

void AtomicSequence::add(const std::string& name, const void* data, std::int64_t size) {
    const fs::path target = folder_ / name;
    check_target(target);
    FileDescriptor file(open(staged(name).c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666));
    if (!file.is_open()) throw_not_written(target, errno);
    FileSink sink(file.get(), target.string(), options_.on_full_disk);
    keep_mode(file.get(), follow_links(target));
    sink.write(data, size);
    if (fsync(file.get()) != 0) sink.fail(errno);
    if (!file.close()) sink.fail(errno);
    sink.check();
    names_.push_back(name);
}

void AtomicSequence::check_target(const fs::path& target) const {
    if (options_.run) options_.run->refuse_taken(target);
    check_output_path(follow_links(target), options_.overwrite);
}

void AtomicSequence::commit() {
    std::vector<Move> moves;
    std::set<fs::path> targets;
    for (const std::string& name : names_) check_target(folder_ / name);
    for (const std::string& name : names_) {
        moves.push_back({moving_ / name, follow_links(folder_ / name)});
        const fs::path& to = moves.back().to;
        if (options_.run) options_.run->refuse_taken(to);
        if (!targets.insert(to).second)
            throw Error(Outcome::usage,
                        fmt::format("{}: two pictures of the sequence lead to this file by a "
                                    "symbolic link: remove the link",
                                    to.string()));
    }
    begin_move();
    // Nothing here allocates, so running out of memory cannot leave a partial sequence.
    for (std::size_t done = 0; done < moves.size(); ++done) {
        const auto& [from, to] = moves[done];
        const int error = rename_by_policy(from, to, options_.overwrite);
        // Without locks between machines, another run may have finished the move.
        const bool is_moved = error == ENOENT && access(from.c_str(), F_OK) != 0;
        if (error != 0 && !is_moved) stop_move(moves, done, error);
    }
    sync_folder(folder_);
}

// Gives the staging folder the name by which others find an unfinished move.
void AtomicSequence::begin_move() {
    fs::path name = moving_;
    int error = 0;
    for (int i = 0; i < kNameAttempts; ++i) {
        error = rename_over(staging_.path, moving_);
        if (error != ENOTEMPTY && error != EEXIST) break;
        remove_locked(moving_);
    }
    if (error != 0) throw_not_written(moving_, error);
    staging_.path = std::move(name);
    sync_folder(folder_);
}

void AtomicSequence::stop_move(const std::vector<Move>& moves, std::size_t done, int error) {
    const fs::path& to = moves[done].to;
    const bool undone = options_.overwrite != Overwrite::replace;
    for (std::size_t k = done; undone && k > 0; --k)
        (void)rename_over(moves[k - 1].to, moves[k - 1].from);
    if (error == EEXIST) throw OutputExists(exists_text(to, options_.overwrite));
    if (undone || done == 0) throw_not_written(to, error);
    staging_.path.clear();
    throw Error(Outcome::not_written,
                fmt::format("{}: {}; {} of {} pictures are in place and the others are kept in {}: "
                            "weft clean {} moves them",
                            to.string(), std::strerror(error), done, moves.size(), moving_.string(),
                            folder_.string()));
}

}  // namespace weft
