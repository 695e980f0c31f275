// Filters across time: frame difference and average.
#include <array>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "filters/common.h"
#include "filters/ffmpeg_text.h"
#include "filters/text/number_text.h"

namespace weft {
namespace {

constexpr std::array<std::string_view, 1> kDifferenceAliases{"tblend"};
constexpr std::array<std::string_view, 1> kModeAliases{"all_mode"};
constexpr std::array<std::string_view, 5> kModes{"absolute", "signed", "difference",
                                                 "difference128", "grainextract"};
constexpr std::array<std::string_view, 5> kModeLabels{"Absolute", "Signed, on gray", "Absolute",
                                                      "Signed, on gray", "Signed, on gray"};

constexpr std::string_view kOneMode = "one mode for all: use mode= and planes=";
constexpr std::string_view kNoExpression = "expressions are not supported: use mode=";
constexpr std::string_view kNoOpacity = "use gain=";
constexpr std::array<RefusedParam, 14> kDifferenceRefused{{{"c0_mode", kOneMode},
                                                           {"c1_mode", kOneMode},
                                                           {"c2_mode", kOneMode},
                                                           {"c3_mode", kOneMode},
                                                           {"c0_expr", kNoExpression},
                                                           {"c1_expr", kNoExpression},
                                                           {"c2_expr", kNoExpression},
                                                           {"c3_expr", kNoExpression},
                                                           {"all_expr", kNoExpression},
                                                           {"c0_opacity", kNoOpacity},
                                                           {"c1_opacity", kNoOpacity},
                                                           {"c2_opacity", kNoOpacity},
                                                           {"c3_opacity", kNoOpacity},
                                                           {"all_opacity", kNoOpacity}}};

constexpr std::array<ParamDef, 4> kDifferenceParams{{
    {.name = "mode",
     .help = "absolute (ffmpeg: difference), or signed around mid gray (ffmpeg: difference128)",
     .kind = ParamKind::choice,
     .def_text = "absolute",
     .choices = kModes,
     .choice_labels = kModeLabels,
     .aliases = kModeAliases,
     .advanced = true},
    {.name = "gain",
     .help = "multiplies the difference",
     .def = 1,
     .min = 0,
     .max = 255,
     .logarithmic = true},
    {.name = "threshold",
     .help = "results below it become 0; only with mode=absolute",
     .unit = "8-bit levels",
     .def = 0,
     .min = 0,
     .max = 255,
     .logarithmic = true},
    kPlanesLuma,
}};

bool is_signed(const Params& params) {
    const std::string_view mode = params.choice("mode");
    return mode != "absolute" && mode != "difference";
}

void check_difference(const Params& params) {
    if (is_signed(params) && params.number("threshold") != 0)
        params.fail("threshold", "it has no effect around mid gray: use mode=absolute");
}

Operation make_difference(const Params& params, const FrameInfo& info) {
    check_difference(params);
    const float level = samples_per_level(info);
    Operation operation;
    operation.selection = selected(params, info, operation.notes);
    operation.compute =
        TemporalBlend{.weights = {1, -1},
                      .absolute = !is_signed(params),
                      .scale = static_cast<float>(params.number("gain")),
                      .bias = is_signed(params) ? 128 * level : 0,
                      .threshold = static_cast<float>(params.number("threshold")) * level,
                      .black_first = true};
    return operation;
}

FfmpegText difference_as_ffmpeg(const Params& params) {
    if (params.number("gain") != 1 || params.number("threshold") != 0)
        return no_ffmpeg_text("ffmpeg's tblend has no gain and no threshold");
    const FfmpegPlanes planes = ffmpeg_planes(params);
    const std::string_view mode = is_signed(params) ? "difference128" : "difference";
    std::string chain;
    for (unsigned plane = 0; plane < 4; ++plane)
        if ((planes.mask & (1U << plane)) != 0)
            chain += fmt::format("{}c{}_mode={}", chain.empty() ? "tblend=" : ":", plane, mode);
    return {.chain = planes.finish(std::move(chain)),
            .remarks = {"ffmpeg drops the first frame; here it is black"}};
}

constexpr std::array<std::string_view, 1> kAverageAliases{"tmix"};
constexpr int kMaxFrames = 32;

constexpr std::array<ParamDef, 4> kAverageParams{{
    {.name = "frames",
     .help = "number of frames to average, including the current one",
     .kind = ParamKind::integer,
     .def = 3,
     .min = 1,
     .max = kMaxFrames},
    {.name = "weights",
     .help = "one number per frame, the oldest first; empty: equal weights",
     .kind = ParamKind::matrix},
    {.name = "scale",
     .help = "multiplies the weighted sum; 0 divides by the sum of the weights",
     .def = 0,
     .min = 0,
     .max = 32767,
     .automatic = 0},
    kPlanesAll,
}};

// Returns the weights with the newest first, as TemporalBlend has them.
std::vector<float> frame_weights(const Params& params) {
    const std::vector<MatrixText> given = params.matrices("weights");
    if (given.empty()) return std::vector<float>(params.integer("frames"), 1.0F);
    const std::vector<std::vector<double>>& rows = given.front().rows;
    if (given.size() > 1 || rows.size() > 1)
        params.fail("weights", "they must be one row of numbers, one per frame");
    if (rows[0].size() > kMaxFrames) params.fail("weights", "there are more than 32 numbers");
    if (params.is_set("frames") && static_cast<int>(rows[0].size()) != params.integer("frames"))
        params.fail("weights", std::to_string(rows[0].size()) + " numbers for " +
                                   std::to_string(params.integer("frames")) + " frames");
    return {rows[0].rbegin(), rows[0].rend()};
}

double blend_scale(const Params& params, const std::vector<float>& weights) {
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    if (params.number("scale") != 0) return params.number("scale");
    if (sum == 0) params.fail("weights", "they sum to 0: give scale");
    return 1 / sum;
}

void check_average(const Params& params) {
    blend_scale(params, frame_weights(params));
}

Operation make_average(const Params& params, const FrameInfo& info) {
    TemporalBlend blend{.weights = frame_weights(params)};
    blend.scale = static_cast<float>(blend_scale(params, blend.weights));
    Operation operation;
    operation.selection = selected(params, info, operation.notes);
    operation.compute = std::move(blend);
    return operation;
}

FfmpegText average_as_ffmpeg(const Params& params) {
    const std::vector<float> newest_first = frame_weights(params);
    const std::vector<float> weights(newest_first.rbegin(), newest_first.rend());
    const FfmpegPlanes planes = ffmpeg_planes(params);
    return {.chain = planes.finish(fmt::format(
                "tmix=frames={}:weights={}:scale={}:planes={}", weights.size(),
                fmt::join(weights, " "), format_number(params.number("scale")), planes.mask))};
}

}  // namespace

extern constinit const FilterDef kFrameDifferenceFilter{
    .name = "frame_difference",
    .summary = "changes since the previous frame; the first frame is black",
    .group = FilterGroup::time,
    .aliases = kDifferenceAliases,
    .params = kDifferenceParams,
    .differs =
        "mode is absolute unless given (ffmpeg's tblend: normal) and only differences are "
        "computed; acts on luma, chroma becomes neutral (ffmpeg: every plane); the first "
        "frame is kept, as black (ffmpeg drops it)",
    .make = make_difference,
    .check = check_difference,
    .refused = kDifferenceRefused,
    .ffmpeg = difference_as_ffmpeg};

extern constinit const FilterDef kTemporalAverageFilter{
    .name = "temporal_average",
    .summary = "weighted mean of consecutive frames",
    .group = FilterGroup::time,
    .aliases = kAverageAliases,
    .params = kAverageParams,
    .differs = "weights must be as many as frames (ffmpeg repeats the last); at most 32 frames",
    .make = make_average,
    .check = check_average,
    .ffmpeg = average_as_ffmpeg};

}  // namespace weft
