// Launches column_row_reuse_classic.cuh.
#include <array>
#include <utility>

#include "kernels/common/prepared.cuh"
#include "kernels/reuse/column_row_reuse_classic.cuh"

namespace weft {

namespace {

// The kernels for 1, 3, 5 … columns. Even numbers of them would make a package 0.3 MB larger.
template <std::size_t... Half>
auto classic_kernels(std::index_sequence<Half...>) {
    return std::array<void (*)(ClassicArgs), sizeof...(Half)>{reuse_classic<2 * Half + 1>...};
}

}  // namespace

std::unique_ptr<PreparedConv> prepare_reuse_classic(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    const auto kernels = classic_kernels(std::make_index_sequence<kClassicColumns / 2 + 1>());
    return prepared_tiled(p, device, kernels[static_cast<std::size_t>(p.taps().width) / 2],
                          dim3(32, kClassicWarps), lay_out_classic(p));
}

}  // namespace weft
