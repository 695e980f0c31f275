#include "kernels/exact_sums.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/rounding.h"

namespace weft {

namespace {

constexpr double kFp32Sums = 0x1p24;
constexpr double kDoubleSums = 0x1p53;
constexpr double kLargestWhole = 0x1p24;   // as a tap, which is a float
constexpr double kLargestDeviation = 0.5;  // in levels, of taps that fit fp32 sums
constexpr int kMostPower = 60;             // in a unit: the inverse of two units is a normal float

double largest_sample(const ConvProblem& p) {
    return std::max(static_cast<double>(p.max_value),
                    std::fabs(static_cast<double>(p.border_value)));
}

// Whole numbers nearest to values · unit, with the sum that these have.
std::vector<float> whole_numbers(const std::vector<float>& values, double unit) {
    std::vector<float> whole(values.size());
    double missing = 0;
    for (std::size_t k = 0; k < values.size(); ++k) {
        whole[k] = static_cast<float>(std::nearbyint(values[k] * unit));
        missing += values[k] * unit - whole[k];
    }
    const auto larger = [](float a, float b) { return std::fabs(a) < std::fabs(b); };
    const auto largest = std::ranges::max_element(whole, larger);
    *largest += static_cast<float>(std::nearbyint(missing));
    return whole;
}

// The sums of all positive and of all negative rounding errors.
struct Moved {
    double up = 0;
    double down = 0;

    void add(const std::vector<float>& values, const std::vector<float>& whole, double unit) {
        for (std::size_t k = 0; k < values.size(); ++k) {
            const double error = whole[k] / unit - values[k];
            (error > 0 ? up : down) += std::fabs(error);
        }
    }
    // The most that a sum over samples from 0 to 1 moves.
    double most() const { return std::max(up, down); }
};

// The taps that share a scale: those of a channel, or of all if they are summed.
struct Group {
    std::vector<ChannelConv*> channels;

