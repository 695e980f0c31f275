#include "app/cli/terminal/terminal.h"

#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "app/cli/terminal/text_table.h"
#include "filters/text/printable.h"

namespace weft {
namespace {

std::string_view environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view() : value;
}

constexpr std::string_view kEraseLine = "\x1b[K";
constexpr std::string_view kEraseBelow = "\x1b[J";

std::string_view take_line(std::string_view& text) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return line;
}

}  // namespace

Terminal error_terminal() {
    Terminal terminal;
    terminal.interactive = isatty(STDERR_FILENO) != 0 && environment("TERM") != "dumb";
    terminal.color = terminal.interactive && environment("NO_COLOR").empty();
    winsize size{};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0) return terminal;
    if (size.ws_col > 0) terminal.columns = size.ws_col;
    if (size.ws_row > 1) terminal.lines = size.ws_row;
    return terminal;
}

std::string LiveText::redraw(const std::string& text, const Terminal& terminal) {
    std::string out = lines_ > 0 ? fmt::format("\x1b[{}A\r", lines_) : "\r";
    lines_ = 0;
    const auto most = static_cast<std::size_t>(terminal.lines - 1);
    const auto width = static_cast<std::size_t>(terminal.columns - 1);
    for (std::string_view rest = text; !rest.empty() && lines_ < most; ++lines_)
        out += fmt::format("{}{}\n", cut_to_columns(printable_line(take_line(rest)), width),
                           kEraseLine);
    return out.append(kEraseBelow);
}

std::string LiveText::erase() {
    if (lines_ == 0) return "";
    return fmt::format("\x1b[{}A\r{}", std::exchange(lines_, 0), kEraseBelow);
}

}  // namespace weft
