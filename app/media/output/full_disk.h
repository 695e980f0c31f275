// Recognizes failures that end when the user makes space.
#pragma once

#include <string_view>

namespace weft {

// ENOSPC or EDQUOT if the sentence has a write_failure_text() of that error, otherwise 0. For
// failures of files that could not be created or synced: writes call OnFullDisk instead.
int full_disk_error(std::string_view sentence);

}  // namespace weft
