#include "app/pipeline/stack/allowed_difference.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kernels/pixel_type.h"
#include "kernels/pixels/transfer_curve.h"
#include "kernels/pixels/working_pixel.h"

namespace weft {
namespace {

// The root of the sum of the squared dense weights.
double norm(const Taps& taps) {
    double squares = 0;
    for (const float w : taps.weights) squares += static_cast<double>(w) * w;
    return std::sqrt(squares);
}

// Matrices of at least 25 fractions: tensor_f32 may take them on the other device.
bool may_be_split(const Taps& taps) {
    return taps.dense() && !taps.separable() && !integer_valued(taps) &&
           taps.width * taps.height >= 25;
}

// For a sum over samples in -1..1. See Arithmetic.
double sum_difference(const Taps& taps, Arithmetic arithmetic) {
    const double terms = static_cast<double>(taps.width) * taps.height;
    const bool split = arithmetic == Arithmetic::split_halves || may_be_split(taps);
    const double unit = split ? 3 * 0x1p-24 + 0x1p-38 : 0x1p-24;
    const double rounding = 2 * terms * unit * absolute_sum(taps);
    return arithmetic == Arithmetic::fourier ? rounding + 0.02 * norm(taps) : rounding;
}

double combined_difference(const ChannelConv& conv, const ConvProblem& p, Arithmetic arithmetic) {
    double squares = 0;
    double largest = 0;
    for (const Taps& taps : conv.taps) {
        const double sum = sum_difference(taps, arithmetic) * (p.sums_channels ? p.channels : 1);
        squares += sum * sum;
        largest = std::max(largest, sum);
    }
    return p.combine == Combine::magnitude ? std::sqrt(squares) : largest;
}

double weight_at(const Taps& t, int x, int y) {
    const auto column = static_cast<std::size_t>(x);
    const auto row = static_cast<std::size_t>(y);
    if (t.dense()) return t.weights[row * static_cast<std::size_t>(t.width) + column];
    return static_cast<double>(t.row[column]) * t.column[row];
}

// The largest length of (Σ a x, Σ b x) over |x| <= 1: these points form a convex polygon, whose
// extent in direction θ is Σ|a cos θ + b sin θ|. One of the directions tried is within half a step
// of the farthest corner's, where the extent is at least the length times the cosine of that.
double norm_of_pair(const Taps& a, const Taps& b) {
    constexpr int kDirections = 180;
    constexpr double kStep = std::numbers::pi / kDirections;
    double largest = 0;
    for (int k = 0; k < kDirections; ++k) {
        const double c = std::cos(k * kStep);
        const double s = std::sin(k * kStep);
        double extent = 0;
        for (int y = 0; y < a.height; ++y)
            for (int x = 0; x < a.width; ++x)
                extent += std::fabs(c * weight_at(a, x, y) + s * weight_at(b, x, y));
        largest = std::max(largest, extent);
    }
    return largest / std::cos(kStep / 2);
}

double combined_gain(const ChannelConv& conv, Combine combine) {
    if (combine == Combine::magnitude && conv.taps.size() == 2)
        return norm_of_pair(conv.taps[0], conv.taps[1]);
    double squares = 0;
    double largest = 0;
    for (const Taps& taps : conv.taps) {
        const double sum = absolute_sum(taps);
        squares += sum * sum;
        largest = std::max(largest, sum);
    }
    return combine == Combine::magnitude ? std::sqrt(squares) : largest;
}

bool whole(float v) {
    return v == std::nearbyint(v);
}

// Whether whole-number sums stay whole numbers through the finish.
bool finishes_whole(const ConvProblem& p) {
    return p.combine != Combine::magnitude && std::ranges::all_of(p.conv, [](const ChannelConv& c) {
               return whole(c.scale) && whole(c.bias);
           });
}

// The difference of two values `apart` from each other after rounding to whole numbers. Kernels
// compute each to within half a level; otherwise they could differ by two for the same samples.
double rounded_apart(double apart, bool exact_sums) {
    constexpr double kOwnErrors = 0.999;
    return std::floor(apart + (exact_sums ? 1e-3 : kOwnErrors)) + 1;
}

// Two fp32 results of one value may be adjacent floats: each is rounded once more at the end.
double last_place(double value) {
    return 2 * 0x1p-23 * std::fabs(value);
}

// How much two results of a step may differ, given the differences and the range of its input.
struct Spread {
    double difference = 0;
    double largest = 1;  // |sample|, of f32
};

Spread after(const ConvProblem& p, const Spread& in, Arithmetic arithmetic) {
    const double g = gain(p);
    if (p.type == PixelType::f32) {
        const double largest =
            std::max({in.largest, 1.0, std::fabs(static_cast<double>(p.border_value))});
        double bias = 0;
        for (const ChannelConv& c : p.conv)
            bias = std::max(bias, std::fabs(static_cast<double>(c.bias)));
        const double result = g * largest + bias;
        const double own = allowed_difference(p, arithmetic) * largest + last_place(result);
        return {g * in.difference + own, result};
    }
    const bool exact = same_bits_everywhere(p);
    if (in.difference == 0) return {exact ? 0.0 : 1.0};
    const double apart = g * in.difference;
    const double out = exact && finishes_whole(p) ? apart : rounded_apart(apart, exact);
    return {std::min(out, static_cast<double>(p.max_value))};
}

// All devices add up frames in time in the same order, so equal frames give equal results. A
// difference may decide whether a value is below the threshold.
Spread after(const PlaneBlend& work, const Spread& in) {
    const TemporalBlend& b = work.blend;
    double sum = 0;
    for (const float w : b.weights) sum += std::fabs(static_cast<double>(w));
    const double g = sum * std::fabs(static_cast<double>(b.scale));
    Spread out{in.difference == 0 ? 0.0 : g * in.difference + b.threshold,
               g * in.largest + std::fabs(static_cast<double>(b.bias))};
    if (work.max_value > 1.0F && out.difference > 0)
        out.difference =
            std::min(rounded_apart(out.difference, true), static_cast<double>(work.max_value));
    else if (out.difference > 0)
        out.difference += last_place(out.largest);
    // Channels that are not selected are unchanged.
    out.difference = std::max(out.difference, in.difference);
    out.largest = std::max(out.largest, in.largest);
    return out;
}

// Means differ by no more than their samples; only their rounding may move them further apart.
Spread after(const PlaneMeans& work, Spread in) {
    if (in.difference == 0) return in;
    if (work.max_value > 1.0F)
        in.difference =
            std::min(rounded_apart(in.difference, true), static_cast<double>(work.max_value));
    else
        in.difference += last_place(in.largest);
    return in;
}

Spread after(const PlaneWork& work, const Plan& plan, const Spread& in) {
    if (const auto* problem = std::get_if<ConvProblem>(&work.compute))
        return after(*problem, in, plan.kernel->arithmetic);
    if (const auto* blend = std::get_if<PlaneBlend>(&work.compute)) return after(*blend, in);
    if (const auto* means = std::get_if<PlaneMeans>(&work.compute)) return after(*means, in);
    return in;
}

// Luma is computed the same way everywhere, and its weights add up to one.
Spread gray_input(const GrayRoute& route, Spread in, const FrameInfo& info) {
    if (route.luma && in.difference > 0 && info.sample != SampleType::f32)
        in.difference = rounded_apart(in.difference, true);
    return in;
}

// The value that light of this size has, at most.
double value_of_light(const WorkingFormat& working, double light) {
    const Curve curve = from_light(working.transfer);
    const CurveView view = view_of(curve, curve.lines.data());
    return view.lines == nullptr ? light : working::value_at(view, static_cast<float>(light));
}

// The step's conversions are the same everywhere. Sums in fp32 err by a share of themselves, if no
// weight is negative, and the functions of light are concave: a value errs by no larger share. What
// other sums err by, on top of that, changes a value by at most twice the value of so much light.
Spread after_working(const StepPlan& step, const Spread& in, const FrameInfo& info) {
    const WorkingFormat& working = *step.working;
    const auto problems = step.problems();
    const bool converted = working.groups.front().converted;
    const double levels = converted ? info.max_value() : 1;
    double own = 0;
    // A matrix and its inverse widen a difference; power means do not.
    double widest = converted ? 4 : 0;
    bool exact = true;
    for (std::size_t k = 0; k < problems.size(); ++k) {
        if (problems[k] == nullptr) continue;
        const ConvProblem& p = *problems[k];
        if (!converted) widest = std::max(widest, gain(p));
        if (same_bits_everywhere(p)) continue;
        exact = false;
        const Arithmetic arithmetic = step.plans[k].kernel->arithmetic;
        const double range = converted ? 1 : info.max_value();
        const double sums = p.type == PixelType::f32 ? allowed_difference(p, Arithmetic::fp32) : 0;
        own = std::max(own, sums * range * levels);
        if (arithmetic == Arithmetic::fp32 || p.type != PixelType::f32) continue;
        const double light = allowed_difference(p, arithmetic) * range;
        own = std::max(own, 2 * levels * (converted ? value_of_light(working, light) : light));
    }
    for (const PlaneWork& work : step.lowered.planes)
        if (const auto* blend = std::get_if<PlaneBlend>(&work.compute))
            widest = std::max(widest, after(*blend, in).difference / std::max(in.difference, 1.0));
    Spread out{in.difference, in.largest};
    if (exact && in.difference == 0) return out;
    const double apart = own + widest * in.difference;
    if (info.sample == SampleType::f32)
        out.difference = std::max(out.difference, apart + last_place(in.largest));
    else
        out.difference = std::min(std::max(out.difference, rounded_apart(apart, true)),
                                  static_cast<double>(info.max_value()));
    return out;
}

Spread after(const StepPlan& step, const Spread& in, const FrameInfo& info) {
    if (step.working) return after_working(step, in, info);
    Spread out = in;  // planes that the step leaves unchanged
    const auto widen = [&out](const Spread& more) {
        out.difference = std::max(out.difference, more.difference);
        out.largest = std::max(out.largest, more.largest);
    };
    const bool all_planes =
        !step.lowered.gray && std::ranges::all_of(step.lowered.planes, &PlaneWork::computes);
    const bool all_pixels = !step.region && step.enable.empty();
    if (all_planes && all_pixels) out = {0, 0};
    if (const std::optional<GrayRoute>& gray = step.lowered.gray)
        widen(after(gray->work, step.plans.front(), gray_input(*gray, in, info)));
    for (std::size_t k = 0; k < step.lowered.planes.size(); ++k)
        if (step.lowered.planes[k].computes())
            widen(after(step.lowered.planes[k], step.plans[k], in));
    // Mixed integers differ by no more than their two parts.
    if (step.region && info.sample == SampleType::f32 && out.difference > 0)
        out.difference += last_place(out.largest);
    return out;
}

double last_difference(const StackPlan& plan) {
    const std::vector<double> differences = stack_differences(plan);
    return differences.empty() ? 0.0 : differences.back();
}

}  // namespace

double allowed_difference(const ConvProblem& p, Arithmetic arithmetic) {
    if (p.type != PixelType::f32) return same_bits_everywhere(p) ? 0 : 1;
    double largest = 0;
    for (const ChannelConv& conv : p.conv)
        largest = std::max(largest, std::fabs(static_cast<double>(conv.scale)) *
                                        combined_difference(conv, p, arithmetic));
    return largest;
}

double gain(const ConvProblem& p) {
    double sum = 0;
    double largest = 0;
    for (int c = 0; c < p.channels; ++c) {
        const double combined = combined_gain(p.channel(c), p.combine);
        sum += combined;
        largest = std::max(largest, combined * std::fabs(static_cast<double>(p.channel(c).scale)));
    }
    return p.sums_channels ? sum * std::fabs(static_cast<double>(p.conv.front().scale)) : largest;
}

std::vector<double> stack_differences(const StackPlan& plan) {
    std::vector<double> differences;
    Spread spread;
    for (const StepPlan& step : plan.steps) {
        spread = after(step, spread, plan.info);
        differences.push_back(spread.difference);
    }
    return differences;
}

bool same_on_every_device(const StackPlan& plan) {
    return last_difference(plan) == 0;
}

std::string difference_text(const StackPlan& plan) {
    const double last = last_difference(plan);
    if (last == 0) return "bit for bit on every device";
    if (plan.info.sample == SampleType::f32)
        return fmt::format("devices differ by at most {:.2g} for samples from -1 to 1", last);
    return fmt::format("devices differ by at most {:.0f} level{}", std::floor(last),
                       last < 2 ? "" : "s");
}

}  // namespace weft
