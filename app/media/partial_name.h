// Hidden names of unfinished files, and who may remove them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace weft {

// `.NAME.weft-XXXXXX.partial` with six random letters or digits; NAME is cut where the whole would
// exceed the 255 bytes of a file name.
std::string partial_name(std::string_view name);

// Whether `name` has the form above.
bool is_partial_name(std::string_view name);

// Locks `fd` for this process's life, unless another holds it or `path` no longer leads to it.
// File systems without locks count as locked: their leftovers are never removed (below).
bool lock_partial(int fd, const std::filesystem::path& path);

}  // namespace weft
