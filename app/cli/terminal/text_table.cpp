#include "app/cli/terminal/text_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "filters/text/printable.h"

namespace weft {

namespace {

// Continuation bytes of UTF-8 begin with the bits 10.
bool starts_character(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

}  // namespace

std::size_t columns_of(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, starts_character));
}

std::string_view cut_to_columns(std::string_view text, std::size_t columns) {
    std::size_t seen = 0;
    const auto end = std::ranges::find_if(
        text, [&](char c) { return starts_character(c) && seen++ == columns; });
    return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

std::string shorten_middle(std::string_view text, std::size_t columns) {
    const std::size_t length = columns_of(text);
    if (length <= columns) return std::string(text);
    if (columns == 0) return "";
    const std::size_t front = (columns - 1) / 2;
    const std::size_t left_out = length - (columns - 1 - front);
    const std::string_view before_end = cut_to_columns(text, left_out);
    return fmt::format("{}…{}", cut_to_columns(text, front), text.substr(before_end.size()));
}

void TextTable::add(std::vector<std::string> cells) {
    for (std::string& cell : cells) cell = printable_line(cell);
    rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
    std::vector<std::size_t> widths(rows_.front().size());
    for (const auto& row : rows_)
        for (std::size_t c = 0; c < row.size(); ++c)
            widths[c] = std::max(widths[c], columns_of(row[c]));
    std::string text;
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t c = 0; c + 1 < row.size(); ++c)
            line += at_right(c) ? fmt::format("{:>{}}  ", row[c], widths[c])
                                : fmt::format("{:<{}}  ", row[c], widths[c]);
        line += row.back();
        line.resize(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

}  // namespace weft
