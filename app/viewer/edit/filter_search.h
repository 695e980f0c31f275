// Search in the list of filters.
#pragma once

#include <string_view>
#include <vector>

#include "filters/filter.h"

namespace weft {

// Filters whose names, plain words or summary contain every word of the query, ignoring case. In
// this order: the filter of that name or alias, the filter that is customary for that word, names
// and then aliases and then plain words that begin with it, names that contain it, and the others.
// List order decides among equals. A blank query returns all of them.
std::vector<const FilterDef*> found_filters(std::string_view query);

}  // namespace weft
