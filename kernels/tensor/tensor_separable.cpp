#include "kernels/tensor/tensor_separable.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "kernels/common/half_bits.h"
#include "kernels/common/kernel_terms.h"
#include "kernels/common/quotient.h"
#include "kernels/device/cuda_build.h"
#include "kernels/rounding.h"
#include "kernels/tensor/tensor_dense.h"
#include "kernels/tensor/tensor_int8.h"

namespace weft {

namespace {

// A finished result may be this many steps of the output off before it is rounded: two results that
// are rounded then differ by at most one step.
constexpr double kLargestError = 0.45;

// The error that Arithmetic::half_between allows a sum, per Σ|row| Σ|column|.
constexpr double kGranted = 128.0 * 3.25 / 2048.0;

constexpr double kHalfUnit = 1.0 / 2048.0;  // relative, of rounding to half precision

// Whole numbers up to this are exact in half precision.
constexpr double kMostExactHalf = 2048.0;

constexpr std::uint32_t kAlphaByte = 0xFF000000U;

// Tensor cores cut off bits below 2^-22 of the largest term, once per step of 16 products.
double cut_off(int factors) {
    return std::ldexp((factors + 23) / 16.0, -22);
}

double sum_of(const std::vector<float>& list) {
    return std::accumulate(list.begin(), list.end(), 0.0);
}

bool passes_through(const std::vector<float>& factors, int anchor) {
    for (std::size_t k = 0; k < factors.size(); ++k)
        if (factors[k] != (static_cast<int>(k) == anchor ? 1.0F : 0.0F)) return false;
    return true;
}

bool passes_through(const ChannelConv& c) {
    const Taps& t = c.taps.front();
    return c.scale == 1.0F && c.bias == 0.0F && passes_through(t.row, t.anchor_x) &&
           passes_through(t.column, t.anchor_y);
}

bool same_filter(const ChannelConv& a, const ChannelConv& b) {
    return a.scale == b.scale && a.bias == b.bias && a.taps.front().row == b.taps.front().row &&
           a.taps.front().column == b.taps.front().column &&
           a.taps.front().weights == b.taps.front().weights;
}

// The one filter of all channels but those that are left alone; null if there are several.
const ChannelConv* filter_of(const ConvProblem& p) {
    if (p.conv.size() == 1) return &p.conv.front();
    const auto filtered =
        std::ranges::find_if_not(p.conv, [](const ChannelConv& c) { return passes_through(c); });
    if (filtered == p.conv.end()) return &p.conv.front();
    const bool one = std::ranges::all_of(p.conv, [&](const ChannelConv& c) {
        return passes_through(c) || same_filter(c, *filtered);
    });
    return one ? &*filtered : nullptr;
}

// The bytes of the left-alone channels in each word.
std::uint32_t kept_bytes(const ConvProblem& p, const ChannelConv& filter) {
    std::uint32_t kept = 0;
    for (int byte = 0; byte < 4; ++byte)
        if (!same_filter(p.channel(byte % p.channels), filter)) kept |= 0xFFU << (8 * byte);
    return kept;
}

// Pixels from a window's first, which is at a multiple of 8, to the first that an output needs.
int slack_of(const Taps& t) {
    return -t.anchor_x & 7;
}

std::optional<std::size_t> shape_for(const ConvProblem& p) {
    const int window = slack_of(p.taps()) + 16 + p.taps().width - 1;
    const int rows = kStripRows - 1 + p.taps().height;
    for (std::size_t k = 0; k < strip_shapes(p.channels); ++k) {
        const StripShape shape = strip_shape(p.channels, k);
        if (window <= 32 * shape.halves && rows <= kStripRows * shape.chunks) return k;
    }
    return std::nullopt;
}

// RGB whose windows are not much wider than those of gray: on an H100 at 4K Gaussians take 26.2 µs
// at 5×5 and 33.1 at 15×15 instead of 30.2 and 32.0, a box of 15×15 28.5 instead of 35.1.
bool better_in_one_channel(const ConvProblem& p) {
    if (p.channels != 3) return false;
    const int first = p.taps().anchor_x * p.channels;
    const int window = (-first & 7) + 16 + (p.taps().width - 1) * p.channels;
    return window <= 64 && p.taps().height <= kStripRows + 1;
}

double rounding_of(double value) {
    return std::fabs(static_cast<float>(value) - value);
}

// The column factors are multiplied by `factor` for their rounding to half precision, and the row
// pass's results by `scale`: together a power of two that brings a result's sum near one. Usual
// blurs then need no gain, and half precision keeps far from its ends.
struct ColumnScale {
    double factor = 1.0;
    double scale = 1.0;
    double lost = 0.0;  // half_loss() of the column
};

// Of 32 scales of six significant bits the one that loses least: a step of the row pass is a
// multiple of it, and its products with numbers as large as kInt8Magic have to be exact.
ColumnScale column_scale(const Taps& t) {
    ColumnScale best{.lost = half_loss(t.column, 1.0)};
    const double size = absolute_sum_of(t.row) * absolute_sum_of(t.column);
    if (integer_valued(t) || size == 0) return best;
    const double sum = std::exp2(-std::round(std::log2(size)));
    const int exponent = std::ilogb(absolute_sum_of(t.column)) - 7;
    best.lost = std::numeric_limits<double>::infinity();
    for (int step = 0; step < 32; ++step) {
        const double scale = std::ldexp(1.0 + step / 32.0, exponent);
        const double lost = half_loss(t.column, 1.0 / scale);
        if (lost < best.lost) best = {.factor = 1.0 / scale, .scale = scale * sum, .lost = lost};
    }
    return best;
}

// Row factors as whole numbers, and the constants of the row pass.
struct RowPass {
    ByteTaps bytes;
    double step = 1.0;  // a result's, for a step of the upper plane's sum
    double offset = 0.0;
};

RowPass row_pass(const Taps& t, const ColumnScale& column) {
    RowPass pass{.bytes = byte_taps(t.row, 1.0F)};
    pass.step = pass.bytes.unit * column.scale;
    const auto sum = [](const std::vector<std::int8_t>& plane) {
        return std::accumulate(plane.begin(), plane.end(), 0.0);
    };
    const double lower = pass.bytes.lower.empty() ? 0.0 : static_cast<double>(kInt8LowerStep);
    const double total = sum(pass.bytes.upper) + sum(pass.bytes.lower) * lower;
    const double starts = static_cast<double>(kInt8Magic) * (1.0 + lower);
    pass.offset = -pass.step * (starts + 128.0 * total);
    return pass;
}

// The largest error of a sum, in steps of the samples.
double error_of(const Taps& t) {
    const ColumnScale column = column_scale(t);
    const RowPass pass = row_pass(t, column);
    const double rows = absolute_sum_of(t.row);
    const double columns = absolute_sum_of(t.column);
    const double first =
        pass.bytes.error +
        (rounding_of(pass.offset) + rounding_of(pass.step) * kInt8Magic) / column.scale;
    const double second = rows * column.lost + rows * columns * (kHalfUnit + cut_off(t.height));
    return first * columns + 128.0 * second;
}

// Whole numbers that fit signed bytes.
bool are_bytes(const std::vector<float>& factors) {
    return byte_taps(factors, 1.0F).error == 0.0;
}

// Sums of a row have to fit two bytes, and those of a window the low bits of a float at kInt8Start.
bool fits_whole_sums(const Taps& t) {
    return integer_valued(t) && factors_keep_exactness(t) && are_bytes(t.row) &&
           are_bytes(t.column) && 255.0 * absolute_sum_of(t.row) <= 65535.0 &&
           255.0 * absolute_sum(t) < 4194304.0;
}

std::string why_not_exact(const Taps& t) {
    const bool exact = factors_keep_exactness(t) && byte_taps(t.row, 1.0F).error == 0 &&
                       half_loss(t.column, 1.0) == 0 &&
                       128.0 * absolute_sum_of(t.row) <= kMostExactHalf &&
                       255.0 * absolute_sum(t) < 16777216.0;
    return exact || fits_whole_sums(t)
               ? ""
               : "the taps are whole numbers, and neither two bytes nor half precision hold the "
                 "sums of a row exactly";
}

std::string why_not_precise(const ChannelConv& filter) {
    const Taps& t = filter.taps.front();
    if (integer_valued(t)) return why_not_exact(t);
    const double error = error_of(t);
    const double scaled = error * std::fabs(static_cast<double>(filter.scale));
    if (error <= kGranted * absolute_sum_of(t.row) * absolute_sum_of(t.column) &&
        scaled <= kLargestError)
        return {};
    return fmt::format(
        "in half precision these taps could move a result by {:.2f} steps, and at most {} is "
        "allowed",
        scaled, kLargestError);
}

// The bands of the row factors, one per plane: output m of 16 in rows, pixels of the window in
// columns, both in the order of the fragments.
void add_row_bands(int slack, const std::vector<const std::vector<std::int8_t>*>& planes,
                   int halves, std::vector<std::uint32_t>& out) {
    const auto output = [](int m) { return m % 8 / 2 * 4 + m / 8 * 2 + m % 2; };
    const auto tap = [&](const std::vector<std::int8_t>& plane, int m, int byte) -> std::uint8_t {
        const int distance = byte - output(m) - slack;
        if (plane.empty() || distance < 0) return 0;
        const auto i = static_cast<std::size_t>(distance);
        return i < plane.size() ? static_cast<std::uint8_t>(plane[i]) : 0;
    };
    for (int half = 0; half < halves; ++half)
        for (const std::vector<std::int8_t>* plane : planes)
            for (int reg = 0; reg < 4; ++reg)
                for (int lane = 0; lane < 32; ++lane) {
                    std::uint32_t word = 0;
                    for (int k = 0; k < 4; ++k) {
                        const int byte = 32 * half + 8 * (lane % 4) + 4 * (reg / 2) + k;
                        word |=
                            static_cast<std::uint32_t>(tap(*plane, lane / 4 + 8 * (reg % 2), byte))
                            << (8 * k);
                    }
                    out.push_back(word);
                }
}

// The band of the column factors: 16 output rows, image rows in columns.
void add_column_bands(const std::vector<float>& column, int chunks, float factor,
                      std::vector<std::uint32_t>& out) {
    const auto entry = [&](int row, int k) -> std::uint32_t {
        const int j = k - row;
        return j >= 0 && j < static_cast<int>(column.size())
                   ? half_bits(column[static_cast<std::size_t>(j)] * factor)
                   : 0;
    };
    for (int chunk = 0; chunk < chunks; ++chunk)
        for (int reg = 0; reg < 4; ++reg)
            for (int lane = 0; lane < 32; ++lane) {
                const int row = lane / 4 + 8 * (reg % 2);
                const int k = kStripRows * chunk + 2 * (lane % 4) + 8 * (reg / 2);
                out.push_back(entry(row, k + 1) << 16 | entry(row, k));
            }
}

// The same of bytes. A lane's four bytes of a chunk are those that the row pass leaves there.
void add_whole_column_bands(const std::vector<float>& column, int chunks,
                            std::vector<std::uint32_t>& out) {
    const std::vector<std::int8_t> factors = byte_taps(column, 1.0F).upper;
    for (int chunk = 0; chunk < ceil_div(chunks, 2) * 2; ++chunk)
        for (int row = 0; row < 16; row += 8)
            for (int lane = 0; lane < 32; ++lane) {
                std::uint32_t word = 0;
                for (int k = 0; k < 4; ++k) {
                    const int source = kStripRows * chunk + 2 * (lane % 4) + 8 * (k / 2) + k % 2;
                    const int j = source - row - lane / 4;
                    if (j >= 0 && j < static_cast<int>(factors.size()))
                        word |= static_cast<std::uint32_t>(
                                    static_cast<std::uint8_t>(factors[static_cast<std::size_t>(j)]))
                                << (8 * k);
                }
                out.push_back(word);
            }
}

void lay_out_whole_sums(const ChannelConv& filter, TensorSeparableLayout& layout) {
    const Taps& t = filter.taps.front();
    const StripShape shape = strip_shape(layout.channels, layout.shape);
    TensorSeparableArgs& a = layout.args;
    layout.sums = StripSums::whole;
    double negative = 0;
    for (const float w : t.row) negative -= std::min(w, 0.0F);
    a.row_start = static_cast<int>(255.0 * negative) - 32768;
    a.column_start =
        static_cast<std::uint32_t>(kInt8Start - a.row_start * static_cast<int>(sum_of(t.column)));
    a.gain = filter.scale;
    const std::vector<std::int8_t> row = byte_taps(t.row, 1.0F).upper;
    add_row_bands(slack_of(t), {&row}, shape.halves, layout.rows);
    add_whole_column_bands(t.column, shape.chunks, layout.columns);
}

void lay_out_rounded_sums(const ChannelConv& filter, TensorSeparableLayout& layout) {
    const Taps& t = filter.taps.front();
    const StripShape shape = strip_shape(layout.channels, layout.shape);
    TensorSeparableArgs& a = layout.args;
    const ColumnScale column = column_scale(t);
    const RowPass pass = row_pass(t, column);
    a.upper_step = static_cast<float>(pass.step);
    a.lower_step = pass.bytes.lower.empty() ? 0.0F : a.upper_step * kInt8LowerStep;
    a.offset = static_cast<float>(pass.offset);
    const double gain = column.factor * column.scale;
    a.column_start = std::bit_cast<std::uint32_t>(
        static_cast<float>(128.0 * sum_of(t.row) * sum_of(t.column) * gain));
    a.gain = static_cast<float>(filter.scale / gain);
    add_row_bands(slack_of(t), {&pass.bytes.upper, &pass.bytes.lower}, shape.halves, layout.rows);
    add_column_bands(t.column, shape.chunks, static_cast<float>(column.factor), layout.columns);
}

int steps_y(const TensorSeparableArgs& a) {
    return ceil_div(a.images.y.length, kStripRows);
}

}  // namespace

std::string why_not_tensor_separable(const ConvProblem& p) {
    if (p.type != PixelType::u8) return "it takes 8-bit pixels";
    if (p.max_value != 255.0F) return "it takes pixels that saturate at 255";
    if (p.combine != Combine::single)
        return "it takes one tap set, and this problem combines several";
    if (!every_tap_set(p, &Taps::separable))
        return "it takes taps that are a row times a column, and these are not known to be";
    const ChannelConv* const filter = filter_of(p);
    if (filter == nullptr)
        return "it takes the same factors for all channels but those that are left alone";
    if (p.channels == 3 && kept_bytes(p, *filter) != 0)
        return "it leaves channels alone where there are 2 or 4, not 3";
    if (!shape_for(p)) return "it takes up to 113 factors a side, and these are more";
    return why_not_precise(*filter);
}

TensorSeparableLayout lay_out_tensor_separable(const ConvProblem& problem) {
    TensorSeparableLayout layout;
    const bool samples = better_in_one_channel(problem);
    const ConvProblem p = samples ? in_one_channel(problem, *filter_of(problem)) : problem;
    const ChannelConv& filter = *filter_of(p);
    const Taps& t = filter.taps.front();
    layout.shape = shape_for(p).value();
    layout.channels = p.channels;
    TensorSeparableArgs& a = layout.args;
    a.images = conv_images(problem, layout.borders);
    if (samples) set_axis_of_samples(problem.channels, a.images, layout.borders);
    a.left = (t.anchor_x + slack_of(t)) * p.channels;
    a.kept = kept_bytes(p, filter);
    layout.filtered = p.channels == 4 && a.kept == kAlphaByte ? 3 : p.channels;
    if (fits_whole_sums(t))
        lay_out_whole_sums(filter, layout);
    else
        lay_out_rounded_sums(filter, layout);
    a.bias = filter.bias;
    a.scaled = a.gain != 1.0F || a.bias != 0.0F;
    a.tiles_x = ceil_div(p.width, 16 * strip_shape(p.channels, layout.shape).tiles);
    a.steps = steps_y(a);
    return layout;
}

// In units of a step, or of a shared strip's round, of full multiprocessors. A third of the value
// is the latency of a warp alone, and a quarter the extra time of warps at the image's ends, which
// the others cannot hide once. A second wave of few blocks takes nearly as long as a whole one.
// Within 4 % of the best cut at 4K, 1080p and 720p on an H200 for all shapes of strips of their
// own: 4K 15×15 takes 14.7, 12.2, 13.1, 10.8, 12.1 µs in 1 to 5 steps. Shared strips, 4K 101×101 on
// an H100: 29.5, 31.6, 31.7, 28.1, 31.1 µs in 12 to 28 steps.
void cut_strips(int multiprocessors, int resident_blocks, TensorSeparableLayout& layout) {
    TensorSeparableArgs& a = layout.args;
    const StripShape shape = strip_shape(layout.channels, layout.shape);
    const double resident = std::max(resident_blocks, 1) * multiprocessors;
    double least = std::numeric_limits<double>::infinity();
    const int all_steps = steps_y(a);
    const int unit = shape.shared ? kStripWarps : 1;
    const int warm_up = shape.shared ? strip_warm_up(shape.chunks) : shape.chunks - 1;
    for (int steps = unit; steps < all_steps + unit; steps += unit) {
        const int strips = ceil_div(all_steps, steps);
        const double waves =
            static_cast<double>(a.tiles_x) * strips / (resident * (shape.shared ? 1 : kStripWarps));
        const double whole = std::floor(waves);
        const double share = waves <= 1.0
                                 ? (1.0 + 2.0 * waves) / 3.0
                                 : waves + (std::ceil(waves) - waves) / (2.0 * whole * whole);
        const double time = (share + 0.25) * (static_cast<double>(steps) / unit + warm_up);
        if (time >= least) continue;
        least = time;
        a.steps = steps;
        a.strips = strips;
    }
}

int blocks_of(const TensorSeparableLayout& layout) {
    const int strips = grid_size(layout.args.tiles_x, layout.args.strips);
    return strip_shape(layout.channels, layout.shape).shared ? strips
                                                             : ceil_div(strips, kStripWarps);
}

namespace {

// µs that 3840×2160 samples of two, three and four channels add, by shape.
constexpr double kPixelTimes[3][5] = {
    {7.1, 12.1, 18.0, 42.0, 60.0}, {11.3, 14.8, 15.2, 20.3, 46.6}, {6.8, 15.2, 22.6, 35.0, 51.8}};

double time_of(const ConvProblem& problem, const Device& device) {
    const ConvProblem p =
        better_in_one_channel(problem) ? in_one_channel(problem, *filter_of(problem)) : problem;
    const std::size_t index = shape_for(p).value();
    const StripShape shape = strip_shape(p.channels, index);
    const bool aligned = p.width * p.channels % 16 == 0;
    Work work{.start = 2.6 + 0.1 * shape.chunks + 1.04 * shape.halves,
              .hopper_time = 1.65 + 1.06 * (2 * shape.halves + shape.chunks)};
    if (p.channels > 1)
        work = {.start = 1.2 * shape.chunks + 1.7 * shape.halves,
                .hopper_time = kPixelTimes[p.channels - 2][index]};
    if (!aligned) work.start += 0.8;
    return estimated_time(problem, device, work);
}

}  // namespace

extern constinit const ConvKernel kTensorSeparableKernel = {
    .name = "tensor_separable",
    .summary =
        "a row pass and a column pass as banded matrices on tensor cores, in one launch and "
        "entirely in registers",
    .source =
        "banded Toeplitz blocks (HardBoiled, CGO 2026); accumulators as operands "
        "(FlashAttention-2)",
    .limits =
        "NVIDIA GPU from Ampere on; 8-bit, 1 to 4 channels; row × column up to 113 × 113; within 1 "
        "step, whole numbers exact",
    .space = MemorySpace::device,
    .arithmetic = Arithmetic::half_between,
    .why_not = [](const ConvProblem& p, const Device& device) -> std::string {
        std::string reason = why_no_tensor_cores(device);
        return reason.empty() ? why_not_tensor_separable(p) : reason;
    },
    .prepare = cuda_only<prepare_tensor_separable>(),
    .cost = separable_cost,
    .time = time_of,
    .reason = "{size} factored {type}: two banded products on tensor cores",
};

}  // namespace weft
