#include <algorithm>
#include <utility>

#include "filters/filter.h"
#include "filters/text/printable.h"

namespace weft {
namespace {

constexpr std::string_view kCut = "...";
constexpr std::size_t kShownBefore = 60;  // bytes of a long line left and right of the caret
constexpr std::size_t kShownAfter = 36;

bool continues_character(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// The piece of one line around a position; both ends are at character boundaries.
struct Excerpt {
    std::size_t begin, end;
    std::string_view cut_before, cut_after;  // kCut or ""
};

Excerpt excerpt_around(const std::string& text, std::size_t position) {
    const std::size_t newline = position == 0 ? std::string::npos : text.rfind('\n', position - 1);
    const std::size_t line_begin = newline == std::string::npos ? 0 : newline + 1;
    const std::size_t line_end = std::min(text.find('\n', position), text.size());
    std::size_t begin = position - std::min(position - line_begin, kShownBefore);
    std::size_t end = position + std::min(line_end - position, kShownAfter);
    while (begin > line_begin && continues_character(text[begin])) --begin;
    while (end < line_end && continues_character(text[end])) ++end;
    return {begin, end, begin > line_begin ? kCut : "", end < line_end ? kCut : ""};
}

}  // namespace

FilterError::FilterError(const std::string& message, std::string text, std::size_t position)
    : std::runtime_error(message),
      text_(std::move(text)),
      position_(std::min(position, text_.size())) {}

std::string FilterError::with_caret() const {
    const Excerpt shown = excerpt_around(text_, position_);
    const std::string_view text = text_;
    const std::string before = std::string(shown.cut_before) +
                               printable_line(text.substr(shown.begin, position_ - shown.begin));
    const auto columns =
        std::count_if(before.begin(), before.end(), [](char c) { return !continues_character(c); });
    return printable_line(what()) + "\n  " + std::string(shown.cut_before) +
           printable_line(text.substr(shown.begin, shown.end - shown.begin)) +
           std::string(shown.cut_after) + "\n  " +
           std::string(static_cast<std::size_t>(columns), ' ') + "^";
}

}  // namespace weft
