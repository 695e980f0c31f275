#include "kernels/reuse/reuse_launch.cuh"

namespace weft {

std::span<const StripVariant> strip_f32_variants() {
    static constexpr auto rows = strip_rows(StripF32{});
    return rows;
}

}  // namespace weft
