// What a help page says of one option.
#pragma once

#include <string>

namespace weft {

// "-vf", "STACK", "Filters in ffmpeg's grammar: …". The value is a kind of thing in capitals, or
// the words to choose from with '|' between; empty for a flag.
struct OptionHelp {
    std::string word, value, text;
};

}  // namespace weft
