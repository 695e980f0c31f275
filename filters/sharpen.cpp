#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "filters/common.h"
#include "filters/ffmpeg_text.h"
#include "filters/text/number_text.h"

namespace weft {
namespace {

constexpr std::array<std::string_view, 2> kNeighbours{"4", "8"};
constexpr std::array<std::string_view, 2> kNeighbourLabels{"4, without corners", "8, with corners"};

constexpr std::array<ParamDef, 5> kSharpenParams{{
    {.name = "amount",
     .help = "strength: 1 gives 0 -1 0; -1 5 -1; 0 -1 0",
     .def = 1,
     .min = 0,
     .max = 20,
     .logarithmic = true},
    {.name = "neighbours",
     .help = "neighbours that the pixel is compared with",
     .kind = ParamKind::choice,
     .def_text = "4",
     .choices = kNeighbours,
     .choice_labels = kNeighbourLabels},
    kPlanesDetail,
    kBorder,
    kBorderValue,
}};

Operation make_sharpen(const Params& params, const FrameInfo& info) {
    const auto amount = static_cast<float>(params.number("amount"));
    const bool eight = params.choice("neighbours") == "8";
    const float side = -amount;
    const float corner = eight ? -amount : 0.0F;
    const float middle = 1 + amount * (eight ? 8.0F : 4.0F);
    ComponentTaps taps{
        .taps = {
            dense_taps(3, 3, {corner, side, corner, side, middle, side, corner, side, corner})}};
    return convolution_operation({.components = {std::move(taps)}}, params, info);
}

constexpr std::array<std::string_view, 2> kLxAliases{"luma_msize_x", "lx"};
constexpr std::array<std::string_view, 2> kLyAliases{"luma_msize_y", "ly"};
constexpr std::array<std::string_view, 2> kLaAliases{"luma_amount", "la"};
constexpr std::array<std::string_view, 2> kCxAliases{"chroma_msize_x", "cx"};
constexpr std::array<std::string_view, 2> kCyAliases{"chroma_msize_y", "cy"};
constexpr std::array<std::string_view, 2> kCaAliases{"ca", "chroma"};

constexpr std::string_view kAlpha =
    "alpha is left alone; sharpen it with planes=a in a separate step";
constexpr std::array<RefusedParam, 7> kRefused{{{"alpha_msize_x", kAlpha},
                                                {"ax", kAlpha},
                                                {"alpha_msize_y", kAlpha},
                                                {"ay", kAlpha},
                                                {"alpha_amount", kAlpha},
                                                {"aa", kAlpha},
                                                {"opencl", "the GPU is chosen with --gpu"}}};

constexpr ParamDef size_param(std::string_view name, std::string_view help,
                              std::span<const std::string_view> aliases, std::string_view label) {
    return {.name = name,
            .help = help,
            .unit = "px",
            .kind = ParamKind::integer,
            .def = 5,
            .min = 3,
            .max = Taps::kMaxDense,
            .aliases = aliases,
            .label = label};
}

constexpr std::array<ParamDef, 9> kUnsharpParams{{
    size_param("size_x", "width of the blur that is subtracted, odd", kLxAliases, "Width"),
    size_param("size_y", "height of the blur, odd", kLyAliases, "Height"),
    {.name = "amount",
     .help = "strength for luma, or r, g and b; negative values blur",
     .def = 1,
     .min = -2,
     .max = 5,
     .aliases = kLaAliases},
    size_param("chroma_size_x", "width of the blur for chroma, odd", kCxAliases, "Chroma width"),
    size_param("chroma_size_y", "height of the blur for chroma, odd", kCyAliases, "Chroma height"),
    {.name = "chroma_amount",
     .help = "strength for u and v; 0 leaves them alone",
     .def = 0,
     .min = -2,
     .max = 5,
     .aliases = kCaAliases},
    {.name = "planes",
     .help = "components to filter; yrgb (default) and, if chroma_amount is not 0, u and v",
     .kind = ParamKind::planes,
     .def_text = "yrgb",
     .label = "Channels",
     .follows = true},
    kBorder,
    kBorderValue,
}};

constexpr std::array<std::string_view, 2> kFfmpegLxAliases{"lx", "size_x"};
constexpr std::array<std::string_view, 2> kFfmpegLyAliases{"ly", "size_y"};
constexpr std::array<std::string_view, 2> kFfmpegLaAliases{"la", "amount"};
constexpr std::array<std::string_view, 2> kFfmpegCxAliases{"cx", "chroma_size_x"};
constexpr std::array<std::string_view, 2> kFfmpegCyAliases{"cy", "chroma_size_y"};
constexpr std::array<std::string_view, 1> kFfmpegCaAliases{"ca"};
constexpr std::array<std::string_view, 1> kFfmpegAxAliases{"ax"};
constexpr std::array<std::string_view, 1> kFfmpegAyAliases{"ay"};
constexpr std::array<std::string_view, 1> kFfmpegAaAliases{"aa"};

constexpr ParamDef amount_param(std::string_view name, std::string_view help, double def,
                                std::span<const std::string_view> aliases) {
    return {.name = name,
            .help = help,
            .def = def,
            .min = -2,
            .max = 5,
            .aliases = aliases,
            .follows = def == 0};
}

// Planes that are chosen are sharpened like luma, unless they have an amount of their own.
constexpr ParamDef kFollowingPlanes = [] {
    ParamDef planes = kFfmpegPlanes;
    planes.follows = true;
    return planes;
}();

constexpr std::array<ParamDef, 12> kFfmpegParams{{
    size_param("luma_msize_x", "width of the blur, odd", kFfmpegLxAliases, "Width"),
    size_param("luma_msize_y", "height of the blur, odd", kFfmpegLyAliases, "Height"),
    amount_param("luma_amount", "strength for luma, or r, g and b; negative values blur", 1,
                 kFfmpegLaAliases),
    size_param("chroma_msize_x", "width of the blur for chroma, odd", kFfmpegCxAliases,
               "Chroma width"),
    size_param("chroma_msize_y", "height of the blur for chroma, odd", kFfmpegCyAliases,
               "Chroma height"),
    amount_param("chroma_amount", "strength for u and v", 0, kFfmpegCaAliases),
    size_param("alpha_msize_x", "width of the blur for alpha, odd", kFfmpegAxAliases,
               "Alpha width"),
    size_param("alpha_msize_y", "height of the blur for alpha, odd", kFfmpegAyAliases,
               "Alpha height"),
    amount_param("alpha_amount", "strength for alpha", 0, kFfmpegAaAliases),
    kFollowingPlanes,
    border_of_ffmpeg("replicate"),
    kBorderValue,
}};

// The row of Pascal's triangle with `size` entries, over its sum: equals ffmpeg's repeated sums of
// neighbours.
std::vector<double> binomial(int size) {
    std::vector<double> row{1.0};
    while (static_cast<int>(row.size()) < size) {
        row.push_back(0.0);
        for (std::size_t k = row.size() - 1; k > 0; --k) row[k] = (row[k] + row[k - 1]) / 2;
        row[0] /= 2;
    }
    return row;
}

// amount + 1 times the pixel, minus amount times its blurred neighbourhood.
ComponentTaps unsharp_taps(int width, int height, double amount) {
    const std::vector<double> row = binomial(width);
    const std::vector<double> column = binomial(height);
    std::vector<float> weights;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const bool middle = x == width / 2 && y == height / 2;
            weights.push_back(
                static_cast<float>((middle ? 1 + amount : 0.0) - amount * row[x] * column[y]));
        }
    return {.taps = {dense_taps(width, height, std::move(weights))}};
}

void check_unsharp(const Params& params) {
    for (std::string_view name : {"size_x", "size_y", "chroma_size_x", "chroma_size_y"})
        if (params.integer(name) % 2 == 0) params.fail(name, "it must be odd");
}

Operation make_unsharp(const Params& params, const FrameInfo& info) {
    check_unsharp(params);
    const double chroma = params.number("chroma_amount");
    ComponentTaps luma =
        unsharp_taps(params.integer("size_x"), params.integer("size_y"), params.number("amount"));
    if (chroma == 0) return convolution_operation({.components = {luma}}, params, info);
    const ComponentTaps uv = info.is_rgb() ? luma
                                           : unsharp_taps(params.integer("chroma_size_x"),
                                                          params.integer("chroma_size_y"), chroma);
    Params all = params;
    if (!params.is_set("planes")) all.set("planes", "all");
    return convolution_operation({.components = {luma, uv, uv, luma}}, all, info);
}

// The sizes and the amount for luma, chroma and alpha.
struct UnsharpNames {
    std::string_view size_x, size_y, amount;
};

constexpr std::array<UnsharpNames, 3> kUnsharpNames{
    {{"luma_msize_x", "luma_msize_y", "luma_amount"},
     {"chroma_msize_x", "chroma_msize_y", "chroma_amount"},
     {"alpha_msize_x", "alpha_msize_y", "alpha_amount"}}};

void check_ffmpeg_unsharp(const Params& params) {
    for (const UnsharpNames& names : kUnsharpNames)
        for (std::string_view name : {names.size_x, names.size_y})
            if (params.integer(name) % 2 == 0) params.fail(name, "it must be odd");
}

// ffmpeg rounds the blur to whole levels and cuts off what is left of a level after the amount.
ComponentTaps ffmpeg_unsharp_taps(const Params& params, const UnsharpNames& names,
                                  const FrameInfo& info) {
    const double amount = params.number(names.amount);
    if (amount == 0) return {.taps = {identity_taps()}};
    ComponentTaps taps =
        unsharp_taps(params.integer(names.size_x), params.integer(names.size_y), amount);
    // A whole level stays itself in spite of rounding errors.
    constexpr float kCut = -0.5F + 1.0F / 64;
    if (info.sample != SampleType::f32) taps.bias = kCut;
    return taps;
}

Operation make_ffmpeg_unsharp(const Params& params, const FrameInfo& info) {
    check_ffmpeg_unsharp(params);
    const auto taps = [&](std::size_t kind) {
        const bool as_luma = params.is_set("planes") && !params.is_set(kUnsharpNames[kind].amount);
        return ffmpeg_unsharp_taps(params, kUnsharpNames[as_luma ? 0 : kind], info);
    };
    const std::size_t chroma = info.is_rgb() ? 0 : 1;
    Operation operation = convolution_operation(
        {.components = {taps(0), taps(chroma), taps(chroma), taps(2)}}, params, info);
    if (info.is_rgb())
        operation.notes.emplace_back("it acts on r, g and b; ffmpeg converts RGB to YUV first");
    if (info.depth_bits > 8)
        operation.notes.emplace_back(
            "it sharpens by the given amount; ffmpeg 5.1 by 1/256 of it above 8 bits");
    return operation;
}

std::string unsharp_unlike_ffmpeg(const Params& params) {
    constexpr double kWithinOneLevel = 2;
    double most = 0;
    for (const UnsharpNames& names : kUnsharpNames)
        most = std::max(most, params.number(names.amount));
    if (most < kWithinOneLevel) return "";
    return fmt::format(
        "ffmpeg rounds the blur before it multiplies it: with an amount of {}, "
        "results differ by up to {} levels",
        format_number(most), std::ceil(1 + most / 2));
}

constexpr int kFfmpegMaxSize = 23;

FfmpegText unsharp_as_ffmpeg(const Params& params) {
    for (std::string_view name : {"size_x", "size_y", "chroma_size_x", "chroma_size_y"})
        if (params.integer(name) > kFfmpegMaxSize)
            return no_ffmpeg_text("ffmpeg's unsharp has sizes up to 23");
    if (params.is_set("planes"))
        return no_ffmpeg_text("ffmpeg's unsharp selects luma and chroma, not planes");
    return {
        .chain =
            fmt::format("unsharp=lx={}:ly={}:la={}:cx={}:cy={}:ca={}", params.integer("size_x"),
                        params.integer("size_y"), format_number(params.number("amount")),
                        params.integer("chroma_size_x"), params.integer("chroma_size_y"),
                        format_number(params.number("chroma_amount"))),
        .remarks = {"ffmpeg computes in fixed point, with occasional differences of one level"}};
}

constexpr std::array<std::string_view, 4> kUnsharpCustomaryFor{"sharpness", "detail", "details",
                                                               "crisp"};

}  // namespace

