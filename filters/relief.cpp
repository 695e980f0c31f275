// Emboss and high-pass: derivatives shown around mid gray.
#include <array>
#include <cmath>

#include "filters/edge_params.h"
#include "filters/made_taps.h"

namespace weft {
namespace {

constexpr ParamDef kMidGray{.name = "bias",
                            .help = "gray level of flat areas",
                            .unit = "8-bit levels",
                            .def = 128,
                            .min = 0,
                            .max = 255,
                            .label = "Gray level"};

constexpr std::array<ParamDef, 6> kEmbossParams{{
    {.name = "angle",
     .help = "direction of the light as displayed, counter-clockwise from the right",
     .unit = "degrees",
     .def = 135,
     .min = -360,
     .max = 360},
    {.name = "strength", .help = "height of the relief", .def = 1, .min = -20, .max = 20},
    kMidGray,
    kPlanesLuma,
    kBorder,
    kBorderValue,
}};

constexpr std::array<ParamDef, 6> kHighpassParams{{
    {.name = "sigma",
     .help = "standard deviation of the blur that is subtracted",
     .unit = "px",
     .def = 3,
     .min = 0.3,
     .max = 7.75},
    {.name = "gain", .help = "multiplies the detail", .def = 1, .min = -100, .max = 100},
    kMidGray,
    kPlanesLuma,
    kBorder,
    kBorderValue,
}};

// 0 to 180 degrees between two directions.
double angle_between(double a, double b) {
    return std::fabs(std::remainder(a - b, 360.0));
}

// Around the ring of neighbours the weight falls in a straight line, from 2 away from the light to
// -2 towards it: whole numbers at multiples of 45 degrees, -2 -1 0; -1 0 1; 0 1 2 for the light at
// the upper left.
Taps emboss_taps(double light) {
    constexpr std::array<double, 9> kDirection{135, 90, 45, 180, 0, 0, 225, 270, 315};
    std::vector<float> weights;
    weights.reserve(kDirection.size());
    for (double direction : kDirection)
        weights.push_back(static_cast<float>(angle_between(direction, light) / 45 - 2));
    weights[4] = 0.0F;
    return dense_taps(3, 3, std::move(weights));
}

Operation around_gray(Taps taps, double gain, const Params& params, const FrameInfo& info) {
    ComponentTaps finished{
        .taps = {std::move(taps)},
        .scale = static_cast<float>(gain),
        .bias = static_cast<float>(params.number("bias")) * samples_per_level(info)};
    return convolution_operation({.components = {std::move(finished)}}, params, info);
}

Operation make_emboss(const Params& params, const FrameInfo& info) {
    return around_gray(emboss_taps(params.number("angle")), params.number("strength"), params,
                       info);
}

// 4 sigma of the widest bell fit the 63 taps of the dense kernels; the rest, 0.27 % at 3 sigma, is
// under one level at 8 bits.
Taps highpass_taps(double sigma, const FrameInfo& info) {
    const int radius = static_cast<int>(std::ceil((info.max_value() == 255.0F ? 3 : 4) * sigma));
    const std::vector<double> bell = gaussian_samples(sigma, radius);
    return sampled_taps([&](int x, int y) {
        if (std::abs(x) > radius || std::abs(y) > radius) return 0.0;
        return (x == 0 && y == 0 ? 1.0 : 0.0) - bell[x + radius] * bell[y + radius];
    });
}

Operation make_highpass(const Params& params, const FrameInfo& info) {
    return around_gray(highpass_taps(params.number("sigma"), info), params.number("gain"), params,
                       info);
}

}  // namespace

extern constinit const FilterDef kEmbossFilter{.name = "emboss",
                                               .summary = "relief lit from one side",
                                               .group = FilterGroup::sharpen,
                                               .aliases = {},
                                               .params = kEmbossParams,
                                               .differs = "",
                                               .make = make_emboss};

extern constinit const FilterDef kHighpassFilter{
    .name = "highpass",
    .summary = "detail around mid gray: picture minus blur",
    .group = FilterGroup::sharpen,
    .aliases = {},
    .params = kHighpassParams,
    .differs = "",
    .make = make_highpass};

}  // namespace weft
