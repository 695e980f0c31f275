#include "app/cli/terminal/messages.h"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "app/media/libav/error.h"
#include "filters/text/printable.h"

namespace weft {
namespace {

// Start of the stack and its caret in FilterError::with_caret(), or the end of the message.
std::size_t caret_begin(std::string_view message) {
    const std::size_t caret = message.rfind('\n');
    if (caret == std::string_view::npos || caret == 0) return message.size();
    const std::size_t stack = message.rfind('\n', caret - 1);
    const bool is_caret = message.ends_with("  ^");
    return stack == std::string_view::npos || !is_caret ? message.size() : stack;
}

}  // namespace

void print_note(std::string_view message) {
    print_lines(fmt::format("weft: note: {}\n", printable_line(message)));
}

std::string error_text(std::string_view message) {
    const std::size_t end = caret_begin(message);
    std::string text;
    if (end != message.size()) text = fmt::format("{}\n", message.substr(end + 1));
    return text + fmt::format("weft: error: {}\n", printable_line(message.substr(0, end)));
}

void print_error(std::string_view message) {
    print_lines(error_text(message));
}

void print_lines(std::string_view lines) {
    print_control(printable(lines));
}

// One call for all lines, so that lines of several threads do not mix.
void print_control(std::string_view text) {
    (void)std::fwrite(text.data(), 1, text.size(), stderr);
    (void)std::fflush(stderr);
}

void print_output(std::string_view text) {
    const std::string safe = printable(text);
    const bool written = std::fwrite(safe.data(), 1, safe.size(), stdout) == safe.size();
    if (!written || std::fflush(stdout) != 0)
        throw Error(Outcome::not_written,
                    fmt::format("cannot write to standard output: {}", std::strerror(errno)));
}

}  // namespace weft
