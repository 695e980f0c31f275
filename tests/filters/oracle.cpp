#include "tests/filters/oracle.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace weft::test {
namespace {

double correlate(Picture& in, const Taps& taps, int x, int y) {
    double sum = 0;
    for (int j = 0; j < taps.height; ++j)
        for (int i = 0; i < taps.width; ++i)
            sum += (taps.dense() ? static_cast<double>(taps.weights[j * taps.width + i])
                                 : static_cast<double>(taps.row[i]) * taps.column[j]) *
                   in.at(x + i - taps.anchor_x, y + j - taps.anchor_y);
    return sum;
}

double combined(Picture& in, const Convolution& convolution, int x, int y) {
    std::vector<double> sums;
    for (const Taps& taps : convolution.components.front().taps)
        sums.push_back(correlate(in, taps, x, y));
    switch (convolution.combine) {
        case Combine::single:
            return sums.at(0);
        case Combine::magnitude:
            return std::sqrt(std::inner_product(sums.begin(), sums.end(), sums.begin(), 0.0));
        case Combine::maximum:
            return *std::max_element(sums.begin(), sums.end());
    }
    return 0;
}

}  // namespace

double& Picture::at(int x, int y) {
    return pixels[((y % height + height) % height) * width + (x % width + width) % width];
}

Picture noise(int width, int height) {
    std::mt19937 random(11);
    Picture out{width, height, std::vector<double>(static_cast<std::size_t>(width * height))};
    for (double& p : out.pixels) p = static_cast<double>(random() % 256);
    return out;
}

Picture filtered(Picture in, const Convolution& convolution) {
    const ComponentTaps& finish = convolution.components.front();
    Picture out = in;
    for (int y = 0; y < in.height; ++y)
        for (int x = 0; x < in.width; ++x)
            out.at(x, y) = combined(in, convolution, x, y) * finish.scale + finish.bias;
    return out;
}

}  // namespace weft::test
