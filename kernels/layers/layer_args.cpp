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

namespace {

struct Tap {
    int channel, y, x;
};

// Calls `visit` for every product of an output, in order.
template <class Visit>
void for_each_tap(const LayerProblem& p, bool channels_last, const Visit& visit) {
    const int outer = channels_last ? 1 : p.group_inputs();
    const int inner = channels_last ? p.group_inputs() : 1;
    for (int o = 0; o < outer; ++o)
        for (int y = 0; y < p.taps.y; ++y)
            for (int x = 0; x < p.taps.x; ++x)
                for (int i = 0; i < inner; ++i) visit(Tap{channels_last ? i : o, y, x});
}

}  // namespace

std::string why_no_tap_places(const LayerProblem& p) {
    constexpr int kMost = 32767;
    if (p.height + 2 * p.padding.y <= kMost && p.width + 2 * p.padding.x <= kMost) return "";
    return "it takes planes up to 32767 a side with their padding: direct takes larger ones";
}

std::vector<TapPlace> tap_places(const LayerProblem& p, bool channels_last) {
    const bool pixels = p.layout == LayerLayout::nhwc;
    const int plane = pixels ? 1 : p.height * p.width;
    const int column = pixels ? p.in_channels : 1;
    std::vector<TapPlace> out;
    for_each_tap(p, channels_last, [&](const Tap& t) {
        const int dy = t.y * p.dilation.y;
        const int dx = t.x * p.dilation.x;
        out.push_back({.offset = t.channel * plane + (dy * p.width + dx) * column,
                       .dy = static_cast<std::int16_t>(dy),
                       .dx = static_cast<std::int16_t>(dx)});
    });
    return out;
}

std::vector<int> tap_order(const LayerProblem& p, bool channels_last) {
    std::vector<int> out;
    for_each_tap(p, channels_last, [&](const Tap& t) {
        out.push_back((t.channel * p.taps.y + t.y) * p.taps.x + t.x);
    });
    return out;
}

}  // namespace weft
