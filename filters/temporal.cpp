// Filters across time: frame difference and average.
#include <algorithm>
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

// ---- ffmpeg's tblend ----

// A mode of ffmpeg that is a sum of two frames: the current one times `now` and the one before
// times `before`, plus mid gray times `gray`. With an opacity o the result is o times that, and 1 -
// o times the frame that the mode covers.
struct BlendMode {
    std::string_view name;
    float now = 0;
    float before = 0;
    float gray = 0;
    bool absolute = false;
    float covered_now = 0;
    float covered_before = 0;

    bool has_opacity() const { return covered_now + covered_before > 0; }
};

constexpr std::array<BlendMode, 9> kBlendModes{
    {{.name = "normal", .now = 1, .covered_before = 1},
     {.name = "average", .now = 0.5F, .before = 0.5F, .covered_now = 1},
     {.name = "difference", .now = 1, .before = -1, .absolute = true},
     {.name = "difference128", .now = 1, .before = -1, .gray = 1},
     {.name = "grainextract", .now = 1, .before = -1, .gray = 1},
     {.name = "subtract", .now = 1, .before = -1},
     {.name = "addition", .now = 1, .before = 1},
     {.name = "addition128", .now = 1, .before = 1, .gray = -1},
     {.name = "grainmerge", .now = 1, .before = 1, .gray = -1}}};
constexpr std::array<std::string_view, 10> kBlendNames{
    "normal",   "average",  "difference",  "difference128", "grainextract",
    "subtract", "addition", "addition128", "grainmerge",    "-1"};
constexpr std::array<std::string_view, 10> kBlendLabels{
    "Normal",   "Average",  "Difference",      "Difference on gray", "Difference on gray",
    "Subtract", "Addition", "Addition - gray", "Addition - gray",    "One by one"};

constexpr ParamDef component_mode(std::string_view name) {
    return {.name = name,
            .help = "mode of one component; all components must have the same",
            .kind = ParamKind::choice,
            .def_text = "normal",
            .choices = std::span(kBlendNames).first(kBlendModes.size()),
            .choice_labels = std::span(kBlendLabels).first(kBlendModes.size()),
            .advanced = true};
}

constexpr std::array<std::string_view, 4> kComponentModes{"c0_mode", "c1_mode", "c2_mode",
                                                          "c3_mode"};
constexpr std::array<ParamDef, 6> kTblendParams{{
    component_mode(kComponentModes[0]),
    component_mode(kComponentModes[1]),
    component_mode(kComponentModes[2]),
    component_mode(kComponentModes[3]),
    {.name = "all_mode",
     .help = "mode of all components; -1: that of each component",
     .kind = ParamKind::choice,
     .def_text = "-1",
     .choices = kBlendNames,
     .choice_labels = kBlendLabels},
    {.name = "all_opacity",
     .help = "share of the blend in the result, for normal and average",
     .def = 1,
     .min = 0,
     .max = 1},
}};

constexpr std::string_view kNoComponentOpacity = "components have one opacity: use all_opacity";
constexpr std::string_view kNoFfmpegExpression = "expressions are not computed here: use all_mode";
constexpr std::array<RefusedParam, 9> kTblendRefused{{{"c0_expr", kNoFfmpegExpression},
                                                      {"c1_expr", kNoFfmpegExpression},
                                                      {"c2_expr", kNoFfmpegExpression},
                                                      {"c3_expr", kNoFfmpegExpression},
                                                      {"all_expr", kNoFfmpegExpression},
                                                      {"c0_opacity", kNoComponentOpacity},
                                                      {"c1_opacity", kNoComponentOpacity},
                                                      {"c2_opacity", kNoComponentOpacity},
                                                      {"c3_opacity", kNoComponentOpacity}}};

const BlendMode& blend_mode_of(const Params& params, std::string_view name) {
    return *std::find_if(kBlendModes.begin(), kBlendModes.end(),
                         [&](const BlendMode& mode) { return mode.name == params.choice(name); });
}

// Throws unless all components of `modes` have the same mode.
const BlendMode& one_blend_mode(const Params& params, std::span<const std::string_view> modes) {
    if (params.choice("all_mode") != "-1") return blend_mode_of(params, "all_mode");
    const BlendMode& mode = blend_mode_of(params, modes.front());
    for (std::string_view name : modes)
        if (blend_mode_of(params, name).name != mode.name)
            params.fail(name, "the components have different modes: give all_mode instead");
    return mode;
}

Operation make_tblend(const Params& params, const FrameInfo& info) {
    const std::vector<Component> components = frame_components(info);
    std::vector<std::string_view> modes;
    for (Component c : components) modes.push_back(kComponentModes[ffmpeg_plane(c)]);
    const BlendMode& mode = one_blend_mode(params, modes);
    const auto opacity = static_cast<float>(params.number("all_opacity"));
    if (!mode.has_opacity() && opacity != 1)
        params.fail("all_opacity", "only normal and average have an opacity here");
    constexpr float kMidGray = 128;
    return {
        .compute =
            TemporalBlend{.weights = {opacity * mode.now + (1 - opacity) * mode.covered_now,
                                      opacity * mode.before + (1 - opacity) * mode.covered_before},
                          .absolute = mode.absolute,
                          .bias = mode.gray * kMidGray * samples_per_level(info)},
        .selection = {components},
        .notes = {}};
}

std::string tblend_unlike_ffmpeg(const Params& /*params*/) {
    return "the first frame, which ffmpeg drops, is blended with itself";
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

constexpr std::array<ParamDef, 4> kTmixParams{{
    kAverageParams[0],
    {.name = "weights",
     .help =
         "one number per frame, the oldest first; the last one stands for those that are missing",
     .kind = ParamKind::matrix,
     .def_text = "1 1 1"},
    kAverageParams[2],
    kFfmpegPlanes,
}};

// ffmpeg repeats the last weight and ignores those that are too many.
std::vector<float> tmix_weights(const Params& params) {
    const std::vector<MatrixText> given = params.matrices("weights");
    if (given.size() != 1 || given[0].rows.size() != 1)
        params.fail("weights", "they must be one row of numbers, one per frame");
    std::vector<double> weights = given[0].rows[0];
    weights.resize(static_cast<std::size_t>(params.integer("frames")), weights.back());
    return {weights.rbegin(), weights.rend()};
}

// Returns the weights with the newest first, as TemporalBlend has them.
std::vector<float> frame_weights(const Params& params) {
    if (params.filter().of_ffmpeg) return tmix_weights(params);
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

std::string tmix_unlike_ffmpeg(const Params& params) {
    return params.ffmpeg_mask("planes") == 15U
               ? ""
               : "planes that are not mixed stay those of their own frame; ffmpeg takes them from "
                 "the oldest of the mixed frames";
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

extern constinit const FilterDef kFfmpegTblend{
    .name = "tblend",
    .summary = "ffmpeg's blend of each frame with the one before",
    .group = FilterGroup::time,
    .params = kTblendParams,
    .make = make_tblend,
    .refused = kTblendRefused,
    .of_ffmpeg = true,
    .unlike_ffmpeg = tblend_unlike_ffmpeg};

extern constinit const FilterDef kFfmpegTmix{
    .name = "tmix",
    .summary = "ffmpeg's weighted mean of consecutive frames",
    .group = FilterGroup::time,
    .params = kTmixParams,
    .make = make_average,
    .check = check_average,
    .of_ffmpeg = true,
    .unlike_ffmpeg = tmix_unlike_ffmpeg};

}  // namespace weft
