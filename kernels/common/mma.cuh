// Tensor core instructions of a warp: half precision with fp32 sums, and bytes with 32-bit sums.
// Fragments are PTX's own. Lane 4 g + q holds: A (16×8 halves) rows g and g + 8 at columns 2q, 2q +
// 1; B (8×8) column g at rows 2q, 2q + 1; C (16×8) rows g and g + 8 at columns 2q, 2q + 1. With
// bytes A is 16×16 and B 16×8, and 2q, 2q + 1 are 4q to 4q + 3. The tests replace this file's
// functions to run the kernels lane by lane on the CPU.
#pragma once

#include <cstdint>

#include "kernels/common/async_copy.cuh"

namespace weft {

// 16 rows of 8 halves, or of 16 bytes: one chunk of A.
struct ChunkFragment {
    std::uint32_t low;   // rows 0..7
    std::uint32_t high;  // rows 8..15
};

// 8 columns of 32 bytes, matrix B: lane 4 g + q holds bytes 8q to 8q + 7 of column g, as they are
// in memory. The rows of B are then numbered so that bytes 0 to 3 of each eight come first.
struct alignas(8) ByteColumns {
    std::uint32_t w[2];
};

#ifdef __CUDACC__

// Two neighbouring chunks of 16 rows each. Lane l gives the address of 16 bytes: row l mod 16 of
// the first chunk for l < 16, of the second above.
__device__ __forceinline__ void load_chunks(const void* row, ChunkFragment& first,
                                            ChunkFragment& second) {
    const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(first.low), "=r"(first.high), "=r"(second.low), "=r"(second.high)
                 : "r"(address)
                 : "memory");
}

// Two neighbouring chunks of 16 rows each as two 16×8 matrices B: first.low is rows 0..7 of the
// first chunk, first.high rows 8..15. Addresses as for load_chunks.
__device__ __forceinline__ void load_columns(const void* row, ChunkFragment& first,
                                             ChunkFragment& second) {
    const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(first.low), "=r"(first.high), "=r"(second.low), "=r"(second.high)
                 : "r"(address)
                 : "memory");
}

// The sums of a 16×8 accumulator, rounded to half precision, as a chunk of A.
__device__ __forceinline__ ChunkFragment rounded_chunk(const float (&sums)[4]) {
    ChunkFragment out{};
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(out.low) : "f"(sums[1]), "f"(sums[0]));
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(out.high) : "f"(sums[3]), "f"(sums[2]));
    return out;
}

// sums = start + A · B over two chunks.
__device__ __forceinline__ void multiply_chunks(float (&sums)[4], const float (&start)[4],
                                                const ChunkFragment& first,
                                                const ChunkFragment& second, std::uint32_t b_first,
                                                std::uint32_t b_second) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%10, %11, %12, %13};"
        : "=f"(sums[0]), "=f"(sums[1]), "=f"(sums[2]), "=f"(sums[3])
        : "r"(first.low), "r"(first.high), "r"(second.low), "r"(second.high), "r"(b_first),
          "r"(b_second), "f"(start[0]), "f"(start[1]), "f"(start[2]), "f"(start[3]));
}

// sums += A · B over two chunks.
__device__ __forceinline__ void multiply_chunks(float (&sums)[4], const ChunkFragment& first,
                                                const ChunkFragment& second, std::uint32_t b_first,
                                                std::uint32_t b_second) {
    multiply_chunks(sums, sums, first, second, b_first, b_second);
}

// sums += A · B over one chunk.
__device__ __forceinline__ void multiply_chunk(float (&sums)[4], const ChunkFragment& a,
                                               std::uint32_t b) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a.low), "r"(a.high), "r"(b));
}

// sums = start + A · B over one chunk: unconverted pixels in A, signed taps in B.
__device__ __forceinline__ void multiply_bytes(int (&sums)[4], const int (&start)[4],
                                               const ChunkFragment& a, std::uint32_t b) {
    asm("mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%7, %8, %9, %10};"
        : "=r"(sums[0]), "=r"(sums[1]), "=r"(sums[2]), "=r"(sums[3])
        : "r"(a.low), "r"(a.high), "r"(b), "r"(start[0]), "r"(start[1]), "r"(start[2]),
          "r"(start[3]));
}

