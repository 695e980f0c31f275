#include "kernels/reuse/column_row_reuse.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "kernels/common/kernel_terms.h"
#include "kernels/common/quotient.h"
#include "kernels/device/cuda_build.h"

namespace weft {

namespace {

ReuseArgs reuse_args(const ConvProblem& p, int block_samples, BorderTables& borders) {
    ReuseArgs args;
    args.images = conv_images(p, borders);
    args.tiles_x = ceil_div(p.width * p.channels, 32 * block_samples);
    return args;
}

// An estimate in proportion to the time. The instructions of a warp are, per row, loads, and
// shuffles and conversions of each block; per output row loads of taps, multiplications, rounding
// and a store. On an H100, u8 gray of 31×31 takes 573 µs at 4K in strips of 2 and 488 in strips of
// 8; f32 of two channels and 11×11 at 1080p takes 103, 83 and 99 in strips of 2, 4 and 8.
double strip_clocks(const ConvProblem& p, const StripVariant& v, int multiprocessors) {
    const Taps& t = p.taps();
    const int tap_blocks = ceil_div(t.width * v.channels, v.block_samples) + 1;
    // f32 shuffles as many words as samples, and a shuffle takes as long as four multiplications.
    const double per_sample = p.type == PixelType::f32 ? 4.5 : 2.5;
    const double per_row = 40.0 + per_sample * v.block_samples * tap_blocks;
    const double per_output = 20.0 + 2.0 * v.block_samples +
                              static_cast<double>(t.width) * t.height * (v.block_samples + 0.5);
    const int tiles_x = ceil_div(p.width * p.channels, 32 * v.block_samples);
    const int blocks = ceil_div(ceil_div(p.height, v.strip), kReuseWarps) * tiles_x;
    // With four blocks on a multiprocessor, each scheduler has four warps, which hide each other's
    // waiting; with fewer it idles. The last block, if it is alone, takes as long as two.
    constexpr int kHiding = 4;
    constexpr int kAlone = 2;
    const int share = ceil_div(blocks, multiprocessors);
    const int last = share % v.resident_blocks;
    const int turns = last == 0 ? share : share - last + std::max(last, kAlone);
    return std::max(turns, kHiding) * ((v.strip + t.height - 1.0) * per_row + v.strip * per_output);
}

const Taps& tap_set(const ConvProblem& p, int set, int channel) {
    return p.channel(channel).taps[static_cast<std::size_t>(set)];
}

int set_count(const ConvProblem& p) {
    return static_cast<int>(p.conv.front().taps.size());
}

}  // namespace

// Every strip variant has blocks of 8 pixels of one channel, or of 4, and rows of taps that begin
// up to 7 or 3 pixels into a block and are read four at a time.
int strip_bytes(const ConvProblem& p) {
    const int tap_stride = p.channels == 1 ? 72 : 68;
    return 4 * tap_stride * p.taps().height * static_cast<int>(p.conv.size());
}

int rolling_size(const ConvProblem& p) {
    const Taps& t = p.taps();
    const int radius =
        std::max({t.anchor_x, t.width - 1 - t.anchor_x, t.anchor_y, t.height - 1 - t.anchor_y});
    const int size = 2 * radius + 1;
    if (p.type == PixelType::f32) return t.width == size && t.height == size ? size : 0;
    // Padding taps with zeros costs multiplications. At 3×3 memory hides them; above that, the
    // strip form costs about as much as twice as many at these sizes.
    const bool worth_it = size <= 3 || size * size <= 2 * t.width * t.height;
    return worth_it ? std::max(size, 3) : 0;
}

const TileVariant* find_tile(const ConvProblem& p, std::span<const TileVariant> variants) {
    if (set_count(p) != 1) return nullptr;
    const int size = rolling_size(p);
    const auto found = std::ranges::find_if(variants, [&](const TileVariant& v) {
        return v.type == p.type && v.channels == p.channels && v.size == size;
    });
    return found == variants.end() ? nullptr : &*found;
}

const RingVariant* find_ring(const ConvProblem& p, std::span<const RingVariant> variants) {
    if (p.type != PixelType::f32 || p.channels != 1 || set_count(p) != 1) return nullptr;
    const int size = rolling_size(p);
    const auto found =
        std::ranges::find_if(variants, [&](const RingVariant& v) { return v.size == size; });
    return found == variants.end() ? nullptr : &*found;
}

const RollingVariant* find_rolling(const ConvProblem& p, std::span<const RollingVariant> variants) {
    if (p.combine == Combine::maximum) return nullptr;
    const int size = rolling_size(p);
    const auto found = std::ranges::find_if(variants, [&](const RollingVariant& v) {
        return v.type == p.type && v.channels == p.channels && v.size == size &&
               v.sets == set_count(p);
    });
    return found == variants.end() ? nullptr : &*found;
}

const StripVariant* find_strip(const ConvProblem& p, std::span<const StripVariant> variants,
                               int multiprocessors) {
    const StripVariant* best = nullptr;
    double best_clocks = std::numeric_limits<double>::infinity();
    for (const StripVariant& v : variants) {
        if (v.type != p.type || v.channels != p.channels || v.several_sets != (set_count(p) > 1))
            continue;
        const double clocks = strip_clocks(p, v, multiprocessors);
        if (clocks >= best_clocks) continue;
        best = &v;
        best_clocks = clocks;
    }
    return best;
}

std::string why_not_reuse(const ConvProblem& p, const Device& device) {
    if (strip_bytes(p) <= most_shared_bytes(device)) return {};
    return "the taps of all channels do not fit into the shared memory of a block on this GPU";
}

int choose_strip(const ConvProblem& p, const RollingVariant& v, int multiprocessors) {
    // Warp instructions: loads, shuffles, conversions and branches per row, and per output row
    // multiplications, rounding, store.
    const double per_row = 40.0 + 2.0 * (v.block_samples + (v.size - 1) * v.channels);
    const double taps = static_cast<double>(v.sets) * v.size * v.size;
    const double per_output = 20.0 + (2.0 + taps) * v.block_samples;
    // Blocks start where others end. The last `resident` blocks of a multiprocessor take as long as
    // kUnhidden more to issue: with few warps per scheduler, their waiting shows.
    constexpr int kUnhidden = 2;
    const int slots = multiprocessors * v.resident_blocks;
    int best = v.size - 1;
    double best_clocks = std::numeric_limits<double>::infinity();
    for (int strip = v.size - 1; strip <= 64; ++strip) {
        RollingLayout layout = lay_out(p, v, strip);
        set_alignment(v, true, true, layout);
        const int rounds = ceil_div(layout.blocks, slots);
        const double clocks = (rounds * v.resident_blocks + kUnhidden) *
                              ((strip + v.size - 1.0) * per_row + strip * per_output);
        if (clocks < best_clocks) {
            best_clocks = clocks;
            best = strip;
        }
    }
    return best;
}

int choose_strips(const ConvProblem& p, const RingVariant& v, int multiprocessors) {
    const int tiles_x = ceil_div(p.width, 32 * v.block_samples);
    const int steps = ceil_div(p.height, v.step_rows);
    // Blocks of one step wait for memory once. On an H100 at 1280×720, 9×9 takes 6.9 µs in 900 of
    // them and 7.4 in 520 blocks of one or two steps.
    if (static_cast<long long>(tiles_x) * steps <= v.resident_blocks * multiprocessors)
        return steps;
    // Otherwise all blocks run at once, and end together if the multiprocessors have equally many:
    // at 3840×2160, 9×9 takes 34.1 µs in 660 blocks on 132 multiprocessors and 35.5 in 510. A
    // strip's first K - 1 rows are only fetched, in about a quarter of the time of a row of
    // outputs. Fewer than 16 warps per multiprocessor do not hide the waiting of each other: with
    // 12, 7×7 takes 10.6 µs at 1920×1080, with 16 10.2.
    constexpr double kFetchOnly = 0.25;
    constexpr int kHidingWarps = 16;
    const double first_rows = kFetchOnly * (v.size - 1) / v.step_rows;
    int best = 1;
    double best_time = std::numeric_limits<double>::infinity();
    for (int strips = 1; strips <= steps; ++strips) {
        const int share = ceil_div(strips * tiles_x, multiprocessors);
        if (share > v.resident_blocks && strips > 1) break;
        const double time = std::max(share, kHidingWarps / v.warps) *
                            (static_cast<double>(steps) / strips + first_rows);
        if (time >= best_time) continue;
        best = strips;
        best_time = time;
    }
    return best;
}

namespace {

// Fills the border tables of arguments that hold them themselves.
template <class Args>
void set_images(const ConvProblem& p, Args& a) {
    BorderTables borders;
    a.images = conv_images(p, borders);
    const auto y_table = borders.entries.begin() + static_cast<std::ptrdiff_t>(borders.y_table);
    std::copy(borders.entries.begin(), y_table, a.column_sources);
    std::copy(y_table, borders.entries.end(), a.row_sources);
}

// All tap sets as squares of this size with the anchor in the middle: [set][channel][row][column].
void put_squares(const ConvProblem& p, int size, float* taps) {
    const int radius = size / 2;
    for (int set = 0; set < set_count(p); ++set) {
        for (int c = 0; c < p.channels; ++c) {
            const Taps& t = tap_set(p, set, c);
            float* const plane = taps + (set * p.channels + c) * size * size;
            for (int j = 0; j < t.height; ++j)
                for (int i = 0; i < t.width; ++i)
                    plane[(j + radius - t.anchor_y) * size + i + radius - t.anchor_x] =
                        t.weights[static_cast<std::size_t>(j) * t.width + i];
        }
    }
}

}  // namespace

TileLayout lay_out(const ConvProblem& p, const TileVariant& v) {
    TileLayout layout;
    TileArgs& a = layout.args;
    set_images(p, a);
    put_squares(p, v.size, a.taps);
    a.tiles_x = ceil_div(p.width * p.channels, 32 * v.block_samples);
    a.tiles_y = ceil_div(p.height, kReuseWarps * v.rows);
    layout.blocks = grid_size(a.tiles_x, a.tiles_y);
    return layout;
}

RingLayout lay_out(const ConvProblem& p, const RingVariant& v, int strips) {
    RingLayout layout;
    RingArgs& a = layout.args;
    set_images(p, a);
    std::ranges::copy(p.taps().weights, a.taps);
    a.tiles_x = ceil_div(p.width, 32 * v.block_samples);
    const int steps = ceil_div(p.height, v.step_rows);
    a.strips = std::min(strips, steps);
    a.strip_steps = steps / a.strips;
    a.tall_strips = steps % a.strips;
    layout.blocks = grid_size(a.tiles_x, a.strips);
    return layout;
}

RollingLayout lay_out(const ConvProblem& p, const RollingVariant& v, int strip) {
    RollingLayout layout;
    RollingArgs& a = layout.args;
    set_images(p, a);
    put_squares(p, v.size, a.taps);
    a.tiles_x = ceil_div(p.width * p.channels, 32 * v.block_samples);
    a.strip = std::max(strip, v.size - 1);
    layout.strip_blocks = grid_size(a.tiles_x, ceil_div(p.height, a.strip * kReuseWarps));
    return layout;
}

void set_alignment(const RollingVariant& v, bool src_aligned, bool dst_aligned,
                   RollingLayout& layout) {
    RollingArgs& a = layout.args;
    const int samples = a.images.x.length * v.channels;
    const int columns = ceil_div(samples, v.block_samples);
    a.inner_begin = src_aligned ? std::min(ceil_div(v.reach, v.block_samples), columns) : columns;
    a.inner_end = std::max((samples - v.reach) / v.block_samples, a.inner_begin);
    a.end_columns = a.inner_begin + columns - a.inner_end;
    a.end_blocks = ceil_div(grid_size(a.end_columns, a.images.y.length), 32 * kReuseWarps);
    a.dst_aligned = dst_aligned;
    layout.blocks = grid_size(1, a.end_blocks + layout.strip_blocks);
}

StripLayout lay_out(const ConvProblem& p, const StripVariant& v) {
    StripLayout layout;
    StripArgs& a = layout.args;
    const Taps& shape = p.taps();
    const int block_px = v.block_samples / v.channels;
    a.base = reuse_args(p, v.block_samples, layout.borders);
    a.sets = set_count(p);
    a.planes = static_cast<int>(p.conv.size());
    a.magnitude = p.combine == Combine::magnitude;
    a.height = shape.height;
    a.anchor_y = shape.anchor_y;
    a.left_px = shape.anchor_x;
    a.right_px = shape.width - 1 - shape.anchor_x;
    a.first_block = -ceil_div(shape.anchor_x, block_px);
    a.tap_begin = -a.first_block * block_px - shape.anchor_x;
    a.tap_end = a.tap_begin + shape.width;
    a.tap_blocks = ceil_div(a.tap_end, block_px);
    const std::size_t plane_size = static_cast<std::size_t>(shape.height) * v.tap_stride;
    layout.taps.assign(plane_size * static_cast<std::size_t>(a.sets * a.planes), 0.0F);
    float* plane = layout.taps.data();
    for (int set = 0; set < a.sets; ++set) {
        for (int c = 0; c < a.planes; ++c, plane += plane_size) {
            const Taps& t = tap_set(p, set, c);
            for (int j = 0; j < t.height; ++j)
                std::copy_n(t.weights.data() + static_cast<std::ptrdiff_t>(j) * t.width, t.width,
                            plane + static_cast<std::ptrdiff_t>(j) * v.tap_stride + a.tap_begin);
        }
    }
    layout.shared_bytes =
        static_cast<int>(plane_size * static_cast<std::size_t>(a.planes) * sizeof(float));
    layout.blocks = grid_size(a.base.tiles_x, ceil_div(p.height, v.strip * kReuseWarps));
    return layout;
}

namespace {

// Of each type and number of channels, µs for squares of 3×3, 5×5 and so on, to which smaller taps
// of integers are padded. A zero stands for a strip.
constexpr double kSquares[3][4][7] = {
    {{4.2, 7.9, 15.1, 24.9},
     {4.6, 9.1, 17.9, 30.0},
     {5.8, 13.4, 20.7, 36.7},
     {5.1, 13.8, 24.1, 45.7}},
    {{7.5, 11.1, 16.9, 23.8}, {8.5, 13.2, 24.5}, {8.3, 14.0}, {9.2, 15.1}},
    {{16.1, 22.7, 24.4, 31.6, 45.6, 59.4, 78.0},
     {17.1, 19.7, 29.4, 38.2},
     {16.9, 21.0, 29.0, 51.7},
     {16.6, 25.4, 32.6, 53.1}}};

Work strip_work(const ConvProblem& p) {
    const double taps = tap_count(p);
    const double rows = p.taps().height;
    const bool gray = p.channels == 1;
    return {.start = 2.5 + 0.035 * taps + 0.8 * rows,
            .hopper_time = (p.type == PixelType::u8 && !gray ? 11 : 21) +
                           (gray ? 0.48 : 0.58) * taps + 1.6 * rows,
            .fmas = taps};
}

Work work_of(const ConvProblem& p) {
    const int size = rolling_size(p);
    const auto sets = static_cast<double>(p.conv.front().taps.size());
    if (size < 3 || size > 15 || p.combine == Combine::maximum ||
        (p.type == PixelType::f32 && sets > 1))
        return strip_work(p);
    const double time = kSquares[static_cast<int>(p.type)][p.channels - 1][(size - 3) / 2];
    if (time == 0) return strip_work(p);
    const double square = size * size;
    const bool ring = p.type == PixelType::f32 && p.channels == 1;
    const double start = p.type == PixelType::u8 ? 3.9 + 0.045 * square : 2.4 + 0.08 * square;
    return {.start = ring ? 2.8 : start,
            .hopper_time = time + (sets - 1) * (6 + 0.31 * square),
            .fmas = sets * square};
}

double time_of(const ConvProblem& p, const Device& device) {
    return estimated_time(p, device, work_of(p));
}

}  // namespace

extern constinit const ConvKernel kColumnRowReuseKernel = {
    .name = "column_row_reuse",
    .summary =
        "columns by warp shuffles or shared memory, rows by rolling accumulators: each sample is "
        "loaded once per strip",
    .source = "Lu, Zhang, Wang, CLUSTER 2020 and TPDS 2022; patent CN111797985",
    .limits =
        "NVIDIA GPU; dense taps up to 63×63; depthwise layers from Ampere on, 3×3 to 7×7, stride 1 "
        "and 2",
    .space = MemorySpace::device,
    .why_not = [](const ConvProblem& p, const Device& device) -> std::string {
        std::string reason = why_not_fp32_sums(p);
        return reason.empty() ? why_not_reuse(p, device) : reason;
    },
    .prepare = cuda_only<prepare_column_row_reuse>(),
    .cost = dense_cost,
    .time = time_of,
    .reason = "{size} dense {type}: columns and rows reused",
};

}  // namespace weft
