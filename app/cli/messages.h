// The only way of text to standard error and standard output: here it is made printable, so that a
// name or a tag cannot steer the terminal.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace weft {

// "weft: warning: …", "weft: note: …", one line each.
void print_warning(std::string_view message);
void print_note(std::string_view message);

// "weft: error: …" as the last line: the stack and its caret, where `message` ends with them, come
// before it.
std::string error_text(std::string_view message);
void print_error(std::string_view message);

// Whole lines to standard error. Names in them have been through printable_line().
void print_lines(std::string_view lines);
// To standard error as it is: for text with control sequences of our own, the rest printable.
void print_control(std::string_view text);

// Writes to standard output, all of it; names in multi-line text have been through
// printable_line(). Throws Error(not_written): a full disk or a closed pipe.
void print_output(std::string_view text);

}  // namespace weft
