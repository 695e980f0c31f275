// Division of whole numbers: rounded up on the host; and by a number that the host knows
// beforehand, a multiplication and a shift on the device. Source: Granlund, Montgomery, PLDI 1994
#pragma once

#include <cstdint>

namespace weft {

constexpr int ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

// n / divisor = n · multiplier >> shift, exactly, for n below 2^31.
struct Quotient {
    unsigned divisor = 1;
    unsigned multiplier = 1U << 31;
    unsigned shift = 31;
};

// For divisors from 1 to 2^31. With shift = 31 + ⌈log2 divisor⌉ and multiplier = ⌈2^shift /
// divisor⌉ the product is too large by n · e / divisor with e < 2^(shift - 31), so by less than
// 2^shift / divisor: too little to reach the next integer.
constexpr Quotient quotient_by(unsigned divisor) {
    unsigned shift = 31;
    while ((1ULL << (shift - 31)) < divisor) ++shift;
    const unsigned long long multiplier = ((1ULL << shift) + divisor - 1) / divisor;
    return {divisor, static_cast<unsigned>(multiplier), shift};
}

}  // namespace weft
