// The table of the Kernels panel as a file.
#pragma once

#include <cstddef>
#include <string>

#include "app/viewer/race_rounds.h"

namespace weft {

// What was raced on.
struct RaceOrigin {
    std::string program;  // its version
    std::string input;    // the file that was shown
    std::string stack;    // all of it, in -vf's words
};

// A line for each kernel that took part, with the fields of `weft compare --json` in front of those
// that are the same in all lines. Quoted by RFC 4180.
std::string race_csv(const RaceSnapshot& snapshot, const RaceOrigin& origin);

// As `weft compare --json`, with the one step that was raced.
std::string race_json(const RaceSnapshot& snapshot, const RaceOrigin& origin);

// CSV if the name ends so, else JSON; replaces what is there. Throws Error(usage or not_written).
void write_race(const std::string& path, const RaceSnapshot& snapshot, const RaceOrigin& origin);

}  // namespace weft
