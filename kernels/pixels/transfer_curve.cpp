#include "kernels/pixels/transfer_curve.h"

#include <bit>
#include <cmath>
#include <stdexcept>

namespace weft {
namespace {

// A function and its inverse, for x >= 0.
struct Pair {
    double (*to_light)(double);
    double (*from_light)(double);
};

// BT.709, BT.601 and BT.2020: the two constants make value and slope continuous.
constexpr double kAlpha = 1.09929682680944;
constexpr double kBeta = 0.018053968510807;

double bt709_to_light(double v) {
    return v < 4.5 * kBeta ? v / 4.5 : std::pow((v + kAlpha - 1) / kAlpha, 1 / 0.45);
}
double bt709_from_light(double l) {
    return l < kBeta ? 4.5 * l : kAlpha * std::pow(l, 0.45) - (kAlpha - 1);
}

double srgb_to_light(double v) {
    return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}
double srgb_from_light(double l) {
    return l <= 0.0031308 ? 12.92 * l : 1.055 * std::pow(l, 1 / 2.4) - 0.055;
}

// SMPTE ST 2084.
constexpr double kM1 = 2610.0 / 16384;
constexpr double kM2 = 2523.0 / 4096 * 128;
constexpr double kC1 = 3424.0 / 4096;
constexpr double kC2 = 2413.0 / 4096 * 32;
constexpr double kC3 = 2392.0 / 4096 * 32;

double pq_in_range(double v) {
    const double p = std::pow(v, 1 / kM2);
    return std::pow(std::fmax(p - kC1, 0) / (kC2 - kC3 * p), 1 / kM1);
}

// Above 10,000 cd/m² the function's own slope at the end continues; it would soon be infinite.
double pq_slope_at_end() {
    constexpr double kStep = 1e-6;
    return (1 - pq_in_range(1 - kStep)) / kStep;
}
double pq_to_light(double v) {
    return v <= 1 ? pq_in_range(v) : 1 + (v - 1) * pq_slope_at_end();
}
double pq_from_light(double l) {
    if (l > 1) return 1 + (l - 1) / pq_slope_at_end();
    const double p = std::pow(l, kM1);
    // The function of no light is 7e-7 and is taken as 0.
    return l == 0 ? 0 : std::pow((kC1 + kC2 * p) / (1 + kC3 * p), kM2);
}

// ARIB STD-B67, the light of the scene.
constexpr double kA = 0.17883277;
constexpr double kB = 1 - 4 * kA;
const double kC = 0.5 - kA * std::log(4 * kA);

double hlg_to_light(double v) {
    return v <= 0.5 ? v * v / 3 : (std::exp((v - kC) / kA) + kB) / 12;
}
double hlg_from_light(double l) {
    return l <= 1.0 / 12 ? std::sqrt(3 * l) : kA * std::log(12 * l - kB) + kC;
}

template <int Tenths>
constexpr Pair gamma_pair() {
    return {[](double v) { return std::pow(v, Tenths / 10.0); },
            [](double l) { return std::pow(l, 10.0 / Tenths); }};
}

Pair pair_of(TransferFunction transfer) {
    switch (transfer) {
        case TransferFunction::bt709:
            return {bt709_to_light, bt709_from_light};
        case TransferFunction::srgb:
            return {srgb_to_light, srgb_from_light};
        case TransferFunction::gamma22:
            return gamma_pair<22>();
        case TransferFunction::gamma28:
            return gamma_pair<28>();
        case TransferFunction::pq:
            return {pq_to_light, pq_from_light};
        case TransferFunction::hlg:
            return {hlg_to_light, hlg_from_light};
        case TransferFunction::linear:
        case TransferFunction::unspecified:
        case TransferFunction::other:
            break;
    }
    throw std::invalid_argument("the transfer function is not known");
}

// Lines from 2^lowest to 2^highest, 2^per_octave of them in each octave.
Curve curve_of(double (*function)(double), int lowest, int highest, int per_octave) {
    constexpr int kMantissa = 23;
    Curve curve;
    curve.shift = kMantissa - per_octave;
    curve.first = std::bit_cast<std::uint32_t>(std::ldexp(1.0F, lowest));
    const int count = (highest - lowest) << per_octave;
    const auto place = [&](int k) {
        const auto bits = curve.first + (static_cast<std::uint32_t>(k) << curve.shift);
        return static_cast<double>(std::bit_cast<float>(bits));
    };
    const double start = function(place(0));
    curve.lines = {0.0F, static_cast<float>(start / place(0))};
    double begin = start;
    for (int k = 0; k < count; ++k) {
        const double end = function(place(k + 1));
        const auto slope = static_cast<float>((end - begin) / (place(k + 1) - place(k)));
        curve.lines.push_back(static_cast<float>(begin - slope * place(k)));
        curve.lines.push_back(slope);
        begin = end;
    }
    return curve;
}

}  // namespace

Curve to_light(TransferFunction transfer) {
    if (transfer == TransferFunction::linear) return {};
    return curve_of(pair_of(transfer).to_light, -20, 2, 9);
}

Curve from_light(TransferFunction transfer) {
    if (transfer == TransferFunction::linear) return {};
    return curve_of(pair_of(transfer).from_light, -40, 4, 8);
}

}  // namespace weft
