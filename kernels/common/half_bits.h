// IEEE 754 half precision as bits, on the host: the tensor cores' format of taps.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

namespace weft {

// The nearest half, ties to even. Infinity above 65504; values below 2^-24 · 0.5 become zero.
inline std::uint16_t half_bits(float v) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(v);
    const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000U);
    const float magnitude = std::fabs(v);
    if (!(magnitude < 65520.0F)) return sign | (v != v ? 0x7E00U : 0x7C00U);
    // Adding a power of two whose last place is the half's leaves the rounded value in the
    // mantissa.
    const std::uint32_t exponent = std::bit_cast<std::uint32_t>(magnitude) >> 23;
    const std::uint32_t lowest = exponent < 113 ? 113 : exponent;  // 113: 2^-14, the least normal
    const auto magic = std::bit_cast<float>((lowest + 13) << 23);
    const float rounded = magnitude + magic;
    const std::uint32_t steps =
        std::bit_cast<std::uint32_t>(rounded) - std::bit_cast<std::uint32_t>(magic);
    return static_cast<std::uint16_t>(sign | (((lowest - 113) << 10) + steps));
}

inline float half_value(std::uint16_t half) {
    const int exponent = half >> 10 & 0x1F;
    const int mantissa = half & 0x3FF;
    const float magnitude = exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                            : exponent == 31
                                ? (mantissa != 0 ? NAN : INFINITY)
                                : std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25);
    return (half & 0x8000U) != 0 ? -magnitude : magnitude;
}

// Σ|half(w · factor) / factor - w|: what taps lose when they are rounded.
inline double half_loss(std::span<const float> weights, double factor) {
    double lost = 0;
    for (const float w : weights) {
        const std::uint16_t half = half_bits(w * static_cast<float>(factor));
        lost += std::fabs(static_cast<double>(half_value(half)) / factor - w);
    }
    return lost;
}

}  // namespace weft
