#include "app/pipeline/user_folders.h"

#include <cstdlib>

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

}  // namespace

fs::path config_folder() {
    return user_folder("XDG_CONFIG_HOME", ".config");
}

fs::path state_folder() {
    return user_folder("XDG_STATE_HOME", ".local/state");
}

fs::path cache_folder() {
    return user_folder("XDG_CACHE_HOME", ".cache");
}

}  // namespace weft
