#include "kernels/tensor/tensor_f32.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/common/half_bits.h"
#include "kernels/common/kernel_terms.h"
#include "kernels/common/quotient.h"
#include "kernels/device/cuda_build.h"
#include "kernels/rounding.h"

namespace weft {

namespace {

constexpr int kVectorSamples = 4;
constexpr int kChunkSamples = 8;

// Tiles start at a vector: this many samples before their first output.
int left_of(const ConvProblem& p) {
    return ceil_div(p.taps().anchor_x * p.channels, kVectorSamples) * kVectorSamples;
}

int first_tap(const ConvProblem& p) {
    return left_of(p) - p.taps().anchor_x * p.channels;
}

// Chunks that eight outputs reach.
int chunks_of(const ConvProblem& p) {
    return ceil_div(first_tap(p) + (p.taps().width - 1) * p.channels + 8, kChunkSamples);
}

// Tensor core steps that add to one sum.
int steps_of(const ConvProblem& p) {
    const int chunks = chunks_of(p);
    return p.taps().height * (chunks + (chunks + 1) / 2);
}

// A step cuts off at most 2^-22 of its largest term, four units of 2^-24, and products err by
// eight.
bool within_bound(const ConvProblem& p) {
    const double taps = static_cast<double>(p.taps().width) * p.taps().height;
    return 4.0 * steps_of(p) + 8.0 <= 3.0 * taps;
}

// A power of two: the largest tap becomes 2^14 to 2^15, so that halves below it reach 2^-39.
float factor_of(const std::vector<float>& weights) {
    return std::ldexp(1.0F, 14 - std::ilogb(largest_of(weights)));
}

bool can_be_scaled(const Taps& t) {
    constexpr double kFar = 1e30;
    const double largest = largest_of(t.weights);
    return largest > 1.0 / kFar && largest < kFar;
}

TensorTile tile_of(const ConvProblem& p, int warps_y) {
    TensorTile t;
    t.threads = 32 * kTensorWarpsX * warps_y;
    t.rows = warps_y * kTensorRows + p.taps().height - 1;
    t.segments = 2 * (kTensorBlockSamples / kChunkSamples + chunks_of(p) - 1);
    t.segment_reciprocal = ceil_div(1 << kReciprocalBits, t.segments / 2);  // of chunks
    t.vector_reciprocal = ceil_div(1 << kReciprocalBits, t.segments + 1);
    t.vector_step = t.threads / (t.segments + 1);
    t.pitch = t.segments + 1;
    t.left = left_of(p);
    t.channel_shift = p.channels == 4 ? 2 : p.channels - 1;
    return t;
}

// Two vectors more hold the largest sample of each warp.
int shared_bytes_of(const TensorTile& t) {
    return (t.rows * t.pitch + 2) * 16;
}

// On an H100 at 4K, blocks of two warps above each other take 69.9 µs at 15×15, 163 at 31×31 and
// 540 at 63×63; blocks of four, which fetch fewer rows twice, 73.6, 159 and 522.
constexpr int kHighTaps = 25;

TensorTile fitting_tile(const ConvProblem& p, const Device& device) {
    int warps_y = p.taps().height < kHighTaps ? kMaxTensorWarpsY / 2 : kMaxTensorWarpsY;
    TensorTile t = tile_of(p, warps_y);
    while (shared_bytes_of(t) > most_shared_bytes(device) && warps_y > 1) t = tile_of(p, --warps_y);
    return t;
}

// Tap i of the band's entry for input sample k and output n, -1: none.
int tap_of(const ConvProblem& p, int k, int n) {
    const int distance = k - n - first_tap(p);
    if (distance < 0 || distance % p.channels != 0) return -1;
    const int i = distance / p.channels;
    return i < p.taps().width ? i : -1;
}

struct Halves {
    std::uint32_t upper, lower;
};

Halves split(float value) {
    const std::uint16_t upper = half_bits(value);
    return {.upper = upper, .lower = half_bits(value - half_value(upper))};
}

// `factors`: by channel.
void add_tap_row(const ConvProblem& p, int row, const std::array<float, 4>& factors,
                 TensorF32Layout& layout) {
    const auto entry = [&](int k, int n) -> Halves {
        const int i = tap_of(p, k, n);
        if (i < 0) return {.upper = 0, .lower = 0};
        const int c = n % p.channels;
        const std::vector<float>& weights = p.channel(c).taps.front().weights;
        const float w = weights[static_cast<std::size_t>(row) * p.taps().width + i];
        return split(w * factors[static_cast<std::size_t>(c)]);
    };
    for (int chunk = 0; chunk < layout.args.tensor.chunks; chunk += 2) {
        for (int lane = 0; lane < 32; ++lane) {
            Halves words[2];
            for (int c = 0; c < 2; ++c) {
                const int k = kChunkSamples * (chunk + c) + lane % 4 * 2;
                const Halves first = entry(k, lane / 4);
                const Halves second = entry(k + 1, lane / 4);
                words[c] = {.upper = second.upper << 16 | first.upper,
                            .lower = second.lower << 16 | first.lower};
            }
            layout.bands.insert(layout.bands.end(),
                                {words[0].upper, words[1].upper, words[0].lower, words[1].lower});
        }
    }
}

}  // namespace

std::string why_not_tensor_f32(const ConvProblem& p, const Device& device) {
    if (p.type != PixelType::f32) return "it takes f32 pixels";
    if (p.channels == 3) return "it takes 1, 2 or 4 interleaved channels, not 3";
    if (p.combine != Combine::single) return "it takes one set of taps";
    if (!every_tap_set(p, &Taps::dense))
        return "it takes dense taps up to 63×63, and these are larger";
    if (!every_tap_set(p, [](const Taps& t) { return !integer_valued(t); }))
        return "whole numbers, copied channels among them, would not stay exact";
    if (!every_tap_set(p, can_be_scaled)) return "its halves cannot hold taps so large or so small";
    if (!within_bound(p)) return "its sums of so few taps are less precise than those of others";
    return why_no_room(shared_bytes_of(fitting_tile(p, device)), device);
}

TensorF32Layout lay_out_tensor_f32(const ConvProblem& p, const Device& device) {
    TensorF32Layout layout;
    TensorArgs& a = layout.args.tensor;
    a.images = conv_images(p, layout.borders);
    a.tile = fitting_tile(p, device);
    a.block_rows = a.tile.threads / (32 * kTensorWarpsX) * kTensorRows;
    a.tap_rows = p.taps().height;
    a.chunks = chunks_of(p);
    a.tiles_x = ceil_div(p.width * p.channels, kTensorBlockSamples);
    a.tiles = grid_size(a.tiles_x, ceil_div(p.height, a.block_rows));
    a.blocks = a.tiles;
    std::array<float, 4> factors{};
    for (int c = 0; c < p.channels; ++c) {
        const float factor = factor_of(p.channel(c).taps.front().weights);
        factors[static_cast<std::size_t>(c)] = factor;
        a.inverse[0][c] = 1.0F / factor;
    }
    for (int row = 0; row < a.tap_rows; ++row) add_tap_row(p, row, factors, layout);
    for (const ChannelConv& c : p.conv)
        layout.weights.insert(layout.weights.end(), c.taps.front().weights.begin(),
                              c.taps.front().weights.end());
    layout.args.entries = static_cast<int>(p.conv.size());
    layout.args.tap_width = p.taps().width;
    layout.args.first_tap = first_tap(p);
    layout.shared_bytes = shared_bytes_of(a.tile);
    return layout;
}

namespace {

// Three products: of both halves of a sample by the upper half of a tap, and of the upper half by
// the lower.
double time_of(const ConvProblem& p, const Device& device) {
    const double products = 3 * band_products(p, p.channels);
    const double rows = p.taps().height;
    return estimated_time(
        p, device,
        {.start = 5.2 + 0.1 * rows + 0.0042 * products,
         .hopper_time = 23 + 0.019 * products + (p.channels == 1 ? 0.034 : 0.1) * tap_count(p),
         .half_products = products});
}

}  // namespace

extern constinit const ConvKernel kTensorF32Kernel = {
    .name = "tensor_f32",
    .summary =
        "every tap row as a banded matrix on tensor cores, fp32 samples and taps as two fp16 "
        "numbers each",
    .source =
        "split operands (Markidis et al. 2018; Ootomo and Yokota 2022) on the bands of "
        "tensor_dense",
    .limits =
        "NVIDIA GPU from Ampere on; f32, 1, 2 or 4 channels; one set of dense taps up to 63×63, "
        "about 5×5 and more, not whole numbers",
    .space = MemorySpace::device,
    .arithmetic = Arithmetic::split_halves,
    .why_not = [](const ConvProblem& p, const Device& device) -> std::string {
        std::string reason = why_no_tensor_cores(device);
        return reason.empty() ? why_not_tensor_f32(p, device) : reason;
    },
    .prepare = cuda_only<prepare_tensor_f32>(),
    .cost = dense_cost,
    .time = time_of,
    .reason = "{size} dense {type}: bands of halves on tensor cores",
};

}  // namespace weft
