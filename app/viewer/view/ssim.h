// Structural similarity of two pictures.
#pragma once

#include <cstddef>
#include <optional>

#include "kernels/image_view.h"

namespace weft {

// Mean SSIM of one channel of two planes of the same size and type (Z. Wang et al., "Image quality
// assessment: from error visibility to structural similarity", 2004, eq. 13), with the windows and
// constants of ffmpeg's ssim filter: 8×8 samples without weights at every fourth row and column,
// and a first constant that is 64 times as small. 1 for equal pictures. Nothing for
// pictures smaller than a window, and if a sample is not a number.
std::optional<double> mean_ssim(const ImageView& want, const ImageView& got, std::size_t channel,
                                double max_value);

}  // namespace weft
