// The functions of kernels/common/elements.cuh for warps that run on the CPU. Include it after
// emulated_gpu.h and before any .cuh.
#pragma once

#include <cstring>

#include "kernels/common/half_bits.h"

namespace weft {

inline float half_to_float(std::uint16_t bits) {
    return half_value(bits);
}
inline std::uint16_t float_to_half(float v) {
    return half_bits(v);
}
inline void move_vector(void* to, const void* from) {
    std::memcpy(to, from, 16);
}

}  // namespace weft
