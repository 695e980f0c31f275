// Compass filters: the largest of eight directions.
#include <array>
#include <utility>

#include "filters/edge_params.h"

namespace weft {
namespace {

using Ring = std::array<float, 8>;

// Three 5s around the direction, five -3s elsewhere.
constexpr Ring kKirschRing{5, 5, -3, -3, -3, -3, -3, 5};
// A Sobel derivative to the right, around the ring of neighbours.
constexpr Ring kRobinsonRing{2, 1, 0, -1, -2, -1, 0, 1};

constexpr std::array<std::string_view, 1> kKirschAliases{"compass"};
constexpr std::array<ParamDef, 5> kParams{
    {kPlanesLuma, edge_scale(1), kDelta, kBorder, kBorderValue}};

constexpr std::array<ParamDef, 5> kFfmpegParams{
    {kFfmpegEdgePlanes, edge_scale(1), kFfmpegDelta, border_of_ffmpeg("ffmpeg"), kBorderValue}};

// The largest of eight 3×3 sums. `ring` has the weights of the neighbours of direction
// 0, counter-clockwise from the right; each next direction is turned by one place. 0 in the middle.
Operation compass_edges(const Ring& ring, const Params& params, const FrameInfo& info) {
    // The neighbours' places in a 3×3 matrix.
    constexpr std::array<std::size_t, 8> kPlaces{5, 2, 1, 0, 3, 6, 7, 8};
    std::vector<Taps> compass;
    for (std::size_t direction = 0; direction < ring.size(); ++direction) {
        std::vector<float> weights(9, 0.0F);
        for (std::size_t k = 0; k < ring.size(); ++k)
            weights[kPlaces[(direction + k) % ring.size()]] = ring[k];
        compass.push_back(dense_taps(3, 3, std::move(weights)));
    }
    return convolution_operation(
        {.components = {finished_edges(std::move(compass), 1.0, params, info)},
         .combine = Combine::maximum},
        params, info);
}

Operation make_kirsch(const Params& params, const FrameInfo& info) {
    return compass_edges(kKirschRing, params, info);
}

Operation make_robinson(const Params& params, const FrameInfo& info) {
    return compass_edges(kRobinsonRing, params, info);
}

// ffmpeg moves the three fives along the matrix row by row, not around the pixel.
Operation make_ffmpeg_kirsch(const Params& params, const FrameInfo& info) {
    constexpr std::array<std::size_t, 8> kPlaces{0, 1, 2, 3, 5, 6, 7, 8};
    std::vector<Taps> sets;
    for (std::size_t first = 0; first < kPlaces.size(); ++first) {
        std::vector<float> weights{-3, -3, -3, -3, 0, -3, -3, -3, -3};
        for (std::size_t k = 0; k < 3; ++k) weights[kPlaces[(first + k) % kPlaces.size()]] = 5;
        sets.push_back(dense_taps(3, 3, std::move(weights)));
    }
    return convolution_operation(
        {.components = {finished_edges(std::move(sets), 1.0, params, info)},
         .combine = Combine::maximum},
        params, info);
}

FfmpegText kirsch_as_ffmpeg(const Params& params) {
    return ffmpeg_edges("kirsch", params, "ffmpeg rotates the fives through different pixels");
}

}  // namespace

extern constinit const FilterDef kKirschFilter{
    .name = "kirsch",
    .summary = "edges: Kirsch compass, the largest of eight directions",
    .group = FilterGroup::edges,
    .aliases = kKirschAliases,
    .params = kParams,
    .differs =
        "the compass as defined by Kirsch (ffmpeg rotates the fives through different pixels); "
        "acts on luma, chroma becomes neutral (ffmpeg: every plane; planes=15 does that here); "
        "delta is in 8-bit levels",
    .make = make_kirsch,
    .ffmpeg = kirsch_as_ffmpeg};

extern constinit const FilterDef kFfmpegKirsch{
    .name = "kirsch",
    .summary = "ffmpeg's Kirsch compass, whose fives run through the rows",
    .group = FilterGroup::edges,
    .params = kFfmpegParams,
    .make = make_ffmpeg_kirsch,
    .of_ffmpeg = true,
    .unlike_ffmpeg = edges_unlike_ffmpeg};

extern constinit const FilterDef kRobinsonFilter{
    .name = "robinson",
    .summary = "edges: Robinson compass, the largest of eight Sobel directions",
    .group = FilterGroup::edges,
    .aliases = {},
    .params = kParams,
    .differs = "",
    .make = make_robinson};

}  // namespace weft
