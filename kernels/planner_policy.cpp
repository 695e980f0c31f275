#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "kernels/common/kernel_terms.h"
#include "kernels/cpu/opencv_sum.h"
#include "kernels/planner.h"
#include "kernels/reuse/column_row_reuse.h"
#include "kernels/separable/separable_reuse.h"

namespace weft {

namespace {

bool any_taps(const ConvProblem&) {
    return true;
}

bool dense_taps_only(const ConvProblem& p) {
    return every_tap_set(p, &Taps::dense);
}

// Times on an H200, 3840×2160, in µs: columns and rows reused 28 at 5×5 u16 and 34 at 5×5 f32, 63
// at 9×9 f32 and 119 at 1×31; both passes in one launch 26, 35, 36 and 39. At 5×5 f32 RGBA 246
// and 162.
bool two_passes_win(const ConvProblem& p) {
    const Taps& t = p.taps();
    const bool wide = p.type == PixelType::f32 && p.channels == 4;
    return !dense_taps_only(p) || t.width * t.height > (wide ? 9 : 25);
}

// The small form of both passes in one launch, on an H100 at 4K, where a copy takes 25.2: f32 gray
// 25.7 at 5×5, 27.6 at 9×9, 31.2 at 15×15 and 36.3 at 31×31; u16 boxes 22.8 at 15×15 and 32.9 at
// 31×31, where running sums take 26.7 and 34.9.
bool few_factors(const ConvProblem& p) {
    return find_small_variant(p).has_value();
}

// On an H100 at 4K, u8 3×3 fractions: columns and rows reused take 9.0 µs in gray, 24.4 in RGB and
// 30.9 in RGBA; bands of bytes 10.7, 28.7 and 33.3.
bool rows_win_over_bytes(const ConvProblem& p) {
    return dense_taps_only(p) && p.type == PixelType::u8 && p.combine == Combine::single &&
           rolling_size(p) == 3;
}

// On an H200, 4K u8 gray, bands of bytes take 9.1 µs at 5×5 whole numbers, 10.0 at 3×3 and 11.7 at
// 5×5 fractions; two banded products 11.3, 10.8 and 10.8. In two channels on an H100 17.3 and 18.6
// at 5×5 whole numbers, 19.0 and 19.5 at 3×3 fractions; in RGBA 42 and 32, and at 3×3 29.6 and 32.
bool bytes_win_over_factors(const ConvProblem& p) {
    const bool whole = integer_valued(p.taps());
    const int most = p.channels <= 2 && whole ? 25 : p.channels == 1 || whole ? 9 : 0;
    return dense_taps_only(p) && p.taps().width * p.taps().height <= most;
}

// Running sums, of a box of ones on an H100 at 4K: u8 gray 22.0 µs at 31×31 and 25.7 at 65×65,
// where banded products take 14.0 and 20.6; two channels 34.9 and 37.2, and 31.5 and 47.5; RGB 65.1
// and 67.7, and 50.6 and 86.4; RGBA 53.8 at 15×15 and 55.2 at 31×31, and 33.6 and 59.4.
bool products_win_over_sums(const ConvProblem& p) {
    const Taps& t = p.taps();
    if (!is_box(t)) return true;
    constexpr std::array kLargest = {65, 31, 41, 17};  // by channels
    return std::max(t.width, t.height) <= kLargest.at(static_cast<std::size_t>(p.channels) - 1);
}

bool factors_known(const ConvProblem& p) {
    return every_tap_set(p, &Taps::separable);
}

double taps_of_frames(const ConvProblem& p) {
    return static_cast<double>(p.taps().width) * p.taps().height *
           static_cast<double>(p.conv.front().taps.size());
}

// Times for 3840×2160 samples of one channel on an H200, in µs: lists of taps take `fixed` plus
// `tap` per nonzero tap; dense kernels take `tile` plus `dense` per tap of the frame. Two passes
// over factors take `passes` plus `factor` for each of width + height.
struct TapTimes {
    double fixed = 0, tap = 0, dense = 0;
    double tile = 0;
    double passes = 20, factor = 0.6;
    double of_dense(const ConvProblem& p) const { return tile + dense * taps_of_frames(p); }
};

// Samples that tensor_dense takes.
bool up_to_12_bits(const ConvProblem& p) {
    return p.type == PixelType::u8 || (p.type == PixelType::u16 && p.max_value <= 4095.0F);
}

// On an H100 at 4K, f32 gray, bands of halves take 42.7 µs at 7×7, 69.9 at 15×15, 160 at 31×31 and
// 522 at 63×63; columns and rows reused 30.7, 84.7, 566 and 2015.
bool halves_win(const ConvProblem& p) {
    return dense_taps_only(p) && p.type == PixelType::f32 && p.channels == 1 &&
           p.combine == Combine::single && taps_of_frames(p) >= 169 && !integer_valued(p.taps());
}

// Not up to 5×5 of one 10-bit or 12-bit channel: on an H100 at 4K bands take 19.6 µs at 3×3, 21.3
// at 5×5 and 31.0 for Sobel, columns and rows reused 14.4, 17.5 and 19.8.
bool bands_win(const ConvProblem& p) {
    const bool smallest = p.type == PixelType::u16 && p.channels == 1 &&
                          p.combine != Combine::maximum && rolling_size(p) <= 5 &&
                          taps_of_frames(p) <= 25;
    return dense_taps_only(p) && !smallest;
}

// Rows that tensor_int8 takes: samples of all channels count.
bool rows_fit_bytes(const ConvProblem& p) {
    return p.conv.size() == 1 && (p.taps().width - 1) * p.channels < Taps::kMaxDense;
}

// Lists: 51 at 31 nonzero taps, 84 at 81 and 132 at 127, all u8 gray; 88 at 63 f32; RGBA 48 at 31
// and 77 at 81. Dense, u8 gray: 0.056 as bytes and 0.07 in half precision on tensor cores. Bands of
// interleaved pixels are wider by the channels, most of it zeros: as bytes, on an H100, 36 at 15×15
// RGB and 37 at 15×15 RGBA, 0.16 per tap, and 18 and 22 at 9×9; in half precision RGBA 21 at 9×9
// and 54 at 15×15. Columns and rows reused, where tensor cores refuse the type or three channels:
// 0.39 at 15×15 f32 and up to 0.68 beyond. Halves on an H100: 10 bits 19.8 at 3×3, 34.9 at 15×15
// and 74.3 at 31×31; f32 see halves_win().
TapTimes tap_times(const ConvProblem& p) {
    if (halves_win(p)) return {.fixed = 40, .tap = 0.85, .dense = 0.125, .tile = 40};
    if (p.type == PixelType::u16 && up_to_12_bits(p) && p.channels == 1)
        return {.fixed = 40, .tap = 0.85, .dense = 0.057, .tile = 20};
    if (p.type != PixelType::u8) return {.fixed = 40, .tap = 0.85, .dense = 0.4};
    const bool bytes = rows_fit_bytes(p);
    switch (p.channels) {
        case 1:
            return {.fixed = 30, .tap = 0.85, .dense = 0.056};
        case 2:
            return {.fixed = 30, .tap = 0.85, .dense = 0.12};
        case 3:
            return {.fixed = 30, .tap = 0.85, .dense = bytes ? 0.16 : 0.4};
        default:
            return {
                .fixed = 30, .tap = 0.6, .dense = bytes ? 0.17 : 0.24, .passes = 15, .factor = 0.9};
    }
}

// Factors that tensor_separable refuses: more than 113, or other ones for some channels. Two passes
// take 173 at 101×101; in RGBA 115 at 9×9, 152 at 15×15 and 307 at 31×31, where bands take 89, 223
// and 832.
bool factors_win_over_bands(const ConvProblem& p) {
    if (!up_to_12_bits(p) || !factors_known(p)) return false;
    const TapTimes t = tap_times(p);
    const double factors = p.taps().width + p.taps().height;
    const auto sets = static_cast<double>(p.conv.front().taps.size());
    return sets * (t.passes + t.factor * factors) < t.of_dense(p);
}

// RGBA fractions eight or nine wide fill five parts of a window, and one is lost: on an H100 at 9×9
// 89.6 µs instead of 85.0 in half precision.
bool bytes_win_over_halves(const ConvProblem& p) {
    const Taps& t = p.taps();
    const bool five_parts = p.channels == 4 && (t.width == 8 || t.width == 9);
    return dense_taps_only(p) && (integer_valued(t) || !five_parts);
}

bool small_square(const Taps& t) {
    const int size = t.width;
    return (size == 3 || size == 5) && t.height == size && t.anchor_x == size / 2 &&
           t.anchor_y == size / 2;
}

// So 25 taps in 33×33 u8 gray take 57 instead of 70. In f32 RGBA lists win without zeros, too: 333
// at 9×9, where columns and rows reused take 447. Squares up to 5×5 are an exception: on an H100 92
// and 142 at 3×3 and 5×5.
bool zeros_win(const ConvProblem& p) {
    if (!dense_taps_only(p) || factors_known(p)) return false;
    if (p.type == PixelType::f32 && p.channels == 4 && taps_of_frames(p) <= 81)
        return !small_square(p.taps());
    const TapTimes t = tap_times(p);
    return t.fixed + t.tap * taps_not_zero(p) < t.of_dense(p);
}

// The same for transforms: 240 at 63×63 u8 gray, where tensor cores take 284. Never for f32 images,
// although 63×63 takes 249 where bands of halves take 522: the error of transforms is proportional
// to the largest sample of a tile of up to 1024×1024, so that one bright light leaves its grain in
// the shadows, and one NaN or infinity spoils the whole tile.
bool transforms_win(const ConvProblem& p) {
    if (p.type != PixelType::u8 || !dense_taps_only(p) || factors_known(p)) return false;
    return p.channels == 1 && taps_of_frames(p) > 3600 && taps_not_zero(p) > 250;
}

// On an H200, 4K u8 RGB, the largest of 16 sums takes 1.02 ms at 7×7 and 2.09 at 11×11 as a product
// of matrices, and 12.8 and 26.3 with one output per thread, in proportion to the sets.
bool many_channel_sums(const ConvProblem& p) {
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
              .words = "8-bit dense taps up to 3×3, centred, one set",
              .holds = rows_win_over_bytes,
              .reason = "{size} dense {type}: columns and rows reused"},
    PolicyRow{.kernel = "tensor_int8",
              .words =
                  "dense taps up to 3×3, whole numbers of one or two channels up to 5×5; in more "
                  "channels only whole numbers",
              .holds = bytes_win_over_factors,
              .reason = "{size} dense {type}: bands of bytes on integer tensor cores"},
    PolicyRow{
        .kernel = "tensor_separable",
        .words = "all but large boxes: above 65 taps a side, 31, 41 and 17 in two to four channels",
        .holds = products_win_over_sums,
        .reason = "{size} factored {type}: two banded products on tensor cores"},
    PolicyRow{
        .kernel = "separable_reuse",
        .words = "odd numbers of factors, up to 33 per side, of f32 and 16-bit gray; up to 9 "
                 "down in f32 RGBA",
        .holds = few_factors,
        .reason = "{size} factored {type}: {width} + {height} factors in two passes, unrolled"},
    PolicyRow{.kernel = "box_sum",
              .words = "boxes that no kernel above takes",
              .holds = any_taps,
              .reason = "{size} box {type}: running sums"},
    PolicyRow{.kernel = "tensor_separable",
              .words = "boxes whose scale running sums would round twice",
              .holds = any_taps,
              .reason = "{size} factored {type}: two banded products on tensor cores"},
    PolicyRow{.kernel = "separable_reuse",
              .words = "factored taps of up to 12 bits, where two passes are quicker than bands",
              .holds = factors_win_over_bands,
              .reason = "{size} factored {type}: {width} + {height} factors in two passes instead "
                        "of {area} taps"},
    PolicyRow{.kernel = "fft",
              .words = "8-bit gray above 3600 taps, most of them not zero; in f32 one bright "
                       "sample would be felt all over its tile",
              .holds = transforms_win,
              .reason = "{size} dense {type}: through the frequency domain, at a cost that hardly "
                        "grows with the taps"},
    PolicyRow{.kernel = "sparse_direct",
              .words = "frames of few taps that are not zero, and small ones in f32 RGBA",
              .holds = zeros_win,
              .reason = "{size} {type}: only the taps that are not zero"},
    PolicyRow{.kernel = "tensor_int8",
              .words = "dense taps but RGBA fractions eight or nine wide",
              .holds = bytes_win_over_halves,
              .reason = "{size} dense {type}: bands of bytes on integer tensor cores"},
    PolicyRow{.kernel = "tensor_dense",
              .words = "dense taps but up to 5×5 on one channel of 10 or 12 bits",
              .holds = bands_win,
              .reason = "{size} dense {type}: a banded product a tap row on tensor cores"},
    PolicyRow{.kernel = "separable_reuse",
              .words = "more than 25 taps, where two passes are quicker than one",
              .holds = two_passes_win,
              .reason = "{size} factored {type}: {width} + {height} factors in two passes instead "
                        "of {area} taps"},
    PolicyRow{.kernel = "tensor_f32",
              .words = "f32 gray of 169 taps and more",
              .holds = halves_win,
              .reason = "{size} dense {type}: bands of halves on tensor cores"},
    PolicyRow{.kernel = "column_row_reuse",
              .words = "dense taps",
              .holds = dense_taps_only,
              .reason = "{size} dense {type}: columns and rows reused"},
    PolicyRow{.kernel = "direct",
              .words = "dense taps",
              .holds = dense_taps_only,
              .reason = "{size} dense {type}: one output a thread"},
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
