#include "kernels/separable/separable_reuse.h"

#include <algorithm>
#include <cmath>

#include "kernels/common/kernel_terms.h"
#include "kernels/common/quotient.h"
#include "kernels/device/cuda_build.h"
#include "kernels/rounding.h"

namespace weft {

namespace {

constexpr int kThreads = 32 * kSeparableWarps;

// 16 rows of them fit into 227 KiB of shared memory, and 511 RGBA pixels into two thirds of them.
constexpr int kMostColumns = 3072;

// Two rows of sums per thread beyond this would leave the L1 cache too little for the samples.
constexpr int kManyShared = 200 * 1024;

// The small form reads a 16-bit sample as the bits of a float, x · 2^-149. The column factors make
// up for 100 of the bits, so that sums of a column are normal numbers.
constexpr int kSubnormalBits = 149;
constexpr int kColumnBits = 100;

// Factors that are then neither too large nor subnormal.
constexpr double kLargestFactor = 16777216.0;

int round_up(int a, int b) {
    return ceil_div(a, b) * b;
}

// Columns of a block: at least three quarters of them give outputs if the L1 cache can hold the
// block's input, and half of them otherwise.
int columns_of(int halo) {
    if (4 * halo <= kThreads) return kThreads;
    return std::min(round_up(2 * halo, kThreads / 2), kMostColumns);
}

int pixels_of(const ConvProblem& p) {
    return p.channels == 1 ? kSeparablePixels<1> : kSeparablePixels<4>;
}

int halo_of(const ConvProblem& p) {
    return (p.taps().width - 1) * p.channels;
}

int least_columns(const ConvProblem& p) {
    return halo_of(p) + pixels_of(p) * p.channels;
}

void set_columns(const ConvProblem& p, int columns, SeparableReuseArgs& a) {
    const int step = pixels_of(p) * p.channels;
    a.columns = columns;
    a.outputs = (columns - halo_of(p)) / step * step;
    // A row's last window is read completely.
    const int read = a.outputs + round_up(a.width, pixels_of(p)) * p.channels;
    const int vectors = ceil_div(std::max(columns, read), 4);
    a.pitch = 4 * (vectors % 2 == 0 ? vectors + 1 : vectors);
}

int shared_bytes_of(const SeparableReuseArgs& a) {
    return 4 * (a.planes * a.tap_stride + a.rows * a.pitch);
}

bool reads_subnormal(const SeparableSmallVariant& v) {
    return v.type == PixelType::u16 && !v.box;
}

bool fit_subnormal(const std::vector<float>& factors) {
    const double largest = largest_of(factors);
    return largest < kLargestFactor && largest > 1.0 / kLargestFactor;
}

// Fewer rows where shared memory is short, then fewer columns.
SeparableReuseArgs fitting_args(const ConvProblem& p, int most_shared) {
    SeparableReuseArgs a;
    a.planes = static_cast<int>(p.conv.size());
    a.width = p.taps().width;
    a.height = p.taps().height;
    a.row_stride = round_up(a.width, 4);
    a.tap_stride = a.row_stride + round_up(a.height, 4);
    set_columns(p, std::max(columns_of(halo_of(p)), least_columns(p)), a);
    a.rows = 2 * kSeparableRows;
    if (shared_bytes_of(a) > std::min(kManyShared, most_shared)) a.rows = kSeparableRows;
    const int step = pixels_of(p) * p.channels;
    while (shared_bytes_of(a) > most_shared && a.columns > least_columns(p))
        set_columns(p, std::max(a.columns - step, least_columns(p)), a);
    return a;
}

}  // namespace

std::string why_not_between(const ConvProblem& p, const Device& device) {
    const int most = most_shared_bytes(device);
    if (shared_bytes_of(fitting_args(p, most)) <= most) return {};
    return "the sums between its passes, 16 rows and the halo of these taps, do not fit into the "
           "shared memory of a block on this GPU";
}

SeparableReuseLayout lay_out_separable_reuse(const ConvProblem& p, const Device& device) {
    SeparableReuseLayout layout;
    SeparableReuseArgs& a = layout.args;
    a = fitting_args(p, most_shared_bytes(device));
    a.images = conv_images(p, layout.borders);
    layout.shared_bytes = shared_bytes_of(a);
    const int taps = a.planes * a.tap_stride;
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

int small_size(const ConvProblem& p, const SeparableSmallVariant& v) {
    const Taps& t = p.taps();
    const int size = std::max(t.width, t.height);
    if (!reads_subnormal(v)) return t.width == t.height && v.compiled_for(size) ? size : 0;
    if (size > v.most_size) return 0;
    return v.least_size + ceil_div(std::max(size - v.least_size, 0), v.size_step) * v.size_step;
}

std::optional<std::size_t> find_small_variant(const ConvProblem& p) {
    const bool box = is_box(p.taps()) && box_keeps_exactness(p.conv.front());
    if (p.conv.size() != 1) return std::nullopt;
    const auto* const found = std::ranges::find_if(kSmallVariants, [&](const auto& v) {
        return v.type == p.type && v.channels == p.channels && small_size(p, v) > 0 &&
               (!v.box || box) &&
               (!reads_subnormal(v) ||
                (fit_subnormal(p.taps().row) && fit_subnormal(p.taps().column)));
    });
    if (found == kSmallVariants.end()) return std::nullopt;
    return static_cast<std::size_t>(found - kSmallVariants.begin());
}

SeparableSmallLayout lay_out_separable_small(const ConvProblem& problem,
                                             const SeparableSmallVariant& v) {
    const SeparableSmallShape& shape = v.shape;
    SeparableSmallLayout layout;
    SeparableSmallArgs& a = layout.args;
    layout.size = small_size(problem, v);
    ConvProblem p = problem;
    Taps& taps = p.conv.front().taps.front();
    taps = padded_taps(taps, layout.size, layout.size, taps.anchor_x, taps.anchor_y);
    const int outputs = small_outputs(shape, halo_of(p));
    a.columns = outputs + halo_of(p);
    // A row's last window is read in whole vectors.
    const int vectors = ceil_div(a.columns, 4);
    a.pitch = 4 * (vectors % 2 == 0 ? vectors + 1 : vectors);
    a.images = conv_images(p, layout.borders);
    a.tiles_x = ceil_div(p.width * p.channels, outputs);
    a.constant_border = p.border == Border::constant;
    const int column_bits = reads_subnormal(v) ? kColumnBits : 0;
    const int row_bits = reads_subnormal(v) ? kSubnormalBits - kColumnBits : 0;
    std::ranges::transform(taps.row, a.row, [&](float w) { return std::ldexp(w, row_bits); });
    std::ranges::transform(taps.column, a.column,
                           [&](float w) { return std::ldexp(w, column_bits); });
    if (v.box)
        std::ranges::fill(a.images.scale, static_cast<float>(box_gain(problem.conv.front())));
    layout.blocks = grid_size(a.tiles_x, ceil_div(p.height, shape.rows));
    layout.shared_bytes = 4 * shape.rows * a.pitch;
    return layout;
}

namespace {

std::string why_not_separable_reuse(const ConvProblem& p, const Device& device) {
    if (std::string reason = why_not_separable(p); !reason.empty()) return reason;
    if (find_small_variant(p)) return why_not_factors_in_fp32(p);
    std::string reason = why_not_between(p, device);
    return reason.empty() ? why_not_factors_in_fp32(p) : reason;
}

// The unrolled form, by the compiled size.
Work unrolled_work(const ConvProblem& p, const SeparableSmallVariant& variant) {
    const double size = small_size(p, variant);
    if (variant.box)
        return {.start = 1.1 + 0.125 * size, .hopper_time = 11.1 + 0.0057 * size * size};
    if (variant.type == PixelType::u16)
        return {.start = 1.8 + 0.12 * size, .hopper_time = 8.8 + 0.58 * size, .fmas = 2 * size};
    const double square = p.channels == 1 ? 0.0137 : 0.044;
    return {.start = 1.4 + 0.22 * size, .hopper_time = 16 + square * size * size, .fmas = 2 * size};
}

// The form for any factors, by type and channels.
Work any_work(const ConvProblem& p) {
    struct Row {
        double base, each;
    };
    constexpr Row kRows[3][4] = {{{10.2, 0.475}, {16.0, 0.57}, {16.7, 0.70}, {12.9, 0.85}},
                                 {{12.0, 0.70}, {18.0, 0.70}, {18.0, 0.84}, {12.0, 0.90}},
                                 {{24.0, 0.434}, {28.2, 0.478}, {34.6, 0.50}, {30.2, 0.764}}};
    const Row& row = kRows[static_cast<int>(p.type)][p.channels - 1];
    const double factors = p.taps().width + p.taps().height;
    return {.start = 4.0 + 0.075 * factors, .hopper_time = row.base + row.each * factors};
}

double time_of(const ConvProblem& p, const Device& device) {
    const std::optional<std::size_t> found = find_small_variant(p);
    return estimated_time(p, device,
                          found ? unrolled_work(p, kSmallVariants[*found]) : any_work(p));
}

}  // namespace

extern constinit const ConvKernel kSeparableReuseKernel = {
    .name = "separable_reuse",
    .summary =
        "both passes in one launch: 12 to 32 results of a column in flight, then 4 to 16 samples "
        "of a row, with the sums between the passes in shared memory",
    .source = "register blocking, textbook; passes fused as in Lu, Zhang, Wang, TPDS 2022",
    .limits = "NVIDIA GPU; one tap set, known as row × column, up to 511 a side",
    .space = MemorySpace::device,
    .why_not = why_not_separable_reuse,
    .prepare = cuda_only<prepare_separable_reuse>(),
    .cost = separable_cost,
    .time = time_of,
    .reason = "{size} factored {type}: {width} + {height} factors in two passes",
};

}  // namespace weft
