#include "app/cli/text_table.h"

#include <algorithm>

#include <fmt/format.h>

namespace weft {

namespace {

// Characters, not bytes: UTF-8 continues with 10xxxxxx.
std::size_t columns_of(const std::string& text) {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

std::string TextTable::text() const {
    std::vector<std::size_t> widths(rows_.front().size());
    for (const auto& row : rows_)
        for (std::size_t c = 0; c < row.size(); ++c)
            widths[c] = std::max(widths[c], columns_of(row[c]));
    std::string text;
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t c = 0; c + 1 < row.size(); ++c)
            line += fmt::format("{:<{}}  ", row[c], widths[c]);
        text += line + row.back() + "\n";
    }
    return text;
}

}  // namespace weft
