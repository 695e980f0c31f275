// The searchable list of filters that "Add filter" opens.
#pragma once

#include <string>

#include "filters/filter.h"

namespace weft {

struct FilterMenuState {
    std::string query;
    std::size_t marked = 0;  // the row that Enter selects
    bool open = false;       // set by a key to open the list
};

// A button of this width and its popup. Returns the chosen filter, or null.
const FilterDef* draw_filter_menu(FilterMenuState& state, float width);

}  // namespace weft
