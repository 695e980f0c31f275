// The compiled variants of column_row_reuse's ring form: the launch file and the CPU model of the
// tests instantiate this list.
#pragma once

#include "kernels/reuse/reuse_ring.cuh"

namespace weft {

template <class... S>
struct RingVariants {};

// Ring<taps per side, rows per step, steps, blocks>
using RingF32 = RingVariants<Ring<3, 2, 4, 8>, Ring<5, 2, 4, 6>, Ring<7, 2, 4, 5>,    //
                             Ring<9, 2, 4, 5>, Ring<11, 2, 4, 4>, Ring<13, 2, 4, 4>,  //
                             Ring<15, 1, 6, 4>>;

}  // namespace weft
