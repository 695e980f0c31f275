// Laplacian, Laplacian of Gaussian, difference of Gaussians: second derivatives.
#include <array>
#include <cmath>
#include <numeric>

#include "filters/edge_params.h"
#include "filters/made_taps.h"

namespace weft {
namespace {

constexpr std::array<std::string_view, 2> kNeighbours{"4", "8"};
constexpr std::array<std::string_view, 2> kNeighbourLabels{"4, without corners", "8, with corners"};

constexpr std::array<ParamDef, 7> kLaplacianParams{{
    kPlanesLuma,
    edge_scale(1),
    kDelta,
    {.name = "neighbours",
     .help = "4: 0 1 0; 1 -4 1; 0 1 0. 8: 1 1 1; 1 -8 1; 1 1 1",
     .kind = ParamKind::choice,
     .def_text = "4",
     .choices = kNeighbours,
     .choice_labels = kNeighbourLabels},
    kAbsolute,
    kBorder,
    kBorderValue,
}};

// 4 sigma of the widest bell still fit the 63 taps of the dense kernels.
constexpr double kMaxSigma = 7.75;

constexpr ParamDef sigma_param(std::string_view name, std::string_view help, double def, double min,
                               std::string_view label = {}) {
    return {.name = name,
            .help = help,
            .unit = "px",
            .def = def,
            .min = min,
            .max = kMaxSigma,
            .label = label,
            .automatic = min == 0 ? std::optional<double>(0) : std::nullopt};
}

constexpr std::array<ParamDef, 7> kLogParams{{
    sigma_param("sigma", "scale of the edges to find", 1.4, 0.5),
    kPlanesLuma,
    edge_scale(4),
    kDelta,
    kAbsolute,
    kBorder,
    kBorderValue,
}};

constexpr std::array<ParamDef, 8> kDogParams{{
    sigma_param("sigma", "sigma of the narrow Gaussian", 1.0, 0.3, "Narrow sigma"),
    sigma_param("sigma2", "sigma of the wide Gaussian; 0: 1.6 sigma", 0, 0, "Wide sigma"),
    kPlanesLuma,
    edge_scale(4),
    kDelta,
    kAbsolute,
    kBorder,
    kBorderValue,
}};

Operation make_laplacian(const Params& params, const FrameInfo& info) {
    const Taps taps = params.choice("neighbours") == "8"
                          ? dense_taps(3, 3, {1, 1, 1, 1, -8, 1, 1, 1, 1})
                          : dense_taps(3, 3, {0, 1, 0, 1, -4, 1, 0, 1, 0});
    return signed_or_absolute(taps, params, info);
}

// Subtracts the residue of cutting and rounding from the middle, since the sum must be 0.
Taps with_zero_sum(Taps taps) {
    const double sum = std::accumulate(taps.weights.begin(), taps.weights.end(), 0.0);
    float& middle = taps.weights[taps.weights.size() / 2];
    middle = static_cast<float>(middle - sum);
    return taps;
}

// σ²∇²G: the factor σ² makes edges of every scale equally bright.
Taps log_taps(double sigma) {
    const int radius = static_cast<int>(std::ceil(4 * sigma));
    const std::vector<double> bell = gaussian_samples(sigma, radius);
    const double variance = sigma * sigma;
    return with_zero_sum(sampled_taps([&](int x, int y) {
        if (std::abs(x) > radius || std::abs(y) > radius) return 0.0;
        return ((x * x + y * y) / variance - 2) * bell[x + radius] * bell[y + radius];
    }));
}

Taps dog_taps(double narrow, double wide) {
    const int radius = static_cast<int>(std::ceil(4 * std::max(narrow, wide)));
    const std::vector<double> a = gaussian_samples(narrow, radius);
    const std::vector<double> b = gaussian_samples(wide, radius);
    return with_zero_sum(sampled_taps([&](int x, int y) {
        if (std::abs(x) > radius || std::abs(y) > radius) return 0.0;
        return a[x + radius] * a[y + radius] - b[x + radius] * b[y + radius];
    }));
}

double wide_sigma(const Params& params) {
    const double given = params.number("sigma2");
    return given == 0 ? 1.6 * params.number("sigma") : given;
}

void check_dog(const Params& params) {
    const double wide = wide_sigma(params);
    if (wide > kMaxSigma) params.fail("sigma", "1.6 sigma is over 7.75 px: give sigma2");
    if (wide <= params.number("sigma")) params.fail("sigma2", "it must be larger than sigma");
}

Operation make_log(const Params& params, const FrameInfo& info) {
    return signed_or_absolute(log_taps(params.number("sigma")), params, info);
}

Operation make_dog(const Params& params, const FrameInfo& info) {
    check_dog(params);
    return signed_or_absolute(dog_taps(params.number("sigma"), wide_sigma(params)), params, info);
}

}  // namespace

extern constinit const FilterDef kLaplacianFilter{.name = "laplacian",
                                                  .summary = "edges: second derivative, 3×3",
                                                  .group = FilterGroup::edges,
                                                  .aliases = {},
                                                  .params = kLaplacianParams,
                                                  .differs = "",
                                                  .make = make_laplacian};

extern constinit const FilterDef kLogFilter{.name = "log",
                                            .summary = "edges: Laplacian of Gaussian",
                                            .group = FilterGroup::edges,
                                            .aliases = {},
                                            .params = kLogParams,
                                            .differs = "",
                                            .make = make_log};

extern constinit const FilterDef kDogFilter{.name = "dog",
                                            .summary = "edges: difference of two Gaussians",
                                            .group = FilterGroup::edges,
                                            .aliases = {},
                                            .params = kDogParams,
                                            .differs = "",
                                            .make = make_dog,
                                            .check = check_dog};

}  // namespace weft
