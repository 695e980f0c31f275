#include "kernels/layers/image_layer.h"

#include <algorithm>

#include "kernels/common/kernel_terms.h"
#include "kernels/rounding.h"

namespace weft {

namespace {

bool fits(const ConvProblem& p) {
    const double padded = (static_cast<double>(p.width) + p.taps().width - 1) *
                          (static_cast<double>(p.height) + p.taps().height - 1);
    const double sums =
        static_cast<double>(p.width) * p.height * static_cast<double>(p.conv.front().taps.size());
    return std::max(p.channels * padded, p.out_channels() * sums) <=
           static_cast<double>(LayerProblem::kMaxElements);
}

}  // namespace

LayerProblem image_as_layer(const ConvProblem& p) {
    const auto sets = static_cast<int>(p.conv.front().taps.size());
    const int groups = p.sums_channels ? 1 : static_cast<int>(p.conv.size());
    LayerProblem layer;
    layer.in_channels = p.sums_channels ? p.channels : groups;
    layer.batch = p.channels / layer.in_channels;
    layer.groups = groups;
    layer.out_channels = groups * sets;
    layer.height = p.height + p.taps().height - 1;
    layer.width = p.width + p.taps().width - 1;
    layer.taps = {.y = p.taps().height, .x = p.taps().width};
    const auto append = [&](const Taps& t) {
        layer.weights.insert(layer.weights.end(), t.weights.begin(), t.weights.end());
    };
    for (int group = 0; group < groups; ++group)
        for (std::size_t set = 0; set < p.conv.front().taps.size(); ++set)
            for (int c = 0; c < layer.group_inputs(); ++c) append(p.channel(group + c).taps[set]);
    return layer;
}

std::string why_not_as_layer(const ConvProblem& p, const Device& device,
                             const LayerKernel& kernel) {
    if (std::string reason = why_not_dense(p); !reason.empty()) return reason;
    if (!fits(p)) return "it takes images of up to 2^31 - 1 samples and sums: direct takes larger";
    std::string reason = kernel.why_not(image_as_layer(p), device);
    return reason.empty() ? why_not_dense_in_fp32(p) : reason;
}

}  // namespace weft
