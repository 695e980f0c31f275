// The tables of conv_tables.h one by one, by what varies: images, taps, factors, channels.
#pragma once

#include <vector>

#include "tests/kernels/cases/conv_case.h"

namespace weft::test {

std::vector<ConvCase> seams();
std::vector<ConvCase> tap_sizes();
std::vector<ConvCase> per_channel();
std::vector<ConvCase> colour_matrices();
std::vector<ConvCase> combined();
std::vector<ConvCase> summed_channels();
std::vector<ConvCase> sobel();
std::vector<ConvCase> finishes();
std::vector<ConvCase> factored();
std::vector<ConvCase> factored_seams();
std::vector<ConvCase> boxes();
std::vector<ConvCase> box_seams();
std::vector<ConvCase> factored_rectangles();
std::vector<ConvCase> scaled_factors();
std::vector<ConvCase> symmetric_factors();
std::vector<ConvCase> large_gaussians();
std::vector<ConvCase> tiny_images();
std::vector<ConvCase> layouts();
std::vector<ConvCase> fp32_squares();
std::vector<ConvCase> long_sides();
std::vector<ConvCase> largest_sizes();
std::vector<ConvCase> largest_exact_sums();
std::vector<ConvCase> sparse_taps();
std::vector<ConvCase> structured_pictures();
std::vector<ConvCase> coarse_sums();

}  // namespace weft::test
