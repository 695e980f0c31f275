#include "app/cli/terminal/terminal.h"

#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace weft {
namespace {

std::string_view environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view() : value;
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

}  // namespace weft
