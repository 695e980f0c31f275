// The only path of text to standard error and standard output. Text is made printable here, so that
// a name or a tag cannot control the terminal.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace weft {

// Prints the line "weft: note: …" to standard error.
void print_note(std::string_view message);

// "weft: error: …" as the last line: if `message` ends with the stack and its caret, these are
// printed before it.
std::string error_text(std::string_view message);
void print_error(std::string_view message);

// Writes whole lines to standard error. Names in them have been through printable_line().
void print_lines(std::string_view lines);
// Writes to standard error unchanged: for our own control sequences in otherwise printable text.
void print_control(std::string_view text);

// Writes all of the text to standard output; names in multi-line text have been through
// printable_line(). Throws Error(not_written): a full disk or a closed pipe.
void print_output(std::string_view text);

}  // namespace weft
