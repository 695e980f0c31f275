// How many cores this process may use.
#pragma once

namespace weft {

// At least 1: the least of the machine's, those of the process's affinity (taskset), and what a
// container gives (cpuset, CFS quota; both versions of control groups). As it was when first asked.
int usable_cores();

}  // namespace weft
