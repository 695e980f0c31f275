#include "kernels/cpu/two_rate_axis.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace weft {
namespace {

// Weights of neighbouring rows.
struct Weights {
    int first = 0;
    std::vector<float> taps;
};

// Samples of a Gaussian around `centre`, with a sum of one.
Weights bell(double centre, double sigma, int first, int count) {
    std::vector<double> samples;
    double sum = 0;
    for (int k = 0; k < count; ++k) {
        const double distance = (first + k - centre) / sigma;
        samples.push_back(std::exp(-0.5 * distance * distance));
        sum += samples.back();
    }
    Weights weights{first, {}};
    for (const double s : samples) weights.taps.push_back(static_cast<float>(s / sum));
    return weights;
}

// Includes each sample whose middle half a sample is within `reach`.
Weights bell_within(double centre, double sigma, double reach) {
    const int first = static_cast<int>(std::ceil(centre - reach - 0.5));
    const int last = static_cast<int>(std::floor(centre + reach + 0.5));
    return bell(centre, sigma, first, std::max(last - first + 1, 1));
}

RowSums sums_of(int count, const std::function<Weights(int sum)>& weights_of) {
    RowSums sums;
    sums.begin = std::numeric_limits<int>::max();
    sums.end = std::numeric_limits<int>::min();
    for (int k = 0; k < count; k += RowSums::kGroup) {
        std::vector<Weights> members;
        RowSums::Group group{.first = std::numeric_limits<int>::max(), .taps = sums.taps.size()};
        int end = std::numeric_limits<int>::min();
        for (int o = k; o < std::min(k + RowSums::kGroup, count); ++o) {
            const Weights& w = members.emplace_back(weights_of(o));
            group.first = std::min(group.first, w.first);
            end = std::max(end, w.first + static_cast<int>(w.taps.size()));
        }
        group.rows = end - group.first;
        sums.taps.resize(group.taps + static_cast<std::size_t>(group.rows) * RowSums::kGroup);
        for (std::size_t o = 0; o < members.size(); ++o)
            for (std::size_t i = 0; i < members[o].taps.size(); ++i) {
                const std::size_t row = members[o].first - group.first + i;
                sums.taps[group.taps + row * RowSums::kGroup + o] = members[o].taps[i];
            }
        sums.begin = std::min(sums.begin, group.first);
        sums.end = std::max(sums.end, end);
        sums.groups.push_back(group);
    }
    return sums;
}

RowsBetween rows_between(int count, int window, const std::function<Weights(int row)>& weights_of) {
    RowsBetween between;
    between.window = window;
    for (int row = 0; row < count; ++row) {
        const Weights w = weights_of(row);
        between.taps.insert(between.taps.end(), w.taps.begin(), w.taps.end());
        const bool goes_on = !between.runs.empty() && between.runs.back().first == w.first &&
                             between.runs.back().count < RowsBetween::kMostRows;
        if (goes_on)
            ++between.runs.back().count;
        else
            between.runs.push_back({.row = row, .count = 1, .first = w.first});
    }
    between.begin = between.runs.front().first;
    between.end = between.runs.back().first + window;
    return between;
}

// Where low samples lie: at origin + k * step, in pixels, for k in 0..count-1.
struct LowSamples {
    double origin = 0;
    double step = 1;
    int count = 0;
    Border border = Border::replicate;
};

// A picture that is mirrored or repeated has low samples that are so too, if the step divides its
// period. Otherwise there are as many more as the border reaches into, and all beyond are equal.
LowSamples low_samples(int length, Border border, double most_step, double reach) {
    const auto steps_of = [&](double way) { return std::ceil(way / most_step); };
    switch (border) {
        case Border::reflect101: {
            const double steps = steps_of(length - 1);
            return {0, (length - 1) / steps, static_cast<int>(steps) + 1, border};
        }
        case Border::reflect: {
            const double step = length / steps_of(length);
            return {(step - 1) / 2, step, static_cast<int>(steps_of(length)), border};
        }
        case Border::wrap: {
            const double steps = steps_of(length);
            return {0, length / steps, static_cast<int>(steps), border};
        }
        case Border::ffmpeg:  // around the first sample, and past the last one
        case Border::ffmpeg_backwards: {
            const double count = std::ceil((length - 0.5) / most_step + 0.5);
            const double step = (length - 0.5) / (count - 0.5);
            const double origin = border == Border::ffmpeg ? 0 : (step - 1) / 2;
            return {origin, step, static_cast<int>(count), border};
        }
        case Border::replicate:
        case Border::constant:
            break;
    }
    const double more = std::ceil(reach) + 1;
    return {-more * most_step, most_step, static_cast<int>(steps_of(length - 1) + 2 * more) + 1,
            Border::replicate};
}

Weights one_of(int row, int window) {
    Weights weights{row - window / 2, std::vector<float>(window)};
    weights.taps[window / 2] = 1;
    return weights;
}

}  // namespace

// The errors are those of all pictures, which tests/kernels/cpu/two_rate_test.cpp computes.
TwoRates two_rates_for(PixelType type) {
    if (type == PixelType::u8)
        return {.part = 0.75,
                .reach_down = 3.5,
                .reach_blur = 4,
                .window = 6,
                .least = 2,
                .most_step = std::numeric_limits<double>::infinity()};
    // More pixels between low samples would mean longer sums, which are less precise.
    return {.part = 1,
            .reach_down = 5.3,
            .reach_blur = 5.3,
            .window = 11,
            .least = 2.25,
            .most_step = 32};
}

TwoRateAxis two_rate_axis(int length, Border border, float sigma, const std::vector<float>& factors,
                          int anchor, const TwoRates& rates) {
    TwoRateAxis axis;
    axis.length = length;
    axis.border = length == 1 && border != Border::constant ? Border::replicate : border;
    if (sigma < kLeastTwoRateSigma) {
        axis.low = length;
        axis.down = sums_of(length, [&](int k) { return Weights{k - anchor, factors}; });
        axis.blur = sums_of(length, [](int k) { return Weights{k, {1.0F}}; });
        axis.up =
            rows_between(length, rates.window, [&](int x) { return one_of(x, rates.window); });
        return axis;
    }
    const double reach = rates.part * rates.reach_down;
    const LowSamples low =
        low_samples(length, axis.border, std::min(sigma / rates.least, rates.most_step), reach);
    axis.low = low.count;
    axis.step = low.step;
    axis.low_border = low.border;
    const double whole = sigma / low.step;
    const double between = std::sqrt(whole * whole - 2 * rates.part * rates.part);
    axis.down = sums_of(low.count, [&](int k) {
        return bell_within(low.origin + k * low.step, rates.part * low.step, reach * low.step);
    });
    axis.blur = sums_of(low.count,
                        [&](int k) { return bell_within(k, between, rates.reach_blur * between); });
    axis.up = rows_between(length, rates.window, [&](int x) {
        const double at = (x - low.origin) / low.step;
        return bell(at, rates.part, static_cast<int>(std::ceil(at - rates.window / 2.0)),
                    rates.window);
    });
    return axis;
}

}  // namespace weft
