// The elements of layers on the device: their layout in memory and their fp32 values. The tests
// provide the three functions for the CPU.
#pragma once

#include <cstdint>

namespace weft {

#ifdef __CUDACC__

__device__ __forceinline__ float half_to_float(std::uint16_t bits) {
    float v = 0;
    asm("cvt.f32.f16 %0, %1;" : "=f"(v) : "h"(bits));
    return v;
}

__device__ __forceinline__ std::uint16_t float_to_half(float v) {
    std::uint16_t bits = 0;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(v));
    return bits;
}

// Copies 16 bytes between addresses that are multiples of 16.
__device__ __forceinline__ void move_vector(void* to, const void* from) {
    *static_cast<uint4*>(to) = *static_cast<const uint4*>(from);
}

#endif

struct ElementF32 {
    using Stored = float;
    static __device__ __forceinline__ float value(Stored s) { return s; }
    static __device__ __forceinline__ Stored stored(float v) { return v; }
};

struct ElementF16 {
    using Stored = std::uint16_t;
    static __device__ __forceinline__ float value(Stored s) { return half_to_float(s); }
    static __device__ __forceinline__ Stored stored(float v) { return float_to_half(v); }
};

}  // namespace weft
