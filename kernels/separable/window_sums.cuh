// Sums of windows that move by one sample, as a box filter needs them, with every loop unrolled.
// Source: running sums, textbook (McDonnell, CGIP 1981)
#pragma once

#include <cstdint>

namespace weft {

// Calls store(i, x(i) + … + x(i + Size - 1)) for i = 0 .. Count - 1, modulo 2^32. `sample(j)` is
// x(j), called once for each j in ascending order. Whole numbers only: subtracting fractions would
// keep their rounding errors. Two additions per window, one instruction.
template <int Count, int Size, class Sample, class Store>
__device__ __forceinline__ void window_sums(const Sample& sample, const Store& store) {
    std::uint32_t x[Count + Size - 1];
    std::uint32_t sum = 0;
#pragma unroll
    for (int j = 0; j < Count + Size - 1; ++j) {
        x[j] = sample(j);
        sum += x[j];
        if (j >= Size) sum -= x[j - Size];
        if (j >= Size - 1) store(j - Size + 1, sum);
    }
}

}  // namespace weft
