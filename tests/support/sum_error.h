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

// The bound that Arithmetic's description promises: the largest error of an inexact sum, per Σ|w|.
// `largest`: |sample| of an f32 image and its border.
inline double sum_error(Arithmetic arithmetic, const ConvProblem& p, double largest) {
    switch (arithmetic) {
        case Arithmetic::fp32:
            return 0.0;
        case Arithmetic::half_taps:
            return 128.0 * 1.25 / 2048.0;
        case Arithmetic::half_between:
            return 128.0 * 3.25 / 2048.0;
        case Arithmetic::fourier: {
            const double m = p.type == PixelType::u8    ? 128.0
                             : p.type == PixelType::u16 ? 32768.0
                                                        : largest;
            return 0.02 * m * largest_norm_ratio(p);
        }
    }
    return 0.0;
}

}  // namespace weft::test
