// The functions of kernels/common/early_launch.cuh on the CPU, where launches follow each other.
// Include it before any .cuh.
#pragma once

namespace weft {

inline void wait_for_predecessors() {}
inline void let_successor_start() {}

}  // namespace weft
