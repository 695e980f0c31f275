#include <array>

#include "kernels/device/cuda_check.cuh"
#include "kernels/reuse/reuse_variants.cuh"

namespace weft {

namespace {

template <class S>
constexpr int ring_bytes() {
    return kRingWarps * S::kWarpVectors * static_cast<int>(sizeof(RingVector));
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
void launch_ring(const RingArgs& args, int blocks, StreamView stream) {
    reuse_ring<S><<<blocks, dim3(32, kRingWarps), ring_bytes<S>(), stream>>>(args);
    cuda_check(cudaGetLastError(), "launch column_row_reuse");
}

template <class... S>
constexpr std::array<RingVariant, sizeof...(S)> rows_of(RingVariants<S...>) {
    return {RingVariant{S::kSize, S::kBlock, S::kRows, static_cast<int>(alignof(RingVector)),
                        reserve_ring<S>, launch_ring<S>}...};
}

}  // namespace

std::span<const RingVariant> ring_variants() {
    static constexpr auto rows = rows_of(RingF32{});
    return rows;
}

}  // namespace weft
