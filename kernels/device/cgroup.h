// The limits that this process's control groups (version 2) set: those of containers, batch systems
// and services show in neither the machine's counts nor the affinity. And the cores that it may
// use.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>

namespace weft {

struct CgroupLimits {
    std::optional<int> cores;                 // cpu.max, rounded up
    std::optional<std::size_t> memory_bytes;  // memory.max, less the memory in use
};

// The lowest limits of the group and its ancestors: a parent's limit holds for its children. `root`
// is where the groups are mounted, `membership` the text of /proc/self/cgroup. Unreadable limits
// are ignored. Page cache that the kernel can drop counts as free.
CgroupLimits cgroup_limits(const std::filesystem::path& root, std::string_view membership);

// This process's current limits.
CgroupLimits own_cgroup_limits();

// At least 1: the minimum of the machine's cores, the process's affinity (taskset) and the
// container's limit (cpuset, CFS quota; both versions of control groups). Determined by the first
// call.
int usable_cores();

}  // namespace weft
