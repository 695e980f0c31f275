// The folders in which presets are looked up by name.
#pragma once

#include <filesystem>
#include <vector>

namespace weft {

// The first match wins. The user's presets/ in config_folder() is left out if it does not exist;
// the last entry is always ../share/warpweft/presets relative to the program, or the sources'
// assets/presets if that does not exist (in a build tree).
std::vector<std::filesystem::path> preset_folders();

}  // namespace weft
