// Lines on standard error.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace weft {

// "weft: warning: …", "weft: note: …", one line each.
void print_warning(std::string_view message);
void print_note(std::string_view message);

// "weft: error: …" as the last line: what follows the first line of `message` (the stack and its
// caret) comes before it.
std::string error_text(std::string_view message);
void print_error(std::string_view message);

// Writes to standard output, all of it. Throws Error(not_written): a full disk or a closed pipe.
void print_output(std::string_view text);

}  // namespace weft
