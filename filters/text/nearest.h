// "Did you mean": the known names that are the fewest edits away from a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft {

// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The first of the nearest names, or "" when all are further than a third of the word's length
// (one edit at least).
std::string_view nearest_name(std::string_view word, const std::vector<std::string_view>& names);

// Up to five of `names`, nearest first; those that contain `word` count as equal to it. For lists
// of hundreds of names, of which no single one may be the likely one.
std::vector<std::string_view> nearest_names(std::string_view word,
                                            std::vector<std::string_view> names);

// ": did you mean 'sigma'?" or ":", to be followed by a list of the valid words.
std::string suggestion(std::string_view word, const std::vector<std::string_view>& names);

// The word as an error message may show it: cut after 40 bytes, printable.
std::string shown(std::string_view word);

}  // namespace weft
