#include "kernels/layers/layer_shared_tile.h"

#include <algorithm>

#include "kernels/common/conv_layout.h"
#include "kernels/common/quotient.h"
#include "kernels/device/cuda_build.h"

namespace weft {

namespace {

constexpr int kWidestTile = 32;               // outputs: a warp's
constexpr int kUsualSharedBytes = 24 * 1024;  // per block, so that several share a multiprocessor

// Input that `outputs` along an axis need.
int patch_along(int outputs, int stride, int taps, int dilation) {
    return (outputs - 1) * stride + (taps - 1) * dilation + 1;
}

double patch_bytes(const LayerProblem& p, int height, int width) {
    return 4.0 * patch_along(height, p.stride.y, p.taps.y, p.dilation.y) *
           patch_along(width, p.stride.x, p.taps.x, p.dilation.x);
}

// The side of equal tiles that wastes least in the last one.
int equal_side(int length, int most) {
    return ceil_div(length, ceil_div(length, most));
}

Extent choose_tile(const LayerProblem& p, int pixels, int most_shared_bytes) {
    Extent tile;
    tile.x = equal_side(p.out_width(), kWidestTile);
    tile.y = equal_side(p.out_height(), pixels / tile.x);
    while (patch_bytes(p, tile.y, tile.x) > most_shared_bytes && tile.y * tile.x > 1) {
        int& side = tile.y > 1 ? tile.y : tile.x;
        side = ceil_div(side, 2);
    }
    return tile;
}

void set_tile(const LayerProblem& p, Extent tile, TileLayerArgs& a) {
    a.tile_height = tile.y;
    a.tile_width = tile.x;
    a.tiles_y = ceil_div(p.out_height(), tile.y);
    a.tiles_x = ceil_div(p.out_width(), tile.x);
    a.patch_height = patch_along(tile.y, p.stride.y, p.taps.y, p.dilation.y);
    a.patch_width = patch_along(tile.x, p.stride.x, p.taps.x, p.dilation.x);
}

std::vector<float> arranged_weights(const LayerProblem& p, int rows, int outputs) {
    const std::vector<float> used = used_weights(p);
    const auto length = static_cast<std::size_t>(p.sum_length());
    const auto width = static_cast<std::size_t>(outputs);
    std::vector<float> out(static_cast<std::size_t>(p.groups * rows) * length * width);
    for (int m = 0; m < p.out_channels; ++m) {
        const int at = m % p.group_outputs();
        const auto row = static_cast<std::size_t>(m / p.group_outputs() * rows + at / outputs);
        for (std::size_t k = 0; k < length; ++k)
            out[(row * length + k) * width + static_cast<std::size_t>(at % outputs)] =
                used[static_cast<std::size_t>(m) * length + k];
    }
    return out;
}

}  // namespace

std::string why_no_tile_layer(const LayerProblem& p, int most_shared_bytes) {
    if (patch_bytes(p, 1, 1) <= most_shared_bytes) return "";
    return "taps of this size and dilation do not fit into a block's shared memory";
}

TileLayerPlan plan_tile_layer(const LayerProblem& p, int most_shared_bytes) {
    TileLayerPlan plan;
    plan.form = p.group_outputs() == 1 ? kTileLayerOne : kTileLayerFour;
    TileLayerArgs& a = plan.args;
    a.shape = layer_shape(p);
    a.rows = ceil_div(p.group_outputs(), plan.form.outputs);
    const int warp_pixels = 32 * plan.form.pixels;
    set_tile(p, choose_tile(p, kTileLayerWarps * warp_pixels, most_shared_bytes), a);
    a.pixel_warps = ceil_div(a.tile_height * a.tile_width, warp_pixels);
    a.row_warps = std::min(kTileLayerWarps / a.pixel_warps, a.rows);
    a.row_blocks = ceil_div(a.rows, a.row_warps);
    const int patch = a.patch_height * a.patch_width;
    const int room = std::min(kUsualSharedBytes, most_shared_bytes);
    a.chunk = std::clamp(room / 4 / patch, 1, p.group_inputs());
    const bool pixels = p.layout == LayerLayout::nhwc;
    a.outer = quotient_by(static_cast<unsigned>(pixels ? a.patch_width * a.chunk : patch));
    a.inner = quotient_by(static_cast<unsigned>(pixels ? a.chunk : a.patch_width));
    plan.weights = arranged_weights(p, a.rows, plan.form.outputs);
    plan.blocks = p.batch * a.tiles_y * a.tiles_x * a.row_blocks * p.groups;
    plan.shared_bytes = a.chunk * patch * 4;
    return plan;
}

extern constinit const LayerKernel kSharedTileLayer = {
    .name = "shared_tile",
    .why_not = [](const LayerProblem& p,
                  const Device& device) { return why_no_tile_layer(p, most_shared_bytes(device)); },
    .prepare = cuda_only<prepare_layer_shared_tile>(),
    .cost = layer_cost,
};

}  // namespace weft
