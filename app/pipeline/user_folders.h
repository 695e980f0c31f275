// The user's folders, by the XDG base directory specification.
#pragma once

#include <filesystem>

namespace weft {

// $XDG_CONFIG_HOME/warpweft, or ~/.config/warpweft if that is unset or not absolute; "" if HOME is
// unset, too. The folder may not exist. For the user's choices: settings, presets.
std::filesystem::path config_folder();

// The same with $XDG_STATE_HOME, ~/.local/state: for state such as recent files.
std::filesystem::path state_folder();

// The same with $XDG_CACHE_HOME, ~/.cache: for data that can be regenerated.
std::filesystem::path cache_folder();

}  // namespace weft
