#include "app/cli/messages.h"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "app/media/error.h"

namespace weft {
namespace {

// One call a line, so that lines of several threads do not mix.
void print_line(const std::string& line) {
    (void)std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace

void print_warning(std::string_view message) {
    print_line(fmt::format("weft: warning: {}\n", message));
}

void print_note(std::string_view message) {
    print_line(fmt::format("weft: note: {}\n", message));
}

std::string error_text(std::string_view message) {
    const std::size_t end = message.find('\n');
    std::string text;
    if (end != std::string_view::npos) text = fmt::format("{}\n", message.substr(end + 1));
    return text + fmt::format("weft: error: {}\n", message.substr(0, end));
}

void print_error(std::string_view message) {
    print_line(error_text(message));
}

void print_output(std::string_view text) {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if (!written || std::fflush(stdout) != 0)
        throw Error(ExitCode::not_written,
                    fmt::format("standard output: cannot be written: {}", std::strerror(errno)));
}

}  // namespace weft
