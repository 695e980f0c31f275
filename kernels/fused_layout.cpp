#include "kernels/fused_layout.h"

#include <algorithm>

namespace weft {

namespace {

constexpr int kThreads = 32 * kFusedWarps;

// 16 rows of them fit into shared memory, and 511 RGBA pixels into two thirds of them.
constexpr int kMostColumns = 3072;

int ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

int round_up(int a, int b) {
    return ceil_div(a, b) * b;
}

// Columns of a block: at least three quarters of them give outputs where the L1 cache can hold what
// a block reads, and half of them otherwise.
int columns_of(int halo) {
    if (4 * halo <= kThreads) return kThreads;
    return std::min(round_up(2 * halo, kThreads / 2), kMostColumns);
}

}  // namespace

FusedLayout lay_out_fused(const ConvProblem& p) {
    FusedLayout layout;
    FusedArgs& a = layout.args;
    const int pixels = p.channels == 1 ? kFusedPixels<1> : kFusedPixels<4>;
    const int step = pixels * p.channels;
    const int halo = (p.taps().width - 1) * p.channels;
    a.images = conv_images(p, layout.borders);
    a.planes = static_cast<int>(p.conv.size());
    a.width = p.taps().width;
    a.height = p.taps().height;
    a.row_stride = round_up(a.width, 4);
    a.tap_stride = a.row_stride + round_up(a.height, 4);
    a.columns = std::max(columns_of(halo), halo + step);
    a.outputs = (a.columns - halo) / step * step;
    // A row's last window is read in whole.
    const int read = a.outputs + round_up(a.width, pixels) * p.channels;
    const int vectors = ceil_div(std::max(a.columns, read), 4);
    a.pitch = 4 * (vectors % 2 == 0 ? vectors + 1 : vectors);
    a.rows = 2 * kFusedRows;
    const int taps = a.planes * a.tap_stride;
    const auto shared = [&] { return 4 * (taps + a.rows * a.pitch); };
    if (shared() > 200 * 1024) a.rows = kFusedRows;
    layout.shared_bytes = shared();
    a.tiles_x = ceil_div(p.width * p.channels, a.outputs);
    layout.blocks = grid_size(a.tiles_x, ceil_div(p.height, a.rows));
    layout.taps.assign(static_cast<std::size_t>(taps), 0.0F);
    auto plane = layout.taps.begin();
    for (const ChannelConv& c : p.conv) {
        const Taps& t = c.taps.front();
        std::ranges::copy(t.row, plane);
        std::ranges::copy(t.column, plane + a.row_stride);
        plane += a.tap_stride;
    }
    return layout;
}

}  // namespace weft
