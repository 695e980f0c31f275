#include "kernels/common/direct_layout.h"

#include <cmath>
#include <utility>

#include "kernels/common/quotient.h"
#include "kernels/rounding.h"

namespace weft {

DirectLayout lay_out_direct(const ConvProblem& p) {
    DirectLayout layout;
    DirectArgs& a = layout.args;
    a.images = conv_images(p, layout.borders);
    a.channels = p.channels;
    a.out_channels = p.out_channels();
    a.sets = static_cast<int>(p.conv.front().taps.size());
    a.planes = static_cast<int>(p.conv.size());
    a.magnitude = p.combine == Combine::magnitude;
    layout.wide = !why_not_dense_in_fp32(p).empty();
    a.width = p.taps().width;
    a.height = p.taps().height;
    a.tiles_x = ceil_div(p.width * p.out_channels(), kDirectBlockX);
    layout.blocks = grid_size(a.tiles_x, ceil_div(p.height, kDirectBlockY));
    for (std::size_t set = 0; set < p.conv.front().taps.size(); ++set) {
        for (const ChannelConv& c : p.conv) {
            const std::vector<float>& w = c.taps[set].weights;
            layout.taps.insert(layout.taps.end(), w.begin(), w.end());
        }
    }
    return layout;
}

}  // namespace weft
