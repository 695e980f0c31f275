#include "kernels/reuse/reuse_launch.cuh"

namespace weft {

std::span<const RollingVariant> rolling_u8_channels_variants() {
    static constexpr auto rows = rolling_rows(RollingU8Channels{});
    return rows;
}

}  // namespace weft
