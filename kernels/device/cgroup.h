// The limits that this process's control groups set: those of containers, batch systems and
// services show in neither the machine's counts nor the affinity. And the cores and the memory that
// it may use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace weft {

struct CgroupLimits {
    std::optional<int> cores;                 // the CFS quota, rounded up
    std::optional<std::size_t> memory_bytes;  // less the memory in use
};

// The lowest limits of the group and its ancestors, of both versions of control groups: a parent's
// limit holds for its children. `root`
// is where the groups are mounted, `membership` the text of /proc/self/cgroup. Unreadable limits
// are ignored. Page cache that the kernel can drop counts as free.
CgroupLimits cgroup_limits(const std::filesystem::path& root, std::string_view membership);

// This process's current limits.
CgroupLimits own_cgroup_limits();

// The least of the memory that the machine has left, that the control groups leave, and that the
// process may address (ulimit -v). 0: unknown.
std::size_t available_memory_bytes();

// The number of processes that the system has killed because memory ran out; 0 if it is unknown.
struct MemoryKills {
    std::uint64_t group = 0;      // identifies the process's control group; 0 if it has no count
    std::int64_t in_group = 0;    // since the group was made; without a count, as on the machine
    std::int64_t on_machine = 0;  // since its start, in any group
};
MemoryKills memory_kills();

// The number of threads of each stage of a run: of filters, decoders and encoders, and of files in
// flight. At least 1: the minimum of the machine's cores, the process's affinity (taskset), the
// container's limit (cpuset, CFS quota; both versions of control groups) and SLURM_CPUS_PER_TASK,
// which Slurm does not enforce everywhere. Determined by the first call.
int usable_cores();

// Replaces usable_cores(), and sets the threads of OpenCV. Call it before the work starts.
void use_cores(int count);

}  // namespace weft
