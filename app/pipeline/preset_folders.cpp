#include "app/pipeline/preset_folders.h"

#include <system_error>

#include "app/pipeline/user_folders.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

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
        folders.push_back(config / "presets");
    folders.push_back(shipped_presets());
    return folders;
}

}  // namespace weft
