// The folders of one user's files, by the XDG base directory specification.
#pragma once

#include <filesystem>

namespace weft {

// $XDG_CONFIG_HOME/warpweft, or ~/.config/warpweft where that is unset or not absolute; "" where
// HOME is unset, too. The folder may not exist. What the user chose: settings, presets.
std::filesystem::path config_folder();

// The same of $XDG_STATE_HOME, ~/.local/state: what happened to be, such as recent files.
std::filesystem::path state_folder();

// The same of $XDG_CACHE_HOME, ~/.cache: what can be made again.
std::filesystem::path cache_folder();

}  // namespace weft
