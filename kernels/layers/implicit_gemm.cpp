#include "kernels/layers/implicit_gemm.h"

#include <algorithm>
#include <limits>

#include "kernels/common/half_bits.h"
#include "kernels/common/kernel_terms.h"
#include "kernels/common/quotient.h"
#include "kernels/device/cuda_build.h"
#include "kernels/layers/image_layer.h"

namespace weft {

namespace {

int tiles_of(const LayerProblem& p, const GemmTile& tile) {
    const auto pixels = static_cast<int>(p.outputs() / p.out_channels);
    return ceil_div(p.group_outputs(), tile.rows) * ceil_div(pixels, tile.pixels) * p.groups;
}

GemmTile choose_tile(const LayerProblem& p, int multiprocessors) {
    const bool half = p.type == LayerType::f16;
    const GemmTile large = half ? kGemmHigh : kGemmWide;
    const GemmTile small = half ? kGemmFlat : kGemmNarrow;
    const bool low = 2 * p.group_outputs() <= large.rows;
    return low || tiles_of(p, large) < multiprocessors ? small : large;
}

// Small tiles with long sums leave most of a GPU idle: makes enough splits for the blocks to hide
// latency, each with enough slices to be worth the extra addition.
void split_depth(const GemmTile& tile, bool half, int multiprocessors, GemmPlan& plan) {
    const int wanted = (half ? 2 : 4) * multiprocessors;
    const int least_slices = half ? 4 : 8;
    GemmArgs& a = plan.args;
    const int slices = a.depth / tile.depth;
    int splits = 1;
    if (plan.blocks < 2 * multiprocessors)
        splits = std::clamp(wanted / plan.blocks, 1, std::max(1, slices / least_slices));
    a.split_depth = ceil_div(slices, splits) * tile.depth;
    a.splits = ceil_div(a.depth, a.split_depth);
}

// Calls `store` with the place in [group][row][k] and every weight.
template <class Store>
void for_each_weight(const LayerProblem& p, bool channels_last, const Store& store) {
    const std::vector<float> used = used_weights(p);
    const std::vector<int> order = tap_order(p, channels_last);
    for (int m = 0; m < p.out_channels; ++m)
        for (std::size_t k = 0; k < order.size(); ++k)
            store(m / p.group_outputs(), m % p.group_outputs(), k,
                  used[static_cast<std::size_t>(m) * order.size() +
                       static_cast<std::size_t>(order[k])]);
}

void arrange_weights(const LayerProblem& p, bool channels_last, GemmPlan& plan) {
    const auto rows = static_cast<std::size_t>(plan.args.rows);
    const auto depth = static_cast<std::size_t>(plan.args.depth);
    const std::size_t count = rows * depth * static_cast<std::size_t>(p.groups);
    if (p.type == LayerType::f32) {
        plan.weights.assign(count, 0.0F);
        for_each_weight(p, channels_last, [&](int group, int row, std::size_t k, float w) {
            plan.weights[(static_cast<std::size_t>(group) * depth + k) * rows +
                         static_cast<std::size_t>(row)] = w;
        });
    } else {
        plan.halves.assign(count, 0);
        for_each_weight(p, channels_last, [&](int group, int row, std::size_t k, float w) {
            plan.halves[(static_cast<std::size_t>(group) * rows + static_cast<std::size_t>(row)) *
                            depth +
                        k] = half_bits(w);
        });
    }
}

}  // namespace

GemmPlan plan_gemm(const LayerProblem& p, int multiprocessors) {
    const bool channels_last = p.layout == LayerLayout::nhwc;
    GemmPlan plan;
    plan.tile = choose_tile(p, multiprocessors);
    plan.vectors = channels_last && p.type == LayerType::f16 && p.group_inputs() % 8 == 0;
    GemmArgs& a = plan.args;
    a.shape = layer_shape(p);
    a.used_depth = p.sum_length();
    a.depth = ceil_div(a.used_depth, plan.tile.depth) * plan.tile.depth;
    a.row_tiles = ceil_div(p.group_outputs(), plan.tile.rows);
    a.rows = a.row_tiles * plan.tile.rows;
    a.pixels = static_cast<unsigned>(p.outputs() / p.out_channels);
    a.pixel_tiles = ceil_div(static_cast<int>(a.pixels), plan.tile.pixels);
    plan.places = tap_places(p, channels_last);
    // The padding of the last slice meets zero weights, and is never inside a plane.
    plan.places.resize(static_cast<std::size_t>(a.depth), {0, INT16_MIN, INT16_MIN});
    arrange_weights(p, channels_last, plan);
    plan.blocks = a.row_tiles * a.pixel_tiles * p.groups;
    split_depth(plan.tile, p.type == LayerType::f16, multiprocessors, plan);
    return plan;
}

std::size_t GemmPlan::partial_sums() const {
    if (args.splits == 1) return 0;
    return static_cast<std::size_t>(args.splits) *
           static_cast<std::size_t>(args.shape.out_channels) * args.pixels;
}

namespace {

std::string why_not_gemm(const LayerProblem& p, const Device& device) {
    std::string reason = why_not_before_ampere(device);
    return reason.empty() ? why_no_tap_places(p) : reason;
}

// Of images: a product for 16 sums costs as much as one for fewer, of which none was measured. On
// an H200, the largest of 16 sums of 4K u8 RGB takes 1.02 ms at 7×7 and 2.09 at 11×11; with one
// output per thread it takes 12.8 and 26.3.
double time_of(const ConvProblem& p, const Device& device) {
    const double area = p.taps().width * p.taps().height;
    const std::size_t sets = p.conv.front().taps.size();
    if (sets < 8 || area < 9) return std::numeric_limits<double>::infinity();
    return estimated_time(p, device,
                          {.hopper_time = (97 + 4.95 * area) * static_cast<double>(ceil_div(
                                                                   static_cast<int>(sets), 16))});
}

}  // namespace

extern constinit const LayerKernel kImplicitGemmLayer = {
    .name = "implicit_gemm",
    .why_not = why_not_gemm,
    .prepare = cuda_only<prepare_layer_gemm>(),
    .cost = layer_cost,
};

extern constinit const ConvKernel kImplicitGemmKernel = {
    .name = "implicit_gemm",
    .summary =
        "a layer as a matrix product, the input gathered by index arithmetic inside a tiled "
        "GEMM; f16 on tensor cores",
    .source = "Chetlur et al., cuDNN, 2014",
    .limits = "NVIDIA GPU from Ampere on; layers; images as planes of fp32, dense taps",
    .space = MemorySpace::device,
    .sums_channels = true,
    .why_not = why_not_as_layer_of<kImplicitGemmLayer>,
    .prepare = cuda_only<prepare_as_layer_of<kImplicitGemmLayer>>(),
    .cost = dense_cost,
    .time = time_of,
    .reason = "{size} {type}, sums over channels: a product of matrices",
};

}  // namespace weft
