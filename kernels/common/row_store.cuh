// The end of every output: scale, bias, rounding, saturation and the store.
#pragma once

#include "kernels/common/row_feed.cuh"

namespace weft {

// Writes the V combined sums of one lane, samples first .. first + V - 1 of row y, as
// saturate(round_half_even(fma(sum, scale, bias))); those beyond the row are dropped.
template <class P, int C, int V>
__device__ __forceinline__ void store_block(const ConvImages& images, bool dst_aligned, int y,
                                            int first, const float (&sums)[V]) {
    constexpr int kWords = V / P::kPerWord;
    const int samples = images.x.length * C;
    if (y >= images.y.length || first >= samples) return;
    float v[V];
#pragma unroll
    for (int s = 0; s < V; ++s) v[s] = __fmaf_rn(sums[s], images.scale[s % C], images.bias[s % C]);
    auto* const row = reinterpret_cast<typename P::Sample*>(images.dst + static_cast<long long>(y) *
                                                                             images.dst_pitch);
    if (dst_aligned && first + V <= samples) {
        Words<kWords> words{};
#pragma unroll
        for (int j = 0; j < kWords; ++j)
            words.w[j] = P::pack(v + j * P::kPerWord, images.max_value);
        *reinterpret_cast<Words<kWords>*>(row + first) = words;
        return;
    }
#pragma unroll
    for (int s = 0; s < V; ++s)
        if (first + s < samples) row[first + s] = P::finish(v[s], images.max_value);
}

}  // namespace weft
