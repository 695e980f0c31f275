// Any taps as ffmpeg's `convolution`, which computes with whole numbers and one division.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "filters/ffmpeg_text.h"
#include "filters/operation.h"
#include "filters/planes.h"
#include "filters/text/number_text.h"

namespace weft {
namespace {

constexpr int kSquareReach = 3;  // 7×7
constexpr int kLineReach = 24;   // 49 in a row or a column
constexpr std::string_view kTooLarge =
    "ffmpeg's convolution takes at most 7×7 numbers, or 49 in a row or a column";
constexpr std::string_view kRdivUnheeded =
    "ffmpeg 5.1 ignores rdiv: it divides by the sum of the matrix, or by 1 if that is 0";

// How far taps reach from their anchor.
struct Reach {
    int x, y;
};

Reach reach_of(const Taps& taps) {
    return {.x = std::max(taps.anchor_x, taps.width - 1 - taps.anchor_x),
            .y = std::max(taps.anchor_y, taps.height - 1 - taps.anchor_y)};
}

// A shape that ffmpeg's convolution accepts; both sides are odd.
struct Shape {
    std::string_view mode;
    Reach reach;
};

std::optional<Shape> shape_of(const Reach& reach) {
    const int longer = std::max({reach.x, reach.y, 1});
    if (longer > kLineReach) return std::nullopt;
    if (reach.y == 0 && reach.x > 0) return Shape{.mode = "row", .reach = {longer, 0}};
    if (reach.x == 0 && reach.y > 0) return Shape{.mode = "column", .reach = {0, longer}};
    if (longer > kSquareReach) return std::nullopt;
    return Shape{.mode = "square", .reach = {longer, longer}};
}

std::vector<double> weights_in(const Taps& taps, const Reach& reach) {
    const Taps padded = padded_taps(taps, 2 * reach.x + 1, 2 * reach.y + 1, reach.x, reach.y);
    return {padded.weights.begin(), padded.weights.end()};
}

double absolute_sum_of(const std::vector<double>& weights) {
    return std::accumulate(weights.begin(), weights.end(), 0.0,
                           [](double sum, double w) { return sum + std::fabs(w); });
}

double largest_of(const std::vector<double>& weights) {
    return std::accumulate(weights.begin(), weights.end(), 0.0,
                           [](double most, double w) { return std::max(most, std::fabs(w)); });
}

// Whole numbers n with weight = n / factor, as fine as 32-bit sums over 16-bit samples allow.
struct Whole {
    std::vector<std::int64_t> numbers;
    double factor = 1.0;

    std::int64_t sum() const {
        return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0});
    }
};

// Subtracts the rounding residue of a sum that is 0 from the largest number.
void balance(Whole& whole) {
    const auto largest =
        std::max_element(whole.numbers.begin(), whole.numbers.end(),
                         [](std::int64_t a, std::int64_t b) { return std::abs(a) < std::abs(b); });
    *largest -= whole.sum();
}

Whole whole_numbers(const std::vector<double>& weights) {
    constexpr double kMostSum = 32768;  // times 65,535: fits 31 bits
    Whole whole;
    const bool exact = std::all_of(weights.begin(), weights.end(),
                                   [](double w) { return std::nearbyint(w) == w; });
    if (!exact) whole.factor = kMostSum / (absolute_sum_of(weights) + 1e-30);
    for (double w : weights) whole.numbers.push_back(std::llround(w * whole.factor));
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    if (std::fabs(sum) < 1e-5 * largest_of(weights)) balance(whole);
    return whole;
}

struct PlaneText {
    std::string text;  // "0m=…:0rdiv=…:0bias=…"
    bool as_said_in_5_1 = true;
};

PlaneText plane_text(unsigned plane, const ComponentTaps& taps, const Shape& shape) {
    Whole whole = whole_numbers(weights_in(taps.taps.front(), shape.reach));
    double rdiv = static_cast<double>(taps.scale) / whole.factor;
    if (rdiv < 0) {
        rdiv = -rdiv;
        for (std::int64_t& n : whole.numbers) n = -n;
    }
    const auto sum = static_cast<double>(whole.sum());
    const double divisor = sum == 0 ? 1.0 : sum;
    const bool mean = std::fabs(rdiv * divisor - 1) < 1e-3;
    if (mean) rdiv = 1.0 / divisor;
    return {.text = fmt::format("{0}m={1}:{0}mode={2}:{0}rdiv={3}:{0}bias={4}", plane,
                                fmt::join(whole.numbers, " "), shape.mode, format_number(rdiv),
                                format_number(static_cast<double>(taps.bias))),
            .as_said_in_5_1 = mean};
}

std::string why_not(const Convolution& convolution) {
    if (convolution.combine == Combine::magnitude)
        return "ffmpeg's convolution cannot take the root of a sum of squares";
    if (convolution.combine == Combine::maximum)
        return "ffmpeg's convolution cannot take the larger of several sums";
    for (const ComponentTaps& component : convolution.components)
        if (component.bias < 0) return "ffmpeg's convolution takes no negative bias";
    return "";
}

FfmpegText text_of(const Convolution& convolution, const FfmpegPlanes& planes) {
    FfmpegText out;
    bool said = true;
    std::string separator = "convolution=";
    for (unsigned plane = 0; plane < 4; ++plane) {
        if ((planes.mask & (1U << plane)) == 0) continue;
        const ComponentTaps& component =
            convolution.components[convolution.components.size() == 1 ? 0 : plane];
        const std::optional<Shape> shape = shape_of(reach_of(component.taps.front()));
        if (!shape) return no_ffmpeg_text(std::string(kTooLarge));
        const PlaneText one = plane_text(plane, component, *shape);
        out.chain += separator + one.text;
        said = said && one.as_said_in_5_1;
        separator = ":";
    }
    out.chain = planes.finish(std::move(out.chain));
    if (!said) out.remarks.emplace_back(kRdivUnheeded);
    return out;
}

}  // namespace

FfmpegText ffmpeg_convolution(const Params& params) {
    const Operation operation = params.filter().make(params, ffmpeg_video());
    const auto* const convolution = std::get_if<Convolution>(&operation.compute);
    if (convolution == nullptr) return no_ffmpeg_text("ffmpeg has no such filter across time");
    if (std::string why = why_not(*convolution); !why.empty())
        return no_ffmpeg_text(std::move(why));
    return text_of(*convolution, ffmpeg_planes(params));
}

}  // namespace weft
