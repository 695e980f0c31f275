#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "filters/common.h"
#include "filters/made_taps.h"

namespace weft {
namespace {

constexpr std::array<ParamDef, 5> kParams{{
    {.name = "length",
     .help = "length of the smear",
     .unit = "px",
     .def = 15,
     .min = 1,
     .max = Taps::kMaxDense,
     .logarithmic = true},
    {.name = "angle",
     .help = "direction of the smear as displayed, counter-clockwise from the right",
     .unit = "degrees",
     .def = 0,
     .min = -360,
     .max = 360},
    kPlanesAll,
    kBorder,
    kBorderValue,
}};

// Exact at quarter turns, where std::sin and std::cos leave 1e-16.
double snapped(double value) {
    return std::fabs(value) < 1e-12 ? 0.0 : value;
}

// How much of the pixel at (x, y) a line of the given length through (0, 0) covers: a tent of one
// pixel across the line, a flat top along it with ends that fade over one pixel. A horizontal line
// of five pixels is thus exactly 1 1 1 1 1.
double coverage(double along, double across, double length) {
    const double ends = std::clamp(length / 2 + 0.5 - std::fabs(along), 0.0, 1.0);
    return ends * std::max(0.0, 1.0 - std::fabs(across));
}

Taps line_taps(double length, double angle_degrees) {
    const double angle = angle_degrees * std::numbers::pi / 180;
    const double c = snapped(std::cos(angle));
    const double s = snapped(-std::sin(angle));  // y points down
    return normalized_taps(
        [&](int x, int y) { return coverage(x * c + y * s, y * c - x * s, length); });
}

Operation make(const Params& params, const FrameInfo& info) {
    ComponentTaps taps{.taps = {line_taps(params.number("length"), params.number("angle"))}};
    return convolution_operation({.components = {std::move(taps)}}, params, info);
}

}  // namespace

extern constinit const FilterDef kMotionFilter{.name = "motion",
                                               .summary = "motion blur along a line",
                                               .group = FilterGroup::blur,
                                               .aliases = {},
                                               .params = kParams,
                                               .differs = "",
                                               .make = make,
                                               .smooths = true};

}  // namespace weft
