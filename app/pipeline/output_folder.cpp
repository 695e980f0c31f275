#include "app/pipeline/output_folder.h"

#include <system_error>

#include <fmt/format.h>

#include "app/media/libav/error.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

fs::path outermost_missing(fs::path folder) {
    std::error_code error;
    fs::path missing;
    while (!folder.empty() && !fs::exists(folder, error)) {
        missing = folder;
        folder = folder.parent_path();
    }
    return missing;
}

}  // namespace

OutputFolder::OutputFolder(const std::string& output) {
    if (output == "-") return;
    folder_ = fs::path(output).parent_path();
    const fs::path missing = outermost_missing(folder_);
    if (missing.empty()) return;
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error)
        throw Error(ExitCode::not_written, fmt::format("{}: this folder cannot be made: {}",
                                                       folder_.string(), error.message()));
    first_made_ = missing;
}

OutputFolder::~OutputFolder() {
    if (first_made_.empty()) return;
    std::error_code error;
    for (fs::path folder = folder_; fs::remove(folder, error); folder = folder.parent_path())
        if (folder == first_made_) break;
}

}  // namespace weft
