// Enough of CUDA's device language to compile kernels/*.cuh as host code and run them lane by lane
// on the CPU: 32 lanes per warp, each a fiber, which meet at shuffles and barriers. Include it
// before any .cuh.
//
// It proves indexing, borders, masks, shuffles and arithmetic. A shuffle that not all lanes of a
// warp reach, or a barrier that not all threads reach, throws, because it would hang a GPU. It does
// not detect data races, alignment faults or excessive register use.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): CUDA's own names

#define __device__
#define __global__
#define __shared__
#define __forceinline__ inline
#define __align__(n) __attribute__((aligned(n)))
#define __grid_constant__
#define __launch_bounds__(...)

namespace weft::emulated {

struct Index {
    unsigned x = 0, y = 0, z = 0;
};

inline thread_local Index thread_index;
inline thread_local Index block_index;

// Runs `kernel` for every block of a grid of `warps` warps of 32 lanes (threadIdx.x is the lane,
// threadIdx.y the warp). Throws std::logic_error on a deadlock.
struct Grid {
    int x = 1, y = 1;
};
void run_blocks(Grid grid, int warps, const std::function<void()>& kernel);

inline void run_blocks(int blocks, int warps, const std::function<void()>& kernel) {
    run_blocks(Grid{blocks, 1}, warps, kernel);
}

std::uint32_t shuffle(std::uint32_t value, int source_lane);
// The values of all lanes of the warp, in the order of the lanes.
std::array<std::uint32_t, 32> gather(std::uint32_t value);
void block_barrier();

}  // namespace weft::emulated

#define threadIdx weft::emulated::thread_index
#define blockIdx weft::emulated::block_index

template <class T>
T __shfl_sync(unsigned, T value, int source_lane) {
    return std::bit_cast<T>(
        weft::emulated::shuffle(std::bit_cast<std::uint32_t>(value), source_lane));
}

// A warp's barrier: all of its lanes reach it.
inline void __syncwarp() {
    weft::emulated::gather(0);
}

inline void __syncthreads() {
    weft::emulated::block_barrier();
}

inline float __uint2float_rn(std::uint32_t v) {
    return static_cast<float>(v);
}
inline float __int2float_rn(int v) {
    return static_cast<float>(v);
}
// The two halves of `a` times the two low bytes of `b`, and c.
inline std::uint32_t __dp2a_lo(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return c + (a & 0xFFFFU) * (b & 0xFFU) + (a >> 16) * (b >> 8 & 0xFFU);
}

inline float __uint_as_float(std::uint32_t bits) {
    return std::bit_cast<float>(bits);
}
inline std::uint32_t __float_as_uint(float v) {
    return std::bit_cast<std::uint32_t>(v);
}
inline float __fmaf_rn(float a, float b, float c) {
    return std::fma(a, b, c);
}
inline float __fmul_rn(float a, float b) {
    return a * b;
}
// The low word of high:low shifted right by `bits` of 0..31.
inline std::uint32_t __funnelshift_r(std::uint32_t low, std::uint32_t high, int bits) {
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(high) << 32 | low) >> bits);
}
inline float __fsqrt_rn(float v) {
    return std::sqrt(v);
}
inline int min(int a, int b) {
    return a < b ? a : b;
}
inline int max(int a, int b) {
    return a > b ? a : b;
}

// Byte k of the result is byte (selector >> 4k) & 7 of the eight bytes b:a.
inline std::uint32_t __byte_perm(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(b) << 32 | a;
    std::uint32_t out = 0;
    for (int k = 0; k < 4; ++k)
        out |= static_cast<std::uint32_t>(bytes >> (8 * (selector >> (4 * k) & 7)) & 0xFF)
               << (8 * k);
    return out;
}

// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
