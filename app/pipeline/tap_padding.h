// Brings the channels of an interleaved plane to one tap size, as kernels want them.
#pragma once

#include <optional>
#include <vector>

#include "kernels/conv_problem.h"

namespace weft {

// One entry for all channels if they are equal, else one per channel, all with the same number of
// tap sets, size and anchor: smaller taps sit in zeros, and channels without a value pass through
// by identity taps. Separable taps stay separable, so that a blur of rgb inside rgba keeps the
// kernels that need factors. Throws std::invalid_argument when taps that are known only by their
// factors meet taps that have none.
std::vector<ChannelConv> unify_channels(const std::vector<std::optional<ChannelConv>>& channels,
                                        Combine combine);

}  // namespace weft
