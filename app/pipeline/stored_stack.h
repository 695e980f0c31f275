// A stack as plans and receipts store it: text that holds wherever their folder is, and hashes of
// the files that it reads.
#pragma once

#include <filesystem>
#include <string>

#include "filters/stack.h"

namespace weft {

struct StoredStack {
    // As print_resolved() writes it; paths of files are relative to the folder.
    std::string text;
    // The XXH3-128 of each file in order, separated by blanks; "" without any.
    std::string files = {};

    bool operator==(const StoredStack&) const = default;
};

// Reads the files: matrices, boxes and masks. Numbered pictures count as one. Throws Error(failed)
// if one cannot be read.
StoredStack store_stack(Stack stack, const std::filesystem::path& folder);

// The stack in this folder. Throws Error(failed) if a file is missing or has changed; FilterError.
Stack load_stored_stack(const StoredStack& stored, const std::filesystem::path& folder);

}  // namespace weft
