#include "kernels/tensor/tensor_dense.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "kernels/common/half_bits.h"
#include "kernels/common/kernel_terms.h"
#include "kernels/common/quotient.h"
#include "kernels/device/cuda_build.h"
#include "kernels/rounding.h"

namespace weft {

namespace {

// A finished result may be this many steps of the output off before it is rounded: two results that
// are rounded then differ by at most one step.
constexpr double kLargestError = 0.45;

double sum_of(const std::vector<float>& list) {
    return std::accumulate(list.begin(), list.end(), 0.0);
}

// Tensor cores cut off bits below 2^-22 of the largest term, once per step of 16 products.
double cut_off(int width, int height) {
    return std::ldexp(static_cast<double>(width + 23) * height / 16.0, -22);
}

// Half precision holds every whole number up to 2048, the middle of 12 bits.
constexpr float kLargestSample = 4095.0F;

// The middle of the range of samples: 128 at 8 bits, 512 at 10.
double middle_of(const ConvProblem& p) {
    return std::bit_ceil(static_cast<unsigned>(p.max_value)) / 2.0;
}

// The error of a sum of dense taps, in steps of the samples.
double dense_error(const ConvProblem& p, const Taps& t) {
    const double sums = absolute_sum(t) * cut_off(t.width * p.channels, t.height);
    return middle_of(p) * (half_scale(t.weights).lost + sums);
}

// Whole numbers whose sums are exact: those of samples less their middle as well, half precision
// permitting.
bool is_exact(const ConvProblem& p, const Taps& t) {
    return integer_valued(t) && p.max_value * absolute_sum(t) < 16777216.0;
}

// The largest of `error` over the taps that are not exact, in steps of the output.
double worst_error(const ConvProblem& p, double (*error)(const ConvProblem& p, const Taps& t)) {
    double worst = 0;
    for (const ChannelConv& c : p.conv)
        for (const Taps& t : c.taps)
            if (!is_exact(p, t)) worst = std::max(worst, error(p, t) * std::fabs(c.scale));
    const auto sets = static_cast<double>(p.conv.front().taps.size());
    return p.combine == Combine::magnitude ? worst * std::sqrt(sets) : worst;
}

std::string why_not_pixels(const ConvProblem& p) {
    if (p.type == PixelType::f32) return "it takes 8-bit and 16-bit pixels";
    if (p.type == PixelType::u8 && p.max_value != 255.0F)
        return "it takes 8-bit pixels that saturate at 255";
    if (p.max_value < 255.0F || p.max_value > kLargestSample)
        return "it takes pixels of 8 to 12 bits";
    if (p.channels == 3) return "it takes 1, 2 or 4 interleaved channels, not 3";
    return {};
}

std::string why_not_precise(double error) {
    if (error <= kLargestError) return {};
    return fmt::format(
        "in half precision these taps could move a result by {:.2f} steps, and at most {} is "
        "allowed",
        error, kLargestError);
}

int log2_of(int channels) {
    return channels == 4 ? 2 : channels - 1;
}

int band_chunks(const ConvProblem& p) {
    return std::max(((p.taps().width - 1) * p.channels + 7) / 8 + 1, 2);
}

// The 8×8 blocks of a band as B fragments: input sample 8 chunk + k adds weight(n % channels, i) to
// output sample n where they are i pixels apart.
void add_band(const ConvProblem& p, int chunks,
              const std::function<float(int channel, int i)>& weight,
              std::vector<std::uint32_t>& out) {
    const auto entry = [&](int k, int n) -> std::uint32_t {
        const int distance = k - n;
        if (distance < 0 || distance % p.channels != 0) return 0;
        const int i = distance / p.channels;
        return i < p.taps().width ? half_bits(weight(n % p.channels, i)) : 0;
    };
    for (int chunk = 0; chunk < chunks; ++chunk) {
        for (int lane = 0; lane < 32; ++lane) {
            const int k = 8 * chunk + lane % 4 * 2;
            out.push_back(entry(k + 1, lane / 4) << 16 | entry(k, lane / 4));
        }
    }
}

// From here on, rows that are fetched twice cost more than uneven waves of blocks.
constexpr int kHighTaps = 18;

int preferred_warps_y(const ConvProblem& p) {
    return p.taps().height < kHighTaps ? kMaxTensorWarpsY / 2 : kMaxTensorWarpsY;
}

TensorTile tile_of(const ConvProblem& p, int halo_rows, int chunks, int warps_y) {
    TensorTile t;
    t.threads = 32 * kTensorWarpsX * warps_y;
    t.rows = warps_y * kTensorRows + halo_rows;
    const bool bytes = p.type == PixelType::u8;
    t.segments = (bytes ? 1 : 2) * (kTensorBlockSamples / 16 + chunks / 2);
    t.segment_reciprocal = ceil_div(1 << kReciprocalBits, t.segments);
    t.vector_reciprocal = ceil_div(1 << kReciprocalBits, t.segments + 1);
    t.row_step = t.threads / t.segments;
    t.vector_step = t.threads / (t.segments + 1);
    t.pitch = (bytes ? 2 : 1) * t.segments + 1;
    t.left = p.taps().anchor_x * p.channels;
    t.shift_bits = bytes ? 8 * (-t.left & 3) : 16 * (-t.left & 1);
    t.middle_of_words = 0x10001U * half_bits(static_cast<float>(-5120.0 - middle_of(p)));
    t.channel_shift = log2_of(p.channels);
    return t;
}

int shared_bytes_of(const TensorTile& t) {
    return t.rows * (t.pitch + t.segments + 1) * 16;
}

// There are as many warps, one below the other, as shared memory has room for, at least one.
TensorTile fitting_tile(const ConvProblem& p, int halo_rows, int chunks, const Device& device) {
    int warps_y = preferred_warps_y(p);
    TensorTile t = tile_of(p, halo_rows, chunks, warps_y);
    while (shared_bytes_of(t) > most_shared_bytes(device) && warps_y > 1)
        t = tile_of(p, halo_rows, chunks, --warps_y);
    return t;
}

std::string why_no_room(const TensorTile& t, const Device& device) {
    if (shared_bytes_of(t) <= most_shared_bytes(device)) return {};
    return "16 rows of its tile and the halo of these taps do not fit into the shared memory of a "
           "block on this GPU";
}

// Chunks of a tap row's band; bands that are not compiled in come in pairs.
int dense_chunks(const ConvProblem& p) {
    const int chunks = band_chunks(p);
    return unrolled_chunks(chunks) == 0 ? chunks + chunks % 2 : chunks;
}

TensorTile dense_tile(const ConvProblem& p, const Device& device) {
    return fitting_tile(p, p.taps().height - 1, dense_chunks(p), device);
}

void finish_layout(const ConvProblem& p, const TensorTile& tile, TensorLayout& layout) {
    TensorArgs& a = layout.args;
    a.images = conv_images(p, layout.borders);
    a.tile = tile;
    a.block_rows = tile.threads / (32 * kTensorWarpsX) * kTensorRows;
    layout.shared_bytes = shared_bytes_of(tile);
    a.tiles_x = ceil_div(p.width * p.channels, kTensorBlockSamples);
    a.tiles = grid_size(a.tiles_x, ceil_div(p.height, a.block_rows));
    a.blocks = a.tiles;
}

void set_factor(const ConvProblem& p, std::size_t set, int channel, float factor, double taps,
                TensorArgs& a) {
    a.start[set][channel] = static_cast<float>(middle_of(p) * taps * factor);
    a.inverse[set][channel] = 1.0F / factor;
    a.gain[channel] = p.channel(channel).scale / factor;
}

void add_set(const ConvProblem& p, std::size_t set, TensorLayout& layout) {
    TensorArgs& a = layout.args;
    std::vector<float> factors;
    for (int c = 0; c < p.channels; ++c) {
        const std::vector<float>& weights = p.channel(c).taps[set].weights;
        factors.push_back(half_scale(weights).factor);
        set_factor(p, set, c, factors.back(), sum_of(weights), a);
    }
    for (int j = 0; j < a.tap_rows; ++j) {
        const auto weight = [&](int c, int i) {
            const std::vector<float>& weights = p.channel(c).taps[set].weights;
            return weights[static_cast<std::size_t>(j) * p.taps().width + i] *
                   factors[static_cast<std::size_t>(c)];
        };
        add_band(p, a.chunks, weight, layout.bands);
    }
}

}  // namespace

HalfScale half_scale(const std::vector<float>& weights) {
    HalfScale best{.factor = 1.0F, .lost = half_loss(weights, 1.0F)};
    if (best.lost == 0) return best;
    best.lost = std::numeric_limits<double>::infinity();
    // Far from the ends of half precision: small taps stay normal, and 128 Σ|w| · factor is finite.
    const int exponent = 6 - std::ilogb(absolute_sum_of(weights));
    for (int step = 0; step < 32; ++step) {
        const float factor = std::ldexp(1.0F + static_cast<float>(step) / 32.0F, exponent);
        const double lost = half_loss(weights, factor);
        if (lost < best.lost) best = {.factor = factor, .lost = lost};
    }
    return best;
}

std::string why_not_tensor_dense(const ConvProblem& p, const Device& device) {
    if (std::string reason = why_not_pixels(p); !reason.empty()) return reason;
    if (!every_tap_set(p, &Taps::dense))
        return "it takes dense taps up to 63×63, and these are larger";
    const auto exact_or_fractional = [](const Taps& t) {
        return !integer_valued(t) || half_scale(t.weights).lost == 0;
    };
    if (!every_tap_set(p, exact_or_fractional))
        return "some taps are whole numbers beyond what half precision holds exactly";
    if (std::string reason = why_no_room(dense_tile(p, device), device); !reason.empty())
        return reason;
    return why_not_precise(worst_error(p, dense_error));
}

int unrolled_chunks(int chunks) {
    return chunks <= kMaxUnrolledChunks ? chunks : 0;
}

TensorLayout lay_out_tensor_dense(const ConvProblem& p, const Device& device) {
    TensorLayout layout;
    TensorArgs& a = layout.args;
    a.tap_rows = p.taps().height;
    a.chunks = dense_chunks(p);
    a.sets = static_cast<int>(p.conv.front().taps.size());
    a.magnitude = p.combine == Combine::magnitude;
    finish_layout(p, dense_tile(p, device), layout);
    for (std::size_t set = 0; set < p.conv.front().taps.size(); ++set) add_set(p, set, layout);
    return layout;
}

double band_products(const ConvProblem& p, int apart) {
    const Taps& t = p.taps();
    const int parts = std::max(ceil_div((t.width - 1) * apart, 8) + 1, 2);
    return 8.0 * parts * t.height * static_cast<double>(p.conv.front().taps.size());
}

std::string why_no_tensor_cores(const Device& device) {
    if (device.compute_major >= 8) return "";
    return "it needs tensor cores with fp32 sums: a GPU of the Ampere generation or newer";
}

namespace {

double time_of(const ConvProblem& p, const Device& device) {
    const double products = band_products(p, p.channels);
    const bool bytes = p.type == PixelType::u8;
    double time = (bytes ? 7.4 : 12.0) + (bytes ? 0.0355 : 0.0345) * products;
    if (bytes && p.channels == 1) time = std::max(time, 0.0674 * tap_count(p));
    return estimated_time(p, device,
                          {.start = 4.0 + (bytes ? 0.04 : 0.1) * p.taps().height + 0.008 * products,
                           .hopper_time = time,
                           .half_products = products});
}

}  // namespace

extern constinit const ConvKernel kTensorDenseKernel = {
    .name = "tensor_dense",
    .summary =
        "every tap row as a banded matrix on tensor cores: 16 image rows times the band of "
        "eight outputs",
    .source = "banded Toeplitz blocks (ConvStencil, PPoPP 2024; HardBoiled, CGO 2026)",
    .limits =
        "NVIDIA GPU from Ampere on; 8 to 12 bits, 1, 2 or 4 channels; dense taps up to 63×63; "
        "within 1 step, whole numbers exact",
    .space = MemorySpace::device,
    .arithmetic = Arithmetic::half_taps,
    .why_not = [](const ConvProblem& p, const Device& device) -> std::string {
        std::string reason = why_no_tensor_cores(device);
        return reason.empty() ? why_not_tensor_dense(p, device) : reason;
    },
    .prepare = cuda_only<prepare_tensor_dense>(),
    .cost = dense_cost,
    .time = time_of,
    .reason = "{size} dense {type}: one banded product per tap row, on tensor cores",
};

}  // namespace weft
