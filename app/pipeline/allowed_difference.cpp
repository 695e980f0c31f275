#include "app/pipeline/allowed_difference.h"

#include <algorithm>
#include <cmath>

namespace weft {
namespace {

// 2-norm of dense weights.
double norm(const Taps& taps) {
    double squares = 0;
    for (const float w : taps.weights) squares += static_cast<double>(w) * w;
    return std::sqrt(squares);
}

// Of a sum over samples in -1..1. See Arithmetic; tensor cores take no f32.
double sum_difference(const Taps& taps, Arithmetic arithmetic) {
    const double terms = static_cast<double>(taps.width) * taps.height;
    const double rounding = 2 * terms * 0x1p-24 * absolute_sum(taps);
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

}  // namespace

double allowed_difference(const ConvProblem& p, Arithmetic arithmetic) {
    if (p.type != PixelType::f32) return sums_are_exact(p) ? 0 : 1;
    double largest = 0;
    for (const ChannelConv& conv : p.conv)
        largest = std::max(largest, std::fabs(static_cast<double>(conv.scale)) *
                                        combined_difference(conv, p, arithmetic));
    return largest;
}

}  // namespace weft
