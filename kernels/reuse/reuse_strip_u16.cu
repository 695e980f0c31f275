#include "kernels/reuse/reuse_launch.cuh"

namespace weft {

std::span<const StripVariant> strip_u16_variants() {
    static constexpr auto rows = strip_rows(StripU16{});
    return rows;
}

}  // namespace weft
