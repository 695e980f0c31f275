#include "filters/common.h"

#include <algorithm>

#include "filters/text/text_error.h"

namespace weft {
namespace {

Border border_of(const Params& params) {
    const auto found = std::find(kBorderNames.begin(), kBorderNames.end(), params.choice("border"));
    return static_cast<Border>(found - kBorderNames.begin());
}

ComponentTaps coded(ComponentTaps component, const FrameInfo& info) {
    for (Taps& taps : component.taps) taps = rotated_taps(taps, info.rotation_degrees);
    return component;
}

}  // namespace

float samples_per_level(const FrameInfo& info) {
    if (info.sample == SampleType::f32) return 1.0F / 255.0F;
    return static_cast<float>(1U << static_cast<unsigned>(info.depth_bits)) / 256.0F;
}

ComponentSelection selected(const Params& params, const FrameInfo& info,
                            std::vector<std::string>& notes) {
    try {
        return select_components(params.planes("planes"), info, notes);
    } catch (const TextError& error) {
        params.fail("planes", error.what());
    }
}

Operation convolution_operation(ConvolutionSpec spec, const Params& params, const FrameInfo& info) {
    Operation operation;
    operation.selection = spec.sums_rgb
                              ? ComponentSelection{{Component::r, Component::g, Component::b}}
                              : selected(params, info, operation.notes);
    Convolution convolution{.components = {},
                            .combine = spec.combine,
                            .sums_rgb = spec.sums_rgb,
                            .border = border_of(params),
                            .border_value = samples_per_level(info) *
                                            static_cast<float>(params.number("border_value"))};
    if (operation.selection.rgb_luma) spec.components.resize(1);
    if (spec.components.size() == 1) {
        convolution.components.push_back(coded(std::move(spec.components.front()), info));
    } else {
        for (Component c : frame_components(info))
            convolution.components.push_back(coded(spec.components[component_number(c)], info));
    }
    operation.compute = std::move(convolution);
    return operation;
}

}  // namespace weft
