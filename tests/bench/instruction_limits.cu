// Throughput of single instructions, which limits how often a kernel may use them.
#include <cuda_fp16.h>

#include "tests/bench/instruction_rate.cuh"
#include "tests/bench/limits.h"

namespace weft::bench {

namespace {

// Eight independent chains of one instruction on 32-bit registers.
template <class Instruction>
struct Chains {
    static constexpr int kChains = 8;
    unsigned v[kChains];

    __device__ explicit Chains(const Operands& o) {
        for (int k = 0; k < kChains; ++k) v[k] = o.a + threadIdx.x * 8 + k;
    }
    __device__ void step(const Operands& o) {
#pragma unroll
        for (int k = 0; k < kChains; ++k) Instruction::run(v[k], o);
    }
    __device__ unsigned digest() const {
        unsigned all = 0;
        for (int k = 0; k < kChains; ++k) all ^= v[k];
        return all;
    }
};

struct Prmt {
    static __device__ void run(unsigned& v, const Operands& o) {
        asm volatile("prmt.b32 %0, %0, %1, %2;" : "+r"(v) : "r"(o.a), "r"(o.b));
    }
};
struct Lop3 {
    static __device__ void run(unsigned& v, const Operands& o) {
        asm volatile("lop3.b32 %0, %0, %1, %2, 0x6A;" : "+r"(v) : "r"(o.a), "r"(o.b));
    }
};
struct Shfl {
    static __device__ void run(unsigned& v, const Operands&) {
        asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 0x1F, 0xFFFFFFFF;" : "+r"(v));
    }
};
struct Idp {
    static __device__ void run(unsigned& v, const Operands& o) {
        asm volatile("dp4a.u32.s32 %0, %1, %2, %0;" : "+r"(v) : "r"(o.a), "r"(o.b));
    }
};
struct Ffma {
    static __device__ void run(unsigned& v, const Operands& o) {
        asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+r"(v) : "r"(o.a), "r"(o.b));
    }
};
struct Hfma2 {
    static __device__ void run(unsigned& v, const Operands& o) {
        asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(v) : "r"(o.a), "r"(o.b));
    }
};
struct I2fWord {
    static __device__ void run(unsigned& v, const Operands&) {
        asm volatile("cvt.rn.f32.s32 %0, %0;" : "+r"(v));
    }
};
struct I2fByte {
    static __device__ void run(unsigned& v, const Operands&) {
        asm volatile("{ .reg .b16 lo, hi; .reg .b8 b; mov.b32 {lo, hi}, %0; cvt.rn.f32.u8 %0, lo; }"
                     : "+r"(v));
    }
};
struct F2i {
    static __device__ void run(unsigned& v, const Operands&) {
        asm volatile("cvt.rni.s32.f32 %0, %0;" : "+r"(v));
    }
};

// Two floats to two saturated bytes: the conversion that ends an 8-bit kernel.
struct F2iPack {
    static __device__ void run(unsigned& v, const Operands& o) {
        asm volatile(
            "{ .reg .s32 x, y; cvt.rni.s32.f32 x, %0; cvt.rni.s32.f32 y, %1;\n"
            "cvt.pack.sat.u8.s32.b32 %0, x, y, %0; }"
            : "+r"(v)
            : "r"(o.a));
    }
};

// 2 of 20 or 5 of 20 instructions are not FFMA.
template <int Foreign>
struct Mixed {
    unsigned v[16];
    unsigned w[4];

