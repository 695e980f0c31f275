// Where presets are looked for by name.
#pragma once

#include <filesystem>
#include <vector>

namespace weft {

// First hit wins: presets/ in config_folder(), the user's own, left out where there is none; then,
// always last, ../share/warpweft/presets beside the program, or where there is none (a build tree)
// the sources' assets/presets.
std::vector<std::filesystem::path> preset_folders();

}  // namespace weft
