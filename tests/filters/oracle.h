// Correlation in double, written from its definition and sharing no code with the product.
#pragma once

#include <vector>

#include "filters/operation.h"

namespace weft::test {

struct Picture {
    int width = 0;
    int height = 0;
    std::vector<double> pixels;

    double& at(int x, int y);  // wraps around
};

// Returns the same 8-bit noise for the same size.
Picture noise(int width, int height);

// The first component's taps over a wrapped picture, combined, scaled and biased; not rounded.
Picture filtered(Picture in, const Convolution& convolution);

}  // namespace weft::test
