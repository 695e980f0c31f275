// The filters that a search finds.
#pragma once

#include <string_view>
#include <vector>

#include "filters/filter.h"

namespace weft {

// Filters in whose name, aliases or summary every word of the query occurs, in any case; names that
// begin with the query first, then names and aliases that hold it, else in the list's order. All of
// them for a blank query.
std::vector<const FilterDef*> found_filters(std::string_view query);

}  // namespace weft
