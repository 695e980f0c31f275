// Completion inside a stack of filters: -vf gaussian=sig…
#pragma once

#include <string_view>

#include "app/cli/complete/completion.h"

namespace weft {

// Completes the end of `typed`, an incomplete stack: names of filters, then parameters that the
// filter does not have yet, then the words that a parameter accepts. Nothing inside quotes.
Completions complete_stack(std::string_view typed);

}  // namespace weft
