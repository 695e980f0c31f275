// The device's side of quotient.h.
#pragma once

#include "kernels/common/quotient.h"

namespace weft {

__device__ __forceinline__ unsigned divided(unsigned n, const Quotient& by) {
    return static_cast<unsigned>(static_cast<unsigned long long>(n) * by.multiplier >> by.shift);
}

__device__ __forceinline__ unsigned remainder_of(unsigned n, const Quotient& by) {
    return n - divided(n, by) * by.divisor;
}

}  // namespace weft
