#include <array>

#include "filters/common.h"
#include "filters/made_taps.h"

namespace weft {
namespace {

constexpr std::array<ParamDef, 4> kParams{{
    {.name = "radius",
     .help = "radius of the disc",
     .unit = "px",
     .def = 5,
     .min = 0.5,
     .max = 31,
     .logarithmic = true},
    kPlanesAll,
    kBorder,
    kBorderValue,
}};

// The share of the pixel at (x, y) inside the disc, sampled at 16 × 16 points.
double coverage(int x, int y, double radius) {
    constexpr int kPoints = 16;
    int inside = 0;
    for (int j = 0; j < kPoints; ++j)
        for (int i = 0; i < kPoints; ++i) {
            const double px = x + (i + 0.5) / kPoints - 0.5;
            const double py = y + (j + 0.5) / kPoints - 0.5;
            inside += px * px + py * py <= radius * radius ? 1 : 0;
        }
    return static_cast<double>(inside) / (kPoints * kPoints);
}

Operation make(const Params& params, const FrameInfo& info) {
    const double radius = params.number("radius");
    ComponentTaps taps{
        .taps = {normalized_taps([&](int x, int y) { return coverage(x, y, radius); })}};
    return convolution_operation({.components = {std::move(taps)}}, params, info);
}

constexpr std::array<std::string_view, 2> kCustomaryFor{"bokeh", "defocus"};

}  // namespace

extern constinit const FilterDef kDiscFilter{.name = "disc",
                                             .summary = "disc blur, like a lens out of focus",
                                             .group = FilterGroup::blur,
                                             .aliases = {},
                                             .customary_for = kCustomaryFor,
                                             .params = kParams,
                                             .differs = "",
                                             .make = make,
                                             .smooths = true};

}  // namespace weft
