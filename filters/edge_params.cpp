#include "filters/edge_params.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "filters/text/number_text.h"

namespace weft {

FfmpegText ffmpeg_edges(std::string_view name, const Params& params, std::string_view remark) {
    const double scale = params.number("scale");
    const double delta = params.number("delta");
    if (scale < 0)
        return no_ffmpeg_text(fmt::format("the scale of ffmpeg's {} is not negative", name));
    const FfmpegPlanes planes = ffmpeg_planes(params);
    FfmpegText text{
        .chain = planes.finish(fmt::format("{}=planes={}:scale={}:delta={}", name, planes.mask,
                                           format_number(scale), format_number(delta)))};
    if (!remark.empty()) text.remarks.emplace_back(remark);
    if (delta != 0)
        text.remarks.emplace_back(
            "ffmpeg counts delta in levels of the file's depth, not of 8 bits");
    return text;
}

std::string edges_unlike_ffmpeg(const Params& params) {
    return params.text("planes") == "luma"
               ? "it acts on luma and makes chroma neutral; with planes=15 it acts on every plane, "
                 "as in ffmpeg"
               : "";
}

ComponentTaps finished_edges(std::vector<Taps> taps, double gain, const Params& params,
                             const FrameInfo& info) {
    return {.taps = std::move(taps),
            .scale = static_cast<float>(gain * params.number("scale")),
            .bias = static_cast<float>(params.number("delta")) * samples_per_offset(params, info)};
}

Operation signed_or_absolute(const Taps& taps, const Params& params, const FrameInfo& info) {
    const bool absolute = params.boolean("absolute");
    std::vector<Taps> sets{taps};
    if (absolute) sets.push_back(negated(taps));
    return convolution_operation(
        {.components = {finished_edges(std::move(sets), 1.0, params, info)},
         .combine = absolute ? Combine::maximum : Combine::single},
        params, info);
}

}  // namespace weft
