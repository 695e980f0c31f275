// Text of unknown origin (file names, tags, options) made safe to show.
#pragma once

#include <string>
#include <string_view>

namespace weft {

// The text with everything escaped that could steer a terminal or pass for something else: C0
// controls and DEL as `\x1b` (`\r` for a carriage return), C1 and bidirectional controls as
// `\u009b` and `\u202e`, bytes that are not UTF-8 as `\xff`. Newlines and tabs stay. Escaping an
// escaped text changes nothing.
std::string printable(std::string_view text);

// The same with newlines and tabs as `\n` and `\t`: for one name or message on a line.
std::string printable_line(std::string_view text);

bool is_utf8(std::string_view text);

// Only bytes that are not UTF-8 are escaped, as `\xff`.
std::string with_bytes_escaped(std::string_view text);

}  // namespace weft
