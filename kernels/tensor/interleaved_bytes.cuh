// Interleaved 8-bit pixels in registers, channel by channel and back.
#pragma once

#include <cstdint>

#include "kernels/common/samples.cuh"
#include "kernels/common/vector.h"

namespace weft {

// Four pixels of four words, channel by channel; and back.
__device__ __forceinline__ void transpose_bytes(std::uint32_t (&w)[4]) {
    const std::uint32_t low[2] = {__byte_perm(w[0], w[1], 0x5140U),
                                  __byte_perm(w[2], w[3], 0x5140U)};
    const std::uint32_t high[2] = {__byte_perm(w[0], w[1], 0x7362U),
                                   __byte_perm(w[2], w[3], 0x7362U)};
    w[0] = __byte_perm(low[0], low[1], 0x5410U);
    w[1] = __byte_perm(low[0], low[1], 0x7632U);
    w[2] = __byte_perm(high[0], high[1], 0x5410U);
    w[3] = __byte_perm(high[0], high[1], 0x7632U);
}

// The words of four interleaved pixels become a word per channel.
template <int C>
__device__ __forceinline__ void separate_channels(std::uint32_t (&w)[C]) {
    if constexpr (C == 2) {
        const std::uint32_t first = w[0];
        w[0] = __byte_perm(first, w[1], 0x6420U);
        w[1] = __byte_perm(first, w[1], 0x7531U);
    } else if constexpr (C == 3) {
        const std::uint32_t first = w[0], second = w[1], third = w[2];
        w[0] = __byte_perm(__byte_perm(first, second, 0x0630U), third, 0x5210U);
        w[1] = __byte_perm(__byte_perm(first, second, 0x0741U), third, 0x6210U);
        w[2] = __byte_perm(__byte_perm(first, second, 0x0052U), third, 0x7410U);
    } else if constexpr (C == 4) {
        transpose_bytes(w);
    }
}

// A word per channel becomes the words of four interleaved pixels.
template <int C>
__device__ __forceinline__ void interleave_channels(std::uint32_t (&w)[C]) {
    if constexpr (C == 2) {
        const std::uint32_t first = w[0];
        w[0] = __byte_perm(first, w[1], 0x5140U);
        w[1] = __byte_perm(first, w[1], 0x7362U);
    } else if constexpr (C == 3) {
        const std::uint32_t red = w[0], green = w[1], blue = w[2];
        w[0] = __byte_perm(__byte_perm(red, green, 0x1040U), blue, 0x3410U);
        w[1] = __byte_perm(__byte_perm(red, green, 0x6205U), blue, 0x3250U);
        w[2] = __byte_perm(__byte_perm(red, green, 0x0730U), blue, 0x7216U);
    } else if constexpr (C == 4) {
        transpose_bytes(w);
    }
}

}  // namespace weft
