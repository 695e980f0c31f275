// Launches reuse_rolling.cuh. It uses no shared memory: next to kernels that do, each of its blocks
// would reserve 1 KiB.
#include <array>

#include "kernels/common/kernel_launch.cuh"
#include "kernels/reuse/reuse_variants.cuh"

namespace weft {

namespace {

template <class S>
bool can_be_early() {
    return can_start_early(reuse_rolling<S>);
}

template <class S>
void launch_rolling(const RollingArgs& args, int blocks, bool early, StreamView stream) {
    launch(
        reuse_rolling<S>,
        {.blocks = static_cast<unsigned>(blocks), .threads = dim3(32, kReuseWarps), .early = early},
        stream, args, "launch column_row_reuse");
}

template <class... S>
constexpr std::array<RollingVariant, sizeof...(S)> compiled_rolling(Variants<S...>) {
    return {RollingVariant{pixel_type_of<typename S::Pixel>(), S::kChannels, S::kSize, S::kSets,
                           S::kBlock, S::kReach, alignment_of<S>(), S::kBlocks, can_be_early<S>,
                           launch_rolling<S>}...};
}

}  // namespace

std::span<const RollingVariant> rolling_variants() {
    static constexpr auto variants = compiled_rolling(RollingForms{});
    return variants;
}

}  // namespace weft
