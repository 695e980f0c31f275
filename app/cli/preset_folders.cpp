#include "app/cli/preset_folders.h"

#include <cstdlib>
#include <string>
#include <system_error>

namespace weft {
namespace {

namespace fs = std::filesystem;

fs::path environment_path(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

fs::path config_folder() {
    fs::path config = environment_path("XDG_CONFIG_HOME");
    if (config.is_absolute()) return config;
    const fs::path home = environment_path("HOME");
    return home.empty() ? "" : home / ".config";
}

fs::path shipped_presets() {
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    fs::path installed = program.parent_path().parent_path() / "share/warpweft/presets";
    if (!error && fs::is_directory(installed, error)) return installed;
    return WEFT_SOURCE_PRESETS;
}

}  // namespace

std::vector<fs::path> preset_folders() {
    std::vector<fs::path> folders;
    if (const fs::path config = config_folder(); !config.empty())
        folders.push_back(config / "warpweft/presets");
    folders.push_back(shipped_presets());
    return folders;
}

}  // namespace weft
