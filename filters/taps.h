// Filter coefficients: the factors of the pixels in a 2D correlation.
#pragma once

#include <vector>

namespace weft {

// A width × height matrix of coefficients with an anchor, the tap at the output pixel.
//
// out(x, y) = Σ_j Σ_i weights[j * width + i] * in(x + i - anchor_x, y + j - anchor_y)
//
// This is correlation, as in OpenCV's filter2D and ffmpeg's convolution filter: no flip.
// 0 <= anchor_x < width, 0 <= anchor_y < height. Nothing is normalised implicitly.
//
// Rank-1 taps carry their factors as well: weights[j * width + i] == column[j] * row[i] up to one
// float rounding. Taps wider or taller than kMaxDense carry the factors only (`weights` is empty).
//
// Factors can stand for a Gaussian, which a filter promises: `row` then holds the samples of
// exp(-x² / 2σ²) around anchor_x, σ = gaussian_x, divided by their sum and cut where the filter's
// error allows, with zeros around them. A kernel may compute the whole Gaussian of that σ instead.
struct Taps {
    int width = 0;
    int height = 0;
    int anchor_x = 0;
    int anchor_y = 0;
    std::vector<float> weights;  // row-major, width * height, or empty (see above)
    std::vector<float> row;      // `width` factors along x, or empty when rank 1 is not known
    std::vector<float> column;   // `height` factors along y, or empty
    float gaussian_x = 0;        // the σ of `row` in px, or 0: it is a single 1 or no Gaussian
    float gaussian_y = 0;        // the same of `column`

    static constexpr int kMaxDense = 63;       // taps per side that every general kernel accepts
    static constexpr int kMaxSeparable = 511;  // taps per side that kernels of factors add up
    // Factors per side: a Gaussian of σ 1024 that is cut at 5 σ. Past kMaxSeparable they are for
    // kernels that compute Gaussians by their σ.
    static constexpr int kMaxFactors = 10'241;

    bool separable() const { return !row.empty(); }
    bool dense() const { return !weights.empty(); }
    bool operator==(const Taps&) const = default;
};

// Dense taps; the anchor is the centre, (width - 1) / 2 rounded down as in ffmpeg, unless given.
// Throws std::invalid_argument if a side is outside 1..kMaxDense or the count does not match.
Taps dense_taps(int width, int height, std::vector<float> weights);

// Rank-1 taps row ⊗ column with the anchor at the centre. `weights` is filled when both sides are
// at most kMaxDense. Throws std::invalid_argument if a side is outside 1..kMaxFactors.
Taps separable_taps(std::vector<float> row, std::vector<float> column);

// A 1×1 tap of weight one: copies its input exactly.
Taps identity_taps();

// The same taps with the other sign, which are no Gaussian.
Taps negated(Taps taps);

// The same weights inside a larger matrix of zeros, so that the anchor becomes (anchor_x, anchor_y)
// of a width × height matrix. Factors are padded along, and `weights` is left out if a side exceeds
// kMaxDense: identity_taps() can thus accompany a wide blur in a depthwise problem. Throws
// std::invalid_argument if the weights do not fit or a side is past its limit.
Taps padded_taps(const Taps& taps, int width, int height, int anchor_x, int anchor_y);

// The same taps turned about their anchor, by a multiple of 90 degrees. A player that turns the
// coded picture clockwise by R shows taps given in display space where they belong if the coded
// picture is filtered with rotated_taps(taps, R). Factors turn along.
// Throws std::invalid_argument for other angles.
Taps rotated_taps(const Taps& taps, int degrees_counter_clockwise);

// Every weight is an integer: sums over integer pixels are then exact in fp32 below 2^24.
bool integer_valued(const Taps& taps);

// Σ|w|, in double, over the dense weights or the product of the factors' sums.
double absolute_sum(const Taps& taps);

}  // namespace weft
