#include "app/cli/batch/output_places.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <fmt/format.h>

#include "app/media/output/atomic_output.h"
#include "app/media/output/write_error.h"
#include "app/pipeline/result_text.h"
#include "filters/text/printable.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

// The output's folder, or the first one above it that exists: the others would be made in it.
fs::path existing_folder(const std::string& output) {
    fs::path folder = follow_links(output).parent_path();
    std::error_code error;
    while (!folder.empty() && !fs::exists(folder, error) && folder != folder.parent_path())
        folder = folder.parent_path();
    return folder.empty() ? "." : folder;
}

[[noreturn]] void refuse_output(const std::string& output, int error) {
    throw WriteError(output, error);
}

}  // namespace

void OutputPlaces::add(const std::string& output, const std::optional<SizeEstimate>& size) {
    const fs::path folder = existing_folder(output);
    struct stat info {};
    struct statvfs space {};
    if (stat(folder.c_str(), &info) != 0) refuse_output(output, errno);
    if (!S_ISDIR(info.st_mode)) refuse_output(output, ENOTDIR);
    if (faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
        refuse_output(output, errno);
    if (statvfs(folder.c_str(), &space) != 0) refuse_output(output, errno);
    auto place = std::ranges::find(places_, info.st_dev, &OutputPlace::device);
    if (place == places_.end())
        place = places_.insert(
            place, {.device = info.st_dev,
                    .folder = folder.string(),
                    .free_bytes = static_cast<std::int64_t>(space.f_bavail * space.f_frsize)});
    if (size)
        place->needed_bytes += size->bytes;
    else
        ++place->unknown_sizes;
}

std::string places_text(const std::vector<OutputPlace>& places) {
    std::string text;
    for (const OutputPlace& place : places) {
        const std::string folder = printable_line(place.folder);
        text += fmt::format("{}: writable, {} free, about {} needed", folder,
                            size_text(static_cast<double>(place.free_bytes)),
                            size_text(static_cast<double>(place.needed_bytes)));
        text += place.unknown_sizes > 0
                    ? fmt::format(" and {} outputs of unknown size\n", place.unknown_sizes)
                    : "\n";
        if (place.needed_bytes > place.free_bytes)
            text += fmt::format(
                "warning: {}: the outputs may not fit: free some space or choose "
                "another folder\n",
                folder);
    }
    return text;
}

}  // namespace weft
