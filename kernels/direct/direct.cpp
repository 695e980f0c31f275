// The kernel direct on the host.
#include "kernels/common/kernel_terms.h"
#include "kernels/conv_kernel.h"
#include "kernels/device/cuda_build.h"

namespace weft {

// Defined in direct.cu, in builds with CUDA only.
std::unique_ptr<PreparedConv> prepare_direct(const ConvProblem& problem, const Device& device);

namespace {

double time_of(const ConvProblem& p, const Device& device) {
    const double taps = tap_count(p);
    const double rows = p.taps().height;
    return estimated_time(p, device,
                          {.start = 2.1 + 0.19 * taps, .hopper_time = 46 + 3.0 * taps + 12 * rows});
}

}  // namespace

extern constinit const ConvKernel kDirectKernel = {
    .name = "direct",
    .summary = "one output per thread, every sample loaded again for every tap: the baseline",
    .source = "textbook",
    .limits = "NVIDIA GPU; dense taps up to 63×63",
    .space = MemorySpace::device,
    .sums_channels = true,
    .sums_in_double = true,
    .why_not = [](const ConvProblem& p, const Device&) { return why_not_dense(p); },
    .prepare = cuda_only<prepare_direct>(),
    .cost = dense_cost,
    .time = time_of,
    .reason = "{size} dense {type}: one output per thread",
};

}  // namespace weft
