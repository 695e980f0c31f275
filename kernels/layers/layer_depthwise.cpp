#include "kernels/layers/layer_depthwise.h"

#include <algorithm>

#include "kernels/common/quotient.h"
#include "kernels/device/cuda_build.h"
#include "kernels/layers/layer_args.h"

namespace weft {

namespace {

// Shared memory per block, on every GPU from Ampere on.
constexpr int kMaxShared = 99 * 1024;

// Strips of a plane and the memory that they need, in nchw.
struct PlaneStrips {
    explicit PlaneStrips(const LayerProblem& layer)
        : p(layer),
          rows(plane_rows(layer.taps.y, layer.stride.y)),
          count(ceil_div(layer.out_height(), rows)) {}

    // The input row that strip `s` begins or ends with, clipped to the plane.
    int first_row(int s) const {
        return std::clamp(s * rows * p.stride.y - p.padding.y, 0, p.height - 1);
    }
    int last_row(int s) const {
        const int last = (s * rows + rows - 1) * p.stride.y - p.padding.y + p.taps.y - 1;
        return std::clamp(last, 0, p.height - 1);
    }

    // Memory of a block that begins with strip `first`, including two vectors for misaligned ends.
    int stage_bytes(int first, int block_strips) const {
        const int last = first + block_strips - 1;
        const int planes = last / count;
        const int in = planes * p.height + last_row(last % count) - first_row(first) + 1;
        const int out = planes * p.out_height() +
                        std::min(last % count * rows + rows, p.out_height()) - first * rows;
        const int elements = std::max(in * p.width, out * p.out_width());
        return (elements * static_cast<int>(bytes_per_element(p.type)) + 32 + 15) / 16 * 16;
    }

    // The most of any block.
    int stage_bytes(int block_strips) const {
        int most = 0;
        for (int first = 0; first < count; ++first)
            most = std::max(most, stage_bytes(first, block_strips));
        return most;
    }

