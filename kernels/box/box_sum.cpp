#include "kernels/box/box_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/common/conv_layout.h"
#include "kernels/common/kernel_terms.h"
#include "kernels/common/quotient.h"
#include "kernels/device/cuda_build.h"

namespace weft {

namespace {

constexpr int kRegisterThreads = 768;  // per multiprocessor, limited by its registers

constexpr int kBlockThreads[] = {64, 96, 128, 160, 192, 256, 320, 384, 512, kMaxBoxThreads};

int unit_samples(const ConvProblem& p) {
    return p.channels == 3 ? 12 : 16;
}

// A tile's outputs start at 16 bytes and whole pixels.
int tile_step(const ConvProblem& p) {
    return p.channels == 3 ? 48 : 16;
}

// Differences of columns fit 15 bits, and sums with 16 lifted differences the mantissa of a float.
bool fits_halves(const ConvProblem& p) {
    const int most = 255 * p.taps().width * p.taps().height + 16 * 0x8000;
    return p.type == PixelType::u8 && p.taps().height <= 128 && most < 1 << 23;
}

int columns_of(const ConvProblem& p, int threads) {
    return threads * 4 / static_cast<int>(bytes_per_sample(p.type));
}

int outputs_of(const ConvProblem& p, int threads) {
    // Up to 3 columns before the first window's, and a word that is read past the last.
    const int spare = 3 + 2;
    const int columns = columns_of(p, threads) - p.taps().width * p.channels - spare;
    return columns / tile_step(p) * tile_step(p);
}

int words_of_columns(const ConvProblem& p, int threads) {
    const int words = columns_of(p, threads) / (fits_halves(p) ? 2 : 1);
    return words % 2 == 0 ? words + 1 : words;
}

int words_of_outputs(const ConvProblem& p, int outputs) {
    const int vectors = outputs * static_cast<int>(bytes_per_sample(p.type)) / 16;
    return (vectors % 2 == 0 ? vectors + 1 : vectors) * 4;
}

int shared_bytes_of(const ConvProblem& p, int threads, int rows) {
    const int sums = ceil_div(rows * words_of_columns(p, threads), 4) * 4;
    return 4 * (sums + rows * words_of_outputs(p, outputs_of(p, threads)));
}

// 32 or 16, the most rows that fit; 0: neither fits, or the box is wider than the block.
int group_rows_of(const ConvProblem& p, int threads, const Device& device) {
    if (outputs_of(p, threads) < tile_step(p)) return 0;
    for (const int rows : {32, 16})
        if (shared_bytes_of(p, threads, rows) <= most_shared_bytes(device)) return rows;
    return 0;
}

// Clocks of a multiprocessor. Its blocks issue an instruction three clocks out of four at best;
// each waits for memory once per batch of rows, and at both barriers of a group.
double clocks_of(const ConvProblem& p, const BoxShape& shape, const Device& device) {
    const int outputs = outputs_of(p, shape.threads);
    const int rows = shape.group_rows;
    const double warps = shape.threads / 32.0;
    const double strip = shape.strip;
    const int height = p.taps().height;
    const double down = warps * (strip * 14.0 + height * 8.0);
    const double along = strip / 32.0 * (outputs / 16.0 * 120.0 + warps * p.taps().width);
    const double store = strip * outputs / 512.0 * 30.0;
    const double issued = (down + along + store) / 4.0 / 0.75;
    const double waiting = 700.0 * ceil_div(height, kBoxBatch) + 3500.0 * strip / rows;
    const int block_bytes = shared_bytes_of(p, shape.threads, rows) + kSharedBytesOfSystem;
    const int resident =
        std::max(1, std::min(kRegisterThreads / shape.threads,
                             shared_bytes_of_multiprocessor(device) / block_bytes));
    const int blocks = ceil_div(p.width * p.channels, outputs) * ceil_div(p.height, shape.strip);
    const double each = std::ceil(static_cast<double>(blocks) / device.multiprocessors);
    return each * issued + std::ceil(each / resident) * waiting;
}

}  // namespace

std::string why_not_box(const ConvProblem& p, const Device& device) {
    if (p.type == PixelType::f32)
        return "it takes 8-bit and 16-bit pixels: running sums of fractions would drift";
    if (p.combine != Combine::single)
        return "it takes one tap set, and this problem combines several";
    if (!std::ranges::all_of(p.conv, [](const ChannelConv& c) { return is_box(c.taps.front()); }))
        return "it takes taps that are all one value, and these are not";
    if (p.type == PixelType::u16 && p.taps().width * p.taps().height > 65537)
        return "sums of more than 65,537 samples of 16 bits do not fit its 32 bits";
    if (outputs_of(p, kMaxBoxThreads) < tile_step(p))
        return "its blocks are 1,536 samples of 16 bits wide, and the box is wider";
    if (!std::ranges::all_of(p.conv, box_keeps_exactness))
        return "the taps' value times the scale is no number in fp32, and exact sums would be "
               "rounded twice";
    if (std::ranges::none_of(kBlockThreads,
                             [&](int threads) { return group_rows_of(p, threads, device) > 0; }))
        return "the column sums of a block as wide as this box do not fit into the shared memory "
               "of a block on this GPU";
    return {};
}

BoxShape choose_box_shape(const ConvProblem& p, const Device& device) {
    BoxShape best;
    double least = std::numeric_limits<double>::infinity();
    for (const int threads : kBlockThreads) {
        const int rows = group_rows_of(p, threads, device);
        if (rows == 0) continue;
        for (const int strip : {32, 64, 96, 128, 160, 192, 256}) {
            const BoxShape shape{.threads = threads, .strip = strip, .group_rows = rows};
            const double clocks = clocks_of(p, shape, device);
            if (!(clocks < least)) continue;
            least = clocks;
            best = shape;
        }
    }
    return best;
}

BoxLayout lay_out_box(const ConvProblem& p, const BoxShape& shape) {
    BoxLayout layout;
    BoxArgs& a = layout.args;
    a.images = conv_images(p, layout.borders);
    a.threads = shape.threads;
    a.group_rows = shape.group_rows;
    a.group_shift = std::countr_zero(static_cast<unsigned>(a.group_rows));
    a.strip = shape.strip;
    a.outputs = outputs_of(p, shape.threads);
    a.units = a.outputs / unit_samples(p);
    a.run_units = ceil_div(a.units, shape.threads / a.group_rows);
    const int vectors = a.outputs * static_cast<int>(bytes_per_sample(p.type)) / 16;
    a.store_shift =
        std::min(static_cast<int>(std::bit_width(static_cast<unsigned>(vectors - 1))), 5);
    a.reach = p.taps().width * p.channels;
    a.height = p.taps().height;
    a.pitch = words_of_columns(p, shape.threads);
    a.out_first = ceil_div(a.group_rows * a.pitch, 4) * 4;
    a.out_pitch = words_of_outputs(p, a.outputs);
    a.tiles_x = ceil_div(p.width * p.channels, a.outputs);
    for (int c = 0; c < p.channels; ++c) a.gain[c] = static_cast<float>(box_gain(p.channel(c)));
    layout.halves = fits_halves(p);
    layout.shared_bytes = shared_bytes_of(p, shape.threads, a.group_rows);
    layout.blocks = grid_size(a.tiles_x, ceil_div(p.height, a.strip));
    return layout;
}

namespace {

// So many times the modelled clocks, which were fitted on an H200.
double time_of(const ConvProblem& p, const Device& device) {
    constexpr double kHopperHz = 1980e6;
    const double hz = device.clock_hz > 0 ? static_cast<double>(device.clock_hz) : kHopperHz;
    const double modelled = 1e6 * clocks_of(p, choose_box_shape(p, device), device) / hz;
    if (p.type == PixelType::u16) return 2.7 + 2.0 * modelled;
    return p.channels == 3 ? 7.3 + 1.9 * modelled : 4.4 + 1.32 * modelled + 0.065 * p.taps().height;
}

}  // namespace

extern constinit const ConvKernel kBoxSumKernel = {
    .name = "box_sum",
    .summary =
        "running sums down the columns, then along the rows, in one launch: cost does not grow "
        "with the box",
    .source = "running sums (McDonnell, CGIP 1981; Crow, SIGGRAPH 1984)",
    .limits =
        "NVIDIA GPU; 8 and 16 bits; taps all of one value, up to 511 a side (16 bits: 65,537 taps)",
    .space = MemorySpace::device,
    .why_not = why_not_box,
    .prepare = cuda_only<prepare_box_sum>(),
    .cost = box_cost,
    .time = time_of,
    .reason = "{size} box {type}: running sums",
};

}  // namespace weft
