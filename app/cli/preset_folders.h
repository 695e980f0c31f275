// Where presets are looked for by name.
#pragma once

#include <filesystem>
#include <vector>

namespace weft {

// First hit wins: $XDG_CONFIG_HOME/warpweft/presets (or ~/.config/…), then
// ../share/warpweft/presets beside the program, or where there is none (a build tree) the sources'
// assets/presets.
std::vector<std::filesystem::path> preset_folders();

}  // namespace weft
