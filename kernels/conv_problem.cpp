#include "kernels/conv_problem.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "kernels/rounding.h"

namespace weft {

namespace {

// Throws every refusal of this file; the caller's sentence names the wrong number.
template <class... Args>
[[noreturn]] void refuse_problem(fmt::format_string<Args...> sentence, Args&&... args) {
    throw std::invalid_argument(fmt::format(sentence, std::forward<Args>(args)...));
}

float type_ceiling(PixelType type) {
    switch (type) {
        case PixelType::u8:
            return 255.0F;
        case PixelType::u16:
            return 65535.0F;
        case PixelType::f32:
            break;
    }
    return 0.0F;
}

void check_image_shape(const ConvProblem& p) {
    if (p.width < 1 || p.width > ConvProblem::kMaxSide || p.height < 1 ||
        p.height > ConvProblem::kMaxSide)
        refuse_problem("an image of {}×{} cannot be filtered: a side must be 1 to {} pixels",
                       p.width, p.height, ConvProblem::kMaxSide);
    if (p.channels < 1 || p.channels > 4)
        refuse_problem("{} interleaved channels: there must be 1 to 4", p.channels);
    if (p.type == PixelType::f32) return;
    const float ceiling = type_ceiling(p.type);
    const bool usable = p.max_value >= 1.0F && p.max_value <= ceiling;  // false for NaN
    if (!usable || std::floor(p.max_value) != p.max_value)
        refuse_problem("max_value {} of {} pixels: it must be an integer from 1 to {}", p.max_value,
                       name_of(p.type), ceiling);
}

void check_set_count(std::size_t sets, Combine combine) {
    switch (combine) {
        case Combine::single:
            if (sets != 1) refuse_problem("combine single takes 1 tap set, not {}", sets);
            return;
        case Combine::magnitude:
        case Combine::maximum:
            if (sets < 2 || sets > kMaxTapSets)
                refuse_problem("combine {} takes 2 to {} tap sets, not {}", name_of(combine),
                               kMaxTapSets, sets);
            return;
    }
}

void check_finite(const std::vector<float>& values, std::string_view what) {
    for (const float v : values)
        if (!std::isfinite(v)) refuse_problem("a {} is {}: it must be finite", what, v);
}

void check_factors(const Taps& t) {
    if (t.row.empty() && t.column.empty()) return;
    if (t.row.size() != static_cast<std::size_t>(t.width) ||
        t.column.size() != static_cast<std::size_t>(t.height))
        refuse_problem("{}×{} taps have {} row and {} column factors", t.width, t.height,
                       t.row.size(), t.column.size());
}

void check_taps(const Taps& t) {
    if (!t.dense() && !t.separable())
        refuse_problem("{}×{} taps have no weights", t.width, t.height);
    const int limit = t.dense() ? Taps::kMaxDense : Taps::kMaxFactors;
    if (t.width < 1 || t.width > limit || t.height < 1 || t.height > limit)
        refuse_problem("{}×{} {} taps: a side must be 1 to {}", t.width, t.height,
                       t.dense() ? "dense" : "factored", limit);
    const std::size_t count = static_cast<std::size_t>(t.width) * t.height;
    if (t.dense() && t.weights.size() != count)
        refuse_problem("{}×{} taps need {} weights, not {}", t.width, t.height, count,
                       t.weights.size());
    check_factors(t);
    for (const float sigma : {t.gaussian_x, t.gaussian_y})
        if (!std::isfinite(sigma) || sigma < 0 || (sigma > 0 && !t.separable()))
            refuse_problem(
                "the standard deviation of {}×{} taps is {}: it must be finite and not negative, "
                "and 0 without factors",
                t.width, t.height, sigma);
    if (t.anchor_x < 0 || t.anchor_x >= t.width || t.anchor_y < 0 || t.anchor_y >= t.height)
        refuse_problem("the anchor ({}, {}) lies outside {}×{} taps", t.anchor_x, t.anchor_y,
                       t.width, t.height);
    check_finite(t.weights, "weight");
    check_finite(t.row, "row factor");
    check_finite(t.column, "column factor");
}

bool all_integers(const std::vector<float>& values) {
    return std::all_of(values.begin(), values.end(), [](float v) { return std::trunc(v) == v; });
}

bool same_shape(const Taps& a, const Taps& b) {
    return a.width == b.width && a.height == b.height && a.anchor_x == b.anchor_x &&
           a.anchor_y == b.anchor_y;
}

void check_channel(const ChannelConv& channel, const ConvProblem& p) {
    check_set_count(channel.taps.size(), p.combine);
    if (!std::isfinite(channel.scale) || !std::isfinite(channel.bias))
        refuse_problem("scale {} and bias {}: both must be finite", channel.scale, channel.bias);
    for (const Taps& t : channel.taps) {
        check_taps(t);
        if (!same_shape(t, p.taps()))
            refuse_problem(
                "tap sets of one problem must share size and anchor: {}×{} ({}, {}) and "
                "{}×{} ({}, {})",
                p.taps().width, p.taps().height, p.taps().anchor_x, p.taps().anchor_y, t.width,
                t.height, t.anchor_x, t.anchor_y);
    }
}

void check_image(const ConvProblem& p, int channels, const ImageView& v, MemorySpace space,
                 std::string_view which) {
    if (v.width != p.width || v.height != p.height || v.channels != channels || v.type != p.type)
        refuse_problem("the {} image is {}×{} {}×{}, the problem {}×{} {}×{}", which, v.width,
                       v.height, name_of(v.type), v.channels, p.width, p.height, name_of(p.type),
                       channels);
    if (v.space != space)
        refuse_problem("the {} image is in {} memory, the kernel needs {} memory", which,
                       v.space == MemorySpace::host ? "host" : "device",
                       space == MemorySpace::host ? "host" : "device");
    if (v.data == nullptr) refuse_problem("the {} image has no pixels", which);
}

// Kernels copy it in place of image samples, so it must be a valid one.
void check_border_value(const ConvProblem& p) {
    if (!std::isfinite(p.border_value))
        refuse_problem("the border value is {}: it must be finite", p.border_value);
    if (p.type == PixelType::f32) return;
    if (p.border_value != std::nearbyint(p.border_value) || p.border_value < 0.0F ||
        p.border_value > p.max_value)
        refuse_problem("the border value is {}: integer samples take a whole number from 0 to {}",
                       p.border_value, p.max_value);
}

// Whole-number taps whose sums, in any order, stay below `limit`. Assumes that all channels have
// the taps of the largest sum.
bool whole_sums_below(const ConvProblem& p, double limit) {
    const double largest = std::max(p.max_value, std::fabs(p.border_value));
    const int added = p.sums_channels ? p.channels : 1;
    return p.type != PixelType::f32 && every_tap_set(p, [&](const Taps& t) {
               return integer_valued(t) && absolute_sum(t) * largest * added < limit;
           });
}

void check_exact_sums(const ConvProblem& p) {
    if (!p.exact_sums || sums_are_exact(p)) return;
    constexpr double kExactInDouble = 0x1p53;
    if (p.combine == Combine::magnitude || !whole_sums_below(p, kExactInDouble))
        refuse_problem(
            "exact sums need whole-number taps of integer samples with sums below 2^53, or below "
            "2^24 for magnitudes");
}

}  // namespace

void validate(const ConvProblem& problem) {
    check_image_shape(problem);
    const std::size_t entries = problem.conv.size();
    if (entries != 1 && entries != static_cast<std::size_t>(problem.channels))
        refuse_problem("{} tap entries for {} channels: give one for all or one for each", entries,
                       problem.channels);
    if (problem.conv.front().taps.empty()) check_set_count(0, problem.combine);
    for (const ChannelConv& channel : problem.conv) check_channel(channel, problem);
    check_border_value(problem);
    check_exact_sums(problem);
}

void check_images(const ConvProblem& problem, const ImageView& src, const ImageView& dst,
                  MemorySpace space) {
    check_image(problem, problem.channels, src, space, "source");
    check_image(problem, problem.out_channels(), dst, space, "destination");
}

bool factors_keep_exactness(const Taps& taps) {
    if (!taps.separable()) return false;
    if (!taps.dense() || !integer_valued(taps)) return true;
    return all_integers(taps.row) && all_integers(taps.column);
}

bool sums_are_exact(const ConvProblem& p) {
    constexpr double kExactInFp32 = 0x1p24;
    return whole_sums_below(p, kExactInFp32);
}

bool same_bits_everywhere(const ConvProblem& p) {
    return p.exact_sums || (sums_are_exact(p) && why_not_magnitude_in_fp32(p).empty());
}

std::string describe(const ConvProblem& p) {
    std::string text = fmt::format("{}×{} {}", p.width, p.height, name_of(p.type));
    if (p.channels > 1) text += fmt::format(", {} channels", p.channels);
    text += fmt::format(", {}×{} taps", p.taps().width, p.taps().height);
    if (p.combine != Combine::single)
        text += fmt::format(" ({} of {})", name_of(p.combine), p.conv.front().taps.size());
    if (p.conv.size() > 1) text += " for each channel";
    if (p.sums_channels) text += ", channels added up";
    return text + fmt::format(", {}", name_of(p.border));
}

std::string_view name_of(PixelType type) {
    switch (type) {
        case PixelType::u8:
            return "u8";
        case PixelType::u16:
            return "u16";
        case PixelType::f32:
            return "f32";
    }
    return "unknown";
}

namespace {

std::string_view axis_name(Border border) {
    switch (border) {
        case Border::reflect101:
            return "reflect101";
        case Border::reflect:
            return "reflect";
        case Border::replicate:
            return "replicate";
        case Border::wrap:
            return "wrap";
        case Border::constant:
            return "constant";
        case Border::ffmpeg:
            return "ffmpeg";
        case Border::ffmpeg_backwards:
            return "ffmpeg_backwards";
    }
    return "unknown";
}

}  // namespace

std::string name_of(const Borders& border) {
    if (border.x == border.y) return std::string(axis_name(border.x));
    return fmt::format("{} by {}", axis_name(border.x), axis_name(border.y));
}

std::string_view name_of(Combine combine) {
    switch (combine) {
        case Combine::single:
            return "single";
        case Combine::magnitude:
            return "magnitude";
        case Combine::maximum:
            return "maximum";
    }
    return "unknown";
}

}  // namespace weft
