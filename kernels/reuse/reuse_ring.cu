// Launches reuse_ring.cuh.
#include <array>

#include "kernels/common/kernel_launch.cuh"
#include "kernels/device/cuda_check.cuh"
#include "kernels/reuse/reuse_variants.cuh"

namespace weft {

namespace {

template <class S>
constexpr int ring_bytes() {
    return S::kVectors * static_cast<int>(sizeof(Floats<4>));
}

// More blocks are resident than the default division of shared memory and L1 cache may allow for.
template <class S>
void reserve_ring() {
    static_assert(ring_bytes<S>() <= 48 * 1024, "more has to be asked for");
    cuda_check(cudaFuncSetAttribute(reuse_ring<S>, cudaFuncAttributePreferredSharedMemoryCarveout,
                                    cudaSharedmemCarveoutMaxShared),
               "reserve shared memory for a ring of rows");
}

template <class S>
bool ring_can_be_early() {
    return can_start_early(reuse_ring<S>);
}

template <class S>
void launch_ring(const RingArgs& args, int blocks, bool early, StreamView stream) {
    launch(reuse_ring<S>,
           {.blocks = static_cast<unsigned>(blocks),
            .threads = dim3(32, S::kWarps),
            .shared_bytes = ring_bytes<S>(),
            .early = early},
           stream, args, "launch column_row_reuse");
}

template <class... S>
constexpr std::array<RingVariant, sizeof...(S)> compiled_rings(Variants<S...>) {
    return {RingVariant{S::kSize, S::kWarps, S::kBlock, S::kChunkRows, S::kBlocks,
                        static_cast<int>(alignof(Floats<4>)), reserve_ring<S>, ring_can_be_early<S>,
                        launch_ring<S>}...};
}

}  // namespace

std::span<const RingVariant> ring_variants() {
    static constexpr auto variants = compiled_rings(RingForms{});
    return variants;
}

}  // namespace weft
