// Search in the lists of filters.
#pragma once

#include <string_view>
#include <vector>

#include "filters/filter.h"

namespace weft {

// Filters, ours and ffmpeg's, whose names, plain words or summary contain every word of the query,
// ignoring case; names are those that one types. In this order: the filter of that name or alias,
// the filter that is customary for that word, names and then aliases and then plain words that
// begin with it, names that contain it, and the others. Group and list decide among equals. A blank
// query returns all of them.
std::vector<const FilterDef*> found_filters(std::string_view query);

}  // namespace weft
