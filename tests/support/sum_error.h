// What the tests and the bench grant a kernel's sums beside the error of fp32.
#pragma once

#include "kernels/conv_kernel.h"

namespace weft::test {

// As Arithmetic's description promises: the largest error of a sum that is not exact, per Σ|w|.
constexpr double sum_error(Arithmetic arithmetic) {
    switch (arithmetic) {
        case Arithmetic::fp32:
            return 0.0;
        case Arithmetic::half_taps:
            return 128.0 * 1.25 / 2048.0;
        case Arithmetic::half_between:
            return 128.0 * 3.25 / 2048.0;
    }
    return 0.0;
}

}  // namespace weft::test
