#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "filters/common.h"
#include "filters/ffmpeg_text.h"

namespace weft {
namespace {

constexpr std::array<std::string_view, 2> kAliases{"avgblur", "boxblur"};
constexpr std::array<std::string_view, 3> kRadiusAliases{"sizeX", "luma_radius", "lr"};
constexpr std::array<std::string_view, 2> kPowerAliases{"luma_power", "lp"};
constexpr std::array<std::string_view, 1> kRadiusYAliases{"sizeY"};

constexpr std::array<std::string_view, 3> kAvgblurOrder{"radius", "planes", "radius_y"};
constexpr std::array<std::string_view, 2> kBoxblurOrder{"radius", "power"};
constexpr std::array<AliasOrder, 2> kOrders{
    {{"avgblur", kAvgblurOrder}, {"boxblur", kBoxblurOrder}}};

constexpr std::string_view kPerPlane =
    "one step blurs all its planes alike: use boxblur@ffmpeg, which treats chroma and alpha apart";
constexpr std::array<RefusedParam, 8> kRefused{{{"chroma_radius", kPerPlane},
                                                {"cr", kPerPlane},
                                                {"chroma_power", kPerPlane},
                                                {"cp", kPerPlane},
                                                {"alpha_radius", kPerPlane},
                                                {"ar", kPerPlane},
                                                {"alpha_power", kPerPlane},
                                                {"ap", kPerPlane}}};

constexpr std::array<ParamDef, 8> kParams{{
    {.name = "radius",
     .help = "horizontal reach of the box from its middle: it is 2 * radius + 1 wide",
     .unit = "px",
     .kind = ParamKind::integer,
     .def = 2,
     .min = 0,
     .max = 255,
     .aliases = kRadiusAliases,
     .logarithmic = true},
    {.name = "radius_y",
     .help = "vertical reach of the box; 0: same as radius (height=1 is a flat box)",
     .unit = "px",
     .kind = ParamKind::integer,
     .def = 0,
     .min = 0,
     .max = 255,
     .aliases = kRadiusYAliases,
     .label = "Vertical radius",
     .automatic = 0,
     .logarithmic = true},
    {.name = "power",
     .help = "how many times the box is applied, in one pass: 2 is a tent, 3 is nearly Gaussian",
     .kind = ParamKind::integer,
     .def = 1,
     .min = 1,
     .max = 8,
     .aliases = kPowerAliases,
     .label = "Passes"},
    kPlanesAll,
    {.name = "width",
     .help = "width of the box, odd or even, instead of radius; 0: use radius",
     .unit = "px",
     .kind = ParamKind::integer,
     .def = 0,
     .min = 0,
     .max = 511,
     .advanced = true,
     .automatic = 0,
     .logarithmic = true},
    {.name = "height",
     .help = "height of the box, odd or even, instead of radius_y; 0: use radius_y",
     .unit = "px",
     .kind = ParamKind::integer,
     .def = 0,
     .min = 0,
     .max = 511,
     .automatic = 0,
     .logarithmic = true},
    kBorder,
    kBorderValue,
}};

struct Size {
    int width, height;
};

Size box_size(const Params& params) {
    const int radius = params.integer("radius");
    const int radius_y = params.integer("radius_y");
    const int width = params.integer("width");
    const int height = params.integer("height");
    return {.width = width > 0 ? width : 2 * radius + 1,
            .height = height > 0 ? height : 2 * (radius_y == 0 ? radius : radius_y) + 1};
}

// A row of `size` ones, convolved with itself `power` times. Entries sum to size^power.
std::vector<double> repeated_box(int size, int power) {
    std::vector<double> row{1.0};
    for (int k = 0; k < power; ++k) {
        std::vector<double> wider(row.size() + static_cast<std::size_t>(size) - 1);
        for (std::size_t x = 0; x < row.size(); ++x)
            for (int i = 0; i < size; ++i) wider[x + static_cast<std::size_t>(i)] += row[x];
        row = std::move(wider);
    }
    return row;
}

// Whole numbers and one scale keep the sums exact as long as they fit fp32.
ComponentTaps box_taps(const Size& size, int power) {
    std::vector<double> row = repeated_box(size.width, power);
    std::vector<double> column = repeated_box(size.height, power);
    const double row_sum = std::pow(size.width, power);
    const double column_sum = std::pow(size.height, power);
    constexpr double kWholeInFp32 = 1 << 24;
    const bool whole = row_sum <= kWholeInFp32 && column_sum <= kWholeInFp32;
    if (!whole) {
        for (double& x : row) x /= row_sum;
        for (double& y : column) y /= column_sum;
    }
    return {.taps = {separable_taps({row.begin(), row.end()}, {column.begin(), column.end()})},
            .scale = whole ? static_cast<float>(1.0 / (row_sum * column_sum)) : 1.0F};
}

void check_side(const Params& params, int size, std::string_view by_size,
                std::string_view by_radius) {
    if (params.integer(by_size) > 0 && params.is_set(by_radius))
        params.fail(by_size, "give either this or " + std::string(by_radius));
    const int power = params.integer("power");
    const int taps = (size - 1) * power + 1;
    if (taps > Taps::kMaxSeparable)
        params.fail(power > 1 ? "power" : by_size, "the repeated box is " + std::to_string(taps) +
                                                       " px wide, the limit is " +
                                                       std::to_string(Taps::kMaxSeparable));
}

void check(const Params& params) {
    const Size size = box_size(params);
    check_side(params, size.width, "width", "radius");
    check_side(params, size.height, "height", "radius_y");
}

// ---- ffmpeg's avgblur and boxblur ----

constexpr ParamDef reach_param(std::string_view name, std::string_view help, double def, double min,
                               std::string_view label = {}) {
    return {.name = name,
            .help = help,
            .unit = "px",
            .kind = ParamKind::integer,
            .def = def,
            .min = min,
            .max = 255,
            .label = label,
            .logarithmic = true};
}

constexpr std::array<ParamDef, 5> kAvgblurParams{{
    reach_param("sizeX", "horizontal reach of the box from its middle", 1, 1, "Horizontal reach"),
    kFfmpegPlanes,
    reach_param("sizeY", "vertical reach of the box; 0: same as sizeX", 0, 0, "Vertical reach"),
    border_of_ffmpeg("replicate"),
    kBorderValue,
}};

Operation make_avgblur(const Params& params, const FrameInfo& info) {
    int x = params.integer("sizeX");
    int y = params.integer("sizeY") == 0 ? x : params.integer("sizeY");
    // ffmpeg limits the box of all planes to the smallest of them, as they are shown.
    const bool on_its_side = info.rotation_degrees % 180 != 0;
    for (const PlaneInfo& plane : info.planes) {
        x = std::min(x, (on_its_side ? plane.height : plane.width) / 2);
        y = std::min(y, (on_its_side ? plane.width : plane.height) / 2);
    }
    return convolution_operation(
        {.components = {box_taps({.width = 2 * x + 1, .height = 2 * y + 1}, 1)}}, params, info);
}

constexpr std::array<std::string_view, 3> kBoxblurRadii{"luma_radius", "chroma_radius",
                                                        "alpha_radius"};
constexpr std::array<std::string_view, 3> kBoxblurPowers{"luma_power", "chroma_power",
                                                         "alpha_power"};
constexpr std::array<std::string_view, 3> kShortRadii{"lr", "cr", "ar"};
constexpr std::array<std::string_view, 3> kShortPowers{"lp", "cp", "ap"};
constexpr std::array<std::string_view, 3> kBoxblurRadiusHelp{
    "reach of the box for luma, or g; a whole number, not an expression",
    "reach of the box for chroma, or b and r; luma_radius unless given",
    "reach of the box for alpha; luma_radius unless given"};
constexpr std::array<std::string_view, 3> kBoxblurPowerHelp{
    "how many times the box is applied to luma, or g",
    "how many times it is applied to chroma, or b and r; -1: luma_power",
    "how many times it is applied to alpha; -1: luma_power"};

constexpr ParamDef boxblur_radius(std::size_t kind) {
    ParamDef param = reach_param(kBoxblurRadii[kind], kBoxblurRadiusHelp[kind], 2, 0);
    param.aliases = {&kShortRadii[kind], 1};
    if (kind > 0) param.inherits = kBoxblurRadii[0];
    param.advanced = kind > 0;
    return param;
}

constexpr ParamDef boxblur_power(std::size_t kind) {
    return {.name = kBoxblurPowers[kind],
            .help = kBoxblurPowerHelp[kind],
            .kind = ParamKind::integer,
            .def = 2,
            .min = kind == 0 ? 0.0 : -1.0,
            .max = 255,
            .aliases = {&kShortPowers[kind], 1},
            .inherits = kind == 0 ? "" : kBoxblurPowers[0],
            .advanced = kind > 0};
}

constexpr std::array<ParamDef, 8> kBoxblurParams{
    {boxblur_radius(0), boxblur_power(0), boxblur_radius(1), boxblur_power(1), boxblur_radius(2),
     boxblur_power(2), border_of_ffmpeg("reflect"), kBorderValue}};

int boxblur_power_of(const Params& params, std::size_t kind) {
    const int power = params.integer(kBoxblurPowers[kind]);
    return power < 0 ? params.integer(kBoxblurPowers[0]) : power;
}

void check_boxblur(const Params& params) {
    for (std::size_t kind = 0; kind < kBoxblurRadii.size(); ++kind) {
        const int side = 2 * params.integer(kBoxblurRadii[kind]) * boxblur_power_of(params, kind);
        if (side >= Taps::kMaxSeparable)
            params.fail(kBoxblurRadii[kind],
                        fmt::format("the repeated box is {} px wide, the limit is {}: use several "
                                    "steps",
                                    side + 1, Taps::kMaxSeparable));
    }
}

void check_fits(const Params& params, std::string_view radius, Component component,
                const FrameInfo& info) {
    for (const PlaneInfo& plane : info.planes) {
        const int most = std::min(plane.width, plane.height) / 2;
        if (std::ranges::find(plane.components, component) != plane.components.end() &&
            params.integer(radius) > most)
            params.fail(radius, fmt::format("this picture's {} takes a radius of at most {}, half "
                                            "its smaller side",
                                            letter(component), most));
    }
}

// One box per component, where ffmpeg's second and third planes are its chroma, also of RGB.
Operation make_boxblur(const Params& params, const FrameInfo& info) {
    check_boxblur(params);
    ConvolutionSpec spec{.components = std::vector<ComponentTaps>(4, {.taps = {identity_taps()}})};
    for (Component c : frame_components(info)) {
        const std::size_t kind = c == Component::a ? 2 : std::min(ffmpeg_plane(c), 1U);
        check_fits(params, kBoxblurRadii[kind], c, info);
        const int power = boxblur_power_of(params, kind);
        const int side = power == 0 ? 1 : 2 * params.integer(kBoxblurRadii[kind]) + 1;
        spec.components[component_number(c)] =
            box_taps({.width = side, .height = side}, std::max(power, 1));
    }
    return convolution_operation(std::move(spec), params, info);
}

Operation make(const Params& params, const FrameInfo& info) {
    check(params);
    return convolution_operation(
        {.components = {box_taps(box_size(params), params.integer("power"))}}, params, info);
}

// ffmpeg's boxes have odd sides of at least 3; its `convolution` covers the rest.
FfmpegText as_ffmpeg(const Params& params) {
    const Size size = box_size(params);
    const int power = params.integer("power");
    if (size.width % 2 == 0 || size.height % 2 == 0 || std::min(size.width, size.height) == 1)
        return ffmpeg_convolution(params);
    const FfmpegPlanes planes = ffmpeg_planes(params);
    const std::string pass = fmt::format("avgblur=sizeX={}:sizeY={}:planes={}", size.width / 2,
                                         size.height / 2, planes.mask);
    std::string chain = pass;
    for (int k = 1; k < power; ++k) chain += "," + pass;
    FfmpegText text{.chain = planes.finish(std::move(chain)),
                    .remarks = {"avgblur truncates where box rounds"}};
    if (power > 1) text.remarks.emplace_back("ffmpeg stores whole levels between its passes");
    return text;
}

}  // namespace

extern constinit const FilterDef kBoxFilter{
    .name = "box",
    .summary = "mean of a box, optionally repeated",
    .group = FilterGroup::blur,
    .aliases = kAliases,
    .params = kParams,
    .differs =
        "applied once unless power is given (ffmpeg's boxblur: twice); radius is 2 (ffmpeg's "
        "avgblur: 1) and counts samples of each plane; planes=15 leaves alpha alone",
    .make = make,
    .check = check,
    .refused = kRefused,
    .alias_orders = kOrders,
    .smooths = true,
    .ffmpeg = as_ffmpeg};

extern constinit const FilterDef kFfmpegAvgblur{.name = "avgblur",
                                                .summary = "ffmpeg's mean of a box",
                                                .group = FilterGroup::blur,
                                                .params = kAvgblurParams,
                                                .make = make_avgblur,
                                                .smooths = true,
                                                .of_ffmpeg = true};

extern constinit const FilterDef kFfmpegBoxblur{
    .name = "boxblur",
    .summary = "ffmpeg's repeated mean of a box, its own for luma, chroma and alpha",
    .group = FilterGroup::blur,
    .params = kBoxblurParams,
    .make = make_boxblur,
    .check = check_boxblur,
    .of_ffmpeg = true};

}  // namespace weft
