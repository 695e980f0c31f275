// What the Tab key offers in a shell. The completion scripts of bash, zsh and fish ask for it with
// `weft complete WORD…`, so that they hold no names of their own.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/commands.h"

namespace weft {

struct Candidate {
    std::string word;  // the whole word in place of the typed one
    std::string help;  // one line, or empty
};

struct Completions {
    std::vector<Candidate> words = {};
    bool files = false;      // names of files fit too
    bool continues = false;  // the words can go on: no space behind them

    // Adds `word` if it begins with what was typed.
    void offer(std::string_view typed, std::string word, std::string_view help = {});
};

// For the last of `words`, which are what was typed after "weft" and may end in an empty word.
Completions complete(std::span<const std::string> words);

// `weft complete WORD…`: each candidate on a line, a tab and its help behind it, then lines
// ":files" and ":continues" where they hold.
ExitCode print_completions(Arguments words);

}  // namespace weft
