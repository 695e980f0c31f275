#include "kernels/reuse/column_row_reuse_classic.h"

#include "kernels/common/kernel_terms.h"
#include "kernels/common/quotient.h"
#include "kernels/device/cuda_build.h"

namespace weft {

namespace {

std::string why_not_classic(const ConvProblem& p, const Device&) {
    if (std::string reason = why_not_fp32_sums(p); !reason.empty()) return reason;
    if (p.taps().width > kClassicColumns)
        return "it takes taps up to 33 columns wide: the lanes of a warp exchange no more";
    if (p.taps().width % 2 == 0) return "it takes odd numbers of columns";
    return "";
}

}  // namespace

TiledLayout<ClassicArgs> lay_out_classic(const ConvProblem& p) {
    DirectLayout direct = lay_out_direct(p);
    TiledLayout<ClassicArgs> layout;
    layout.args = {.direct = direct.args, .type = p.type};
    layout.args.direct.tiles_x = ceil_div(p.width, 32) * p.channels;
    layout.borders = std::move(direct.borders);
    layout.taps = std::move(direct.taps);
    layout.blocks =
        grid_size(layout.args.direct.tiles_x, ceil_div(p.height, kClassicWarps * kClassicRows));
    layout.shared_bytes = 4 * p.taps().width * p.taps().height;
    return layout;
}

extern constinit const ConvKernel kColumnRowReuseClassicKernel = {
    .name = "column_row_reuse_classic",
    .summary =
        "column and row reuse as published: one column per lane, the window by a butterfly of "
        "shuffles, taps in shared memory; for comparison",
    .source = "Lu, Zhang, Wang, CLUSTER 2020 and TPDS 2022; patent CN111797985",
    .limits = "NVIDIA GPU; dense taps of odd width up to 33 and up to 63 high",
    .space = MemorySpace::device,
    .why_not = why_not_classic,
    .prepare = cuda_only<prepare_reuse_classic>(),
    .cost = dense_cost,
};

}  // namespace weft
