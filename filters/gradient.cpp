// Sobel, Scharr, Prewitt, Roberts: two derivatives and the length of their vector.
#include <array>

#include "filters/edge_params.h"

namespace weft {
namespace {

constexpr std::array<std::string_view, 3> kDirections{"both", "x", "y"};
constexpr std::array<std::string_view, 3> kDirectionLabels{"Both", "Across (x)", "Down (y)"};

constexpr ParamDef kDirection{.name = "direction",
                              .help = "both: sqrt(x² + y²); x or y: that derivative with its sign",
                              .kind = ParamKind::choice,
                              .def_text = "both",
                              .choices = kDirections,
                              .choice_labels = kDirectionLabels};

constexpr std::array<ParamDef, 6> kParams{
    {kPlanesLuma, edge_scale(1), kDelta, kDirection, kBorder, kBorderValue}};

constexpr std::array<ParamDef, 6> kFfmpegParams{{kFfmpegEdgePlanes, edge_scale(1), kFfmpegDelta,
                                                 kDirection, border_of_ffmpeg("ffmpeg"),
                                                 kBorderValue}};

constexpr std::string_view kDiffers =
    "acts on luma, chroma becomes neutral (ffmpeg: every plane; planes=15 does that here); delta "
    "is in 8-bit levels (ffmpeg: in levels of the file's depth)";

// Derivatives to the right and down, each smoothed by `across` in the other direction.
std::vector<Taps> smoothed_pair(const std::vector<float>& across) {
    return {separable_taps({-1, 0, 1}, across), separable_taps(across, {-1, 0, 1})};
}

Operation gradient(std::vector<Taps> pair, double gain, const Params& params,
                   const FrameInfo& info) {
    const std::string_view direction = params.choice("direction");
    if (direction == "x") pair.pop_back();
    if (direction == "y") pair.erase(pair.begin());
    const Combine combine = pair.size() == 2 ? Combine::magnitude : Combine::single;
    return convolution_operation(
        {.components = {finished_edges(std::move(pair), gain, params, info)}, .combine = combine},
        params, info);
}

Operation make_sobel(const Params& params, const FrameInfo& info) {
    return gradient(smoothed_pair({1, 2, 1}), 1.0, params, info);
}

Operation make_scharr(const Params& params, const FrameInfo& info) {
    return gradient(smoothed_pair({3, 10, 3}), 1.0 / 16, params, info);
}

Operation make_prewitt(const Params& params, const FrameInfo& info) {
    return gradient(smoothed_pair({1, 1, 1}), 1.0, params, info);
}

Operation make_roberts(const Params& params, const FrameInfo& info) {
    return gradient({dense_taps(2, 2, {-1, 0, 0, 1}), dense_taps(2, 2, {0, -1, 1, 0})}, 1.0, params,
                    info);
}

Operation make_ffmpeg_scharr(const Params& params, const FrameInfo& info) {
    return gradient(smoothed_pair({47, 162, 47}), 1.0 / 256, params, info);
}

// The differences to the right, of the pixel's row and of the row above, each from one pixel on.
Operation make_ffmpeg_roberts(const Params& params, const FrameInfo& info) {
    return gradient({dense_taps(3, 3, {1, -1, 0, 0, 0, 0, 0, 0, 0}),
                     dense_taps(3, 3, {0, 0, 0, -1, 1, 0, 0, 0, 0})},
                    1.0, params, info);
}

// ffmpeg's filters have no direction; its `convolution` has single derivatives.
FfmpegText as_ffmpeg(std::string_view name, const Params& params, std::string_view remark = "") {
    return params.choice("direction") == "both" ? ffmpeg_edges(name, params, remark)
                                                : ffmpeg_convolution(params);
}

FfmpegText sobel_as_ffmpeg(const Params& params) {
    return as_ffmpeg("sobel", params);
}

FfmpegText prewitt_as_ffmpeg(const Params& params) {
    return as_ffmpeg("prewitt", params);
}

FfmpegText scharr_as_ffmpeg(const Params& params) {
    return as_ffmpeg("scharr", params, "ffmpeg has 47 162 47 over 256 for 3 10 3 over 16");
}

FfmpegText roberts_as_ffmpeg(const Params& params) {
    return as_ffmpeg("roberts", params, "ffmpeg's cross uses other pixels");
}

constexpr std::array<std::string_view, 6> kSobelCustomaryFor{"edge",     "edges",   "outline",
                                                             "outlines", "contour", "contours"};

}  // namespace

extern constinit const FilterDef kSobelFilter{.name = "sobel",
                                              .summary = "edges: Sobel gradient, 1 2 1 by -1 0 1",
                                              .group = FilterGroup::edges,
                                              .aliases = {},
                                              .customary_for = kSobelCustomaryFor,
                                              .params = kParams,
                                              .differs = kDiffers,
                                              .make = make_sobel,
                                              .ffmpeg = sobel_as_ffmpeg};

extern constinit const FilterDef kScharrFilter{
    .name = "scharr",
    .summary = "edges: Scharr gradient, 3 10 3 by -1 0 1 over 16",
    .group = FilterGroup::edges,
    .aliases = {},
    .params = kParams,
    .differs =
        "3 10 3 over 16 (ffmpeg: 47 162 47 over 256, 2 % apart); acts on luma, chroma becomes "
        "neutral (ffmpeg: every plane; planes=15 does that here); delta is in 8-bit levels",
    .make = make_scharr,
    .ffmpeg = scharr_as_ffmpeg};

extern constinit const FilterDef kPrewittFilter{
    .name = "prewitt",
    .summary = "edges: Prewitt gradient, 1 1 1 by -1 0 1",
    .group = FilterGroup::edges,
    .aliases = {},
    .params = kParams,
    .differs = kDiffers,
    .make = make_prewitt,
    .ffmpeg = prewitt_as_ffmpeg};

extern constinit const FilterDef kRobertsFilter{
    .name = "roberts",
    .summary = "edges: Roberts cross, the two diagonals of 2×2 pixels",
    .group = FilterGroup::edges,
    .aliases = {},
    .params = kParams,
    .differs =
        "both diagonals of the pixel and its neighbours right and below (ffmpeg's cross "
        "uses other pixels); acts on luma, chroma becomes neutral (ffmpeg: every plane; "
        "planes=15 does that here); delta is in 8-bit levels",
    .make = make_roberts,
    .ffmpeg = roberts_as_ffmpeg};

extern constinit const FilterDef kFfmpegSobel{.name = "sobel",
                                              .summary = "ffmpeg's Sobel gradient",
                                              .group = FilterGroup::edges,
                                              .params = kFfmpegParams,
                                              .make = make_sobel,
                                              .of_ffmpeg = true,
                                              .unlike_ffmpeg = edges_unlike_ffmpeg};

extern constinit const FilterDef kFfmpegPrewitt{.name = "prewitt",
                                                .summary = "ffmpeg's Prewitt gradient",
                                                .group = FilterGroup::edges,
                                                .params = kFfmpegParams,
                                                .make = make_prewitt,
                                                .of_ffmpeg = true,
                                                .unlike_ffmpeg = edges_unlike_ffmpeg};

extern constinit const FilterDef kFfmpegScharr{
    .name = "scharr",
    .summary = "ffmpeg's Scharr gradient, 47 162 47 over 256",
    .group = FilterGroup::edges,
    .params = kFfmpegParams,
    .make = make_ffmpeg_scharr,
    .of_ffmpeg = true,
    .unlike_ffmpeg = edges_unlike_ffmpeg};

extern constinit const FilterDef kFfmpegRoberts{
    .name = "roberts",
    .summary = "ffmpeg's Roberts cross, two differences along the row",
    .group = FilterGroup::edges,
    .params = kFfmpegParams,
    .make = make_ffmpeg_roberts,
    .of_ffmpeg = true,
    .unlike_ffmpeg = edges_unlike_ffmpeg};

}  // namespace weft
