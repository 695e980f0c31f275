#include "kernels/layer_depthwise.h"

#include <algorithm>

namespace weft {

namespace {

// What every GPU from Ampere on gives a block.
constexpr int kMaxShared = 99 * 1024;

int ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

// The input rows of a plane that `strip` needs, clipped to the plane but never none.
struct Rows {
    int first, last;
};

Rows rows_of(const LayerProblem& p, int strip) {
    const int first = strip * kPlaneRows * p.stride.y - p.padding.y;
    const int last = first + (kPlaneRows - 1) * p.stride.y + p.taps.y - 1;
    return {std::clamp(first, 0, p.height - 1), std::clamp(last, 0, p.height - 1)};
}

// What a block that begins with `first` of a plane's strips keeps, plus two vectors for misaligned
// ends.
int shared_bytes(const LayerProblem& p, int strips, int first, int count) {
    const int last = first + count - 1;
    const auto size = static_cast<int>(bytes_per_element(p.type));
    const int planes = last / strips;
    const int in = planes * p.height + rows_of(p, last % strips).last - rows_of(p, first).first + 1;
    const int out = planes * p.out_height() +
                    std::min(last % strips * kPlaneRows + kPlaneRows, p.out_height()) -
                    first * kPlaneRows;
    return std::max(in * p.width, out * p.out_width()) * size + 32;
}

// Of the neediest block.
int shared_bytes(const LayerProblem& p, int strips, int count) {
    int most = 0;
    for (int first = 0; first < strips; ++first)
        most = std::max(most, shared_bytes(p, strips, first, count));
    return most;
}

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

// Blocks of about 128 threads, or of fewer where that would leave multiprocessors idle.
void plan_planes(const LayerProblem& p, int multiprocessors, DepthwisePlan& plan) {
    constexpr int kThreads = 128;
    DepthwiseArgs& a = plan.args;
    a.strip_rows = kPlaneRows;
    a.strips = ceil_div(a.out_height, kPlaneRows);
    const int total = a.batch * a.channels * a.strips;
    a.block_strips = std::max(1, kThreads / a.groups);
    const auto can_halve = [&] { return a.block_strips > 1 && a.block_strips * a.groups > 32; };
    while (can_halve() && (ceil_div(total, a.block_strips) < 4 * multiprocessors ||
                           shared_bytes(p, a.strips, a.block_strips) > kMaxShared / 2))
        a.block_strips /= 2;
    while (a.block_strips > 1 && shared_bytes(p, a.strips, a.block_strips) > kMaxShared)
        a.block_strips /= 2;
    plan.blocks = ceil_div(total, a.block_strips);
    plan.warps = ceil_div(a.block_strips * a.groups, 32);
    plan.shared_bytes = shared_bytes(p, a.strips, a.block_strips);
    plan.whole_groups = a.out_width % plan.form.outputs == 0 && p.padding.x == p.taps.x / 2 &&
                        a.width == a.out_width * p.stride.x;
}

// Strips as long as leave several waves of warps: their first rows are loaded twice.
void plan_pixels(int multiprocessors, DepthwisePlan& plan) {
    constexpr int kWarps = 4;
    constexpr int kLeastRows = 7;
    const int wanted = 64 * multiprocessors;
    DepthwiseArgs& a = plan.args;
    a.chunks = ceil_div(a.channels, 32);
    const int columns = a.batch * a.chunks * a.groups;
    a.strips = std::clamp(ceil_div(wanted, columns), 1, ceil_div(a.out_height, kLeastRows));
    a.strip_rows = ceil_div(a.out_height, a.strips);
    a.strips = ceil_div(a.out_height, a.strip_rows);
    plan.warps = kWarps;
    plan.blocks = ceil_div(columns * a.strips, kWarps);
}

}  // namespace

std::string why_not_depthwise(const LayerProblem& p) {
    if (!p.depthwise()) return "it takes depthwise layers: one set of taps for each channel";
    const int k = p.taps.y;
    if (p.taps.x != k || (k != 3 && k != 5 && k != 7)) return "it takes 3×3, 5×5 and 7×7 taps";
    if (p.stride.y != p.stride.x || p.stride.y > 2) return "it takes strides of 1 and 2";
    if (p.dilation.y != 1 || p.dilation.x != 1) return "it takes taps without dilation";
    if (p.layout == LayerLayout::nhwc) return "";
    const int strips = ceil_div(p.out_height(), kPlaneRows);
    if (ceil_div(p.out_width(), plane_outputs(k)) > kMaxPlaneThreads ||
        static_cast<double>(p.width) * (kPlaneRows * p.stride.y + k) * 4 > 2.0 * kMaxShared ||
        shared_bytes(p, strips, 1) > kMaxShared)
        return "rows of such planes are too long for shared memory: direct takes them";
    return "";
}

DepthwisePlan plan_depthwise(const LayerProblem& p, int multiprocessors) {
    const bool planes = p.layout == LayerLayout::nchw;
    DepthwisePlan plan;
    plan.form = {.layout = p.layout,
                 .taps = p.taps.y,
                 .stride = p.stride.y,
                 .outputs = planes ? plane_outputs(p.taps.y) : pixel_outputs(p.taps.y, p.stride.y)};
    plan.args = common_args(p, plan.form.outputs);
    plan.weights = weights_by_tap(p);
    if (planes)
        plan_planes(p, multiprocessors, plan);
    else
        plan_pixels(multiprocessors, plan);
    return plan;
}

}  // namespace weft
