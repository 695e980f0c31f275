// JSON as text; names of files that are no UTF-8 get replacement characters instead of an error.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace weft {

// On one line, without a newline.
inline std::string json_line(const nlohmann::ordered_json& json) {
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Indented by two, with a final newline.
inline std::string json_page(const nlohmann::ordered_json& json) {
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace weft
