#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>

#include "filters/edge_params.h"
#include "filters/made_taps.h"

namespace weft {
namespace {

// Three σ of the longer axis fit the largest dense taps.
constexpr int kReach = Taps::kMaxDense / 2;

constexpr std::array<ParamDef, 11> kParams{{
    {.name = "sigma",
     .help = "width of the Gaussian envelope across the waves",
     .unit = "px",
     .def = 3,
     .min = 0.5,
     .max = 10},
    {.name = "wavelength",
     .help = "from wave to wave",
     .unit = "px",
     .def = 6,
     .min = 2,
     .max = 63,
     .logarithmic = true},
    {.name = "angle",
     .help = "direction across the waves as displayed, counter-clockwise from right; 0: "
             "vertical lines",
     .unit = "degrees",
     .def = 0,
     .min = -360,
     .max = 360},
    {.name = "aspect",
     .help = "width of the envelope across the waves divided by its length along them",
     .unit = "",
     .def = 0.5,
     .min = 0.2,
     .max = 5,
     .label = "Aspect ratio"},
    {.name = "phase",
     .help = "phase of the wave in the middle: 0 finds lines, 90 finds edges",
     .unit = "degrees",
     .def = 0,
     .min = -360,
     .max = 360},
    kPlanesLuma,
    edge_scale(1),
    kDelta,
    kAbsolute,
    kBorder,
    kBorderValue,
}};

double radians(double degrees) {
    return degrees * std::numbers::pi / 180;
}

// Exact at quarter turns, where std::sin and std::cos leave 1e-16.
double snapped(double value) {
    return std::fabs(value) < 1e-12 ? 0.0 : value;
}

// g(x, y) = exp(-(a² + γ² b²) / 2σ²) cos(2π a / λ + φ), a along the waves' direction and b across
// it, as in Daugman, JOSA A 1985; cut at three σ.
struct Gabor {
    double sigma, wavelength, aspect, phase;
    double cosine, sine;  // direction of the waves; y points down

    double bell(double a, double b) const {
        return std::exp(-(a * a + aspect * aspect * b * b) / (2 * sigma * sigma));
    }
    // The two factors at a pixel; zero beyond three σ.
    struct Value {
        double bell, wave;
    };
    Value at(int x, int y) const {
        const double a = x * cosine + y * sine;
        const double b = y * cosine - x * sine;
        const double reach = 3 * sigma;
        if (a * a + aspect * aspect * b * b > reach * reach) return {0, 0};
        return {bell(a, b), snapped(std::cos(2 * std::numbers::pi * a / wavelength + phase))};
    }
};

template <class Add>
void for_each_pixel(const Add& add) {
    for (int y = -kReach; y <= kReach; ++y)
        for (int x = -kReach; x <= kReach; ++x) add(x, y);
}

// A share of the bell is subtracted, so that flat areas give 0; Σ|w| is 2, so that a full step from
// the dark waves to the bright ones gives the full range.
Taps gabor_taps(const Gabor& gabor) {
    double bells = 0;
    double sum = 0;
    for_each_pixel([&](int x, int y) {
        const Gabor::Value v = gabor.at(x, y);
        bells += v.bell;
        sum += v.bell * v.wave;
    });
    const auto weight = [&](int x, int y) {
        const Gabor::Value v = gabor.at(x, y);
        return v.bell * (v.wave - sum / bells);
    };
    double absolute = 0;
    for_each_pixel([&](int x, int y) { absolute += std::fabs(weight(x, y)); });
    return sampled_taps([&](int x, int y) { return 2 * weight(x, y) / absolute; });
}

Gabor gabor_of(const Params& params) {
    const double angle = radians(params.number("angle"));
    return {.sigma = params.number("sigma"),
            .wavelength = params.number("wavelength"),
            .aspect = params.number("aspect"),
            .phase = radians(params.number("phase")),
            .cosine = snapped(std::cos(angle)),
            .sine = snapped(-std::sin(angle))};
}

void check(const Params& params) {
    const double longest = params.number("sigma") / std::min(params.number("aspect"), 1.0);
    if (3 * longest > kReach)
        params.fail("sigma",
                    "three sigma by aspect must be at most " + std::to_string(kReach) + " px");
    const Gabor gabor = gabor_of(params);
    bool waves = false;
    for_each_pixel([&](int x, int y) { waves = waves || gabor.at(x, y).wave != 0; });
    if (!waves) params.fail("phase", "every pixel falls on a zero of such waves");
}

Operation make(const Params& params, const FrameInfo& info) {
    check(params);
    return signed_or_absolute(gabor_taps(gabor_of(params)), params, info);
}

}  // namespace

extern constinit const FilterDef kGaborFilter{
    .name = "gabor",
    .summary = "Gabor filter: waves of one length and direction",
    .group = FilterGroup::edges,
    .aliases = {},
    .params = kParams,
    .differs = "",
    .make = make,
    .check = check};

}  // namespace weft
