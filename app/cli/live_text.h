// Text of several lines that is drawn over itself on a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "app/cli/terminal.h"

namespace weft {

// Knows what stands on the terminal; makes texts, writes nothing.
class LiveText {
 public:
    // What to write so that `text` stands where the last one stood. Lines are cut to the terminal's
    // width and height, so that no line wraps and none scrolls away.
    std::string redraw(const std::string& text, const Terminal& terminal);
    // What to write so that nothing stands there.
    std::string erase();

 private:
    std::size_t lines_ = 0;  // drawn; the cursor stands below them
};

}  // namespace weft
