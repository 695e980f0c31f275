#include "kernels/reuse/reuse_launch.cuh"

namespace weft {

std::span<const RollingVariant> rolling_wide_variants() {
    static constexpr auto rows = rolling_rows(RollingWide{});
    return rows;
}

}  // namespace weft
