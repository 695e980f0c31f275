// Tab inside a stack of filters: -vf gaussian=sig…
#pragma once

#include <string_view>

#include "app/cli/completion.h"

namespace weft {

// For the end of `typed`, a stack in the making: names of filters, then names of the parameters
// that the filter has not got yet, then the words that a parameter takes. Nothing inside quotes.
Completions complete_stack(std::string_view typed);

}  // namespace weft