    float scale() const { return channels.front()->scale; }
    void set_power(int power) {
        const float unit = std::ldexp(1.0F, -power);
        for (ChannelConv* c : channels) c->scale = std::copysign(unit, c->scale);
    }
    template <class Work>
    void for_each(const Work& work) const {
        for (ChannelConv* c : channels)
            for (Taps& t : c->taps) work(t);
    }
};

std::vector<Group> groups_of(ConvProblem& p) {
    std::vector<Group> groups;
    for (ChannelConv& c : p.conv)
        if (p.sums_channels && !groups.empty())
            groups.front().channels.push_back(&c);
        else
            groups.push_back({{&c}});
    return groups;
}

bool is_power_of_two(float scale) {
    int exponent = 0;
    return std::fabs(std::frexp(scale, &exponent)) == 0.5F;
}

// The largest power of two whose whole numbers `fits` accepts, from above: about `limit` / `sum`.
template <class Fits>
int finest_power(double limit, double sum, const Fits& fits) {
    if (sum <= 0) return 0;
    int power = std::clamp(std::ilogb(limit / sum) + 1, -kMostPower, kMostPower);
    while (power > -kMostPower && !fits(power)) --power;
    return power;
}

// ---- dense taps --------------------------------------------------------------------------------

struct SumLimit {
    double sums;   // Σ|w| · largest sample is below
    double added;  // channels of a sum times the largest sample
};

bool fits(const std::vector<float>& whole, const SumLimit& limit) {
    return absolute_sum_of(whole) * limit.added < limit.sums && largest_of(whole) < kLargestWhole;
}

// Whole numbers whose product with the scale is exact in the last rounding.
bool is_exact(const Group& group, const SumLimit& limit) {
    constexpr double kTimesAnyScale = 0x1p29;  // 29 bits and the 24 of a float fit in a double
    const double most =
        limit.sums == kDoubleSums && !is_power_of_two(group.scale()) ? kTimesAnyScale : limit.sums;
    bool exact = true;
    group.for_each([&](const Taps& t) {
        exact = exact && integer_valued(t) && absolute_sum_of(t.weights) * limit.added < most;
    });
    return exact;
}

// Returns the deviation of a sum over samples from 0 to 1.
double round_dense(Group& group, const SumLimit& limit) {
    if (is_exact(group, limit)) return 0;
    const double scale = std::fabs(static_cast<double>(group.scale()));
    double sum = 0;
    group.for_each([&](const Taps& t) { sum = std::max(sum, absolute_sum_of(t.weights)); });
    const int power = finest_power(limit.sums, sum * scale * limit.added, [&](int k) {
        bool all = true;
        group.for_each([&](const Taps& t) {
            all = all && fits(whole_numbers(t.weights, std::ldexp(scale, k)), limit);
        });
        return all;
    });
    const double unit = std::ldexp(scale, power);
    std::vector<Moved> moved(group.channels.front()->taps.size());  // by tap set
    for (ChannelConv* c : group.channels) {
        for (std::size_t set = 0; set < moved.size(); ++set) {
            Taps& t = c->taps[set];
            std::vector<float> whole = whole_numbers(t.weights, unit);
            if (unit > 0) moved[set].add(t.weights, whole, unit);
            t.weights = std::move(whole);
            t.row.clear();
            t.column.clear();
            t.gaussian_x = t.gaussian_y = 0;
        }
    }
    group.set_power(power);
    double most = 0;
    for (const Moved& m : moved) most = std::max(most, m.most() * scale);
    return most;
}

ExactProblem rounded_dense(ConvProblem p, double sums) {
    const double channels = p.sums_channels ? p.channels : 1;
    const SumLimit limit{sums, largest_sample(p) * channels};
    double deviation = 0;
    for (Group& group : groups_of(p)) deviation = std::max(deviation, round_dense(group, limit));
    const auto sets = static_cast<double>(p.conv.front().taps.size());
    if (p.combine == Combine::magnitude) deviation *= std::sqrt(sets);
    deviation *= largest_sample(p);
    return {std::move(p), deviation};
}

// ---- factors -----------------------------------------------------------------------------------

// Double sums cost twice as much as fp32 ones where they are cheap: dense taps win up to 8×8.
bool takes_factors(const ConvProblem& p) {
    return p.combine == Combine::single && every_tap_set(p, &Taps::separable) &&
           (!every_tap_set(p, &Taps::dense) ||
            p.taps().width * p.taps().height > 4 * (p.taps().width + p.taps().height));
}

struct WholeFactors {
    std::vector<float> whole;
    double unit = 1;
    int power = 0;
};

WholeFactors whole_factors(const std::vector<float>& factors, double scale, double most) {
    WholeFactors out;
    out.power = finest_power(most, absolute_sum_of(factors) * scale, [&](int k) {
        return absolute_sum_of(whole_numbers(factors, std::ldexp(scale, k))) <= most;
    });
    out.unit = std::ldexp(scale, out.power);
    out.whole = whole_numbers(factors, out.unit);
    return out;
}

// Returns the deviation of a sum over samples from 0 to 1: the whole numbers' products are
// (row + a) · (column + b).
double round_factors(ChannelConv& c, double most) {
    Taps& t = c.taps.front();
    const double scale = std::fabs(static_cast<double>(c.scale));
    const WholeFactors row = whole_factors(t.row, 1.0, most);
    const WholeFactors column = whole_factors(t.column, scale, most);
    Moved a;
    Moved b;
    a.add(t.row, row.whole, row.unit);
    if (column.unit > 0) b.add(t.column, column.whole, column.unit);
    const double moved = a.most() * absolute_sum_of(column.whole) * std::ldexp(1.0, -column.power) +
                         absolute_sum_of(t.row) * b.most() * scale;
    t.row = row.whole;
    t.column = column.whole;
    t.weights.clear();
    t.gaussian_x = t.gaussian_y = 0;
    c.scale = std::copysign(std::ldexp(1.0F, -(row.power + column.power)), c.scale);
    return moved;
}

ExactProblem rounded_factors(ConvProblem p) {
    const double largest = largest_sample(p);
    const double most = std::floor(std::sqrt(kDoubleSums / largest)) - 1;
    double deviation = 0;
    for (ChannelConv& c : p.conv) deviation = std::max(deviation, round_factors(c, most));
    return {std::move(p), deviation * largest};
}

}  // namespace

ExactProblem with_exact_sums(const ConvProblem& problem) {
    if (problem.type == PixelType::f32)
        throw std::invalid_argument("samples in floating point have no exact sums");
    ConvProblem p = problem;
    p.exact_sums = true;
    if (sums_are_exact(p)) return {std::move(p), 0};
    if (takes_factors(p)) return rounded_factors(std::move(p));
    if (!every_tap_set(p, &Taps::dense))
        throw std::invalid_argument(
            "several tap sets of more than 63 taps a side have no exact sums");
    ExactProblem fp32 = rounded_dense(p, kFp32Sums);
    if (p.combine == Combine::magnitude || fp32.deviation <= kLargestDeviation) return fp32;
    return rounded_dense(std::move(p), kDoubleSums);
}

}  // namespace weft
