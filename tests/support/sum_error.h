// The error that the tests and the bench allow a kernel's sums on top of that of fp32.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/conv_kernel.h"

namespace weft::test {

// The largest √Σw² / Σ|w| of a problem's dense taps.
inline double largest_norm_ratio(const ConvProblem& p) {
    double largest = 0;
    for (const ChannelConv& c : p.conv) {
        for (const Taps& t : c.taps) {
            double squares = 0;
            double sum = 0;
            for (const double w : t.weights) {
                squares += w * w;
                sum += std::fabs(w);
            }
            if (sum > 0) largest = std::max(largest, std::sqrt(squares) / sum);
        }
    }
    return largest;
}

// The smallest Σ|w| |scale| above 0 of a problem's taps.
inline double smallest_gain(const ConvProblem& p) {
    double smallest = HUGE_VAL;
    for (const ChannelConv& c : p.conv) {
        for (const Taps& t : c.taps) {
            const double gain = absolute_sum(t) * std::fabs(c.scale);
            if (gain > 0) smallest = std::min(smallest, gain);
        }
    }
    return smallest;
}

// 128 at 8 bits, 512 at 10.
inline double middle_of_range(double max_value) {
    return std::exp2(std::ceil(std::log2(max_value + 1.0))) / 2.0;
}

// The bound that Arithmetic's description promises: the largest error of an inexact sum, per Σ|w|.
// `largest`: |sample| of an f32 image and its border.
inline double sum_error(Arithmetic arithmetic, const ConvProblem& p, double largest) {
    switch (arithmetic) {
        case Arithmetic::fp32:
            return 0.0;
        case Arithmetic::half_taps:
            return std::min(middle_of_range(p.max_value) * 1.25 / 2048.0, 0.45 / smallest_gain(p));
        case Arithmetic::half_between:
            return 128.0 * 3.25 / 2048.0;
        case Arithmetic::fourier: {
            const double m = p.type == PixelType::u8    ? 128.0
                             : p.type == PixelType::u16 ? 32768.0
                                                        : largest;
            return 0.02 * m * largest_norm_ratio(p);
        }
        case Arithmetic::split_halves:
            return std::ldexp(largest * p.taps().width * p.taps().height, -38);
        case Arithmetic::fixed_point:
            return p.type == PixelType::f32 ? 0.0 : 0.1 / smallest_gain(p);
        case Arithmetic::two_rate:
            return p.type == PixelType::u8    ? 0.2
                   : p.type == PixelType::u16 ? 6e-7 * p.max_value
                                              : 1.2e-6 * largest;
    }
    return 0.0;
}

// How many times the bound of fp32 sums a kernel's may err by.
inline double roundings_factor(Arithmetic arithmetic) {
    return arithmetic == Arithmetic::split_halves ? 3.0 : 1.0;
}

}  // namespace weft::test
