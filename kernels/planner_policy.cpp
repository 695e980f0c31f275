#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "kernels/common/kernel_terms.h"
#include "kernels/cpu/opencv_sum.h"
#include "kernels/planner.h"
#include "kernels/reuse/column_row_reuse.h"
#include "kernels/separable/separable_reuse.h"

namespace weft {

namespace {

// The figures of this file are medians in µs of cold launches: those of 3840×2160 with 5, 15, 31
// and 101 taps in tests/bench/results/h100-image.csv, those of other sizes and of whole numbers in
// the files of 2026-11-27 there, mostly h100-random.txt, h100-rolling.txt and h100-channels.txt.

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

// Samples that tensor_dense takes.
bool up_to_12_bits(const ConvProblem& p) {
    return p.type == PixelType::u8 || (p.type == PixelType::u16 && p.max_value <= 4095.0F);
}

bool runs(std::string_view kernel, const ConvProblem& p, const Device& device) {
    return why_cannot(*find_kernel(kernel), p, device).empty();
}

double time_of(std::string_view kernel, const ConvProblem& p, const Device& device) {
    return find_kernel(kernel)->time(p, device);
}

bool halves_win(const ConvProblem& p, const Device& device) {
    return runs("tensor_f32", p, device) &&
           time_of("tensor_f32", p, device) < time_of("column_row_reuse", p, device);
}

// Not up to 5×5 of one or two 10-bit or 12-bit channels: on an H100 at 4K bands take 19.6 µs at
// 3×3, 21.3 at 5×5 and 31.0 for Sobel, columns and rows reused 14.4, 17.5 and 19.8; of two channels
// 35.0 and 34.0 at 5×5.
bool bands_win(const ConvProblem& p, const Device&) {
    const int size = rolling_size(p);
    const bool smallest = p.type == PixelType::u16 && p.channels <= 2 &&
                          p.combine != Combine::maximum && size > 0 && size <= 5 &&
                          tap_count(p) <= 25;
    return all_dense(p) && !smallest;
}

// Of the kernel that computes all taps as they are, without factors and with the zeros.
double dense_time(const ConvProblem& p, const Device& device) {
    if (halves_win(p, device)) return time_of("tensor_f32", p, device);
    for (const std::string_view bands : {"tensor_int8", "tensor_dense"})
        if (runs(bands, p, device)) return time_of(bands, p, device);
    return time_of("column_row_reuse", p, device);
}

// On an H100 at 4K, where a copy takes 25.2: f32 gray 25.7 at 5×5, 27.6 at 9×9, 31.2 at 15×15 and
// 36.3 at 31×31; u16 boxes 22.8 at 15×15 and 32.9 at 31×31, where running sums take 26.7 and 34.9.
// Boxes of several channels have no sums of windows there: RGBA64 takes 233 at 18×18 in 18
// megapixels, running sums 184; RGB48 49.0 and 42.3 at 30×30 in 1440p, but 18.3 and 23.6 at 15×15
// in 1080p.
bool few_factors(const ConvProblem& p, const Device& device) {
    constexpr int kLargestBox = 17;
    const Taps& t = p.taps();
    if (!find_small_variant(p)) return false;
    if (p.channels > 1 && is_box(t) && std::max(t.width, t.height) > kLargestBox) return false;
    return p.type == PixelType::f32 || !all_dense(p) || !up_to_12_bits(p) ||
           time_of("separable_reuse", p, device) <= dense_time(p, device);
}

bool two_passes_win(const ConvProblem& p, const Device& device) {
    return !all_dense(p) ||
           (factors_known(p) && time_of("separable_reuse", p, device) < dense_time(p, device));
}

// So 25 taps in 33×33 u8 gray take 57 instead of 70.
bool zeros_win(const ConvProblem& p, const Device& device) {
    return all_dense(p) && !factors_known(p) &&
           time_of("sparse_direct", p, device) < dense_time(p, device);
}

// Never for f32 images, although 63×63 takes 286 µs where bands of halves take 520
// (h100-image.csv): the error of transforms is proportional to the largest sample of a tile of up
// to 1024×1024, so that one bright light leaves its grain in the shadows, and one NaN or infinity
// spoils the tile.
bool transforms_win(const ConvProblem& p, const Device& device) {
    if (p.type != PixelType::u8 || p.channels != 1 || !all_dense(p) || factors_known(p))
        return false;
    const double time = time_of("fft", p, device);
    return time < time_of("sparse_direct", p, device) && time < dense_time(p, device);
}

// On an H200, 4K u8 RGB, the largest of 16 sums takes 1.02 ms at 7×7 and 2.09 at 11×11 as a product
// of matrices, and 12.8 and 26.3 with one output per thread, in proportion to the sets.
bool many_channel_sums(const ConvProblem& p, const Device&) {
    return p.sums_channels && p.conv.front().taps.size() >= 8 &&
           p.taps().width * p.taps().height >= 9;
}

// In 4K u8 (h100-image.csv), tensor cores take 11.6 µs where columns and rows reused take 13.9 at
// 5×5, and 24 and 144 at 15×15. They refuse values that half precision cannot hold.
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
