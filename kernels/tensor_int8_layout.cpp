#include "kernels/tensor_int8_layout.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <fmt/format.h>

namespace weft {

namespace {

// Before rounding, so that two results that are rounded differ by at most one step.
constexpr double kLargestError = 0.45;

// What Arithmetic::half_taps grants a sum, per Σ|w|.
constexpr double kGranted = 128.0 * 1.25 / 2048.0;

constexpr int kMostUpper = 16448;  // 255 · 16448 is below 2^22
constexpr int kLargestUpper = 127;
constexpr int kLargestLower = 63;
constexpr int kMaxSide = 63;

int ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

double absolute_sum_of(const std::vector<float>& list) {
    return std::accumulate(list.begin(), list.end(), 0.0,
                           [](double sum, float w) { return sum + std::fabs(w); });
}

double largest_of(const std::vector<float>& list) {
    double largest = 0;
    for (const float w : list) largest = std::max(largest, std::fabs(static_cast<double>(w)));
    return largest;
}

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

// Takes the start value off.
double magic_bias(float bias, float gain) {
    return static_cast<double>(bias) - static_cast<double>(kInt8Magic) * gain;
}

// Of the bias that takes the start value's part off, in units of the sum.
double bias_error(const ChannelConv& conv, double unit) {
    const auto gain = static_cast<float>(unit * conv.scale);
    if (conv.scale == 0.0F) return 0.0;
    const double exact = magic_bias(conv.bias, gain);
    return std::fabs(static_cast<float>(exact) - exact) / std::fabs(conv.scale);
}

// Windows start at a word: this many samples before their first output.
int left_of(const Taps& t) {
    return 4 * ceil_div(t.anchor_x, 4);
}

// Bytes of the window of so many outputs.
int window_bytes(const Taps& t, int outputs) {
    return left_of(t) - t.anchor_x + t.width + outputs - 1;
}

bool is_narrow(const Taps& t) {
    return t.height <= kInt8NarrowTaps && window_bytes(t, 8) <= 16;
}

int wide_chunks(const Taps& t) {
    return std::max(ceil_div(window_bytes(t, 16), 16), 2);
}

Int8Sums sums_of(const ConvProblem& p) {
    if (p.combine == Combine::magnitude) return Int8Sums::magnitude;
    return are_whole_bytes(p.taps().weights) ? Int8Sums::whole : Int8Sums::fraction;
}

std::string why_not_shape(const ConvProblem& p) {
    if (p.type != PixelType::u8) return "it takes 8-bit pixels";
    if (p.max_value != 255.0F) return "it takes pixels that saturate at 255";
    if (p.channels != 1) return "it takes one channel";
    const Taps& t = p.taps();
    if (!t.dense() || t.width > kMaxSide || t.height > kMaxSide)
        return "it takes dense taps up to 63×63, and these are larger";
    if (!is_narrow(t) && wide_chunks(t) > kMaxInt8Chunks)
        return "with this anchor it takes up to 62 taps in a row";
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
        "too large beside the others",
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

// Outputs of an accumulator's column n are samples 4 (n / 2) + n % 2 of 16, and two more for the
// odd pairs, so that a lane's outputs are the word that it stores.
int output_sample(int n, int odd) {
    return 4 * (n / 2) + 2 * odd + n % 2;
}

std::vector<std::uint32_t> wide_bands(const ConvProblem& p, const Planes& planes, int chunks) {
    const Taps& t = p.taps();
    const int pad = left_of(t) - t.anchor_x;
    const auto word = [&](const std::vector<std::int8_t>& taps, int j, int lane, int odd,
                          int chunk) {
        std::uint32_t bits = 0;
        for (int k = 0; k < 4; ++k) {
            const int byte = 16 * chunk + 4 * (lane % 4) + k;
            const int i = byte - pad - output_sample(lane / 4, odd);
            if (i < 0 || i >= t.width) continue;
            const auto tap =
                static_cast<std::uint8_t>(taps[static_cast<std::size_t>(j) * t.width + i]);
            bits |= static_cast<std::uint32_t>(tap) << (8 * k);
        }
        return bits;
    };
    std::vector<std::uint32_t> out;
    for (int j = 0; j < t.height; ++j)
        for (const int odd : {0, 1})
            for (int lane = 0; lane < 32; ++lane)
                for (const std::vector<std::int8_t>& plane : planes)
                    for (int chunk = 0; chunk < chunks; ++chunk)
                        out.push_back(word(plane, j, lane, odd, chunk));
    return out;
}

// The rows that a block fetches: wide taps read one more ahead.
int tile_rows(const Int8Layout& layout) {
    const int halo = layout.narrow_rows > 0 ? layout.narrow_rows - 1 : layout.args.tap_rows;
    return layout.args.block_rows + halo;
}

TensorTile tile_of(const Int8Layout& layout, int left) {
    TensorTile t;
    t.threads = kInt8Threads;
    t.rows = tile_rows(layout);
    t.segments = layout.narrow_rows > 0 ? 17 : 15 + layout.chunks;
    t.vector_reciprocal = ceil_div(1 << kReciprocalBits, t.segments + 1);
    t.vector_step = t.threads / (t.segments + 1);
    t.left = left;
    return t;
}

void set_finish(const ConvProblem& p, double unit, Int8Layout& layout) {
    const ChannelConv& conv = p.conv.front();
    layout.args.gain = static_cast<float>(unit * conv.scale);
    layout.args.bias = layout.sums == Int8Sums::fraction
                           ? static_cast<float>(magic_bias(conv.bias, layout.args.gain))
                           : conv.bias;
}

}  // namespace

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
    out.error = 255.0 * lost + 0.5 * out.unit;
    return out;
}

std::string why_not_tensor_int8(const ConvProblem& p) {
    if (std::string reason = why_not_shape(p); !reason.empty()) return reason;
    if (std::string reason = why_not_magnitude(p); !reason.empty()) return reason;
    return why_not_precise(p);
}

Int8Layout lay_out_tensor_int8(const ConvProblem& p) {
    Int8Layout layout;
    layout.sums = sums_of(p);
    double unit = 1.0;
    const Planes planes = planes_of(p, layout.sums, unit);
    Int8Args& a = layout.args;
    if (is_narrow(p.taps())) {
        layout.narrow_rows = std::max(p.taps().height | 1, 3);
        a.block_rows = kInt8Warps * int8_narrow_rows(layout.narrow_rows);
        set_narrow_taps(p, planes, a);
    } else {
        layout.chunks = wide_chunks(p.taps());
        a.block_rows = kInt8Warps * kInt8WideRows;
        layout.bands = wide_bands(p, planes, layout.chunks);
    }
    a.tap_rows = p.taps().height;
    a.images = conv_images(p, layout.borders);
    a.tile = tile_of(layout, left_of(p.taps()));
    set_finish(p, unit, layout);
    layout.tiles_x = ceil_div(p.width, kInt8Samples);
    a.tiles_y = ceil_div(p.height, a.block_rows);
    a.blocks_y = a.tiles_y;
    layout.shared_bytes = static_cast<int>(layout.bands.size()) * 4 + a.block_rows * kInt8Samples +
                          2 * a.tile.rows * (a.tile.segments + 1) * 16;
    return layout;
}

}  // namespace weft
