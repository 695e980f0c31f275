// Text of several lines that is redrawn in place on a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "app/cli/terminal/terminal.h"

namespace weft {

// Tracks the text on the terminal; returns output and writes nothing itself.
class LiveText {
 public:
    // The output that replaces the last text by `text`. Lines are cut to the terminal's width and
    // height, so that no line wraps and none scrolls away.
    std::string redraw(const std::string& text, const Terminal& terminal);
    // The output that erases the text.
    std::string erase();

 private:
    std::size_t lines_ = 0;  // drawn; the cursor is below them
};

}  // namespace weft
