// A row of taps times a row of samples, for the forms of column_row_reuse whose taps are uniform
// operands.
#pragma once

namespace weft {

// Adds tap row j times `window`, the samples from kRadius pixels before the thread's own to kRadius
// after them; the first row starts the sums. `taps`: [channel][row][column].
template <class S>
__device__ __forceinline__ void add_tap_row(const float* taps, int j,
                                            const float (&window)[S::kWindow],
                                            float (&sums)[S::kBlock]) {
#pragma unroll
    for (int t = 0; t < S::kSize; ++t) {
#pragma unroll
        for (int v = 0; v < S::kBlock; ++v) {
            const float tap = taps[(v % S::kChannels * S::kSize + j) * S::kSize + t];
            const float x = window[v + t * S::kChannels];
            sums[v] = j == 0 && t == 0 ? __fmul_rn(tap, x) : __fmaf_rn(tap, x, sums[v]);
        }
    }
}

}  // namespace weft