// The same over two chunks, in hardly more time.
__device__ __forceinline__ void multiply_bytes(int (&sums)[4], const int (&start)[4],
                                               const ChunkFragment& first,
                                               const ChunkFragment& second, std::uint32_t b_first,
                                               std::uint32_t b_second) {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%10, %11, %12, %13};"
        : "=r"(sums[0]), "=r"(sums[1]), "=r"(sums[2]), "=r"(sums[3])
        : "r"(first.low), "r"(first.high), "r"(second.low), "r"(second.high), "r"(b_first),
          "r"(b_second), "r"(start[0]), "r"(start[1]), "r"(start[2]), "r"(start[3]));
}

// The same with signed taps in A and pixels in B.
__device__ __forceinline__ void multiply_taps(int (&sums)[4], const int (&start)[4],
                                              const ChunkFragment& first,
                                              const ChunkFragment& second, const ByteColumns& b) {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%10, %11, %12, %13};"
        : "=r"(sums[0]), "=r"(sums[1]), "=r"(sums[2]), "=r"(sums[3])
        : "r"(first.low), "r"(first.high), "r"(second.low), "r"(second.high), "r"(b.w[0]),
          "r"(b.w[1]), "r"(start[0]), "r"(start[1]), "r"(start[2]), "r"(start[3]));
}

// The same with signed bytes in B.
__device__ __forceinline__ void multiply_signed(int (&sums)[4], const int (&start)[4],
                                                const ChunkFragment& first,
                                                const ChunkFragment& second, const ByteColumns& b) {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%10, %11, %12, %13};"
        : "=r"(sums[0]), "=r"(sums[1]), "=r"(sums[2]), "=r"(sums[3])
        : "r"(first.low), "r"(first.high), "r"(second.low), "r"(second.high), "r"(b.w[0]),
          "r"(b.w[1]), "r"(start[0]), "r"(start[1]), "r"(start[2]), "r"(start[3]));
}

// Bytes 2 `pair` and 2 `pair` + 1 of the word as halves, each less 128. A byte below 0x64 is the
// half 1024 + x; subtracting 1152 is exact.
__device__ __forceinline__ std::uint32_t centred_halves(std::uint32_t word, int pair) {
    const std::uint32_t shifted = __byte_perm(word, 0x64646464U, pair == 0 ? 0x4140U : 0x4342U);
    std::uint32_t out = 0;
    asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(out) : "r"(shifted), "r"(0x64806480U));
    return out;
}

// Two floats below 2^16 as halves, and what their rounding has left as halves; `first` in the low
// bits.
__device__ __forceinline__ void split_halves(float first, float second, std::uint32_t& upper,
                                             std::uint32_t& lower) {
    float rounded_first = 0;
    float rounded_second = 0;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(upper) : "f"(second), "f"(first));
    asm("{.reg .f16 low, high;\n"
        "mov.b32 {low, high}, %2;\n"
        "cvt.f32.f16 %0, low;\n"
        "cvt.f32.f16 %1, high;}"
        : "=f"(rounded_first), "=f"(rounded_second)
        : "r"(upper));
    asm("cvt.rn.f16x2.f32 %0, %1, %2;"
        : "=r"(lower)
        : "f"(second - rounded_second), "f"(first - rounded_first));
}

// The two 12-bit samples of the word as halves, each less m, a multiple of 4; `middle` is -5120 - m
// as a half, twice. The low ten bits below 0x64 are the half 1024 + x, the next two above 0x40 the
// half 2 + y / 2, of which 2048 times are 4096 + 1024 y. All steps are exact up to |x| = 2048.
__device__ __forceinline__ std::uint32_t centred_halves_of_words(std::uint32_t word,
                                                                 std::uint32_t middle) {
    const std::uint32_t low = (word & 0x03FF03FFU) | 0x64006400U;
    const std::uint32_t high = (word >> 2 & 0x03000300U) | 0x40004000U;
    std::uint32_t out = 0;
    asm("{.reg .b32 part;\n"
        "fma.rn.f16x2 part, %1, %2, %3;\n"
        "add.rn.f16x2 %0, %4, part;}"
        : "=r"(out)
        : "r"(high), "r"(0x68006800U), "r"(middle), "r"(low));
    return out;
}

#endif

}  // namespace weft
