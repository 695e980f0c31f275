#include <array>

#include "filters/edge_params.h"
#include "filters/rows.h"

namespace weft {
namespace {

constexpr std::array<ParamDef, 5> kParams{
    {kPlanesLuma, edge_scale(1), kDelta, kBorder, kBorderValue}};

// The ring of neighbours, counter-clockwise from the right, as indices into a 3×3 matrix.
constexpr std::array<std::size_t, 8> kRing{5, 2, 1, 0, 3, 6, 7, 8};

// Around the ring from a direction on: a Sobel derivative in that direction.
constexpr std::array<float, 8> kRingWeights{2, 1, 0, -1, -2, -1, 0, 1};

Taps compass_taps(std::size_t direction) {
    std::vector<float> weights(9, 0.0F);
    for (std::size_t k = 0; k < kRing.size(); ++k)
        weights[kRing[(direction + k) % 8]] = kRingWeights[k];
    return dense_taps(3, 3, std::move(weights));
}

Operation make(const Params& params, const FrameInfo& info) {
    std::vector<Taps> compass;
    for (std::size_t k = 0; k < kRing.size(); ++k) compass.push_back(compass_taps(k));
    return convolution_operation(
        {.components = {finished_edges(std::move(compass), 1.0, params, info)},
         .combine = Combine::maximum},
        params, info);
}

}  // namespace

constinit const FilterDef kRobinsonFilter{
    .name = "robinson",
    .summary = "edges: Robinson compass, the largest of eight Sobel directions",
    .aliases = {},
    .params = kParams,
    .differs = "",
    .make = make};

}  // namespace weft
