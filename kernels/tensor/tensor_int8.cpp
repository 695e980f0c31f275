#include "kernels/tensor/tensor_int8.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "kernels/common/kernel_terms.h"
#include "kernels/common/quotient.h"
#include "kernels/device/cuda_build.h"
#include "kernels/rounding.h"
#include "kernels/tensor/tensor_dense.h"

namespace weft {

namespace {

// Before rounding, so that two results that are rounded differ by at most one step.
constexpr double kLargestError = 0.45;

// The error that Arithmetic::half_taps allows a sum, per Σ|w|.
constexpr double kGranted = 128.0 * 1.25 / 2048.0;

constexpr int kMostUpper = 16448;  // 255 · 16448 is below 2^22
constexpr int kLargestUpper = 127;
constexpr int kLargestLower = 63;
constexpr int kMaxSide = 63;

// A block's shared memory on every GPU from Ampere on.
constexpr int kSharedBytes = 99 * 1024;

constexpr int kMostBlocksY = 65535;
// More steps hardly save any time.
constexpr int kMostSteps = 16;
// In steps: a block's start-up time per tap row beyond the first, and what a launch waits at its
// start and end per step of a block. At 4K on an H100, fractions in blocks of 2, 4 and 8 steps
// take: gray 3×3 9.7, 10.7 and 11.0 µs, gray 9×9 16.7, 14.5 and 15.4, RGBA 9×9 63.4, 54.9 and 50.8.
// The start-up time of wider taps is small against that of a step.
constexpr double kStartStepsPerRow = 0.175;
constexpr double kWaitPerStep = 1.3;

bool are_whole_bytes(const std::vector<float>& weights) {
    return std::ranges::all_of(weights,
                               [](float w) {
                                   return w == std::nearbyint(w) &&
                                          std::fabs(w) <= static_cast<float>(kLargestUpper);
                               }) &&
           absolute_sum_of(weights) <= kMostUpper;
}

// Up to eleven significant bits, away from zero.
double short_gain(double gain) {
    int exponent = 0;
    const double mantissa = std::frexp(gain, &exponent);
    return std::ldexp(std::ceil(mantissa * 1024.0), exponent - 10);
}

// The upper plane's step: as fine as its range and its sum allow.
double unit_for(const std::vector<float>& weights, float scale) {
    const double largest = largest_of(weights);
    // Rounding moves each tap by at most half an upper step.
    const double most = kMostUpper - 0.5 * static_cast<double>(weights.size());
    const double unit = std::max(largest / (kLargestUpper + kLargestLower / 128.0),
                                 absolute_sum_of(weights) / most);
    const double factor = std::fabs(static_cast<double>(scale));
    return factor == 0.0 ? unit : short_gain(unit * factor) / factor;
}

// The bias less the start values: of both planes' sums, or of the upper plane's alone where wide
// taps have the lower plane's sums converted.
double magic_bias(float bias, float gain, bool narrow) {
    const double planes = narrow ? 1.0 + static_cast<double>(kInt8LowerStep) : 1.0;
    return static_cast<double>(bias) - static_cast<double>(kInt8Magic) * gain * planes;
}

// In upper steps: half a unit in the last place of numbers as large as the start value, to which
// the lower plane's sums are rounded when they are added to the bias (0.77); and 2/128 for the
// conversion of sums up to 255 · 64 · 63 · 63 < 2^26 to floats.
constexpr double kLowerRounding = 0.79;

// Windows start at a word: this many samples before their first output.
int left_of(const Taps& t) {
    return 4 * ceil_div(t.anchor_x, 4);
}

// 8-byte parts of the window of eight outputs.
int window_halves(const Taps& t) {
    return ceil_div(left_of(t) - t.anchor_x + t.width + 7, 8);
}

bool is_narrow(const Taps& t) {
    return t.height <= kInt8NarrowTaps && window_halves(t) <= 2;
}

// The image as the kernel filters it, channel by channel or all as one.
ConvProblem as_filtered(const ConvProblem& p) {
    return separates_channels(p) ? p : in_one_channel(p, p.conv.front());
}

// The error of the bias that subtracts the start value's part, in units of the sum.
double bias_error(const ChannelConv& conv, double unit) {
    const auto gain = static_cast<float>(unit * conv.scale);
    if (conv.scale == 0.0F) return 0.0;
    const double exact = magic_bias(conv.bias, gain, is_narrow(conv.taps.front()));
    return std::fabs(static_cast<float>(exact) - exact) / std::fabs(conv.scale);
}

// The 8-byte parts of the smallest variant that holds the window.
int wide_halves(const Taps& t) {
    const int halves = std::max(window_halves(t), 3);
    return halves > 6 ? halves + halves % 2 : halves;
}

Int8Sums sums_of(const ConvProblem& p) {
    const ChannelConv& conv = p.conv.front();
    if (p.combine == Combine::magnitude)
        return conv.scale == 1.0F && conv.bias == 0.0F ? Int8Sums::plain_magnitude
                                                       : Int8Sums::magnitude;
    return are_whole_bytes(p.taps().weights) ? Int8Sums::whole : Int8Sums::fraction;
}

std::string why_not_shape(const ConvProblem& p) {
    if (p.type != PixelType::u8) return "it takes 8-bit pixels";
    if (p.max_value != 255.0F) return "it takes pixels that saturate at 255";
    if (p.conv.size() != 1) return "it takes the same taps for all channels";
    const Taps& t = p.taps();
    if (!t.dense() || !fits_int8_rows(p) || t.height > kMaxSide)
        return "it takes dense taps up to 63×63 in one channel, 32 wide in two and 49 in three and "
               "four, and these are larger";
    if (p.combine == Combine::maximum) return "it takes no maximum of tap sets";
    return {};
}

std::string why_not_magnitude(const ConvProblem& p) {
    if (p.combine != Combine::magnitude) return {};
    if (p.conv.front().taps.size() > 2) return "it takes magnitudes of two tap sets";
    const auto whole = [](const Taps& t) { return are_whole_bytes(t.weights); };
    if (!is_narrow(p.taps()) || !std::ranges::all_of(p.conv.front().taps, whole))
        return "it takes magnitudes of whole numbers up to ±127, up to 9×9";
    return {};
}

std::string why_not_precise(const ConvProblem& p) {
    const ChannelConv& conv = p.conv.front();
    const std::vector<float>& weights = conv.taps.front().weights;
    if (are_whole_bytes(weights)) return {};
    if (integer_valued(conv.taps.front()))
        return "some taps are whole numbers beyond ±127, which two planes of bytes would round";
    const ByteTaps bytes = byte_taps(weights, conv.scale);
    const double error = bytes.error + bias_error(conv, bytes.unit);
    if (error <= kGranted * absolute_sum_of(weights) &&
        error * std::fabs(conv.scale) <= kLargestError)
        return {};
    return fmt::format(
        "as two planes of bytes these taps could move a result by {:.2f} steps: one of them is "
        "too large compared with the others",
        error * std::fabs(conv.scale));
}

// The bytes of the planes, row by row.
using Planes = std::vector<std::vector<std::int8_t>>;

Planes planes_of(const ConvProblem& p, Int8Sums sums, double& unit) {
    const ChannelConv& conv = p.conv.front();
    Planes planes;
    for (const Taps& t : conv.taps) {
        const ByteTaps bytes = byte_taps(t.weights, conv.scale);
        planes.push_back(bytes.upper);
        unit = bytes.unit;
        if (sums == Int8Sums::fraction) planes.push_back(bytes.lower);
    }
    return planes;
}

void set_narrow_taps(const ConvProblem& p, const Planes& planes, Int8Args& args) {
    const Taps& t = p.taps();
    for (std::size_t plane = 0; plane < planes.size(); ++plane)
        for (int j = 0; j < t.height; ++j)
            for (int i = 0; i < t.width; ++i) {
                const int byte = kInt8FirstTap + i;
                const auto tap = static_cast<std::uint8_t>(
                    planes[plane][static_cast<std::size_t>(j) * t.width + i]);
                args.taps[plane][j][byte / 4] |= static_cast<std::uint32_t>(tap)
                                                 << (8 * (byte % 4));
            }
}

// A word of A: the tap row in its group, and the window's byte that it begins at.
struct WindowWord {
    int row, byte;
};

// The word of chunk `id` of a group in the lanes with this place in their quad: see
// tensor_int8_wide.cuh.
WindowWord window_word(int halves, int id, int quad_lane) {
    const int chunks = halves / 2;
    const int row = id / chunks;
    const int byte = 16 * (id % chunks) + 4 * quad_lane;
    if (halves % 2 == 0) return {row, byte};
    if (row < kInt8GroupRows) return {row, byte + 8 * (row % 2)};
    const int pair = 2 * (id - kInt8GroupRows * chunks);
    if (quad_lane < 2) return {pair + 1, 4 * quad_lane};
    return {pair, 16 * chunks - 8 + 4 * quad_lane};
}

// The taps that a word of the window meets for one output of its eight.
std::uint32_t band_word(const Taps& t, const std::vector<std::int8_t>& plane, WindowWord at,
                        int output) {
    if (at.row >= t.height) return 0;
    std::uint32_t bits = 0;
    for (int k = 0; k < 4; ++k) {
        const int i = at.byte + k - (left_of(t) - t.anchor_x) - output;
        if (i < 0 || i >= t.width) continue;
        const auto tap =
            static_cast<std::uint8_t>(plane[static_cast<std::size_t>(at.row) * t.width + i]);
        bits |= static_cast<std::uint32_t>(tap) << (8 * k);
    }
    return bits;
}

std::vector<std::uint32_t> wide_bands(const Taps& t, const Planes& planes, int halves) {
    std::vector<std::uint32_t> out;
    for (int first = 0; first < t.height; first += kInt8GroupRows)
        for (int k = 0; k < halves; ++k)
            for (int lane = 0; lane < 32; ++lane)
                for (const std::vector<std::int8_t>& plane : planes)
                    for (const int chunk : {2 * k, 2 * k + 1}) {
                        WindowWord at = window_word(halves, chunk, lane % 4);
                        at.row += first;
                        out.push_back(band_word(t, plane, at, lane / 4));
                    }
    return out;
}

// Tap rows that are computed.
int computed_tap_rows(const Int8Layout& layout) {
    return layout.narrow_rows > 0 ? layout.narrow_rows : kInt8GroupRows * layout.args.tap_groups;
}

Int8Tile tile_of(const Int8Layout& layout, int left) {
    Int8Tile t;
    const int halves = std::max(layout.halves, 2);
    const int channels = layout.channels;
    const int samples =
        channels > 1 ? int8_row_pixels(halves) * channels : kInt8Samples - 8 + 8 * halves;
    t.rows = kInt8StepRows + computed_tap_rows(layout) - 1;
    t.segments = ceil_div(samples, 16);
    t.left = left * channels;
    // From the multiple of 16 on, at most: that of four pixels divides all starts of rows.
    t.vectors = ceil_div(samples + 16 - std::gcd(4 * channels, 16), 16);
    const AxisMap& x = layout.args.images.x;
    t.end_lanes_log2 =
        std::bit_width(static_cast<unsigned>(std::clamp(x.before + x.after, 1, 32) - 1));
    return t;
}

void set_images_and_ends(const ConvProblem& p, Int8Args& args) {
    BorderTables borders;
    args.images = conv_images(p, borders);
    set_axis_of_samples(p.channels, args.images, borders);
    const auto y = borders.entries.begin() + static_cast<std::ptrdiff_t>(borders.y_table);
    std::copy(borders.entries.begin(), y, args.ends_x);
    std::copy(y, borders.entries.end(), args.ends_y);
}

void set_finish(const ConvProblem& p, double unit, Int8Layout& layout) {
    const ChannelConv& conv = p.conv.front();
    layout.args.gain = static_cast<float>(unit * conv.scale);
    layout.args.bias =
        layout.sums == Int8Sums::fraction
            ? static_cast<float>(magic_bias(conv.bias, layout.args.gain, layout.narrow_rows > 0))
            : conv.bias;
}

}  // namespace

// Up to three wide, zeros cost no multiplications: RGBA 3×3 whole numbers at 4K on an H100 take
// 29.6 µs as one channel and 32.9 separated.
bool separates_channels(const ConvProblem& p) {
    return p.channels > 2 && p.combine != Combine::magnitude && p.taps().width > 3;
}

bool fits_int8_rows(const ConvProblem& p) {
    const int width = p.taps().width;
    return separates_channels(p) ? width <= kMaxSeparatedWidth
                                 : (width - 1) * p.channels < kMaxSide;
}

ByteTaps byte_taps(const std::vector<float>& weights, float scale) {
    ByteTaps out;
    if (are_whole_bytes(weights)) {
        for (const float w : weights) out.upper.push_back(static_cast<std::int8_t>(w));
        return out;
    }
    out.unit = unit_for(weights, scale);
    const double step = out.unit / 128.0;
    double lost = 0;
    for (const float w : weights) {
        const auto whole = static_cast<int>(std::lround(w / step));
        const int upper = (whole + 64) >> kInt8PlaneBits;
        out.upper.push_back(static_cast<std::int8_t>(upper));
        out.lower.push_back(static_cast<std::int8_t>(whole - 128 * upper));
        lost += std::fabs(whole * step - w);
    }
    out.error = 255.0 * lost + kLowerRounding * out.unit;
    return out;
}

std::string why_not_tensor_int8(const ConvProblem& problem) {
    if (std::string reason = why_not_shape(problem); !reason.empty()) return reason;
    const ConvProblem p = as_filtered(problem);
    if (std::string reason = why_not_magnitude(p); !reason.empty()) return reason;
    if (std::string reason = why_not_precise(p); !reason.empty()) return reason;
    if (shared_bytes(lay_out_tensor_int8(problem), 1) > kSharedBytes)
        return "it takes taps whose bands fit in 99 KiB of shared memory, and these do not";
    return {};
}

Int8Layout lay_out_tensor_int8(const ConvProblem& problem) {
    const ConvProblem p = as_filtered(problem);
    Int8Layout layout;
    layout.channels = p.channels;
    layout.sums = sums_of(p);
    double unit = 1.0;
    const Planes planes = planes_of(p, layout.sums, unit);
    Int8Args& a = layout.args;
    if (is_narrow(p.taps())) {
        layout.narrow_rows = std::max(p.taps().height | 1, p.channels > 1 ? 5 : 3);
        set_narrow_taps(p, planes, a);
    } else {
        layout.halves = wide_halves(p.taps());
        a.tap_groups = ceil_div(p.taps().height, kInt8GroupRows);
        layout.bands = wide_bands(p.taps(), planes, layout.halves);
    }
    set_images_and_ends(problem, a);
    a.tile = tile_of(layout, left_of(p.taps()));
    set_finish(p, unit, layout);
    layout.tiles_x = ceil_div(p.width * p.channels, int8_samples(p.channels));
    layout.steps_y = ceil_div(p.height, kInt8StepRows);
    return layout;
}

int shared_bytes(const Int8Layout& layout, int steps) {
    const Int8Tile& tile = layout.args.tile;
    return static_cast<int>(layout.bands.size()) * 4 +
           (tile.rows + (steps - 1) * kInt8StepRows) * tile.vectors * 16;
}

int best_steps(const Int8Layout& layout, const Int8Room& room) {
    const int fewest = ceil_div(layout.steps_y, kMostBlocksY);
    const int resident = room.resident_blocks(shared_bytes(layout, fewest));
    const double start =
        kStartStepsPerRow * (std::min(computed_tap_rows(layout), kInt8NarrowTaps) - 1);
    int best = fewest;
    double least = HUGE_VAL;
    for (int steps = fewest; steps <= std::max(fewest, kMostSteps); ++steps) {
        if (room.resident_blocks(shared_bytes(layout, steps)) < resident) break;
        const int blocks =
            ceil_div(layout.tiles_x * ceil_div(layout.steps_y, steps), room.multiprocessors);
        // The last ones may leave places free, and then hide less of each other's waiting: RGBA 9×9
        // in blocks of nine steps, four and then three at a time, takes 54.5.
        const int places = ceil_div(blocks, std::max(resident, 1)) * resident;
        const double time =
            (0.875 * blocks + 0.125 * places) * (steps + start) + kWaitPerStep * steps;
        if (time >= least) continue;
        least = time;
        best = steps;
    }
    return best;
}

namespace {

Work narrow_work(const ConvProblem& p, double planes) {
    const double rows = std::max(p.taps().height | 1, p.channels > 1 ? 5 : 3);
    return {.start = 2.6 + (p.channels > 2 ? 0.25 : 0.13) * rows,
            .hopper_time = 3.2 + 0.57 * rows * planes + (p.channels == 3 ? 0.06 * rows : 0)};
}

Work wide_work(const ConvProblem& p, double planes) {
    const double groups = ceil_div(p.taps().height, kInt8GroupRows);
    const double products = planes * wide_halves(p.taps()) * kInt8GroupRows * groups;
    return {.start = 3.0 + 0.13 * groups + (p.channels > 2 ? 0.01 : 0.0056) * products,
            .hopper_time = 5.5 + (p.channels > 2 ? 0.15 : 0.123) * products +
                           (p.channels > 2 ? 0.6 : 0.57) * groups};
}

double time_of(const ConvProblem& problem, const Device& device) {
    const ConvProblem p = as_filtered(problem);
    // Fractions are two planes of bytes. Channels that are not separated have zeros between their
    // taps.
    const double planes =
        (integer_valued(p.taps()) ? 1.0 : 2.0) * static_cast<double>(p.conv.front().taps.size());
    Work work = is_narrow(p.taps()) ? narrow_work(p, planes) : wide_work(p, planes);
    work.byte_products = planes * band_products(p, 1);
    return estimated_time(problem, device, work);
}

}  // namespace

extern constinit const ConvKernel kTensorInt8Kernel = {
    .name = "tensor_int8",
    .summary =
        "every tap row as a banded matrix of signed bytes on integer tensor cores, times the "
        "pixels as stored in memory",
    .source =
        "banded Toeplitz blocks (ConvStencil, PPoPP 2024) with rows reused in registers (Lu, "
        "Zhang, Wang, CLUSTER 2020)",
    .limits =
        "NVIDIA GPU from Ampere on; 8-bit, 1 to 4 channels; dense taps up to 63×63 (two channels "
        "32×63, RGB and RGBA 49×63); within 1 step, whole numbers up to ±127 exact",
    .space = MemorySpace::device,
    .arithmetic = Arithmetic::half_taps,
    .why_not = [](const ConvProblem& p, const Device& device) -> std::string {
        std::string reason = why_no_tensor_cores(device);
        return reason.empty() ? why_not_tensor_int8(p) : reason;
    },
    .prepare = cuda_only<prepare_tensor_int8>(),
    .cost = dense_cost,
    .time = time_of,
    .reason = "{size} dense {type}: bands of bytes on integer tensor cores",
};

}  // namespace weft
