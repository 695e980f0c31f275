#include <array>

#include "filters/edge_params.h"
#include "filters/rows.h"

namespace weft {
namespace {

constexpr std::array<std::string_view, 1> kAliases{"compass"};
constexpr std::array<ParamDef, 5> kParams{
    {kPlanesLuma, edge_scale(1), kDelta, kBorder, kBorderValue}};

// The ring of neighbours, counter-clockwise from the right, as indices into a 3×3 matrix.
constexpr std::array<std::size_t, 8> kRing{5, 2, 1, 0, 3, 6, 7, 8};

// Three 5s around `direction`, five -3s elsewhere, 0 in the middle.
Taps compass_taps(std::size_t direction) {
    std::vector<float> weights(9, -3.0F);
    weights[4] = 0.0F;
    for (std::size_t k : {direction + 7, direction, direction + 1}) weights[kRing[k % 8]] = 5.0F;
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

constinit const FilterDef kKirschFilter{
    .name = "kirsch",
    .summary = "edges: Kirsch compass, the largest of eight directions",
    .aliases = kAliases,
    .params = kParams,
    .differs =
        "the compass as Kirsch gives it (ffmpeg turns the fives through other pixels); acts on "
        "luma, chroma becomes neutral (ffmpeg: every plane; planes=15 does that here); delta is in "
        "8-bit levels",
    .make = make};

}  // namespace weft
