#include "kernels/reuse/reuse_launch.cuh"

namespace weft {

std::span<const StripVariant> strip_u8_variants() {
    static constexpr auto rows = strip_rows(StripU8{});
    return rows;
}

}  // namespace weft
