// The lists of `weft list`: each contains all rows, or the named one. They throw Error(usage) for
// an unknown name, with the nearest one.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace weft {

std::string filters_text(const std::string& name);
nlohmann::ordered_json filters_json(const std::string& name);

std::string kernels_text(const std::string& name);
nlohmann::ordered_json kernels_json(const std::string& name);

std::string devices_text(const std::string& name);
nlohmann::ordered_json devices_json(const std::string& name);

std::string presets_text(const std::string& name);
nlohmann::ordered_json presets_json(const std::string& name);

// The window's keys; `name` is a key.
std::string keys_text(const std::string& name);
nlohmann::ordered_json keys_json(const std::string& name);

}  // namespace weft
