#include "app/media/output/run_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "app/media/demux/image_sequence.h"
#include "app/media/libav/error.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

// The id of the regular file that a standard stream is redirected from or to.
std::optional<FileId> stream_id(int fd) {
    struct stat info {};
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
    return FileId{info.st_dev, info.st_ino};
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

void RunFiles::add_source(const std::string& path) {
    if (const auto id = path == "-" ? stream_id(STDIN_FILENO) : file_id(path)) {
        sources_.emplace(*id, path);
        return;
    }
    for (const std::string& member : sequence_paths(path))
        if (const auto id = file_id(member)) sources_.emplace(*id, member);
}

void RunFiles::refuse_source(const std::string& output) const {
    const auto refuse = [&](const std::string& name, const std::optional<FileId>& id) {
        const auto source = id ? sources_.find(*id) : sources_.end();
        if (source == sources_.end()) return;
        throw Error(Outcome::usage,
                    fmt::format("{}: the output is the input {}; choose another name", name,
                                source->second));
    };
    refuse(output, output == "-" ? stream_id(STDOUT_FILENO) : file_id(output));
    for (const std::string& member : sequence_paths(output)) refuse(member, file_id(member));
}

std::optional<std::string> RunFiles::source_at(const fs::path& path) const {
    const auto id = file_id(path);
    const auto source = id ? sources_.find(*id) : sources_.end();
    return source == sources_.end() ? std::nullopt : std::optional(source->second);
}

bool RunFiles::first_output_in(const fs::path& folder) {
    const auto id = file_id(folder);
    const std::scoped_lock lock(mutex_);
    return !id || folders_.insert(*id).second;
}

}  // namespace weft
