// JSON as text. Strings are written unchanged if they are UTF-8. In others, mostly file names, each
// invalid byte is written as `\xff`, and a member "input" with such a byte is followed by
// "input_bytes" with all of its bytes, percent-encoded as in URLs. Control characters that JSON
// allows unescaped (DEL, C1, bidirectional ones) are escaped as well, so that the text is safe to
// show on a terminal.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace weft {

// On one line, without a newline.
std::string json_line(const nlohmann::ordered_json& json);

// Indented by two, with a final newline.
std::string json_page(const nlohmann::ordered_json& json);

}  // namespace weft
