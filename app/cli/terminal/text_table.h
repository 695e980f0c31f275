// Columns as wide as their widest cell.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

class TextTable {
 public:
    explicit TextTable(std::vector<std::string> header) { add(std::move(header)); }

    // Needs as many cells as the header; each is made printable, on one line.
    void add(std::vector<std::string> cells);
    // Aligns the columns `first` to `last`, counted from 0, on the right.
    void align_right(std::size_t first, std::size_t last) {
        first_right_ = first;
        last_right_ = last;
    }
    // One line per row, columns two spaces apart, the last one not padded.
    std::string text() const;

 private:
    bool at_right(std::size_t column) const {
        return column >= first_right_ && column <= last_right_;
    }

    std::vector<std::vector<std::string>> rows_;
    std::size_t first_right_ = 1;
    std::size_t last_right_ = 0;
};

// The number of terminal columns of UTF-8 text: characters, not bytes.
std::size_t columns_of(std::string_view text);

// The first characters of the text, as many as fit; all of them if it is not longer.
std::string_view cut_to_columns(std::string_view text, std::size_t columns);

// The text if it fits; otherwise its beginning and its end with "…" between them, in `columns`, of
// which the end gets the odd one.
std::string shorten_middle(std::string_view text, std::size_t columns);

}  // namespace weft
