// Exports the Kernels panel's table to a file.
#pragma once

#include <cstddef>
#include <string>

#include "app/viewer/race/race_rounds.h"

namespace weft {

// Provenance of a race.
struct RaceOrigin {
    std::string program;  // its version
    std::string input;    // the displayed file
    std::string stack;    // all of it, in -vf's grammar
};

// One line for each kernel that took part: the fields of `weft compare --json`, then those that are
// the same in all lines. Quoted as in RFC 4180.
std::string race_csv(const RaceSnapshot& snapshot, const RaceOrigin& origin);

// Same format as `weft compare --json`, with the raced step only.
std::string race_json(const RaceSnapshot& snapshot, const RaceOrigin& origin);

// Writes CSV if the name ends in .csv, else JSON; replaces an existing file. Throws Error(usage or
// not_written).
void write_race(const std::string& path, const RaceSnapshot& snapshot, const RaceOrigin& origin);

}  // namespace weft
