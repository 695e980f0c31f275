// How many cores this process may use.
#pragma once

namespace weft {

// At least 1: the minimum of the machine's cores, the process's affinity (taskset) and the
// container's limit (cpuset, CFS quota; both versions of control groups). Determined by the first
// call.
int usable_cores();

}  // namespace weft
