// Every refusal of a layer by its exact sentence, sizes, costs and texts; and the layer oracle on
// numbers that were worked out by hand.
#include "kernels/layer_problem.h"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "tests/support/layer_oracle.h"

namespace weft {

namespace {

LayerProblem good() {
    LayerProblem p;
    p.batch = 2;
    p.in_channels = 4;
    p.out_channels = 6;
    p.groups = 2;
    p.height = 9;
    p.width = 11;
    p.taps = {3, 5};
    p.padding = {1, 2};
    p.weights.assign(6 * 2 * 15, 0.5F);
    return p;
}

struct Refusal {
    std::function<void(LayerProblem&)> breaks;
    std::string sentence;
};

std::vector<Refusal> refusals() {
    return {
        {[](LayerProblem& p) { p.batch = 0; }, "a batch of 0: it must be at least 1"},
        {[](LayerProblem& p) { p.in_channels = 0; },
         "0 input and 6 output channels: there must be at least 1 of each"},
        {[](LayerProblem& p) { p.groups = 4; },
         "4 groups do not divide 4 input and 6 output channels"},
        {[](LayerProblem& p) { p.groups = 0; },
         "0 groups do not divide 4 input and 6 output channels"},
        {[](LayerProblem& p) { p.width = 0; }, "a plane of 9×0: both must be at least 1"},
        {[](LayerProblem& p) {
             p.taps = {64, 3};
         },
         "64×3 taps: a side must be 1 to 63"},
        {[](LayerProblem& p) { p.stride.x = 0; }, "a stride of 1×0: both must be at least 1"},
        {[](LayerProblem& p) { p.padding.y = -1; }, "a padding of -1×2: both must be at least 0"},
        {[](LayerProblem& p) { p.dilation.y = 0; }, "a dilation of 0×1: both must be at least 1"},
        {[](LayerProblem& p) { p.padding.x = 16777217; },
         "a length of 16777217: planes, strides, paddings and dilations go up to 16777216"},
        {[](LayerProblem& p) { p.dilation.x = 4; },
         "3×5 taps do not fit into a plane of 9×11 with its padding"},
        {[](LayerProblem& p) { p.height = p.width = 20000; },
         "a tensor of 4800000000 elements: there may be 2147483647"},
        {[](LayerProblem& p) { p.weights.pop_back(); }, "the layer needs 180 weights, not 179"},
        {[](LayerProblem& p) { p.weights[3] = NAN; }, "a weight is nan: it must be a finite f32"},
        {[](LayerProblem& p) {
             p.type = LayerType::f16;
             p.weights[3] = 65536.0F;
         },
         "a weight is 65536: it must be a finite f16"},
    };
}

std::string sentence_of(const LayerProblem& p) {
    try {
        validate(p);
    } catch (const std::invalid_argument& e) {
        return e.what();
    }
    return "accepted";
}

}  // namespace

TEST(KernelsLayerProblem, RefusesWithASentence) {
    EXPECT_EQ(sentence_of(good()), "accepted");
    for (const Refusal& refusal : refusals()) {
        LayerProblem p = good();
        refusal.breaks(p);
        EXPECT_EQ(sentence_of(p), refusal.sentence);
    }
}

TEST(KernelsLayerProblem, CountsOutputsAndCosts) {
    LayerProblem p = good();
    EXPECT_EQ(p.out_height(), 9);
    EXPECT_EQ(p.out_width(), 11);
    EXPECT_EQ(p.sum_length(), 30);
    EXPECT_EQ(layer_cost(p).bytes, 4.0 * (2 * 4 * 99 + 2 * 6 * 99 + 180));
    EXPECT_EQ(layer_cost(p).flops, 2.0 * 2 * 6 * 99 * 30);
    p.stride = {2, 3};
    p.type = LayerType::f16;
    EXPECT_EQ(p.out_height(), 5);
    EXPECT_EQ(p.out_width(), 4);
    p.dilation = {4, 1};
    EXPECT_EQ(p.out_height(), 2);
    EXPECT_EQ(layer_cost(p).bytes, 2.0 * (2 * 4 * 99 + 2 * 6 * 8 + 180));
}

TEST(KernelsLayerProblem, DescribesItself) {
    LayerProblem p = good();
    EXPECT_EQ(describe(p),
              "2×4×9×11 nchw f32, 6 outputs, 2 groups, 3×5 taps, stride 1, padding 1×2");
    p.layout = LayerLayout::nhwc;
    p.type = LayerType::f16;
    p.groups = 1;
    p.dilation = {2, 2};
    EXPECT_EQ(describe(p),
              "2×4×9×11 nhwc f16, 6 outputs, 3×5 taps, stride 1, padding 1×2, dilation 2");
}

TEST(KernelsLayerProblem, RoundsTheWeightsOfHalfLayers) {
    LayerProblem p = good();
    p.weights[1] = 0.1F;
    p.weights[2] = 0.0F;
    EXPECT_EQ(used_weights(p)[1], 0.1F);
    p.type = LayerType::f16;
    EXPECT_EQ(used_weights(p)[1], 0.0999755859375F);
    EXPECT_DOUBLE_EQ(sparsity(p), 1.0 / 180);
}

// Two channels, one output; every number can be checked by hand.
TEST(KernelsLayerOracle, IsCrossCorrelationWithZerosAround) {
    const std::vector<float> input = {1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60};
    const std::vector<float> weights = {1, 10, 100, 1000};  // two channels of 1×2 taps
    oracle::Layer layer{.in_channels = 2,
                        .height = 2,
                        .width = 3,
                        .taps_x = 2,
                        .padding_x = 1,
                        .input = input,
                        .weights = weights};
    ASSERT_EQ(layer.outputs(), 8U);
    const double want[] = {10010, 21021, 32032, 3003, 40040, 54054, 65065, 6006};
    for (std::size_t k = 0; k < 8; ++k)
        EXPECT_EQ(oracle::layer_output(layer, k).want, want[k]) << k;
    layer.stride_x = 3;
    EXPECT_EQ(layer.outputs(), 4U);
    EXPECT_EQ(oracle::layer_output(layer, 1).want, want[3]);
}

TEST(KernelsLayerOracle, RoundsToHalves) {
    EXPECT_EQ(oracle::round_to_half(0.1), 0.0999755859375);
    EXPECT_EQ(oracle::round_to_half(2049.0), 2048.0);
    EXPECT_EQ(oracle::round_to_half(2051.0), 2052.0);
    EXPECT_EQ(oracle::round_to_half(-65519.0), -65504.0);
    EXPECT_EQ(oracle::round_to_half(65520.0), HUGE_VAL);
    EXPECT_EQ(oracle::round_to_half(0x1p-25), 0.0);
    EXPECT_EQ(oracle::round_to_half(0x1.8p-25), 0x1p-24);
}

}  // namespace weft
