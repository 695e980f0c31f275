// Launches reuse_rolling.cuh. It uses no shared memory: next to kernels that do, each of its blocks
// would reserve 1 KiB.
#include <array>

#include "kernels/device/cuda_check.cuh"
#include "kernels/reuse/reuse_variants.cuh"

namespace weft {

namespace {

template <class S>
void launch_rolling(const RollingArgs& args, int blocks, StreamView stream) {
    reuse_rolling<S><<<blocks, dim3(32, kReuseWarps), 0, stream>>>(args);
    cuda_check(cudaGetLastError(), "launch column_row_reuse");
}

template <class... S>
constexpr std::array<RollingVariant, sizeof...(S)> compiled_rolling(Variants<S...>) {
    return {RollingVariant{pixel_type_of<typename S::Pixel>(), S::kChannels, S::kSize, S::kSets,
                           S::kBlock, alignment_of<S>(), S::kBlocks, launch_rolling<S>}...};
}

}  // namespace

std::span<const RollingVariant> rolling_variants() {
    static constexpr auto variants = compiled_rolling(RollingForms{});
    return variants;
}

}  // namespace weft
