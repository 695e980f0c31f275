#include "kernels/separable/direct_separable.h"

#include <cmath>

#include "kernels/common/kernel_terms.h"
#include "kernels/common/quotient.h"
#include "kernels/device/cuda_build.h"
#include "kernels/rounding.h"

namespace weft {

namespace {

// Sums in the order and precision of the row pass.
template <class Value>
Value sum_of_constant_row(const std::vector<float>& factors, Value value) {
    Value sum = 0;
    for (const Value f : factors) sum = std::fma(f, value, sum);
    return sum;
}

}  // namespace

SeparableLayout lay_out_separable(const ConvProblem& p) {
    SeparableLayout layout;
    SeparableArgs& a = layout.args;
    a.images = conv_images(p, layout.borders);
    a.channels = p.channels;
    a.planes = static_cast<int>(p.conv.size());
    a.width = p.taps().width;
    a.height = p.taps().height;
    a.tiles_x = ceil_div(p.width * p.channels, kDirectBlockX);
    layout.blocks = grid_size(a.tiles_x, ceil_div(p.height, kDirectBlockY));
    layout.wide = !why_not_factors_in_fp32(p).empty();
    layout.workspace_bytes = static_cast<std::size_t>(p.width) * p.channels * p.height *
                             (layout.wide ? sizeof(double) : sizeof(float));
    for (const ChannelConv& c : p.conv) {
        const Taps& t = c.taps.front();
        layout.taps.insert(layout.taps.end(), t.row.begin(), t.row.end());
        layout.taps.insert(layout.taps.end(), t.column.begin(), t.column.end());
    }
    const float border = p.border_value;
    for (int c = 0; c < p.channels; ++c) {
        const std::vector<float>& row = p.channel(c).taps.front().row;
        a.outside[c] = layout.wide ? sum_of_constant_row(row, static_cast<double>(border))
                                   : sum_of_constant_row(row, border);
    }
    return layout;
}

namespace {

double time_of(const ConvProblem& p, const Device& device) {
    const double factors = p.taps().width + p.taps().height;
    return estimated_time(p, device,
                          {.start = 3.4 + 0.13 * factors, .hopper_time = 80 + 3.15 * factors});
}

}  // namespace

extern constinit const ConvKernel kDirectSeparableKernel = {
    .name = "direct_separable",
    .summary =
        "a pass along rows into fp32, then one along columns: cost grows with the side of the "
        "taps, not their area",
    .source = "textbook",
    .limits = "NVIDIA GPU; one tap set, known as row × column, up to 511 per side",
    .space = MemorySpace::device,
    .sums_in_double = true,
    .why_not = [](const ConvProblem& p, const Device&) { return why_not_separable(p); },
    .prepare = cuda_only<prepare_direct_separable>(),
    .cost = separable_cost,
    .time = time_of,
    .reason = "{size} factored {type}: {width} + {height} factors in two launches",
};

}  // namespace weft
