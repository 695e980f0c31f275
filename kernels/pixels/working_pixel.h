// The arithmetic of working_ops.h, written once for both devices. Each operation is rounded on its
// own: no compiler may join a product and a sum.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels/pixels/working_ops.h"

#ifdef __CUDACC__
#define WEFT_ANYWHERE __host__ __device__ __forceinline__
#else
#define WEFT_ANYWHERE [[gnu::always_inline]] inline
#endif

namespace weft::working {

inline constexpr float kLeastAlpha = 0x1p-17F;  // half a level of 16 bits

WEFT_ANYWHERE float fused(float a, float b, float c) {
#ifdef __CUDA_ARCH__
    return __fmaf_rn(a, b, c);
#else
    return std::fma(a, b, c);
#endif
}

WEFT_ANYWHERE float product(float a, float b) {
#ifdef __CUDA_ARCH__
    return __fmul_rn(a, b);
#else
    return a * b;
#endif
}

WEFT_ANYWHERE float sum(float a, float b) {
#ifdef __CUDA_ARCH__
    return __fadd_rn(a, b);
#else
    return a + b;
#endif
}

WEFT_ANYWHERE float quotient(float a, float b) {
#ifdef __CUDA_ARCH__
    return __fdiv_rn(a, b);
#else
    return a / b;
#endif
}

WEFT_ANYWHERE std::uint32_t bits_of(float v) {
#ifdef __CUDA_ARCH__
    return __float_as_uint(v);
#else
    return std::bit_cast<std::uint32_t>(v);
#endif
}

WEFT_ANYWHERE float float_of(std::uint32_t bits) {
#ifdef __CUDA_ARCH__
    return __uint_as_float(bits);
#else
    return std::bit_cast<float>(bits);
#endif
}

struct Line {
    float a, b;
};

WEFT_ANYWHERE Line line_of(const CurveView& curve, int number) {
#ifdef __CUDA_ARCH__
    const float2 line = __ldg(reinterpret_cast<const float2*>(curve.lines) + number);
    return {line.x, line.y};
#else
    return {curve.lines[2 * number], curve.lines[2 * number + 1]};
#endif
}

// The value of a curve that has lines. Places below the first node take line 0.
WEFT_ANYWHERE float value_at(const CurveView& curve, float x) {
    const std::uint32_t bits = bits_of(x);
    const int magnitude = static_cast<int>(bits & 0x7FFF'FFFFU);
    const int past = magnitude - curve.origin;
    const int steps = (past > 0 ? past : 0) >> curve.shift;
    const Line line = line_of(curve, steps < curve.last ? steps : curve.last);
    const float value = fused(float_of(static_cast<std::uint32_t>(magnitude)), line.b, line.a);
    return float_of(bits_of(value) | (bits & 0x8000'0000U));
}

// The fraction from which a sample is rounded up, in 512ths that are odd: whole results stay, even
// if they are off by a 512th.
WEFT_ANYWHERE float threshold_at(int x, int y) {
    const std::uint32_t place =
        static_cast<std::uint32_t>(x) * 0xC13F'A9A9U + static_cast<std::uint32_t>(y) * 0x91E1'0DA5U;
    return fused(static_cast<float>(place >> 24), 0x1p-8F, 0x1p-9F);
}

WEFT_ANYWHERE float clamped(float v, float max) {
    v = v > 0.0F ? v : 0.0F;  // NaN as 0
    return v < max ? v : max;
}

WEFT_ANYWHERE float rounded(float v, float max) {
    return sum(sum(clamped(v, max), 8388608.0F), -8388608.0F);
}

// Rounded up from 1 - threshold on, as the sum with it passes the next whole number.
WEFT_ANYWHERE float dithered(float v, float max, float threshold) {
    return static_cast<float>(static_cast<int>(sum(clamped(v, max), threshold)));
}

}  // namespace weft::working
