#include "kernels/planner_policy.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "kernels/opencv_sum.h"
#include "kernels/sparse_image.h"

namespace weft {

namespace {

template <class Holds>
bool every_tap_set(const ConvProblem& p, Holds holds) {
    return std::ranges::all_of(
        p.conv, [&](const ChannelConv& c) { return std::ranges::all_of(c.taps, holds); });
}

bool any_taps(const ConvProblem&) {
    return true;
}

bool dense_taps_only(const ConvProblem& p) {
    return every_tap_set(p, [](const Taps& t) { return t.dense(); });
}

// Times on an H200, 3840×2160, in µs: columns and rows reused 28 at 5×5 u16 and 34 at 5×5 f32, 63
// at 9×9 f32 and 119 at 1×31; both passes in one launch 26, 35, 36 and 39.
bool two_passes_win(const ConvProblem& p) {
    const Taps& t = p.taps();
    return !dense_taps_only(p) || t.width * t.height > 25;
}

// The same for 8-bit boxes: running sums 15 at 5×5, 16 at 15×15, 28 at 101×101; two banded products
// 14, 19 and none.
bool running_sums_win(const ConvProblem& p) {
    return p.type != PixelType::u8 || p.taps().width * p.taps().height > 50;
}

// On an H200, 4K u8 gray, bands of bytes take 11 µs at 5×5, 13 at 7×7, 23 at 15×15 and 54 at 31×31,
// and two banded products 14, 15 to 16, 20 and 21; bands in half precision 15, 17, 29 and 65. They
// refuse more than one channel.
bool bytes_win_over_factors(const ConvProblem& p) {
    return dense_taps_only(p) && p.taps().width * p.taps().height <= 49;
}

bool factors_known(const ConvProblem& p) {
    return every_tap_set(p, [](const Taps& t) { return t.separable(); });
}

double taps_of_frames(const ConvProblem& p) {
    return static_cast<double>(p.taps().width) * p.taps().height *
           static_cast<double>(p.conv.front().taps.size());
}

// On an H200, 4K gray, lists of taps take 30 µs, of wider types 40, and 0.85 more for each tap that
// is not zero: 25 taps in 33×33 57 at u8, 63 in 31×31 88 at f32, 127 in 63×63 132 at u8. Dense
// kernels take for each tap of the frame 0.056 as bytes and 0.07 in half precision on tensor cores,
// which refuse three channels; columns and rows reused 0.39 at 15×15 f32 and up to 0.68 beyond.
bool zeros_win(const ConvProblem& p) {
    if (!dense_taps_only(p) || factors_known(p)) return false;
    const bool tensor_cores = p.type == PixelType::u8 && p.channels != 3;
    const double dense = !tensor_cores ? 0.4 : p.channels == 1 ? 0.056 : 0.07;
    const double fixed = p.type == PixelType::u8 ? 30 : 40;
    return fixed + 0.85 * taps_not_zero(p) < dense * taps_of_frames(p);
}

// The same, transforms: 218 µs at 31×31 f32 and 249 at 63×63, where columns and rows reused take
// 570 and 2057; 240 at 63×63 u8, where tensor cores take 284.
bool transforms_win(const ConvProblem& p) {
    if (!dense_taps_only(p) || factors_known(p)) return false;
    if (p.type == PixelType::f32) return taps_of_frames(p) > 400 && taps_not_zero(p) > 210;
    return p.channels == 1 && taps_of_frames(p) > 3600 && taps_not_zero(p) > 250;
}

// On an H200, 4K u8 RGB, the largest of 16 sums takes 1.02 ms at 7×7 and 2.09 at 11×11 as a product
// of matrices, and 12.8 and 26.3 with one output a thread, in proportion to the sets.
bool many_channel_sums(const ConvProblem& p) {
    return p.sums_channels && p.conv.front().taps.size() >= 8 &&
           p.taps().width * p.taps().height >= 9;
}

// On an H200, 4K u8, tensor cores take 15 µs against 26 of columns and rows reused at 5×5, 20
// against 146 at 15×15 factored and 29 against 146 dense. They refuse what half precision does not
// hold.
constexpr std::array kPolicy = {
    PolicyRow{.kernel = "implicit_gemm",
              .words = "eight or more sums over all channels",
              .holds = many_channel_sums,
              .reason = "{size} {type}, sums over channels: a product of matrices"},
    PolicyRow{.kernel = "tensor_int8",
              .words = "dense taps up to 7×7",
              .holds = bytes_win_over_factors,
              .reason = "{size} dense {type}: bands of bytes on integer tensor cores"},
    PolicyRow{.kernel = "box_sum",
              .words = "boxes but for 8-bit ones up to 7×7",
              .holds = running_sums_win,
              .reason = "{size} box {type}: running sums"},
    PolicyRow{.kernel = "tensor_separable",
              .words = "all taps",
              .holds = any_taps,
              .reason = "{size} factored {type}: two banded products on tensor cores"},
    PolicyRow{.kernel = "box_sum",
              .words = "boxes that tensor cores refuse",
              .holds = any_taps,
              .reason = "{size} box {type}: running sums"},
    PolicyRow{.kernel = "fft",
              .words = "f32 above 400 taps and 8-bit gray above 3600, most of them not zero",
              .holds = transforms_win,
              .reason = "{size} dense {type}: through the frequency domain, at a cost that hardly "
                        "grows with the taps"},
    PolicyRow{.kernel = "sparse_direct",
              .words = "frames of few taps that are not zero",
              .holds = zeros_win,
              .reason = "{size} {type}: only the taps that are not zero"},
    PolicyRow{.kernel = "tensor_int8",
              .words = "dense taps",
              .holds = dense_taps_only,
              .reason = "{size} dense {type}: bands of bytes on integer tensor cores"},
    PolicyRow{.kernel = "tensor_dense",
              .words = "dense taps",
              .holds = dense_taps_only,
              .reason = "{size} dense {type}: a banded product a tap row on tensor cores"},
    PolicyRow{.kernel = "separable_reuse",
              .words = "more than 25 taps, where two passes are quicker than one",
              .holds = two_passes_win,
              .reason = "{size} factored {type}: {width} + {height} factors in two passes instead "
                        "of {area} taps"},
    PolicyRow{.kernel = "column_row_reuse",
              .words = "dense taps",
              .holds = dense_taps_only,
              .reason = "{size} dense {type}: columns and rows reused"},
    PolicyRow{.kernel = "direct",
              .words = "dense taps",
              .holds = dense_taps_only,
              .reason = "{size} dense {type}: one output a thread"},
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
