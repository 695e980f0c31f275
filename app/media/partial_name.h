// Hidden names of unfinished files, and who may remove them.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

// `.NAME.weft-HHHHHHHHHHHHHHHH-XXXXXX.partial`: 16 hexadecimal digits for this boot of this machine
// and six random letters or digits; NAME is cut where the whole would exceed the 255 bytes of a
// file name.
std::string partial_name(std::string_view name);

// Whether `name` has the form above, of any machine.
bool is_partial_name(std::string_view name);

// Whether it is of this boot of this machine, where a lock tells whether its writer lives. Locks of
// another machine may be unknown here (NFS with local_lock).
bool is_own_partial_name(std::string_view name);

// `.NAME.weft-HHHHHHHHHHHHHHHH-NNNNNNNNNNNNNNNN.claim`, by which runs of this boot of this machine
// agree which of them makes NAME; it has a hash of NAME, which can be cut.
std::string claim_name(std::string_view name);

// Whether `path` leads to the open file.
bool leads_to(const std::filesystem::path& path, int fd);

// Locks `fd` for this process's life, unless another holds it or `path` no longer leads to it.
// File systems without locks count as locked: their leftovers are never removed (below).
bool lock_partial(int fd, const std::filesystem::path& path);

// Removes files and folders with the names of partials or claims in `folder` that no process holds
// locked and that were written last `age` ago or earlier, by the clock of the file server: the time
// of a file that is made there to ask for it. Returns what was removed. Throws Error(not_written).
std::vector<std::filesystem::path> remove_old_partials(const std::filesystem::path& folder,
                                                       std::chrono::seconds age);

}  // namespace weft
