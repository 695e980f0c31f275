#include "kernels/common/direct_layout.h"

#include <cmath>
#include <utility>

#include "kernels/rounding.h"

namespace weft {

namespace {

int ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

int shared_tile_pitch(const ConvProblem& p) {
    return kDirectBlockX + (p.taps().width - 1) * p.channels;
}

// Sums in the order and precision of the row pass.
template <class Value>
Value sum_of_constant_row(const std::vector<float>& factors, Value value) {
    Value sum = 0;
    for (const Value f : factors) sum = std::fma(f, value, sum);
    return sum;
}

}  // namespace

DirectLayout lay_out_direct(const ConvProblem& p) {
    DirectLayout layout;
    DirectArgs& a = layout.args;
    a.images = conv_images(p, layout.borders);
    a.channels = p.channels;
    a.out_channels = p.out_channels();
    a.sets = static_cast<int>(p.conv.front().taps.size());
    a.planes = static_cast<int>(p.conv.size());
    a.magnitude = p.combine == Combine::magnitude;
    layout.wide = !why_not_dense_in_fp32(p).empty();
    a.width = p.taps().width;
    a.height = p.taps().height;
    a.tiles_x = ceil_div(p.width * p.out_channels(), kDirectBlockX);
    layout.blocks = grid_size(a.tiles_x, ceil_div(p.height, kDirectBlockY));
    for (std::size_t set = 0; set < p.conv.front().taps.size(); ++set) {
        for (const ChannelConv& c : p.conv) {
            const std::vector<float>& w = c.taps[set].weights;
            layout.taps.insert(layout.taps.end(), w.begin(), w.end());
        }
    }
    return layout;
}

int shared_tile_bytes(const ConvProblem& p) {
    return 4 * shared_tile_pitch(p) * (kSharedTileRows + p.taps().height - 1);
}

TiledLayout<SharedTileArgs> lay_out_shared_tile(const ConvProblem& p) {
    DirectLayout direct = lay_out_direct(p);
    TiledLayout<SharedTileArgs> layout;
    layout.args.direct = direct.args;
    layout.args.pitch = shared_tile_pitch(p);
    layout.borders = std::move(direct.borders);
    layout.taps = std::move(direct.taps);
    layout.blocks = grid_size(direct.args.tiles_x, ceil_div(p.height, kSharedTileRows));
    layout.shared_bytes = shared_tile_bytes(p);
    return layout;
}

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

}  // namespace weft
