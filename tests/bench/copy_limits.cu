// Copy bandwidth within the device: by cudaMemcpy, and by a kernel that only copies.
#include <string>

#include "kernels/device/cuda_check.cuh"
#include "kernels/device/device_array.cuh"
#include "tests/bench/limits.h"

namespace weft::bench {

namespace {

constexpr double kColdBytes = 120e6;  // twice the 60 MB L2 cache of an H200

// 16 bytes per thread and step, four steps in flight.
__global__ void copy_words(const uint4* __restrict__ from, uint4* __restrict__ to, int words) {
    const int base = static_cast<int>(blockIdx.x * blockDim.x * 4 + threadIdx.x);
    uint4 held[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const int at = base + k * static_cast<int>(blockDim.x);
        if (at < words) held[k] = from[at];
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const int at = base + k * static_cast<int>(blockDim.x);
        if (at < words) to[at] = held[k];
    }
}

struct Pair {
    DeviceArray<uint4> from, to;
};

std::vector<Pair> make_pairs(std::size_t bytes, std::size_t count) {
    std::vector<Pair> pairs;
    for (std::size_t k = 0; k < count; ++k) {
        pairs.push_back({device_array<uint4>(bytes / 16), device_array<uint4>(bytes / 16)});
        cuda_check(cudaMemset(pairs.back().from.get(), static_cast<int>(k), bytes),
                   "fill a buffer");
    }
    return pairs;
}

Limit limit_of(const std::string& name, double bytes, const Timing& t, const char* note) {
    return {.group = "copy",
            .name = name,
            .unit = "GB/s",
            .value = 2.0 * bytes / t.median * 1e-9,
            .per_clock_sm = 0,
            .note = note};
}

void add_copies(std::size_t megabytes, const Effort& effort, std::vector<Limit>& out) {
    const std::size_t bytes = megabytes << 20U;
    const auto sets = static_cast<std::size_t>(kColdBytes / (2.0 * static_cast<double>(bytes))) + 2;
    const std::vector<Pair> pairs = make_pairs(bytes, sets);
    const Enqueue memcpy = [&](std::size_t k, StreamView stream) {
        cuda_check(cudaMemcpyAsync(pairs[k].to.get(), pairs[k].from.get(), bytes,
                                   cudaMemcpyDeviceToDevice, stream),
                   "copy within the GPU");
    };
    const Enqueue kernel = [&](std::size_t k, StreamView stream) {
        constexpr unsigned kThreads = 256;
        const unsigned words = static_cast<unsigned>(bytes / 16);
        copy_words<<<(words + 4 * kThreads - 1) / (4 * kThreads), kThreads, 0, stream>>>(
            pairs[k].from.get(), pairs[k].to.get(), static_cast<int>(words));
        cuda_check(cudaGetLastError(), "launch the copy");
    };
    const std::string size = std::to_string(megabytes) + " MB, ";
    const double b = static_cast<double>(bytes);
    out.push_back(limit_of(size + "cold", b, time_gpu(memcpy, sets, effort), "cudaMemcpy"));
    out.push_back(limit_of(size + "hot", b, time_gpu(memcpy, 1, effort), "cudaMemcpy"));
    out.push_back(
        limit_of(size + "cold, kernel", b, time_gpu(kernel, sets, effort), "16 B a thread"));
    out.push_back(limit_of(size + "hot, kernel", b, time_gpu(kernel, 1, effort), "16 B a thread"));
}

}  // namespace

double copy_ceiling(const Effort& effort) {
    std::vector<Limit> out;
    add_copies(256, effort, out);
    return std::max(out[0].value, out[2].value) * 1e9;
}

std::vector<Limit> copy_limits(const Effort& effort) {
    std::vector<Limit> out;
    for (const std::size_t megabytes : {8, 16, 64, 256}) add_copies(megabytes, effort, out);
    return out;
}

}  // namespace weft::bench
