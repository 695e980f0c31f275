#include "kernels/layers/layer_args.h"

namespace weft {

LayerShape layer_shape(const LayerProblem& p) {
    return {.batch = p.batch,
            .in_channels = p.in_channels,
            .out_channels = p.out_channels,
            .group_inputs = p.group_inputs(),
            .group_outputs = p.group_outputs(),
            .height = p.height,
            .width = p.width,
            .out_height = p.out_height(),
            .out_width = p.out_width(),
            .taps_y = p.taps.y,
            .taps_x = p.taps.x,
            .stride_y = p.stride.y,
            .stride_x = p.stride.x,
            .padding_y = p.padding.y,
            .padding_x = p.padding.x,
            .dilation_y = p.dilation.y,
            .dilation_x = p.dilation.x,
            .channels_last = p.layout == LayerLayout::nhwc};
}

std::string why_not_before_ampere(const Device& device) {
    if (device.compute_major >= 8) return "";
    return "its layer form needs asynchronous copies: a GPU of the Ampere generation or newer";
}

}  // namespace weft
