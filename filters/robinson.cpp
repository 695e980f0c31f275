#include <array>

#include "filters/edge_params.h"

namespace weft {
namespace {

constexpr std::array<ParamDef, 5> kParams{
    {kPlanesLuma, edge_scale(1), kDelta, kBorder, kBorderValue}};

// A Sobel derivative to the right, around the ring of neighbours.
constexpr std::array<float, 8> kRing{2, 1, 0, -1, -2, -1, 0, 1};

Operation make(const Params& params, const FrameInfo& info) {
    return compass_edges(kRing, params, info);
}

}  // namespace

extern constinit const FilterDef kRobinsonFilter{
    .name = "robinson",
    .summary = "edges: Robinson compass, the largest of eight Sobel directions",
    .aliases = {},
    .params = kParams,
    .differs = "",
    .make = make};

}  // namespace weft
