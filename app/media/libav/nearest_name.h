// "Did you mean": the names closest to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft {

// Up to five of `names`, by edit distance; names that contain `typed` count as near.
std::vector<std::string> nearest_names(std::string_view typed,
                                       const std::vector<std::string>& names);

}  // namespace weft
