// JSON as text. Strings are written unchanged if they are UTF-8. In others, mostly file names, each
// invalid byte is written as `\xff`, and a member "input" with such a byte is followed by
// "input_bytes" with all of its bytes, percent-encoded as in URLs. Control characters that JSON
// allows unescaped (DEL, C1, bidirectional ones) are escaped as well, so that the text is safe to
// show on a terminal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace weft {

// Returns the JSON on one line, without a newline.
std::string json_line(const nlohmann::ordered_json& json);

// Indented by two, with a final newline.
std::string json_page(const nlohmann::ordered_json& json);

// The bytes of a "…_bytes" member; nothing if a percent sign is without two hexadecimal digits.
std::optional<std::string> percent_decoded(std::string_view text);

// null for an empty value.
template <class T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

// Nothing for anything but a whole number in the range. JSON's own conversion is a cast, which
// truncates 2^32 + 3 to 3 and has no defined result for 8.5e30.
std::optional<std::int64_t> whole_number(const nlohmann::ordered_json& json, std::int64_t least,
                                         std::int64_t most);

// Nanoseconds since 1970 as the text "1764054762.123456789": JSON's readers keep 53 bits of a
// number.
std::string json_time(std::int64_t ns);
// Nothing for any other text, and for times that nanoseconds in 64 bits cannot hold.
std::optional<std::int64_t> parse_json_time(std::string_view text);

}  // namespace weft
