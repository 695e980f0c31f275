#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "filters/common.h"
#include "filters/ffmpeg_text.h"
#include "filters/text/nearest.h"
#include "filters/text/text_error.h"

namespace weft {
namespace {

// Red, green and blue from 0 to 1, not linear.
struct Colour {
    double r = 0, g = 0, b = 0;
};

constexpr std::array<std::pair<std::string_view, Colour>, 7> kNames{
    {{"black", {0, 0, 0}},
     {"white", {1, 1, 1}},
     {"gray", {128.0 / 255, 128.0 / 255, 128.0 / 255}},
     {"red", {1, 0, 0}},
     {"green", {0, 128.0 / 255, 0}},
     {"blue", {0, 0, 1}},
     {"yellow", {1, 1, 0}}}};

// In the place of a colour: the mean of the samples next to a region.
constexpr std::string_view kEdge = "edge";

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// Throws TextError.
Colour parse_colour(std::string_view text) {
    std::vector<std::string_view> names{kEdge};
    for (const auto& [name, colour] : kNames) {
        if (name == text) return colour;
        names.push_back(name);
    }
    std::string_view digits = text;
    if (digits.starts_with('#'))
        digits.remove_prefix(1);
    else if (digits.starts_with("0x"))
        digits.remove_prefix(2);
    std::array<double, 3> levels{};
    for (std::size_t k = 0; k < 6 && digits.size() == 6; ++k) {
        const int digit = hex_digit(digits[k]);
        if (digit < 0)
            throw TextError(fmt::format("'{}' is no hexadecimal digit", shown(digits.substr(k, 1))),
                            text.size() - 6 + k);
        levels[k / 2] = levels[k / 2] * 16 + digit;
    }
    if (digits.size() != 6)
        throw TextError(fmt::format("'{}' is no colour{} valid are {} and RRGGBB", shown(text),
                                    suggestion(text, names), fmt::join(names, ", ")),
                        0);
    return {levels[0] / 255, levels[1] / 255, levels[2] / 255};
}

constexpr std::array<ParamDef, 2> kFillParams{{
    {.name = "color",
     .help = "the colour, by its name or as RRGGBB; edge: the mean of the pixels around a region",
     .kind = ParamKind::text,
     .def_text = "black",
     .check =
         [](std::string_view text) {
             if (text != kEdge) (void)parse_colour(text);
         },
     .accepts = "edge, black, white, gray, red, green, blue, yellow or RRGGBB"},
    {.name = "planes",
     .help =
         "components to cover: all, with the outlines in alpha; luma, letters, 0+2 or a bit mask",
     .kind = ParamKind::planes,
     .def_text = "all",
     .label = "Channels"},
}};

constexpr std::array<std::string_view, 5> kWords{"redact", "hide", "censor", "cover", "black"};

struct Luma {
    double r = 0, b = 0;  // kr and kb
};

Luma luma_of(const FrameInfo& info) {
    switch (luma_matrix(info)) {
        case ColorMatrix::bt601:
            return {0.299, 0.114};
        case ColorMatrix::bt2020:
            return {0.2627, 0.0593};
        default:
            return {0.2126, 0.0722};
    }
}

// The colour's samples in the order y u v a or r g b a, by ITU-R BT.601, BT.709 or BT.2020. Alpha
// is opaque.
std::array<double, 4> samples_of(const Colour& colour, const FrameInfo& info) {
    const double most = info.max_value();
    if (info.is_rgb()) return {colour.r * most, colour.g * most, colour.b * most, most};
    const auto [kr, kb] = luma_of(info);
    const double y = kr * colour.r + (1 - kr - kb) * colour.g + kb * colour.b;
    const double u = (colour.b - y) / (2 * (1 - kb));
    const double v = (colour.r - y) / (2 * (1 - kr));
    if (info.sample == SampleType::f32) return {y, u, v, 1};
    const double level = samples_per_level(info);
    if (info.full_range) return {y * most, 128 * level + u * most, 128 * level + v * most, most};
    return {(16 + 219 * y) * level, (128 + 224 * u) * level, (128 + 224 * v) * level, most};
}

void check_fill(const Params& params) {
    if (params.text("color") != kEdge) return;
    if (!params.is_set("region") && !params.is_set("boxes"))
        params.fail("color", "edge needs a region: add region=WxH+X+Y or boxes=FILE");
    if (params.boolean("invert"))
        params.fail("color", "edge is the mean around a region, which invert leaves alone");
    if (params.is_set("planes")) params.fail("planes", "color=edge is a mean of every component");
}

// No pixel of a region is left in the result: the only tap is 0, and an edge is outside of all
// regions. A region that fills the frame has no edge, and becomes black.
Operation make_fill(const Params& params, const FrameInfo& info) {
    const bool edge = params.text("color") == kEdge;
    const std::array<double, 4> samples =
        samples_of(edge ? Colour{} : parse_colour(params.text("color")), info);
    Operation operation;
    // Alpha shows an object by its outline.
    operation.selection = params.planes("planes").all
                              ? ComponentSelection{.filtered = frame_components(info)}
                              : selected(params, info, operation.notes);
    Convolution convolution;
    SampleMeans means;
    for (const Component component : frame_components(info)) {
        const auto sample = static_cast<float>(samples[component_number(component)]);
        convolution.components.push_back({.taps = {dense_taps(1, 1, {0.0F})}, .bias = sample});
        means.otherwise.push_back(sample);
    }
    if (edge)
        operation.compute = std::move(means);
    else
        operation.compute = std::move(convolution);
    return operation;
}

// Since definition 3, all planes include alpha.
int fill_definition(const Params& params) {
    return params.planes("planes").all ? 3 : 1;
}

FfmpegText fill_in_ffmpeg(const Params& params) {
    if (!params.planes("planes").all) return no_ffmpeg_text("ffmpeg's drawbox fills all planes");
    return {.chain = fmt::format("drawbox=color={}:replace=1:t=fill", params.text("color")),
            .remarks = {"drawbox converts colours by BT.601"}};
}

}  // namespace

extern constinit const FilterDef kFillFilter{
    .name = "fill",
    .summary = "one colour, under which nothing can be recovered",
    .group = FilterGroup::blur,
    .customary_for = kWords,
    .params = kFillParams,
    .make = make_fill,
    .check = check_fill,
    .ffmpeg = fill_in_ffmpeg,
    .definition = fill_definition,
    .redacts = true};

}  // namespace weft
