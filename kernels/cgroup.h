// What the control groups (version 2) of this process leave it: containers, batch systems and
// services set limits that neither the machine's counts nor the affinity show.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>

namespace weft {

struct CgroupLimits {
    std::optional<int> cores;                 // of cpu.max, rounded up
    std::optional<std::size_t> memory_bytes;  // of memory.max, less what is in use
};

// The least of the group and all above it: a limit of a parent holds for its children. `root` is
// where the groups are mounted, `membership` the text of /proc/self/cgroup. What cannot be read is
// no limit. Page cache that the kernel can drop counts as free.
CgroupLimits cgroup_limits(const std::filesystem::path& root, std::string_view membership);

// This process's, as they are now.
CgroupLimits own_cgroup_limits();

}  // namespace weft
