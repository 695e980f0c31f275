// Hidden names of unfinished files, and the rules for removing them.
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

// Whether `name` has the form above, from any machine.
bool is_partial_name(std::string_view name);

// Whether it is from this boot of this machine, where the lock shows whether the writer is alive.
// Locks held on another machine may be invisible here (NFS with local_lock).
bool is_own_partial_name(std::string_view name);

// `.NAME.weft-HHHHHHHHHHHHHHHH-NNNNNNNNNNNNNNNN.claim`: the file by which runs of this boot of this
// machine agree on which of them writes NAME. The last digits are a hash of NAME, which may be cut.
std::string claim_name(std::string_view name);

// Whether weft gives such names to receipts and to unfinished work: `.NAME.weft-…` and
// `.NAME.weft.json`.
bool is_name_of_ours(std::string_view name);

// Whether `path` refers to the open file.
bool leads_to(const std::filesystem::path& path, int fd);

// Locks `fd` until the process ends; fails if another process holds it or `path` no longer refers
// to it. Without file system locks it succeeds: such leftovers are never removed (below).
bool lock_partial(int fd, const std::filesystem::path& path);

// Owns a hidden file or folder, and removes it unless the path is empty.
struct HiddenName {
    HiddenName() = default;
    ~HiddenName();
    HiddenName(const HiddenName&) = delete;
    HiddenName& operator=(const HiddenName&) = delete;

    std::filesystem::path path;
};

// Removes files and folders in `folder` that have the name of a partial or a claim, are not locked
// by any process and were last written at least `age` ago, by the file server's clock: the time of
// a probe file created there. Returns the removed paths. Throws Error(not_written).
std::vector<std::filesystem::path> remove_old_partials(const std::filesystem::path& folder,
                                                       std::chrono::seconds age);

}  // namespace weft
