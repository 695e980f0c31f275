#include "app/pipeline/folders.h"

#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

#include "app/media/libav/error.h"
#include "app/media/output/atomic_output.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

fs::path environment_path(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

fs::path user_folder(const char* variable, const char* below_home) {
    if (const fs::path base = environment_path(variable); base.is_absolute())
        return base / "warpweft";
    const fs::path home = environment_path("HOME");
    return home.empty() ? "" : home / below_home / "warpweft";
}

fs::path shipped_presets() {
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    fs::path installed = program.parent_path().parent_path() / "share/warpweft/presets";
    if (!error && fs::is_directory(installed, error)) return installed;
    return WEFT_SOURCE_PRESETS;
}

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

fs::path absolute_path(const fs::path& path) {
    std::error_code error;
    fs::path absolute = fs::absolute(path, error);
    if (!error) return absolute;
    throw Error(Outcome::failed,
                fmt::format("{}: the current folder cannot be found ({}): change to another one",
                            path.string(), error.message()));
}

fs::path config_folder() {
    return user_folder("XDG_CONFIG_HOME", ".config");
}

fs::path state_folder() {
    return user_folder("XDG_STATE_HOME", ".local/state");
}

fs::path cache_folder() {
    return user_folder("XDG_CACHE_HOME", ".cache");
}

std::vector<fs::path> preset_folders() {
    std::vector<fs::path> folders;
    if (const fs::path config = config_folder(); !config.empty())
        folders.push_back(config / "presets");
    folders.push_back(shipped_presets());
    return folders;
}

OutputFolder::OutputFolder(const std::string& output) {
    if (output == "-") return;
    folder_ = fs::path(output).parent_path();
    const fs::path missing = outermost_missing(folder_);
    if (missing.empty()) return;
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error)
        throw Error(Outcome::not_written, fmt::format("{}: cannot create this folder: {}",
                                                      folder_.string(), error.message()));
    first_made_ = missing;
}

OutputFolder::~OutputFolder() {
    if (first_made_.empty()) return;
    std::error_code error;
    for (fs::path folder = folder_; fs::remove(folder, error); folder = folder.parent_path())
        if (folder == first_made_) break;
}

void write_file(const fs::path& path, std::string_view text) {
    OutputFolder folder(path.string());
    AtomicOutput output(path.string(), {.overwrite = Overwrite::replace});
    output.write(text);
    output.commit();
    folder.keep();
}

}  // namespace weft
