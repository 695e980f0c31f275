#include "filters/light/working.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace weft {
namespace {

constexpr std::array<std::string_view, 2> kLights{"off", "linear"};
constexpr std::array<std::string_view, 2> kLightLabels{"As stored", "Linear"};
constexpr std::array<std::string_view, 2> kAlphas{"off", "weighted"};
constexpr std::array<std::string_view, 2> kAlphaLabels{"Colours ignore it", "Weights colours"};

constexpr std::array<ParamDef, 2> kSmoothingParams{{
    {.name = "light",
     .help = "linear: filters light instead of stored values, by the transfer function of the file",
     .kind = ParamKind::choice,
     .def_text = "off",
     .choices = kLights,
     .choice_labels = kLightLabels,
     .advanced = true},
    {.name = "alpha",
     .help = "weighted: transparent pixels give less colour, so that a blur has no dark fringe",
     .kind = ParamKind::choice,
     .def_text = "off",
     .choices = kAlphas,
     .choice_labels = kAlphaLabels,
     .advanced = true},
}};

std::string_view name_of(TransferFunction transfer) {
    switch (transfer) {
        case TransferFunction::bt709:
            return "BT.709";
        case TransferFunction::srgb:
            return "sRGB";
        case TransferFunction::gamma22:
            return "a gamma of 2.2";
        case TransferFunction::gamma28:
            return "a gamma of 2.8";
        case TransferFunction::pq:
            return "PQ";
        case TransferFunction::hlg:
            return "HLG";
        case TransferFunction::linear:
            return "none, the samples are linear";
        case TransferFunction::unspecified:
        case TransferFunction::other:
            break;
    }
    return "";
}

bool has_alpha(const FrameInfo& info) {
    return std::ranges::any_of(info.planes, [](const PlaneInfo& plane) {
        return std::ranges::find(plane.components, Component::a) != plane.components.end();
    });
}

}  // namespace

std::span<const ParamDef> smoothing_params() {
    return kSmoothingParams;
}

Working working_of(const Params& params, const FrameInfo& info, std::vector<std::string>& notes) {
    Working working;
    working.dither = params.choice("dither") != "off";
    if (working.dither && (info.sample != SampleType::u8 || info.depth_bits != 8)) {
        working.dither = false;
        notes.emplace_back("dither has no effect on frames that do not have 8 bits");
    }
    if (!params.filter().smooths) return working;
    working.weighted_alpha = params.choice("alpha") != "off";
    if (working.weighted_alpha && !has_alpha(info)) {
        working.weighted_alpha = false;
        notes.emplace_back("alpha=weighted has no effect on frames without alpha");
    }
    working.linear_light = params.choice("light") != "off";
    if (!working.linear_light) return working;
    const TransferFunction transfer = light_transfer(info);
    if (transfer == TransferFunction::other)
        params.fail("light",
                    "the frames have a transfer function whose inverse is not known here; known "
                    "are sRGB, BT.709 (BT.601, BT.2020), gamma 2.2 and 2.8, PQ, HLG and linear");
    notes.push_back(fmt::format("filters linear light; the transfer function is {}{}",
                                name_of(transfer),
                                info.transfer == TransferFunction::unspecified
                                    ? ", as players assume of frames without a tag"
                                    : ""));
    return working;
}

}  // namespace weft
