// Minimum cost of a launch: on a stream, as a node of a graph, and with its start overlapping the
// end of the previous node (programmatic dependent launch).
#include <string>

#include "kernels/device/cuda_check.cuh"
#include "kernels/device/launch_graph.h"
#include "kernels/device/stream.h"
#include "kernels/device/timer.h"
#include "tests/bench/limits.h"

namespace weft::bench {

namespace {

__global__ void do_nothing() {}

// Lets the next launch start at once, and waits for the previous one.
__global__ void do_nothing_dependently() {
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
#endif
}

void launch(unsigned blocks, unsigned threads, StreamView stream) {
    do_nothing<<<blocks, threads, 0, stream>>>();
    cuda_check(cudaGetLastError(), "launch an empty kernel");
}

void launch_dependently(unsigned blocks, unsigned threads, StreamView stream) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    cuda_check(cudaLaunchKernelEx(&config, do_nothing_dependently),
               "launch an empty kernel that may start early");
}

using Launch = void (*)(unsigned blocks, unsigned threads, StreamView stream);

constexpr std::size_t kChain = 200;

Timing time_chain(Launch one, unsigned blocks, unsigned threads, bool graph, const Effort& effort) {
    const Stream stream;
    GpuTimer timer;
    const auto chain = [&] {
        for (std::size_t k = 0; k < kChain; ++k) one(blocks, threads, stream.view());
    };
    std::vector<LaunchGraph> graphs;
    if (graph) graphs.emplace_back(stream.view(), chain);
    std::vector<double> seconds;
    for (int k = -2; k < effort.samples; ++k) {
        timer.start(stream.view());
        if (graph) {
            graphs.front().replay(stream.view());
        } else {
            chain();
        }
        timer.stop(stream.view());
        const double sample = timer.seconds();
        if (k >= 0) seconds.push_back(sample);
    }
    return summary_of(std::move(seconds), kChain);
}

Limit limit_of(std::string name, const Timing& t, const char* note) {
    return {.group = "launch",
            .name = std::move(name),
            .unit = "µs",
            .value = t.median * 1e6,
            .per_clock_sm = 0,
            .note = note};
}

}  // namespace

std::vector<Limit> launch_limits(const Device& device, const Effort& effort) {
    std::vector<Limit> out;
    const auto full = static_cast<unsigned>(device.multiprocessors) * 8;
    for (const auto& [blocks, threads] : {std::pair{1U, 32U}, std::pair{full, 256U}}) {
        const std::string size = std::to_string(blocks) + (blocks == 1 ? " block" : " blocks");
        out.push_back(limit_of("stream launch, " + size,
                               time_chain(launch, blocks, threads, false, effort),
                               "empty kernels back to back"));
        out.push_back(limit_of("graph node, " + size,
                               time_chain(launch, blocks, threads, true, effort),
                               "a chain of 200 empty kernels"));
        out.push_back(limit_of("graph node that may start early, " + size,
                               time_chain(launch_dependently, blocks, threads, true, effort),
                               "programmatic dependent launch"));
    }
    return out;
}

}  // namespace weft::bench
