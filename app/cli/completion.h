// Completion for the Tab key in a shell. The scripts of bash, zsh and fish call `weft complete
// WORD…`, so that they contain no names of their own.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/commands.h"

namespace weft {

struct Candidate {
    std::string word;  // replaces the typed word
    std::string help;  // one line, or empty
};

struct Completions {
    std::vector<Candidate> words = {};
    bool files = false;      // file names fit too
    bool continues = false;  // the words can be continued: add no space

    // Adds `word` if it begins with `typed`.
    void offer(std::string_view typed, std::string word, std::string_view help = {});
};

// Completes the last of `words`, the typed words after "weft"; the last one may be empty.
Completions complete(std::span<const std::string> words);

// `weft complete WORD…`: one candidate per line, followed by a tab and its help, then the lines
// ":files" and ":continues" if they apply.
Outcome print_completions(Arguments words);

}  // namespace weft
