#include "app/media/output/run_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "app/media/demux/image_sequence.h"
#include "app/media/libav/error.h"
#include "app/media/output/partial_name.h"
#include "filters/text/file_descriptor.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

// The id of the regular file that a standard stream is redirected from or to.
std::optional<FileId> stream_id(int fd) {
    struct stat info {};
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
    return FileId{info.st_dev, info.st_ino};
}

std::string folder_of(const fs::path& path) {
    return path.has_parent_path() ? path.parent_path().string() : ".";
}

// `path` without links, which need not exist.
fs::path resolved(const fs::path& path) {
    std::error_code error;
    const fs::path found = fs::canonical(path, error);
    return error ? path : found;
}

bool is_listed(const fs::path& path) {
    std::error_code error;
    for (fs::directory_iterator it(folder_of(path), error), end; !error && it != end;
         it.increment(error))
        if (it->path().filename() == path.filename()) return true;
    return false;
}

// Whether a file that is created in `folder` appears in `other`, which has another inode.
bool appears_in(const std::string& folder, const std::string& other) {
    const std::string name = partial_name("probe");
    const fs::path made = fs::path(folder) / name;
    const FileDescriptor file(open(made.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
    if (!file.is_open()) return false;
    const bool appears = file_id(fs::path(other) / name).has_value();
    unlink(made.c_str());
    return appears;
}

}  // namespace

std::vector<std::string> sequence_paths(const std::string& path) {
    std::vector<std::string> paths;
    const auto pattern = path == "-" ? std::nullopt : parse_sequence(path);
    std::error_code error;
    if (!pattern || !fs::is_directory(pattern->folder, error)) return paths;
    for (const SequenceFile& file : list_sequence(*pattern)) paths.push_back(file.path);
    return paths;
}

std::optional<FileId> file_id(const fs::path& path) {
    struct stat info {};
    if (stat(path.c_str(), &info) != 0) return std::nullopt;
    return FileId{info.st_dev, info.st_ino};
}

void RunFiles::add_file(const std::string& path) {
    std::error_code error;
    struct stat info {};
    if (stat(path.c_str(), &info) != 0) return;
    sources_.emplace(FileId{info.st_dev, info.st_ino}, path);
    source_folders_[{info.st_size, info.st_mtim.tv_sec}].insert(folder_of(
        fs::is_symlink(fs::symlink_status(path, error)) ? resolved(path) : fs::path(path)));
}

void RunFiles::add_source(const std::string& path) {
    if (path == "-") {
        if (const auto id = stream_id(STDIN_FILENO)) sources_.emplace(*id, path);
        return;
    }
    if (file_id(path)) return add_file(path);
    for (const std::string& member : sequence_paths(path)) add_file(member);
}

void RunFiles::refuse_taken(const std::string& output) const {
    const auto refuse = [&](const std::string& name, const std::optional<std::string>& source) {
        if (source)
            throw Error(
                Outcome::usage,
                fmt::format("{}: the output is the input {}; choose another name", name, *source));
    };
    if (output == "-") {
        const auto id = stream_id(STDOUT_FILENO);
        const auto source = id ? sources_.find(*id) : sources_.end();
        if (source != sources_.end()) refuse(output, source->second);
        return;
    }
    std::vector<std::string> names = sequence_paths(output);
    names.push_back(output);
    for (const std::string& name : names) {
        refuse(name, source_at(name));
        const std::scoped_lock lock(mutex_);
        if (const auto other = output_at(name); other && *other != name)
            throw Error(Outcome::usage,
                        fmt::format("{}: the file system takes this name for that of {}, which "
                                    "this run has just written: choose another folder, or rename "
                                    "an input",
                                    name, *other));
    }
}

RunFiles::FileStamp RunFiles::stamp_of(const struct stat& info) {
    return {info.st_dev, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
}

// FAT and exFAT forget the inodes of files that were not used for a while: then an output is known
// by its size and time, if its folder does not list the wanted name. Inodes are used
// again, so that the earlier output must still have the inode that it had.
std::optional<std::string> RunFiles::output_at(const fs::path& path) const {
    struct stat info {};
    struct stat other {};
    if (stat(path.c_str(), &info) != 0) return std::nullopt;
    const auto output = outputs_.find({info.st_dev, info.st_ino});
    if (output != outputs_.end() && file_id(output->second) == output->first) return output->second;
    const auto like = outputs_by_stamp_.find(stamp_of(info));
    if (like == outputs_by_stamp_.end() || is_listed(path)) return std::nullopt;
    const bool still = stat(like->second.c_str(), &other) == 0 && stamp_of(other) == like->first;
    return still ? std::optional(like->second) : std::nullopt;
}

std::optional<std::string> RunFiles::source_at(const fs::path& path) const {
    struct stat info {};
    if (stat(path.c_str(), &info) != 0) return std::nullopt;
    const auto source = sources_.find({info.st_dev, info.st_ino});
    if (source != sources_.end()) return source->second;
    if (!S_ISREG(info.st_mode)) return std::nullopt;
    constexpr std::int64_t kRounding = 2;  // FAT stores even seconds
    const fs::path file = resolved(path);
    const auto end = source_folders_.upper_bound({info.st_size, info.st_mtim.tv_sec + kRounding});
    for (auto like = source_folders_.lower_bound({info.st_size, info.st_mtim.tv_sec - kRounding});
         like != end; ++like)
        for (const std::string& folder : like->second) {
            if (!are_same_folder({folder_of(file), folder})) continue;
            const auto id = file_id(fs::path(folder) / file.filename());
            const auto found = id ? sources_.find(*id) : sources_.end();
            if (found != sources_.end()) return found->second;
        }
    return std::nullopt;
}

// One output at a time: another one may be about to get the same name. After the file has its name,
// nothing may fail.
void RunFiles::publish(const fs::path& target, const struct stat& made,
                       const std::function<void()>& give_name) {
    const std::scoped_lock publishing(publishing_);
    refuse_taken(target);
    {
        const std::scoped_lock lock(mutex_);
        outputs_.insert_or_assign({made.st_dev, made.st_ino}, target);
        outputs_by_stamp_.insert_or_assign(stamp_of(made), target);
    }
    give_name();
}

// Whether two folders with different inodes are one on the disk.
bool RunFiles::are_same_folder(const Folders& folders) const {
    const std::scoped_lock lock(mutex_);
    const auto known = same_folders_.find(folders);
    if (known != same_folders_.end()) return known->second;
    const bool same = file_id(folders.first) != file_id(folders.second) &&
                      appears_in(folders.first, folders.second);
    return same_folders_[folders] = same;
}

bool RunFiles::first_output_in(const fs::path& folder) {
    const auto id = file_id(folder);
    const std::scoped_lock lock(mutex_);
    return !id || folders_.insert(*id).second;
}

}  // namespace weft
