// Repeats one instruction on every multiprocessor and measures its rate.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/device/cuda_check.cuh"
#include "kernels/device/device_array.cuh"
#include "kernels/device/stream.h"
#include "kernels/device/timer.h"

namespace weft::bench {

// Register values unknown to the compiler.
struct Operands {
    unsigned a = 0x3F800001U;
    unsigned b = 0x00005410U;
    int rounds = 4096;
};

// `Op` is a device functor: Op::kChains independent values, Op::kPerStep counted instructions per
// step. The results reach memory only if they equal a value that never occurs.
template <class Op>
__global__ void repeat_instruction(Operands operands, unsigned* sink, long long* cycles) {
    Op op(operands);
    __syncthreads();
    const long long began = clock64();
    for (int round = 0; round < operands.rounds; ++round) {
#pragma unroll
        for (int step = 0; step < 8; ++step) op.step(operands);
    }
    __syncthreads();
    const long long took = clock64() - began;
    if (op.digest() == 0x12345679U && operands.rounds < 0) *sink = op.digest();
    if (threadIdx.x == 0) cycles[blockIdx.x] = took;
}

struct Rate {
    double per_second = 0;
    double per_clock_sm = 0;
    double sm_hertz = 0;
};

// One block of `threads` per multiprocessor. `counted`: operations per thread and step.
template <class Op>
Rate rate_of(int multiprocessors, int threads, double counted, Operands operands = {}) {
    constexpr int kSamples = 5;
    const Stream stream;
    GpuTimer timer;
    const DeviceArray<unsigned> sink = device_array<unsigned>(1);
    const DeviceArray<long long> cycles = device_array<long long>(multiprocessors);
    std::vector<double> seconds;
    for (int k = 0; k <= kSamples; ++k) {
        timer.start(stream.view());
        repeat_instruction<Op>
            <<<multiprocessors, threads, 0, stream.view()>>>(operands, sink.get(), cycles.get());
        cuda_check(cudaGetLastError(), "launch a micro-benchmark");
        timer.stop(stream.view());
        if (k > 0) seconds.push_back(timer.seconds());
    }
    std::vector<long long> host(static_cast<std::size_t>(multiprocessors));
    cuda_check(cudaMemcpy(host.data(), cycles.get(), host.size() * sizeof(long long),
                          cudaMemcpyDeviceToHost),
               "read the clocks of a micro-benchmark");
    std::sort(seconds.begin(), seconds.end());
    std::sort(host.begin(), host.end());
    const double median_cycles = static_cast<double>(host[host.size() / 2]);
    const double per_block = counted * 8.0 * operands.rounds * threads;
    const double rate = per_block / median_cycles;
    const double hertz = median_cycles / seconds[seconds.size() / 2];
    return {.per_second = rate * hertz * multiprocessors, .per_clock_sm = rate, .sm_hertz = hertz};
}

}  // namespace weft::bench
