#include "kernels/layers/layer_fft.h"

#include <algorithm>
#include <cmath>

#include "kernels/common/quotient.h"
#include "kernels/device/cuda_build.h"
#include "kernels/device/cufft.h"

namespace weft {

namespace {

constexpr int kLongestSide = 256;  // tile side; Arithmetic::fourier relies on it
constexpr int kShortestSide = 32;
constexpr int kWidestTaps = 128;                   // so that at least half a tile is results
constexpr double kRoundBytes = 256.0 * (1 << 20);  // tiles that are transformed at once
constexpr double kMostBytes = 1024.0 * (1 << 20);

// The distance from the first sample of a window to the last, plus one.
int span_of(int taps, int dilation) {
    return (taps - 1) * dilation + 1;
}

struct AxisTiles {
    int size = 2;     // samples
    int outputs = 1;  // per tile
    int count = 1;
};

// Four times as long as the taps, so that three quarters of a tile are results.
AxisTiles cut_axis(int length, int span, int stride) {
    const int longest = std::clamp(4 * span, kShortestSide, kLongestSide);
    const int fewest = ceil_div(length, std::max(1, (longest - span) / stride + 1));
    AxisTiles axis;
    axis.size = good_transform_size((ceil_div(length, fewest) - 1) * stride + span);
    axis.outputs = std::min(length, (axis.size - span) / stride + 1);
    axis.count = ceil_div(length, axis.outputs);
    return axis;
}

FftLayerArgs tiles_of(const LayerProblem& p) {
    FftLayerArgs a;
    a.shape = layer_shape(p);
    const AxisTiles y = cut_axis(p.out_height(), span_of(p.taps.y, p.dilation.y), p.stride.y);
    const AxisTiles x = cut_axis(p.out_width(), span_of(p.taps.x, p.dilation.x), p.stride.x);
    a.height = y.size;
    a.width = x.size;
    a.tile_height = y.outputs;
    a.tile_width = x.outputs;
    a.tiles_y = y.count;
    a.tiles_x = x.count;
    a.tiles = p.batch * y.count * x.count;
    return a;
}

double plane_bytes(const FftLayerArgs& a) {
    return 4.0 * a.height * (a.width + 2);
}

}  // namespace

std::string why_not_fft_layer(const LayerProblem& p) {
    const int span = std::max(span_of(p.taps.y, p.dilation.y), span_of(p.taps.x, p.dilation.x));
    if (span > kWidestTaps)
        return "it transforms tiles of up to 256×256, of which taps may take 128 a side with their "
               "dilation: direct takes wider ones";
    const double bytes = plane_bytes(tiles_of(p));
    if (bytes * std::max<double>(static_cast<double>(p.weights.size()) / (p.taps.y * p.taps.x),
                                 p.in_channels + p.out_channels) >
        kMostBytes)
        return "the spectra of so many planes take more than 1 GiB";
    return "";
}

FftLayerPlan plan_fft_layer(const LayerProblem& p) {
    FftLayerPlan plan;
    plan.args = tiles_of(p);
    FftLayerArgs& a = plan.args;
    plan.outputs = p.group_outputs() == 1 ? 1 : kFftLayerOutputs;
    a.rows = ceil_div(p.group_outputs(), plan.outputs);
    a.row_samples = quotient_by(static_cast<unsigned>(a.width));
    a.row_outputs = quotient_by(static_cast<unsigned>(a.tile_width));
    plan.weights = used_weights(p);
    for (float& w : plan.weights) w /= static_cast<float>(a.height * a.width);
    const double tile_bytes = plane_bytes(a) * (p.in_channels + p.out_channels);
    const int rounds = static_cast<int>(std::ceil(a.tiles * tile_bytes / kRoundBytes));
    plan.tiles_a_round = ceil_div(a.tiles, std::min(rounds, a.tiles));
    return plan;
}

FftProducts fft_products(const FftLayerArgs& a) {
    const int groups = a.shape.in_channels / a.shape.group_inputs;
    FftProducts out;
    out.row_blocks = ceil_div(a.rows * groups, kFftRowWarps);
    out.frequency_blocks = ceil_div(a.height * (a.width / 2 + 1), kFftFrequencies);
    out.blocks = out.row_blocks * out.frequency_blocks * ceil_div(a.round_tiles, kFftLayerTiles);
    return out;
}

double fft_layer_flops(const LayerProblem& p) {
    const FftLayerArgs a = tiles_of(p);
    const double samples = static_cast<double>(a.height) * a.width;
    const double transforms = 2.5 * std::log2(samples) * samples;
    const int frequencies = a.width / 2 + 1;
    const double products = 8.0 * a.height * frequencies * p.group_inputs() * p.out_channels;
    return a.tiles * ((p.in_channels + p.out_channels) * transforms + products);
}

namespace {

// Checks for the library last, as fft does for images.
std::string why_not_layer_here(const LayerProblem& p, const Device&) {
    std::string reason = why_not_fft_layer(p);
    return reason.empty() ? why_no_cufft() : reason;
}

Cost fft_layer_cost(const LayerProblem& p) {
    Cost cost = layer_cost(p);
    cost.flops = fft_layer_flops(p);
    cost.flops_formula =
        "2.5 n log2 n for each tile of n samples and channel, 4 n for each pair of "
        "input and output";
    return cost;
}

}  // namespace

extern constinit const LayerKernel kFftLayer = {
    .name = "fft",
    .arithmetic = Arithmetic::fourier,
    .why_not = why_not_layer_here,
    .prepare = cuda_only<prepare_layer_fft>(),
    .cost = fft_layer_cost,
};

}  // namespace weft
