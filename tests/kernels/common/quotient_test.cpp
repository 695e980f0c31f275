// Division by multiplication is exact.
#include "tests/kernels/emulated/emulated_gpu.h"

// The emulator must come first.
#include <vector>

#include <gtest/gtest.h>

#include "kernels/common/quotient.cuh"

namespace weft {

namespace {

constexpr unsigned kLargest = (1U << 31) - 1;

std::vector<unsigned> divisors() {
    std::vector<unsigned> out;
    for (unsigned d = 1; d <= 2000; ++d) out.push_back(d);
    for (unsigned shift = 11; shift < 31; ++shift)
        for (const unsigned d :
             {(1U << shift) - 1, 1U << shift, (1U << shift) + 1, 3U << (shift - 1)})
            out.push_back(d);
    out.push_back(kLargest);
    out.push_back(1U << 31);
    return out;
}

// Numbers around small multiples of the divisor and around the largest, where quotients step.
std::vector<unsigned> numbers_for(unsigned divisor) {
    std::vector<unsigned> out = {0, 1, kLargest};
    for (const unsigned multiple : {1U, 2U, 3U, 1000U, kLargest / divisor}) {
        if (multiple > kLargest / divisor) continue;
        const unsigned n = multiple * divisor;
        out.push_back(n);
        if (n > 0) out.push_back(n - 1);
        if (n < kLargest) out.push_back(n + 1);
    }
    return out;
}

}  // namespace

TEST(KernelsQuotient, IsTheDivision) {
    for (const unsigned d : divisors()) {
        const Quotient q = quotient_by(d);
        for (const unsigned n : numbers_for(d)) {
            ASSERT_EQ(divided(n, q), n / d) << n << " / " << d;
            ASSERT_EQ(remainder_of(n, q), n % d) << n << " mod " << d;
        }
    }
}

}  // namespace weft
