// Parameters of the edge filters, with ffmpeg's names and order.
#pragma once

#include "filters/common.h"
#include "filters/ffmpeg_text.h"

namespace weft {

constexpr ParamDef edge_scale(double def) {
    return {.name = "scale",
            .help = "multiplies the result; negative with delta=255: dark lines on white",
            .unit = "",
            .def = def,
            .min = -65535,
            .max = 65535};
}

inline constexpr ParamDef kDelta{.name = "delta",
                                 .help = "added to the result",
                                 .unit = "8-bit levels",
                                 .def = 0,
                                 .min = -65535,
                                 .max = 65535,
                                 .label = "Offset"};

inline constexpr ParamDef kAbsolute{
    .name = "absolute",
    .help = "1: absolute value of the result; 0: keep its sign, for use with delta=128",
    .kind = ParamKind::boolean,
    .def = 1,
    .label = "Absolute value"};

// The same two of ffmpeg's filters, which act on every plane there.
inline constexpr ParamDef kFfmpegEdgePlanes = [] {
    ParamDef planes = kFfmpegPlanes;
    planes.def_text = "luma";
    return planes;
}();

inline constexpr ParamDef kFfmpegDelta{.name = "delta",
                                       .help = "added to the result",
                                       .unit = "levels of the file's own depth",
                                       .def = 0,
                                       .min = -65535,
                                       .max = 65535,
                                       .label = "Offset"};

// FilterDef::unlike_ffmpeg of the edge filters.
std::string edges_unlike_ffmpeg(const Params& params);

// ffmpeg's edge filter of this name, which has planes, scale and delta too. `remark`: other
// differences, or "".
FfmpegText ffmpeg_edges(std::string_view name, const Params& params, std::string_view remark);

// Gives `taps` the parameters scale and delta. `gain` is multiplied with scale.
ComponentTaps finished_edges(std::vector<Taps> taps, double gain, const Params& params,
                             const FrameInfo& info);

// Filters with `taps`; if `absolute` is set, the result is the larger of each sum and its negative.
Operation signed_or_absolute(const Taps& taps, const Params& params, const FrameInfo& info);

}  // namespace weft
