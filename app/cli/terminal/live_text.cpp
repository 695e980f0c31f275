#include "app/cli/terminal/live_text.h"

#include <string_view>

#include <fmt/format.h>

#include "app/cli/terminal/text_table.h"
#include "filters/text/printable.h"

namespace weft {
namespace {

constexpr std::string_view kEraseLine = "\x1b[K";
constexpr std::string_view kEraseBelow = "\x1b[J";

std::string_view take_line(std::string_view& text) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return line;
}

}  // namespace

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
    const std::string out = fmt::format("\x1b[{}A\r{}", lines_, kEraseBelow);
    lines_ = 0;
    return out;
}

}  // namespace weft
