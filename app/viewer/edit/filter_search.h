// Search in the list of filters.
#pragma once

#include <string_view>
#include <vector>

#include "filters/filter.h"

namespace weft {

// Filters whose name, aliases or summary contain every word of the query, ignoring case. Names that
// start with the query come first, then names and aliases that contain it, else list order. A blank
// query returns all of them.
std::vector<const FilterDef*> found_filters(std::string_view query);

}  // namespace weft
