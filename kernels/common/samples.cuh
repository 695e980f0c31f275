// Samples in registers: packed 32-bit words to fp32 and back, for the three pixel types.
//
// Words are converted without the slow integer-to-float unit: a byte or half-word put below the
// exponent byte 0x4B is the float 2^23 + x, one PRMT; subtracting 2^23 is exact.
#pragma once

#include <cstdint>

#include "kernels/common/conv_layout.h"

namespace weft {

// The source index of coordinate c, or -1: the constant border. Coordinates outside the defined
// range give any valid index: no stored output depends on them. Without a branch, so that the
// lookups of a block overlap.
__device__ __forceinline__ int source_index(const AxisMap& axis, const int* table, int c) {
    const int entry = c < 0 ? c + axis.before : c - axis.length + axis.before;
    const int mapped = table[max(min(entry, axis.before + axis.after), 0)];
    return static_cast<unsigned>(c) < static_cast<unsigned>(axis.length) ? c : mapped;
}

__device__ __forceinline__ int source_index(const AxisMap& axis, int c) {
    return source_index(axis, axis.table, c);
}

__device__ __forceinline__ float minus_two_to_23(std::uint32_t bits) {
    return __uint_as_float(bits) - 8388608.0F;
}

// The low 16 bits are round_half_even(clamp(v, 0, max)) for 0 <= max <= 65535, NaN as 0: adding
// 2^23 rounds to the nearest even integer and leaves it in the mantissa.
__device__ __forceinline__ std::uint32_t saturated_low_bits(float v, float max) {
    return __float_as_uint(fminf(fmaxf(v, 0.0F), max) + 8388608.0F);
}

// round_half_even and saturation to 0..255 of four values; a in the low byte. Two instructions
// (F2IP) on sm_90, where a clamp and a conversion of each value would be twelve.
__device__ __forceinline__ std::uint32_t pack_saturated(float a, float b, float c, float d) {
#ifdef __CUDACC__
    std::uint32_t high = 0;
    std::uint32_t all = 0;
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, 0;"
        : "=r"(high)
        : "r"(__float2int_rn(d)), "r"(__float2int_rn(c)));
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;"
        : "=r"(all)
        : "r"(__float2int_rn(b)), "r"(__float2int_rn(a)), "r"(high));
    return all;
#else  // the tests run this file on the CPU
    return (saturated_low_bits(a, 255) & 0xFFU) | (saturated_low_bits(b, 255) & 0xFFU) << 8 |
           (saturated_low_bits(c, 255) & 0xFFU) << 16 | (saturated_low_bits(d, 255) & 0xFFU) << 24;
#endif
}

struct U8 {
    using Sample = std::uint8_t;
    static constexpr int kPerWord = 4;
    static __device__ __forceinline__ float to_float(std::uint32_t word, int s) {
        return minus_two_to_23(__byte_perm(word, 0x4B000000U, 0x7440U | s));
    }
    static __device__ __forceinline__ float value(Sample s) { return static_cast<float>(s); }
    static __device__ __forceinline__ Sample finish(float v, float max) {
        return static_cast<Sample>(saturated_low_bits(v, max));
    }
    static __device__ __forceinline__ std::uint32_t bits(Sample s) { return s; }
    // The sample in the low bits.
    static __device__ __forceinline__ Sample sample(std::uint32_t bits) {
        return static_cast<Sample>(bits);
    }
    // kPerWord finished samples, the first in the low bits. `max` is the same in all threads.
    static __device__ __forceinline__ std::uint32_t pack(const float* v, float max) {
        if (max == 255.0F) return pack_saturated(v[0], v[1], v[2], v[3]);
        return pack_saturated(fminf(fmaxf(v[0], 0.0F), max), fminf(fmaxf(v[1], 0.0F), max),
                              fminf(fmaxf(v[2], 0.0F), max), fminf(fmaxf(v[3], 0.0F), max));
    }
};

struct U16 {
    using Sample = std::uint16_t;
    static constexpr int kPerWord = 2;
    static __device__ __forceinline__ float to_float(std::uint32_t word, int s) {
        return minus_two_to_23(__byte_perm(word, 0x4B000000U, s == 0 ? 0x7410U : 0x7432U));
    }
    static __device__ __forceinline__ float value(Sample s) { return static_cast<float>(s); }
    static __device__ __forceinline__ Sample finish(float v, float max) {
        return static_cast<Sample>(saturated_low_bits(v, max));
    }
    static __device__ __forceinline__ std::uint32_t bits(Sample s) { return s; }
    static __device__ __forceinline__ Sample sample(std::uint32_t bits) {
        return static_cast<Sample>(bits);
    }
    static __device__ __forceinline__ std::uint32_t pack(const float* v, float max) {
        return __byte_perm(saturated_low_bits(v[0], max), saturated_low_bits(v[1], max), 0x5410U);
    }
};

struct F32 {
    using Sample = float;
    static constexpr int kPerWord = 1;
    static __device__ __forceinline__ float to_float(std::uint32_t word, int) {
        return __uint_as_float(word);
    }
    static __device__ __forceinline__ float value(Sample s) { return s; }
    static __device__ __forceinline__ Sample finish(float v, float) { return v; }
    static __device__ __forceinline__ std::uint32_t bits(Sample s) { return __float_as_uint(s); }
    static __device__ __forceinline__ Sample sample(std::uint32_t bits) {
        return __uint_as_float(bits);
    }
    static __device__ __forceinline__ std::uint32_t pack(const float* v, float) {
        return __float_as_uint(v[0]);
    }
};

// f(U8{}), f(U16{}) or f(F32{}).
template <class F>
auto with_pixel_type(PixelType type, const F& f) {
    switch (type) {
        case PixelType::u8:
            return f(U8{});
        case PixelType::u16:
            return f(U16{});
        case PixelType::f32:
            break;
    }
    return f(F32{});
}

// The constant border's sample.
template <class P>
__device__ __forceinline__ float border_value(const ConvImages& images) {
    return P::to_float(images.border_word, 0);
}

// The larger of two sums; a NaN wins, as it would in a chain of additions.
__device__ __forceinline__ float larger(float a, float b) {
    return a > b || a != a ? a : b;
}

// √v, off by at most 2^-23 of itself: two instructions, where the exact root takes some twenty and
// a call for zero, which flat regions are full of.
__device__ __forceinline__ float short_root(float v) {
#ifdef __CUDACC__
    float root = 0;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(v));
    return root;
#else  // the tests run this file on the CPU
    return __fsqrt_rn(v);
#endif
}

__device__ __forceinline__ float magnitude_of(float a, float b) {
    return __fsqrt_rn(__fmaf_rn(b, b, __fmul_rn(a, a)));
}

}  // namespace weft
