#include "kernels/reuse/reuse_launch.cuh"

namespace weft {

std::span<const RollingVariant> rolling_u8_variants() {
    static constexpr auto rows = rolling_rows(RollingU8{});
    return rows;
}

}  // namespace weft
