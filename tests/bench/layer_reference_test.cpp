// The benchmark rejects wrong results of layers, too.
#include "tests/bench/layer_reference.h"

#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace weft::bench {
namespace {

LayerProblem layer() {
    LayerProblem p;
    p.batch = 2;
    p.in_channels = 6;
    p.out_channels = 4;
    p.groups = 2;
    p.height = 9;
    p.width = 7;
    p.taps = {.y = 3, .x = 3};
    p.padding = {.y = 1, .x = 1};
    std::mt19937 random(2);
    p.weights.resize(static_cast<std::size_t>(p.out_channels) * p.sum_length());
    for (float& w : p.weights) w = static_cast<float>(random() % 2001) / 1000.0F - 1.0F;
    return p;
}

std::vector<float> input_of(const LayerProblem& p) {
    std::mt19937 random(4);
    std::vector<float> input(static_cast<std::size_t>(p.inputs()));
    for (float& v : input) v = static_cast<float>(random() % 2001) / 1000.0F - 1.0F;
    return input;
}

// Written out: nchw, stride and dilation 1.
double output_at(const LayerProblem& p, const std::vector<float>& input, std::size_t index) {
    const int x = static_cast<int>(index) % p.width;
    const int y = static_cast<int>(index) / p.width % p.height;
    const int m = static_cast<int>(index) / (p.width * p.height) % p.out_channels;
    const int n = static_cast<int>(index) / (p.width * p.height * p.out_channels);
    double sum = 0;
    for (int c = 0; c < 3; ++c) {
        const int channel = m / 2 * 3 + c;
        for (int j = -1; j <= 1; ++j) {
            for (int i = -1; i <= 1; ++i) {
                if (y + j < 0 || y + j >= p.height || x + i < 0 || x + i >= p.width) continue;
                const int at = ((n * p.in_channels + channel) * p.height + y + j) * p.width + x + i;
                sum += static_cast<double>(input[static_cast<std::size_t>(at)]) *
                       p.weights[static_cast<std::size_t>(((m * 3 + c) * 3 + j + 1) * 3 + i + 1)];
            }
        }
    }
    return sum;
}

class KernelsBenchLayerReference : public testing::Test {
 protected:
    std::vector<double> right() const {
        std::vector<double> out;
        for (const std::size_t at : reference_.places())
            out.push_back(output_at(layer_, input_, at));
        return out;
    }

    LayerProblem layer_ = layer();
    std::vector<float> input_ = input_of(layer_);
    LayerReference reference_{layer_, input_};
};

TEST_F(KernelsBenchLayerReference, TakesWhatIsRight) {
    EXPECT_EQ(reference_.why_wrong({}, right()), "");
}

TEST_F(KernelsBenchLayerReference, RefusesOneBadElementAndNaN) {
    for (const double bad : {0.01, std::numeric_limits<double>::quiet_NaN()}) {
        std::vector<double> got = right();
        got.back() += bad;
        EXPECT_NE(reference_.why_wrong({}, got), "");
    }
}

TEST_F(KernelsBenchLayerReference, AWiderBoundTakesRoundedProductsAndNoMore) {
    std::vector<double> got = right();
    got.front() += 1e-3;
    EXPECT_NE(reference_.why_wrong({}, got), "");
    EXPECT_EQ(reference_.why_wrong({.relative = 2e-3}, got), "");
    got.front() += 1;
    EXPECT_NE(reference_.why_wrong({.relative = 2e-3}, got), "");
}

}  // namespace
}  // namespace weft::bench