    __device__ explicit Mixed(const Operands& o) {
        for (int k = 0; k < 16; ++k) v[k] = o.a + threadIdx.x + k;
        for (int k = 0; k < 4; ++k) w[k] = o.b + threadIdx.x + k;
    }
    __device__ void step(const Operands& o) {
#pragma unroll
        for (int k = 0; k < 20; ++k) {
            if ((k + 1) * Foreign / 20 > k * Foreign / 20) {
                Prmt::run(w[k % 4], o);
            } else {
                Ffma::run(v[k % 16], o);
            }
        }
    }
    __device__ unsigned digest() const {
        unsigned all = w[0] ^ w[1] ^ w[2] ^ w[3];
        for (int k = 0; k < 16; ++k) all ^= v[k];
        return all;
    }
};

// Loads from shared memory, each lane from its own word or quad: no conflicts.
template <int Words>
struct SharedLoads {
    unsigned address;
    unsigned all = 0;

    __device__ explicit SharedLoads(const Operands& o) {
        __shared__ uint4 memory[1024 + 8];
        for (int k = threadIdx.x; k < 1024 + 8; k += blockDim.x)
            memory[k] = make_uint4(o.a, o.b, k, threadIdx.x);
        address = static_cast<unsigned>(__cvta_generic_to_shared(memory)) + threadIdx.x * Words * 4;
    }
    __device__ void step(const Operands&) {
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            if constexpr (Words == 1) {
                unsigned x;
                asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(x) : "r"(address + k * 16));
                all ^= x;
            } else {
                uint4 x;
                asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                             : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
                             : "r"(address + k * 16));
                all ^= x.x ^ x.y ^ x.z ^ x.w;
            }
        }
    }
    __device__ unsigned digest() const {
        return all;
    }
};

template <class Op>
Limit limit_of(const Device& device, const char* name, double counted, const char* note) {
    const Rate rate = rate_of<Op>(device.multiprocessors, 1024, counted);
    return {.group = "instructions",
            .name = name,
            .unit = "T/s",
            .value = rate.per_second * 1e-12,
            .per_clock_sm = rate.per_clock_sm,
            .note = note};
}

}  // namespace

std::vector<Limit> instruction_limits(const Device& d) {
    constexpr const char* kThread = "thread-instructions";
    return {
        limit_of<Chains<Ffma>>(d, "FFMA", 8, kThread),
        limit_of<Mixed<2>>(d, "FFMA, 10 % others", 20, "all thread-instructions, PRMT among them"),
        limit_of<Mixed<5>>(d, "FFMA, 25 % others", 20, "all thread-instructions, PRMT among them"),
        limit_of<Chains<Hfma2>>(d, "HFMA2", 8, kThread),
        limit_of<Chains<Prmt>>(d, "PRMT", 8, kThread),
        limit_of<Chains<Lop3>>(d, "LOP3", 8, kThread),
        limit_of<Chains<Idp>>(d, "IDP (dp4a)", 8, kThread),
        limit_of<Chains<Shfl>>(d, "SHFL", 8, kThread),
        limit_of<Chains<I2fWord>>(d, "I2F from s32", 8, kThread),
        limit_of<Chains<I2fByte>>(d, "I2F from u8", 8, kThread),
        limit_of<Chains<F2i>>(d, "F2I", 8, kThread),
        limit_of<Chains<F2iPack>>(d, "F2I and pack", 8, "two floats to two bytes each"),
        limit_of<SharedLoads<1>>(d, "LDS.32", 8, kThread),
        limit_of<SharedLoads<4>>(d, "LDS.128", 8, kThread),
    };
}

Ceilings measure_ceilings(const Device& device, const Effort& effort) {
    const Rate fma = rate_of<Chains<Ffma>>(device.multiprocessors, 1024, 8);
    return {.copy_bytes_per_second = copy_ceiling(effort),
            .fma_per_second = fma.per_second,
            .sm_hertz = fma.sm_hertz};
}

std::vector<Limit> measure_limits(const Device& device, const Effort& effort) {
    std::vector<Limit> all = copy_limits(effort);
    for (std::vector<Limit> part :
         {launch_limits(device, effort), instruction_limits(device), tensor_limits(device)})
        std::ranges::move(part, std::back_inserter(all));
    return all;
}

}  // namespace weft::bench
