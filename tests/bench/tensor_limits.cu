// Throughput of mma.sync at a few warps per multiprocessor, and whether it keeps fp16 subnormals.
#include <string>

#include "tests/bench/instruction_rate.cuh"
#include "tests/bench/limits.h"

namespace weft::bench {

namespace {

// Four independent accumulators of one warp, all with the same operands.
template <class Instruction>
struct Tiles {
    static constexpr int kTiles = 4;
    unsigned sum[kTiles][4] = {};
    unsigned a[4], b[4];

    __device__ explicit Tiles(const Operands& o) {
        for (int k = 0; k < 4; ++k) {
            a[k] = o.a + threadIdx.x;
            b[k] = o.b + threadIdx.x;
        }
    }
    __device__ void step(const Operands&) {
#pragma unroll
        for (int k = 0; k < kTiles; ++k) Instruction::run(sum[k], a, b);
    }
    __device__ unsigned digest() const {
        unsigned all = 0;
        for (int k = 0; k < kTiles; ++k) all ^= sum[k][0] ^ sum[k][1] ^ sum[k][2] ^ sum[k][3];
        return all;
    }
};

struct HalfMma {
    static constexpr double kMacs = 16 * 8 * 16;
    static __device__ void run(unsigned (&c)[4], const unsigned (&a)[4], const unsigned (&b)[4]) {
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
            "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};
struct ByteMma {
    static constexpr double kMacs = 16 * 8 * 32;
    static __device__ void run(unsigned (&c)[4], const unsigned (&a)[4], const unsigned (&b)[4]) {
        asm volatile(
            "mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0, %1, %2, %3}, "
            "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};
struct SparseHalfMma {
    static constexpr double kMacs = 16 * 8 * 32;
    static __device__ void run(unsigned (&c)[4], const unsigned (&a)[4], const unsigned (&b)[4]) {
        asm volatile(
            "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 "
            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, 0x0;"
            : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]),
              "r"(b[3]), "r"(0x44444444U));
    }
};
struct SparseByteMma {
    static constexpr double kMacs = 16 * 8 * 64;
    static __device__ void run(unsigned (&c)[4], const unsigned (&a)[4], const unsigned (&b)[4]) {
        asm volatile(
            "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.u8.s8.s32 "
            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, 0x0;"
            : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]),
              "r"(b[3]), "r"(0x44444444U));
    }
};

template <class Instruction>
void add_rates(const Device& device, const char* name, const char* note, std::vector<Limit>& out) {
    for (const int warps : {4, 8, 16}) {
        // A warp's multiply-adds, spread over its lanes.
        const double counted = Tiles<Instruction>::kTiles * Instruction::kMacs / 32;
        const Rate rate = rate_of<Tiles<Instruction>>(device.multiprocessors, warps * 32, counted);
        out.push_back({.group = "tensor cores",
                       .name = name + (", " + std::to_string(warps)) + " warps",
                       .unit = "TMAC/s",
                       .value = rate.per_second * 1e-12,
                       .per_clock_sm = rate.per_clock_sm,
                       .note = note});
    }
}

// Bytes read as halves are subnormals x·2^-24; this multiplies each by 1.0.
__global__ void multiply_subnormals(unsigned* wrong) {
    unsigned sum[4] = {};
    const unsigned byte = 1 + threadIdx.x;
    const unsigned a[4] = {byte | byte << 16, byte | byte << 16, byte | byte << 16,
                           byte | byte << 16};
    const unsigned b[4] = {0x3C003C00U, 0x3C003C00U, 0, 0};
    HalfMma::run(sum, a, b);
    // Lanes 4r … 4r+3 hold row r of A, four columns each, and as many of rows r + 8.
    const unsigned row = threadIdx.x / 4;
    const float want = 4.0F * static_cast<float>(4 * (4 * row) + 1 + 2 + 3 + 4) / 16777216.0F;
    for (const unsigned got : sum)
        if (__uint_as_float(got) != want) atomicAdd(wrong, 1U);
}

Limit subnormals_kept() {
    const DeviceArray<unsigned> wrong = upload<unsigned>({0});
    multiply_subnormals<<<1, 32>>>(wrong.get());
    cuda_check(cudaGetLastError(), "launch the product of subnormals");
    unsigned count = 0;
    cuda_check(cudaMemcpy(&count, wrong.get(), sizeof count, cudaMemcpyDeviceToHost),
               "read the product of subnormals");
    return {.group = "tensor cores",
            .name = "fp16 subnormals kept by HMMA",
            .unit = "yes = 1",
            .value = count == 0 ? 1.0 : 0.0,
            .note = "x·2^-24 times 1.0, x = 1 to 32, against the exact sum"};
}

}  // namespace

std::vector<Limit> tensor_limits(const Device& device) {
    std::vector<Limit> out;
    add_rates<HalfMma>(device, "HMMA m16n8k16 f16, f32 sums", "multiply-adds", out);
    add_rates<ByteMma>(device, "IMMA m16n8k32 u8·s8", "multiply-adds", out);
    add_rates<SparseHalfMma>(device, "HMMA.SP m16n8k32 f16, 2:4", "zeros counted", out);
    add_rates<SparseByteMma>(device, "IMMA.SP m16n8k64 u8·s8, 2:4", "zeros counted", out);
    out.push_back(subnormals_kept());
    return out;
}

}  // namespace weft::bench
