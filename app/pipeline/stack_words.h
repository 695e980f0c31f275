// A stack as the user gives it: -vf or --preset.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/pipeline/stored_stack.h"
#include "filters/stack.h"

namespace weft {

struct StackWords {
    std::string stack;
    std::string preset;  // as for preset_stack()
    // That of a plan, in place of the others, and the folder of its files.
    std::optional<StoredStack> stored;
    std::filesystem::path folder;
};

// Throws Error(usage) unless exactly one of the two is given.
void check_stack_words(const StackWords& words);

// Parses the stack or loads the preset. Throws FilterError if that fails, and as
// load_stored_stack().
Stack load_stack(const StackWords& words);

// Returns the stack as it was typed, or as one would type the stack of a preset or a plan.
std::string typed_stack(const StackWords& words, const Stack& stack);

// The files of the stack: the preset, matrices, boxes and masks.
std::vector<std::string> stack_files(const StackWords& words, const Stack& stack);

}  // namespace weft
