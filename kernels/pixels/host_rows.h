// Arithmetic on rows of samples on the CPU, compiled twice: for AVX2 with FMA and for every CPU,
// with the same bits from both.
#pragma once

#include <cstddef>
#include <string_view>

#include "kernels/image_view.h"

namespace weft {

// out = saturate(round_half_even(fma(in, scale, bias))), NaN as 0 in u8 and u16;
// f32 is neither rounded nor saturated.
struct RowFinish {
    float scale = 1.0F;
    float bias = 0.0F;
    float max_value = 0.0F;  // saturation ceiling, an integer up to 65535; not used for f32
};

// v = fma(absolute ? |s| : s, scale, bias); out = v < threshold ? 0 : v.
struct RowBlend {
    float scale = 1.0F;
    float bias = 0.0F;
    float threshold = 0.0F;
    bool absolute = false;
};

// Pointers need only the alignment of their sample type; `count` is in samples and may be 0. Rows
// must not overlap. All are thread-safe.
struct RowOps {
    std::string_view name;  // "avx2" or "baseline"

    void (*finish)(const float* in, void* out, PixelType type, std::size_t count,
                   const RowFinish& how);
    // inout[i] = sqrt(fma(b[i], b[i], inout[i] * inout[i])).
    void (*magnitude)(float* inout, const float* b, std::size_t count);
    // acc[i] = weight * in[i].
    void (*weigh)(float weight, const void* in, PixelType type, float* acc, std::size_t count);
    // acc[i] = fma(weight, in[i], acc[i]).
    void (*add_weighed)(float weight, const void* in, PixelType type, float* acc,
                        std::size_t count);
    void (*blend)(float* inout, std::size_t count, const RowBlend& how);
    // out[i] = in[i * step]: one channel of interleaved samples.
    void (*gather)(const void* in, PixelType type, std::size_t step, float* out, std::size_t count);
    // out[i * step] = in[i], both of `type`.
    void (*scatter)(const void* in, void* out, PixelType type, std::size_t step, std::size_t count);
};

// The fastest that this CPU runs.
const RowOps& row_ops();

// The baseline that every CPU runs; for tests.
const RowOps& baseline_row_ops();

}  // namespace weft
