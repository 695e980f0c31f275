// Building blocks of the tables of convolutions: taps, images, and cases made of both.
#pragma once

#include <array>
#include <vector>

#include "tests/kernels/cases/conv_case.h"
#include "tests/kernels/cases/dice.h"

namespace weft::test {

inline constexpr std::array<Borders, 7> kBorders = {{Border::reflect101,
                                                     Border::reflect,
                                                     Border::replicate,
                                                     Border::wrap,
                                                     Border::constant,
                                                     Border::ffmpeg,
                                                     {Border::ffmpeg_backwards, Border::ffmpeg}}};
inline constexpr std::array kTypes = {PixelType::u8, PixelType::u16, PixelType::f32};

struct Size {
    int width = 1, height = 1;
};

// Tile and warp seams ± 1, a prime; and the heights at which strips and unrolled loops end.
inline constexpr std::array kWidths = {1,  2,   3,   31,  32,  33,  63,  64,
                                       65, 127, 128, 129, 255, 256, 257, 1021};
inline constexpr std::array kHeights = {1, 2, 3, 7, 8, 9, 31, 33, 64};

struct Image {
    Size size;
    int channels = 1;
    PixelType type = PixelType::u8;
    Borders border = {};
};

// Integers, whose u16 sums are exact too, or fractions of both signs.
Taps random_taps(Dice& dice, Size size, bool integers);

// Factors with Σ|f| of at most 15, so that the product of two keeps u16 sums exact.
std::vector<float> small_integers(Dice& dice, int count);

// Bells of about unit sum that are not symmetric, so that mirrored taps show.
Taps random_factored(Dice& dice, Size size);

ChannelConv one_set(Taps taps);

// `entries` entries of `sets` matrices each.
std::vector<ChannelConv> several_sets(Dice& dice, Size size, int sets, int entries);

// Moves the anchor of all matrices.
void move_anchor(ConvProblem& p, int x, int y);

// Draws the layouts, the largest value and the samples, and for integer types scales that bring
// large sums into range.
ConvCase make_case(Dice& dice, const Image& image, std::vector<ChannelConv> conv);

}  // namespace weft::test