    const LayerProblem& p;
    int rows;
    int count;
};

// The channel varies fastest, so that neighbouring threads load neighbouring weights.
std::vector<float> weights_by_tap(const LayerProblem& p) {
    const std::vector<float> used = used_weights(p);
    const auto channels = static_cast<std::size_t>(p.in_channels);
    const std::size_t taps = used.size() / channels;
    std::vector<float> out(used.size());
    for (std::size_t c = 0; c < channels; ++c)
        for (std::size_t t = 0; t < taps; ++t) out[t * channels + c] = used[c * taps + t];
    return out;
}

// A channel's weights are contiguous, so that a lane loads them as vectors.
std::vector<float> weights_by_channel(const LayerProblem& p) {
    const std::vector<float> used = used_weights(p);
    const auto padded = static_cast<std::size_t>(padded_taps(p.taps.y));
    const auto taps = static_cast<std::size_t>(p.taps.y) * static_cast<std::size_t>(p.taps.x);
    std::vector<float> out(static_cast<std::size_t>(p.in_channels) * padded);
    for (std::size_t k = 0; k < used.size(); ++k) out[k / taps * padded + k % taps] = used[k];
    return out;
}

bool keeps_size(const LayerProblem& p) {
    return p.padding.y == p.taps.y / 2 && p.padding.x == p.taps.x / 2 &&
           p.width == p.out_width() * p.stride.x;
}

// Empty if rows are not whole vectors or too long: short vectors make more warps, long ones need
// fewer shuffles.
LaneShape lane_shape(const LayerProblem& p) {
    if (p.taps.y > 5 || !keeps_size(p)) return {};
    const auto fits = [&](int columns) {
        return p.width % columns == 0 && p.width / columns <= kMostRowLanes;
    };
    const bool few_taps = p.taps.y == 3 && p.stride.y == 1;
    const int wanted = few_taps ? 2 : 4;
    const int columns = fits(wanted) ? wanted : fits(6 - wanted) ? 6 - wanted : 0;
    const bool whole = columns == 2 && p.height == kWholeRows && !few_taps;
    return {.columns = columns, .whole = whole, .rows = lane_rows(p.stride.y, columns, whole)};
}

bool are_small_planes(const LayerProblem& p) {
    return p.height == kSmallSide && p.width == kSmallSide && p.taps.y <= 5 && p.stride.y == 1 &&
           keeps_size(p);
}

DepthwiseCut cut_of(const LayerProblem& p) {
    if (p.layout == LayerLayout::nhwc) return DepthwiseCut::pixels;
    if (are_small_planes(p)) return DepthwiseCut::small_planes;
    return lane_shape(p).columns > 0 ? DepthwiseCut::lanes : DepthwiseCut::planes;
}

DepthwiseArgs common_args(const LayerProblem& p, int outputs) {
    DepthwiseArgs a;
    a.batch = p.batch;
    a.channels = p.in_channels;
    a.height = p.height;
    a.width = p.width;
    a.out_height = p.out_height();
    a.out_width = p.out_width();
    a.padding_y = p.padding.y;
    a.padding_x = p.padding.x;
    a.groups = ceil_div(a.out_width, outputs);
    return a;
}

Quotient by(int divisor) {
    return quotient_by(static_cast<unsigned>(divisor));
}

void plan_lanes(const LayerProblem& p, DepthwisePlan& plan) {
    DepthwiseArgs& a = plan.args;
    a.strip_rows = plan.form.lanes.rows;
    a.strips = ceil_div(a.out_height, a.strip_rows);
    a.block_strips = kMostRowLanes / a.groups;
    a.planes = static_cast<unsigned>(a.batch * a.channels);
    a.by_groups = by(a.groups);
    a.by_strips = by(a.strips);
    a.by_channels = by(a.channels);
    plan.warps = kLaneWarps;
    plan.blocks = ceil_div(a.batch * a.channels * a.strips, a.block_strips * kLaneWarps);
    plan.weights = weights_by_channel(p);
}

void plan_small_planes(const LayerProblem& p, DepthwisePlan& plan) {
    DepthwiseArgs& a = plan.args;
    a.planes = static_cast<unsigned>(a.batch * a.channels);
    a.by_channels = by(a.channels);
    plan.warps = kSmallWarps;
    plan.blocks = ceil_div(a.batch * a.channels, 32 * kSmallWarps);
    plan.shared_bytes =
        kSmallWarps * 32 * kSmallSide * kSmallSide * static_cast<int>(bytes_per_element(p.type));
    plan.weights = weights_by_tap(p);
}

// Blocks of a warp or little more: a barrier costs next to nothing, and no warp waits for another.
void plan_planes(const LayerProblem& p, DepthwisePlan& plan) {
    constexpr int kThreads = 32;
    const PlaneStrips strips(p);
    DepthwiseArgs& a = plan.args;
    a.strip_rows = strips.rows;
    a.strips = strips.count;
    a.block_strips = std::clamp(kThreads / a.groups, 1, a.channels * a.strips);
    while (a.block_strips > 1 && 2 * strips.stage_bytes(a.block_strips) > kMaxShared)
        a.block_strips /= 2;
    a.tiles = ceil_div(a.channels * a.strips, a.block_strips);
    const int stage = strips.stage_bytes(a.block_strips);
    // Fetches ahead where computing takes as long as memory. Elsewhere blocks that follow the order
    // of memory are faster: 3×3 on 32×112² then takes 102 µs instead of 120 on an H200.
    const bool ahead = p.taps.y >= 5 && p.stride.y == 1;
    a.stages = ahead && a.batch > 1 && 2 * stage <= kMaxShared ? 2 : 1;
    a.stage_vectors = stage / 16;
    plan.warps = ceil_div(a.block_strips * a.groups, 32);
    plan.shared_bytes = a.stages * stage;
    plan.whole_groups = a.out_width % plan.form.outputs == 0 && p.padding.x == p.taps.x / 2 &&
                        a.width == a.out_width * p.stride.x;
    plan.weights = weights_by_tap(p);
}

// Strips are as long as leaves enough warps: the first rows of each are loaded and multiplied
// twice, which costs most with large taps.
void plan_pixels(const LayerProblem& p, int multiprocessors, DepthwisePlan& plan) {
    constexpr int kLeastRows = 7;
    const int wanted = (p.taps.y == 3 ? 64 : 24) * multiprocessors;
    const auto size = static_cast<int>(bytes_per_element(p.type));
    const int window = (plan.form.outputs - 1) * plan.form.stride + plan.form.taps;
    DepthwiseArgs& a = plan.args;
    a.chunks = ceil_div(a.channels, 32);
    const int columns = a.batch * a.chunks * a.groups;
    a.strips = std::clamp(ceil_div(wanted, columns), 1, ceil_div(a.out_height, kLeastRows));
    a.strip_rows = ceil_div(a.out_height, a.strips);
    a.strips = ceil_div(a.out_height, a.strip_rows);
    plan.whole_vectors = a.channels * size % 16 == 0;
    plan.warps = kPixelWarps;
    plan.blocks = ceil_div(columns * a.strips, kPixelWarps);
    plan.shared_bytes = kPixelWarps * pixel_ring(plan.form.stride) * window * 32 * size;
    plan.weights = weights_by_tap(p);
}

}  // namespace

std::string why_not_depthwise(const LayerProblem& p) {
    if (!p.depthwise()) return "it takes depthwise layers: one set of taps for each channel";
    const int k = p.taps.y;
    if (p.taps.x != k || (k != 3 && k != 5 && k != 7)) return "it takes 3×3, 5×5 and 7×7 taps";
    if (p.stride.y != p.stride.x || p.stride.y > 2) return "it takes strides of 1 and 2";
    if (p.dilation.y != 1 || p.dilation.x != 1) return "it takes taps without dilation";
    if (cut_of(p) != DepthwiseCut::planes) return "";
    const PlaneStrips strips(p);
    if (ceil_div(p.out_width(), depthwise_outputs(k)) > kMaxPlaneThreads ||
        strips.stage_bytes(1) > kMaxShared)
        return "rows of such planes are too long for shared memory: direct takes them";
    return "";
}

DepthwisePlan plan_depthwise(const LayerProblem& p, int multiprocessors) {
    DepthwisePlan plan;
    const DepthwiseCut cut = cut_of(p);
    const LaneShape lanes = cut == DepthwiseCut::lanes ? lane_shape(p) : LaneShape{};
    const int outputs = cut == DepthwiseCut::lanes ? std::max(lanes.columns / p.stride.x, 1)
                                                   : depthwise_outputs(p.taps.y);
    plan.form = {
        .cut = cut, .taps = p.taps.y, .stride = p.stride.y, .outputs = outputs, .lanes = lanes};
    plan.args = common_args(p, outputs);
    switch (cut) {
        case DepthwiseCut::lanes:
            plan_lanes(p, plan);
            break;
        case DepthwiseCut::small_planes:
            plan_small_planes(p, plan);
            break;
        case DepthwiseCut::planes:
            plan_planes(p, plan);
            share_images(plan, multiprocessors);
            break;
        case DepthwiseCut::pixels:
            plan_pixels(p, multiprocessors, plan);
            break;
    }
    return plan;
}

void share_images(DepthwisePlan& plan, int resident_blocks) {
    // One wave of equal blocks where they divide evenly enough, else several waves.
    constexpr int kEven = 4;
    constexpr int kImages = 8;
    DepthwiseArgs& a = plan.args;
    const int slots = resident_blocks / a.tiles;
    if (a.stages == 2)
        a.block_images = slots >= kEven ? ceil_div(a.batch, slots) : std::min(a.batch, kImages);
    plan.blocks = a.tiles * ceil_div(a.batch, a.block_images);
}

extern constinit const LayerKernel kColumnRowReuseLayer = {
    .name = "column_row_reuse",
    .why_not = [](const LayerProblem& p, const Device& device) -> std::string {
        std::string reason = why_not_before_ampere(device);
        return reason.empty() ? why_not_depthwise(p) : reason;
    },
    .prepare = cuda_only<prepare_layer_depthwise>(),
    .cost = layer_cost,
};

}  // namespace weft