extern constinit const FilterDef kSharpenFilter{.name = "sharpen",
                                                .summary = "sharpen with the nearest neighbours",
                                                .group = FilterGroup::sharpen,
                                                .aliases = {},
                                                .params = kSharpenParams,
                                                .differs = "",
                                                .make = make_sharpen};

extern constinit const FilterDef kUnsharpFilter{
    .name = "unsharp",
    .summary = "sharpen by subtracting a blur",
    .group = FilterGroup::sharpen,
    .aliases = {},
    .customary_for = kUnsharpCustomaryFor,
    .params = kUnsharpParams,
    .differs =
        "sizes go up to 63 (ffmpeg: 23); sums are not truncated to fixed point; RGB frames are "
        "sharpened as RGB (ffmpeg converts them to YUV)",
    .make = make_unsharp,
    .check = check_unsharp,
    .refused = kRefused,
    .ffmpeg = unsharp_as_ffmpeg};

extern constinit const FilterDef kFfmpegUnsharp{
    .name = "unsharp",
    .summary = "ffmpeg's sharpening by subtracting a blur, its own for luma, chroma and alpha",
    .group = FilterGroup::sharpen,
    .params = kFfmpegParams,
    .make = make_ffmpeg_unsharp,
    .check = check_ffmpeg_unsharp,
    .of_ffmpeg = true,
    .unlike_ffmpeg = unsharp_unlike_ffmpeg};

}  // namespace weft
