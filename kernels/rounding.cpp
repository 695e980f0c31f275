#include "kernels/rounding.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

namespace weft {

namespace {

// Half the last place of an fp32 number of this size.
double half_place(double size) {
    return size > 0 ? std::ldexp(1.0, std::ilogb(size) - 24) : 0.0;
}

double largest_sample(const ConvProblem& p) {
    return std::max(static_cast<double>(p.max_value),
                    std::fabs(static_cast<double>(p.border_value)));
}

// For samples from 0 to `largest`: sums of k products are between the sums of the k lowest and of
// the k highest taps.
double rounding_of_sum(std::vector<float> weights, double largest) {
    std::erase(weights, 0.0F);  // a product of 0 changes no sum
    std::ranges::sort(weights);
    double low = 0;
    double high = 0;
    double error = 0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
        low += std::min(weights[k], 0.0F);
        high += std::max(weights[weights.size() - 1 - k], 0.0F);
        error += half_place(largest * std::max(-low, high));
    }
    return error;
}

// For samples of any sign, in the order of the factors.
double rounding_in_order(const std::vector<float>& factors, double largest) {
    double size = 0;
    double error = 0;
    for (const float f : factors) {
        if (f == 0.0F) continue;
        size += std::fabs(static_cast<double>(f)) * largest;
        error += half_place(size);
    }
    return error;
}

double rounding_of_passes(const std::vector<float>& first, const std::vector<float>& second,
                          double largest) {
    return rounding_in_order(first, largest) * absolute_sum_of(second) +
           rounding_in_order(second, largest * absolute_sum_of(first));
}

// The weights of one sum: the taps of a channel, or of all.
std::vector<float> weights_of_sum(const ConvProblem& p, int channel, std::size_t set) {
    std::vector<float> weights;
    for (int c = channel; c < (p.sums_channels ? p.channels : channel + 1); ++c) {
        const std::vector<float>& more = p.channel(c).taps[set].weights;
        weights.insert(weights.end(), more.begin(), more.end());
    }
    return weights;
}

// The largest of `error` over the channels and tap sets, in levels of the output.
double worst_of_sums(const ConvProblem& p,
                     const std::function<double(int channel, std::size_t set)>& error) {
    if (p.type == PixelType::f32) return 0;
    if (sums_are_exact(p)) return magnitude_rounding(p);
    if (p.exact_sums) return std::numeric_limits<double>::infinity();
    const int sums = p.sums_channels ? 1 : static_cast<int>(p.conv.size());
    const std::size_t sets = p.conv.front().taps.size();
    double worst = 0;
    for (int c = 0; c < sums; ++c)
        for (std::size_t set = 0; set < sets; ++set)
            worst =
                std::max(worst, error(c, set) * std::fabs(static_cast<double>(p.channel(c).scale)));
    if (p.combine == Combine::magnitude) worst *= std::sqrt(static_cast<double>(sets));
    return worst + magnitude_rounding(p);
}

std::string why_not(double rounding) {
    if (rounding <= kLargestRounding) return {};
    return fmt::format(
        "its fp32 sums of these taps could move a result by {:.2f} levels, and at most {} is "
        "allowed",
        rounding, kLargestRounding);
}

}  // namespace

double absolute_sum_of(const std::vector<float>& weights) {
    double sum = 0;
    for (const float w : weights) sum += std::fabs(static_cast<double>(w));
    return sum;
}

double largest_of(const std::vector<float>& weights) {
    double largest = 0;
    for (const float w : weights) largest = std::max(largest, std::fabs(static_cast<double>(w)));
    return largest;
}

double dense_rounding(const ConvProblem& p) {
    return worst_of_sums(p, [&](int channel, std::size_t set) {
        return rounding_of_sum(weights_of_sum(p, channel, set), largest_sample(p));
    });
}

double factored_rounding(const ConvProblem& p) {
    return worst_of_sums(p, [&](int channel, std::size_t set) {
        const Taps& t = p.channel(channel).taps[set];
        return std::max(rounding_of_passes(t.row, t.column, largest_sample(p)),
                        rounding_of_passes(t.column, t.row, largest_sample(p)));
    });
}

double magnitude_rounding(const ConvProblem& p) {
    if (p.combine != Combine::magnitude || p.type == PixelType::f32 || p.exact_sums) return 0;
    const int sums = p.sums_channels ? 1 : static_cast<int>(p.conv.size());
    const std::size_t sets = p.conv.front().taps.size();
    double worst = 0;
    for (int c = 0; c < sums; ++c) {
        double squares = 0;
        for (std::size_t set = 0; set < sets; ++set) {
            const double sum = absolute_sum_of(weights_of_sum(p, c, set)) * largest_sample(p);
            squares += sum * sum;
        }
        const ChannelConv& conv = p.channel(c);
        const double largest = std::sqrt(squares) * std::fabs(static_cast<double>(conv.scale));
        const double in_range = p.max_value + std::fabs(static_cast<double>(conv.bias));
        worst = std::max(worst, std::min(largest, in_range));
    }
    return worst * 2.5 * 0x1p-24 * static_cast<double>(sets - 1);
}

std::string why_not_dense_in_fp32(const ConvProblem& p) {
    return why_not(dense_rounding(p));
}

std::string why_not_factors_in_fp32(const ConvProblem& p) {
    return why_not(factored_rounding(p));
}

std::string why_not_magnitude_in_fp32(const ConvProblem& p) {
    return why_not(magnitude_rounding(p));
}

}  // namespace weft
