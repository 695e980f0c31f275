// Columns as wide as their widest cell.
#pragma once

#include <string>
#include <vector>

namespace weft {

class TextTable {
 public:
    explicit TextTable(std::vector<std::string> header) { add(std::move(header)); }

    // As many cells as the header has.
    void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    // A line a row, columns two spaces apart, the last one ragged.
    std::string text() const;

 private:
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace weft
