// All decisions of fft on the host: how an image is cut into tiles, and the taps' spectrum.
// No CUDA; internal to kernels/.
#pragma once

#include <complex>
#include <memory>
#include <string>
#include <vector>

#include "kernels/common/conv_layout.h"
#include "kernels/conv_kernel.h"

namespace weft {

struct FftArgs {
    ConvImages images;
    float* samples = nullptr;         // device: those of one round, see TileTransform
    const float* spectrum = nullptr;  // device: [plane][row][complex], conjugate and normalised
    int channels = 1;
    int planes = 1;  // tap planes: 1 for all channels, or one per channel
    int width = 2;   // samples of a tile, even
    int height = 1;
    int out_width = 1;  // the first so many of them are results
    int out_height = 1;
    int tiles_x = 1;
    int tiles = 1;        // tiles_x · tiles_y · channels, the channels of a place in turn
    int first_tile = 0;   // first of the round
    float centre = 0.0F;  // subtracted from samples, so that they are small
    float centre_sum[4] = {0, 0, 0, 0};  // per channel: the centre's share of a sum
};

struct FftLayout {
    FftArgs args;
    BorderTables borders;
    std::vector<std::complex<float>> spectrum;
    int tiles_a_round = 1;
};

// Empty if the kernel keeps the contract: no whole numbers, whose sums must be exact, and a bound
// of Arithmetic::fourier below half a step of the output. Otherwise the reason.
std::string why_not_fft(const ConvProblem& problem);

FftLayout lay_out_fft(const ConvProblem& problem);

// As computed: five real operations for each sample and bit of a transform's length, in both
// directions, and a product.
double fft_flops(const ConvProblem& problem);

// Defined in fft.cu, in builds with CUDA only.
std::unique_ptr<PreparedConv> prepare_fft(const ConvProblem& problem, const Device& device);

}  // namespace weft
