#include <array>

#include "filters/edge_params.h"

namespace weft {
namespace {

constexpr std::array<std::string_view, 1> kAliases{"compass"};
constexpr std::array<ParamDef, 5> kParams{
    {kPlanesLuma, edge_scale(1), kDelta, kBorder, kBorderValue}};

// Three 5s around the direction, five -3s elsewhere.
constexpr std::array<float, 8> kRing{5, 5, -3, -3, -3, -3, -3, 5};

Operation make(const Params& params, const FrameInfo& info) {
    return compass_edges(kRing, params, info);
}

FfmpegText as_ffmpeg(const Params& params) {
    return ffmpeg_edges("kirsch", params, "ffmpeg turns the fives through other pixels");
}

}  // namespace

extern constinit const FilterDef kKirschFilter{
    .name = "kirsch",
    .summary = "edges: Kirsch compass, the largest of eight directions",
    .aliases = kAliases,
    .params = kParams,
    .differs =
        "the compass as Kirsch gives it (ffmpeg turns the fives through other pixels); acts on "
        "luma, chroma becomes neutral (ffmpeg: every plane; planes=15 does that here); delta is in "
        "8-bit levels",
    .make = make,
    .ffmpeg = as_ffmpeg};

}  // namespace weft
