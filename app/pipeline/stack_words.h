// A stack as the user gives it: -vf or --preset.
#pragma once

#include <string>
#include <vector>

#include "filters/stack.h"

namespace weft {

struct StackWords {
    std::string stack;
    std::string preset;          // as for preset_stack()
    Names names = Names::typed;  // stored: the stack is that of a plan
};

// Throws Error(usage) unless exactly one of the two is given.
void check_stack_words(const StackWords& words);

// Parses the stack or loads the preset. Throws FilterError if that fails.
Stack load_stack(const StackWords& words);

// Returns the stack as it was typed, or as one would type the stack of a preset or a plan.
std::string typed_stack(const StackWords& words, const Stack& stack);

// The files of the stack: the preset and the matrices.
std::vector<std::string> stack_files(const StackWords& words, const Stack& stack);

}  // namespace weft
