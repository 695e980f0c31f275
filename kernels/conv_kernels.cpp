// The list of kernels.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "kernels/conv_kernel.h"
#include "kernels/device/cuda_build.h"
#include "kernels/rounding.h"

namespace weft {

// One line adds a kernel: the name of its ConvKernel, which its own host source defines. In the
// order of lists and tables.
#define WEFT_KERNELS(KERNEL)             \
    KERNEL(kBoxSumKernel)                \
    KERNEL(kTensorSeparableKernel)       \
    KERNEL(kTensorInt8Kernel)            \
    KERNEL(kTensorDenseKernel)           \
    KERNEL(kTensorF32Kernel)             \
    KERNEL(kColumnRowReuseKernel)        \
    KERNEL(kSeparableReuseKernel)        \
    KERNEL(kDirectSeparableKernel)       \
    KERNEL(kColumnRowReuseClassicKernel) \
    KERNEL(kSharedTileKernel)            \
    KERNEL(kFftKernel)                   \
    KERNEL(kDirectKernel)                \
    KERNEL(kImplicitGemmKernel)          \
    KERNEL(kIm2colGemmKernel)            \
    KERNEL(kSparseDirectTiledKernel)     \
    KERNEL(kSparseDirectKernel)          \
    KERNEL(kCpuBoxKernel)                \
    KERNEL(kCpuSeparableKernel)          \
    KERNEL(kCpuTwoRateKernel)            \
    KERNEL(kCpuReuseKernel)              \
    KERNEL(kCpuSparseKernel)             \
    KERNEL(kCpuDirectKernel)             \
    KERNEL(kOpencvCpuKernel)

#define WEFT_DECLARE(name) extern const ConvKernel name;
WEFT_KERNELS(WEFT_DECLARE)
#undef WEFT_DECLARE

std::string why_cannot_run(MemorySpace space, const Device& device) {
    if (space == MemorySpace::host) return "";
    if (std::string reason = why_no_cuda(); !reason.empty()) return reason;
    return device.is_gpu() ? "" : "it runs on an NVIDIA GPU, and the device is the CPU";
}

std::string why_cannot(const ConvKernel& kernel, const ConvProblem& p, const Device& device) {
    if (p.sums_channels && !kernel.sums_channels)
        return "it filters each channel by itself, and these sums run over all";
    if (!kernel.gaussians_by_sigma &&
        std::max(p.taps().width, p.taps().height) > Taps::kMaxSeparable)
        return fmt::format(
            "it adds up at most {} factors a side; give a smaller sigma, or radius={} to cut the "
            "Gaussian off there",
            Taps::kMaxSeparable, Taps::kMaxSeparable / 2);
    std::string reason = why_cannot_run(kernel.space, device);
    if (reason.empty() && p.exact_sums && !kernel.sums_in_double && !sums_are_exact(p))
        return "exact sums of these taps are too large for fp32";
    if (reason.empty() && !kernel.sums_in_double) reason = why_not_magnitude_in_fp32(p);
    return reason.empty() ? kernel.why_not(p, device) : reason;
}

std::span<const ConvKernel> conv_kernels() {
#define WEFT_ENTRY(name) name,
    static const std::array kernels{WEFT_KERNELS(WEFT_ENTRY)};
#undef WEFT_ENTRY
    return kernels;
}

const ConvKernel* find_kernel(std::string_view name) {
    const std::span<const ConvKernel> kernels = conv_kernels();
    const auto found = std::ranges::find(kernels, name, &ConvKernel::name);
    return found == kernels.end() ? nullptr : &*found;
}

}  // namespace weft
