#include "kernels/image_layer.h"

#include <algorithm>

#include "kernels/cuda_rows.h"

namespace weft {

namespace {

bool all_dense(const ConvProblem& p) {
    return std::ranges::all_of(
        p.conv, [](const ChannelConv& c) { return std::ranges::all_of(c.taps, &Taps::dense); });
}

bool fits(const ConvProblem& p) {
    const double padded = (static_cast<double>(p.width) + p.taps().width - 1) *
                          (static_cast<double>(p.height) + p.taps().height - 1);
    const double sums =
        static_cast<double>(p.width) * p.height * static_cast<double>(p.conv.front().taps.size());
    return p.channels * std::max(padded, sums) <= static_cast<double>(LayerProblem::kMaxElements);
}

}  // namespace

LayerProblem image_as_layer(const ConvProblem& p) {
    const auto entries = static_cast<int>(p.conv.size());
    const auto sets = static_cast<int>(p.conv.front().taps.size());
    LayerProblem layer;
    layer.batch = p.channels / entries;
    layer.in_channels = layer.groups = entries;
    layer.out_channels = entries * sets;
    layer.height = p.height + p.taps().height - 1;
    layer.width = p.width + p.taps().width - 1;
    layer.taps = {.y = p.taps().height, .x = p.taps().width};
    for (const ChannelConv& c : p.conv)
        for (const Taps& t : c.taps)
            layer.weights.insert(layer.weights.end(), t.weights.begin(), t.weights.end());
    return layer;
}

std::string why_not_as_layer(const ConvProblem& p, const Device& device, const LayerForm& form) {
    if (std::string reason = why_no_gpu(device); !reason.empty()) return reason;
    if (!all_dense(p))
        return "it takes dense taps up to 63×63, and these are larger: separable_reuse takes them";
    if (!fits(p)) return "it takes images of up to 2^31 - 1 samples and sums: direct takes larger";
    return form.why_not(image_as_layer(p), device);
}

}  // namespace weft
