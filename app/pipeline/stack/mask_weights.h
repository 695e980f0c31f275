// The weights that a picture gives as a mask.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "app/media/libav/ffmpeg.h"

namespace weft {

// A plane of weights in 65,535ths, row by row.
struct MaskWeights {
    int width = 0;
    int height = 0;
    std::vector<std::uint16_t> values;

    bool operator==(const MaskWeights&) const = default;
};

// A side of a mask may be so many times as long as that of the frame. Sums of scaled() are then
// below 2^63.
inline constexpr int kMaxMaskReduction = 64;

// The frame's luma, black 0 and white 65,535: 8-bit samples v of full range give 257 v. The luma of
// limited range is expanded, that of RGB is taken from R'G'B' by the coefficients of
// luma_matrix(), and transparent pixels count as black: luma is multiplied by alpha. All of it is
// one fraction of whole numbers, rounded half to even; floating point samples are rounded to
// 65,535ths first, NaN to 0. `frame` is of a native format in host memory.
MaskWeights mask_weights(const AVFrame& frame);

// Turned clockwise by 0, 90, 180 or 270 degrees.
MaskWeights turned(MaskWeights mask, int clockwise_degrees);

// Scaled by a triangle around each pixel's centre, per side: as wide as two of the mask's pixels
// where that side grows, which is linear interpolation, and as two of the result's where it
// shrinks, so that every pixel of the mask counts. Past the edges there are no pixels, and the
// weights inside are scaled up to a sum of 1. Whole numbers only, rounded half to even once: the
// same on every machine. The mask's own size changes nothing. Sides are at most kMaxMaskReduction
// times those of the result, and at most 65,535.
MaskWeights scaled(MaskWeights mask, int width, int height);

}  // namespace weft
