// Brings the channels of an interleaved plane to one tap size, as kernels require.
#pragma once

#include <optional>
#include <vector>

#include "kernels/conv_problem.h"

namespace weft {

// One entry for all channels if they are equal, otherwise one per channel, all with the same number
// of tap sets, size and anchor: smaller taps are padded with zeros, and channels without a value
// get identity taps. Separable taps stay separable, so that a blur of rgb in rgba keeps the kernels
// that need factors. Throws std::invalid_argument if taps known only by their factors are combined
// with taps that have none.
std::vector<ChannelConv> unify_channels(const std::vector<std::optional<ChannelConv>>& channels,
                                        Combine combine);

}  // namespace weft
