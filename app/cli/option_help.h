// One option's entry on a help page.
#pragma once

#include <string>

namespace weft {

// "-vf", "STACK", "Filters in ffmpeg's grammar: …". The value is a kind of thing in capitals, or
// the possible words separated by '|'; empty for a flag.
struct OptionHelp {
    std::string word, value, text;
};

}  // namespace weft
