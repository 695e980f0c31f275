// Launches column_row_reuse_classic.cuh.
#include <array>
#include <utility>

#include "kernels/common/tiled_launch.cuh"
#include "kernels/device/stream.h"
#include "kernels/reuse/column_row_reuse_classic.cuh"

namespace weft {

namespace {

template <std::size_t... Width>
auto classic_kernels(std::index_sequence<Width...>) {
    return std::array<void (*)(ClassicArgs), sizeof...(Width)>{reuse_classic<Width + 1>...};
}

}  // namespace

std::unique_ptr<PreparedConv> prepare_reuse_classic(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    const auto kernels = classic_kernels(std::make_index_sequence<kClassicColumns>());
    return std::make_unique<PreparedTiled<ClassicArgs>>(
        p, device, kernels[static_cast<std::size_t>(p.taps().width) - 1], dim3(32, kClassicWarps),
        lay_out_classic(p));
}

}  // namespace weft
