#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include <fmt/format.h>

#include "kernels/common/kernel_terms.h"
#include "kernels/common/quotient.h"
#include "kernels/cpu/opencv_sum.h"
#include "kernels/device/gpu_rates.h"
#include "kernels/planner.h"
#include "kernels/reuse/column_row_reuse.h"
#include "kernels/separable/separable_reuse.h"
#include "kernels/tensor/tensor_dense.h"
#include "kernels/tensor/tensor_f32.h"
#include "kernels/tensor/tensor_int8.h"

namespace weft {

namespace {

// Filtering 3840×2160 samples of one channel; times of other sizes and of several channels are
// scaled to as many samples. On Hopper GPUs, instructions are the limit. Other GPUs issue as many
// per clock, but have units that do less (gpu_rates.h).
struct Work {
    double hopper_time = 0;  // µs, measured on an H100 or H200
    // Operations per sample; 0: far from being the limit on any GPU.
    double fmas = 0;
    double half_products = 0;
    double byte_products = 0;
    double bytes = 0;
};

// µs that a unit is busy on so many multiprocessors at that clock. 0 if it is as fast as Hopper's,
// where it is not the limit.
double busy_time(double operations, double rate, double hopper_rate) {
    constexpr double kMultiprocessors = 132;
    constexpr double kMegahertz = 1980;
    if (rate >= hopper_rate) return 0;
    return operations / rate * (3840 * 2160 / kMultiprocessors / kMegahertz);
}

// µs, by the unit that takes longest, with the device's rates but an H100's multiprocessors and
// clock: times are only compared. Bytes count only for kernels that move more than the others.
double time_on(const Device& device, const Work& w) {
    const GpuRates rates = gpu_rates(device);
    return std::max({w.hopper_time, busy_time(w.fmas, rates.fmas, kHopperRates.fmas),
                     busy_time(w.half_products, rates.half_products, kHopperRates.half_products),
                     busy_time(w.byte_products, rates.byte_products, kHopperRates.byte_products),
                     busy_time(w.bytes, rates.bytes, kHopperRates.bytes)});
}

bool any_taps(const ConvProblem&, const Device&) {
    return true;
}

bool all_dense(const ConvProblem& p) {
    return every_tap_set(p, &Taps::dense);
}

bool dense_taps_only(const ConvProblem& p, const Device&) {
    return all_dense(p);
}

double samples_of(const ConvProblem& p) {
    return static_cast<double>(p.width) * p.height * p.channels;
}

// On an H100, u8 3×3 fractions: columns and rows reused take 9.1 µs in 4K gray, 24.4 in RGB and
// 30.9 in RGBA, bands of bytes 9.9, 28.7 and 33.3; but in 720p RGBA 7.2 and 6.2. In 1080p gray they
// take 5.8 and 5.4; planes at once were not measured at 3×3, but at 5×5 below bands lose by them.
// Whole numbers take 9.1 and 9.2 at 4K, 5.7 and 4.5 at 1080p. Several 16-bit channels: 25.2 in four
// at 1440p, two passes 28.3 and bands in half precision 29.7.
bool rows_win_at_3(const ConvProblem& p, const Device&) {
    constexpr double kLarge = 5e6;  // samples
    const bool smallest = all_dense(p) && p.combine == Combine::single && rolling_size(p) == 3;
    const bool bytes = p.type == PixelType::u8 && !integer_valued(p.taps()) &&
                       (p.channels == 1 || samples_of(p) >= kLarge);
    return smallest && (bytes || (p.type == PixelType::u16 && p.channels > 1));
}

// On an H100, u8 bands of bytes and two banded products: 4K gray 9.1 and 10.8 µs at 5×5 whole
// numbers, 11.7 and 10.8 of fractions; in two channels 19.1 and 20.7 of fractions, at 5×7 whole
// numbers in 1080p 6.8 and 7.3; 4K RGBA 42 and 32, and at 3×3 29.6 and 32. High taps have
// long bands: 10.1 and 7.4 at 1×13 in 1440p. 5×5 fractions in 720p gray take 4.1 and 4.7, but the
// planes of yuv420p 6.1 and 5.7.
bool bytes_win_over_factors(const ConvProblem& p, const Device&) {
    constexpr int kHighest = 9;
    const bool whole = integer_valued(p.taps());
    int most = whole ? 9 : 0;
    if (p.channels == 1) most = whole ? 25 : 9;
    if (p.channels == 2) most = whole ? 35 : 25;
    return all_dense(p) && p.taps().height <= kHighest && p.taps().width * p.taps().height <= most;
}

// Running sums, of a box of ones on an H100 at 4K: u8 gray 22.0 µs at 31×31 and 29.8 at 101×101,
// where banded products take 14.0 and 26.2; two channels 34.9 and 37.2, and 31.5 and 47.5; RGB 65.1
// and 67.7, and 50.6 and 86.4; RGBA 53.8 at 15×15 and 55.2 at 31×31, and 33.6 and 59.4.
bool products_win_over_sums(const ConvProblem& p, const Device&) {
    const Taps& t = p.taps();
    if (!is_box(t)) return true;
    constexpr std::array kLargest = {101, 31, 41, 17};  // by channels
    return std::max(t.width, t.height) <= kLargest.at(static_cast<std::size_t>(p.channels) - 1);
}

bool factors_known(const ConvProblem& p) {
    return every_tap_set(p, &Taps::separable);
}

double taps_of_frames(const ConvProblem& p) {
    return static_cast<double>(p.taps().width) * p.taps().height *
           static_cast<double>(p.conv.front().taps.size());
}

// Samples that tensor_dense takes.
bool up_to_12_bits(const ConvProblem& p) {
    return p.type == PixelType::u8 || (p.type == PixelType::u16 && p.max_value <= 4095.0F);
}

// Products per sample with the bands of all tap rows, in one plane: eight outputs take as many
// samples as they reach, in parts of eight. `apart`: samples from tap to tap.
double band_products(const ConvProblem& p, int apart) {
    const Taps& t = p.taps();
    const int parts = std::max(ceil_div((t.width - 1) * apart, 8) + 1, 2);
    return 8.0 * parts * t.height * static_cast<double>(p.conv.front().taps.size());
}

// In half precision, the taps of a channel have zeros between them for the others.
double half_products(const ConvProblem& p) {
    return band_products(p, p.channels);
}

// Taps that column_row_reuse keeps in registers or in its ring, if they are of fp32.
bool centred_square(const Taps& t) {
    return t.width == t.height && t.width % 2 == 1 && t.width >= 3 && t.anchor_x == t.width / 2 &&
           t.anchor_y == t.width / 2;
}

// The largest squares that column_row_reuse unrolls for integer samples.
int most_rolling(const ConvProblem& p) {
    constexpr std::array kMost16Bit = {9, 7, 5, 5};  // by channels
    return p.type == PixelType::u8 ? 9 : kMost16Bit.at(static_cast<std::size_t>(p.channels) - 1);
}

// Columns and rows reused, on an H100. f32 squares: gray 34.0 at 9×9, 60.3 at 13×13 and 76.5 at
// 15×15, of several channels by the table. Other f32 taps go through strips: 72 at 6×6, 77 at 9×5,
// 237 at 17×17, 564 at 31×31, and a channel of two or three 103 at 1×15, 57 at 2×11, 210 at 15×15.
// u8 and u16: 9.1, 15.8, 23.9 and 34.4 in squares up to 9×9, to which smaller taps are padded, and
// strips beyond, 116 at 11×11, 135 at 13×13, 106 at 3×17, 138 at 3×24 and 360 at 15×41; a channel
// of several u16 124 at 11×11 and 160 at 15×15.
Work reused(const ConvProblem& p) {
    const Taps& t = p.taps();
    const double taps = taps_of_frames(p);
    const bool one_set = p.conv.front().taps.size() == 1;
    if (p.type == PixelType::f32) {
        if (one_set && p.channels == 1 && t.width <= 15 && centred_square(t))
            return {.hopper_time = 0.342 * taps, .fmas = taps};
        constexpr double kTiles[][4] = {
            {23, 24, 30, 36}, {23, 24, 38, 55}, {23, 26, 34, 52}};  // by channels, from 3×3 to 9×9
        if (one_set && p.channels > 1 && t.width <= 9 && centred_square(t))
            return {.hopper_time = kTiles[p.channels - 2][(t.width - 3) / 2], .fmas = taps};
        return {.hopper_time = 40 + 0.45 * taps + 3.5 * t.height, .fmas = taps};
    }
    const int size = rolling_size(p);
    if (size == 0 || size > most_rolling(p)) {
        const double each = p.type == PixelType::u16 && p.channels > 1 ? 1.15 : 1;
        return {.hopper_time = each * (25 + 0.42 * taps + 3 * t.height), .fmas = taps};
    }
    const double padded = static_cast<double>(p.conv.front().taps.size()) * size * size;
    return {.hopper_time = 9 + 0.31 * padded, .fmas = padded};
}

// On an H100, f32 gray: 40.1 at 6×6, 57.0 at 12×12, 60.6 at 13×13, 65.2 at 15×15, 156 at 31×31 and
// 519 at 63×63; a channel of two 40 at 9×9 and 96 at 15×15. Three products: of both halves of a
// sample by the upper half of a tap, and of the upper half by the lower.
Work bands_of_split_halves(const ConvProblem& p) {
    const double products = 3 * half_products(p);
    return {.hopper_time = std::max(40.0, 27 + 0.035 * products), .half_products = products};
}

bool halves_win(const ConvProblem& p, const Device& device) {
    return p.type == PixelType::f32 && why_not_tensor_f32(p, device).empty() &&
           time_on(device, bands_of_split_halves(p)) < time_on(device, reused(p));
}

// Not up to 5×5 of one or two 10-bit or 12-bit channels: on an H100 at 4K bands take 19.6 µs at
// 3×3, 21.3 at 5×5 and 31.0 for Sobel, columns and rows reused 14.4, 17.5 and 19.8; of two channels
// 35.0 and 34.0 at 5×5.
bool bands_win(const ConvProblem& p, const Device&) {
    const int size = rolling_size(p);
    const bool smallest = p.type == PixelType::u16 && p.channels <= 2 &&
                          p.combine != Combine::maximum && size > 0 && size <= 5 &&
                          taps_of_frames(p) <= 25;
    return all_dense(p) && !smallest;
}

// Rows that tensor_int8 takes.
bool rows_fit_bytes(const ConvProblem& p) {
    return p.conv.size() == 1 && fits_int8_rows(p);
}

// Fractions are two planes of bytes.
double byte_products(const ConvProblem& p) {
    return (integer_valued(p.taps()) ? 1 : 2) *
           band_products(p, separates_channels(p) ? 1 : p.channels);
}

// On an H100, u8 gray or a separated channel: 13.2 at 7×7, 15.0 at 9×9, 24.0 at 15×15, 54.8 at
// 31×31; 20 at 2×15 and 36 at 5×31. As bytes, channels that are not separated have zeros between
// their taps. In half precision 20.0 at 9×9, 28.5 at 15×15 and 63.2 at 31×31, a channel of RGBA 21
// at 9×9 and 54 at 15×15.
Work bands_of_bytes(const ConvProblem& p) {
    if (!rows_fit_bytes(p)) {
        const double products = half_products(p);
        return {.hopper_time = 10 + 0.046 * products, .half_products = products};
    }
    const double products = byte_products(p);
    return {.hopper_time = 6 + 0.0175 * products + 0.25 * p.taps().height,
            .byte_products = products};
}

// Dense taps, by the kernel that takes them. 10 bits on an H100: 19.8 at 3×3, 34.9 at 15×15 and
// 74.3 at 31×31, a channel of four 20 at 9×5, 44 at 11×11 and 85 at 17×17. Tensor cores refuse more
// bits, and three channels unless they are bytes.
Work all_taps(const ConvProblem& p, const Device& device) {
    if (!why_no_tensor_cores(device).empty()) return reused(p);
    if (halves_win(p, device)) return bands_of_split_halves(p);
    if (p.type == PixelType::u8 && (p.channels != 3 || rows_fit_bytes(p))) return bands_of_bytes(p);
    if (!up_to_12_bits(p) || p.channels == 3) return reused(p);
    const double products = half_products(p);
    return {.hopper_time = 17 + 0.046 * products, .half_products = products};
}

// The small form of both passes in one launch, by the compiled size. On an H100, u16 gray or a
// channel of several: 15.7 at 5×5, 21.4 at 15×15, 31.0 at 31×31, 44.0 at 49×49 and 60.6 at 65×65.
Work padded_passes(const ConvProblem& p, const SeparableSmallVariant& variant) {
    const double size = small_size(p, variant);
    return {.hopper_time = 14.5 + 0.45 * size + 0.004 * size * size, .fmas = 2 * size};
}

// On an H100 at 4K, where a copy takes 25.2: f32 gray 25.7 at 5×5, 27.6 at 9×9, 31.2 at 15×15 and
// 36.3 at 31×31; u16 boxes 22.8 at 15×15 and 32.9 at 31×31, where running sums take 26.7 and 34.9.
// Boxes of several channels have no sums of windows there: RGBA64 takes 233 at 18×18 in 18
// megapixels, running sums 184; RGB48 49.0 and 42.3 at 30×30 in 1440p, but 18.3 and 23.6 at 15×15
// in 1080p.
bool few_factors(const ConvProblem& p, const Device& device) {
    constexpr int kLargestBox = 17;
    const Taps& t = p.taps();
    const std::optional<std::size_t> variant = find_small_variant(p);
    if (!variant) return false;
    if (p.channels > 1 && is_box(t) && std::max(t.width, t.height) > kLargestBox) return false;
    return p.type == PixelType::f32 || !all_dense(p) || !up_to_12_bits(p) ||
           time_on(device, padded_passes(p, kSmallVariants[*variant])) <=
               time_on(device, all_taps(p, device));
}

// Lists of the taps that are not zero. On an H100, u8 gray: 81 at 81 and 128 at 127; f32 gray 47 at
// 16, 87 at 81 and 218 at 289; u16 gray 113 at 121; a channel of f32 RGBA 57 at 45 and 171 at 225.
Work listed_taps(const ConvProblem& p) {
    const double taps = taps_not_zero(p);
    return {.hopper_time = p.type == PixelType::u8 ? 30 + 0.75 * taps : 38 + 0.6 * taps};
}

// Two passes for any factors, on an H100. f32: 47 at 15×15 and 39 at 2×11 of three channels, 42 at
// 9×13 gray. u16 gray: 65 at 37×37. They also take factors that tensor_separable refuses: more than
// 113, or other ones for some channels, 173 at 101×101; in RGBA 115 at 9×9, 152 at 15×15 and 307 at
// 31×31, where bands take 89, 223 and 832.
Work two_passes(const ConvProblem& p) {
    const double factors = p.taps().width + p.taps().height;
    const auto sets = static_cast<double>(p.conv.front().taps.size());
    if (p.type == PixelType::f32) return {.hopper_time = sets * (36 + 0.35 * factors)};
    const bool rgba = p.type == PixelType::u8 && p.channels == 4;
    return {.hopper_time = sets * (rgba ? 15 + 0.9 * factors : 20 + 0.6 * factors)};
}

bool two_passes_win(const ConvProblem& p, const Device& device) {
    return !all_dense(p) || (factors_known(p) &&
                             time_on(device, two_passes(p)) < time_on(device, all_taps(p, device)));
}

// So 25 taps in 33×33 u8 gray take 57 instead of 70.
bool zeros_win(const ConvProblem& p, const Device& device) {
    return all_dense(p) && !factors_known(p) &&
           time_on(device, listed_taps(p)) < time_on(device, all_taps(p, device));
}

// 8-bit gray taps on tensor cores. Most beyond 56 rows do not fit into shared memory as bytes; half
// precision takes 67.7 at 31×31 and 280 at 63×63, on an H100.
Work largest_bands(const ConvProblem& p) {
    if (why_not_tensor_int8(p).empty()) return bands_of_bytes(p);
    return {.hopper_time = 0.0674 * taps_of_frames(p), .half_products = half_products(p)};
}

// 240 at 63×63 u8 gray, in eight passes that read and write an fp32 copy of the image; L2 caches
// that would hold it are left out. Never for f32 images, although 63×63 takes 249 where bands of
// halves take 522: the error of transforms is proportional to the largest sample of a tile of up to
// 1024×1024, so that one bright light leaves its grain in the shadows, and one NaN or infinity
// spoils the whole tile.
bool transforms_win(const ConvProblem& p, const Device& device) {
    if (p.type != PixelType::u8 || p.channels != 1 || !all_dense(p) || factors_known(p))
        return false;
    const bool tensor_cores = why_no_tensor_cores(device).empty();
    const double time = time_on(device, {.hopper_time = 242.7, .bytes = 64});
    return time < time_on(device, listed_taps(p)) &&
           time < time_on(device, tensor_cores ? largest_bands(p) : reused(p));
}

// On an H200, 4K u8 RGB, the largest of 16 sums takes 1.02 ms at 7×7 and 2.09 at 11×11 as a product
// of matrices, and 12.8 and 26.3 with one output per thread, in proportion to the sets.
bool many_channel_sums(const ConvProblem& p, const Device&) {
    return p.sums_channels && p.conv.front().taps.size() >= 8 &&
           p.taps().width * p.taps().height >= 9;
}

// On an H200, 4K u8, tensor cores take 12 µs against 26 of columns and rows reused at 5×5, 11
// against 146 at 15×15 factored and 24 against 146 dense. They refuse values that half precision
// cannot hold.
constexpr std::array kPolicy = {
    PolicyRow{.kernel = "implicit_gemm",
              .words = "eight or more sums over all channels",
              .holds = many_channel_sums,
              .reason = "{size} {type}, sums over channels: a product of matrices"},
    PolicyRow{.kernel = "column_row_reuse",
              .words =
                  "one set up to 3×3, centred: 8-bit fractions in gray, or in 5 million samples "
                  "or more; several channels of 16 bits",
              .holds = rows_win_at_3,
              .reason = "{size} dense {type}: columns and rows reused"},
    PolicyRow{.kernel = "tensor_int8",
              .words =
                  "up to 9 taps, whole numbers only in three and four channels; up to 25 in two "
                  "channels or of whole numbers in one, 35 of both; at most 9 rows",
              .holds = bytes_win_over_factors,
              .reason = "{size} dense {type}: bands of bytes on integer tensor cores"},
    PolicyRow{
        .kernel = "tensor_separable",
        .words =
            "all but large boxes: above 101 taps a side, 31, 41 and 17 in two to four channels",
        .holds = products_win_over_sums,
        .reason = "{size} factored {type}: two banded products on tensor cores"},
    PolicyRow{
        .kernel = "separable_reuse",
        .words =
            "16-bit gray up to 65 factors per side, several channels up to 33, but no box above "
            "17, and unless padding to a square makes bands faster; odd squares of f32, gray up "
            "to 33, RGBA up to 9",
        .holds = few_factors,
        .reason = "{size} factored {type}: {width} + {height} factors in two passes, unrolled"},
    PolicyRow{.kernel = "box_sum",
              .words = "boxes that no kernel above takes",
              .holds = any_taps,
              .reason = "{size} box {type}: running sums"},
    PolicyRow{.kernel = "tensor_separable",
              .words = "boxes whose scale factor would be rounded twice by running sums",
              .holds = any_taps,
              .reason = "{size} factored {type}: two banded products on tensor cores"},
    PolicyRow{.kernel = "separable_reuse",
              .words = "factored taps, where two passes are quicker than one",
              .holds = two_passes_win,
              .reason = "{size} factored {type}: {width} + {height} factors in two passes instead "
                        "of {area} taps"},
    PolicyRow{.kernel = "fft",
              .words =
                  "8-bit gray taps, most of them not zero, for which every other kernel is slower, "
                  "on Hopper GPUs above 3600; in f32 one bright sample would spread its error over "
                  "the whole tile",
              .holds = transforms_win,
              .reason = "{size} dense {type}: through the frequency domain, at a cost that hardly "
                        "grows with the taps"},
    PolicyRow{.kernel = "sparse_direct",
              .words = "taps that are faster as a list: most of them zero, or several channels of "
                       "16 bits or f32",
              .holds = zeros_win,
              .reason = "{size} {type}: only the taps that are not zero"},
    PolicyRow{.kernel = "tensor_int8",
              .words = "dense taps",
              .holds = dense_taps_only,
              .reason = "{size} dense {type}: bands of bytes on integer tensor cores"},
    PolicyRow{.kernel = "tensor_dense",
              .words = "dense taps but up to 5×5 on one or two channels of 10 or 12 bits",
              .holds = bands_win,
              .reason = "{size} dense {type}: one banded product per tap row, on tensor cores"},
    PolicyRow{
        .kernel = "tensor_f32",
        .words = "f32 where fp32 is slower: on Hopper GPUs all gray but odd squares up to 13×13",
        .holds = halves_win,
        .reason = "{size} dense {type}: bands of halves on tensor cores"},
    PolicyRow{.kernel = "column_row_reuse",
              .words = "dense taps",
              .holds = dense_taps_only,
              .reason = "{size} dense {type}: columns and rows reused"},
    PolicyRow{.kernel = "direct",
              .words = "dense taps",
              .holds = dense_taps_only,
              .reason = "{size} dense {type}: one output per thread"},
    PolicyRow{.kernel = "direct_separable",
              .words = "factored taps that all others refuse",
              .holds = any_taps,
              .reason = "{size} factored {type}: {width} + {height} factors in two launches"},
    PolicyRow{.kernel = "opencv_cpu",
              .words = "all taps",
              .holds = any_taps,
              .reason = "{size} {sums} {type} on the CPU"},
};

// How OpenCV sums the tap sets.
std::string_view opencv_sums(const ConvProblem& p) {
    if (every_tap_set(p, prefers_factors)) return "factored";
    return every_tap_set(p, [](const Taps& t) { return !prefers_factors(t); }) ? "dense"
                                                                               : "partly factored";
}

}  // namespace

std::span<const PolicyRow> planner_policy() {
    return kPolicy;
}

std::string reason_for(const PolicyRow& row, const ConvProblem& p) {
    const Taps& t = p.taps();
    return fmt::format(
        fmt::runtime(row.reason), fmt::arg("size", fmt::format("{}×{}", t.width, t.height)),
        fmt::arg("type", name_of(p.type)), fmt::arg("width", t.width), fmt::arg("height", t.height),
        fmt::arg("area", t.width * t.height), fmt::arg("sums", opencv_sums(p)));
}

}  // namespace weft
