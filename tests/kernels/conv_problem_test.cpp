// Every refusal of validate(), by its exact sentence, and the texts used in reasons.
#include "kernels/conv_problem.h"

#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

namespace weft {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

ConvProblem good() {
    ConvProblem p;
    p.width = 640;
    p.height = 480;
    p.conv = {{.taps = {dense_taps(3, 3, std::vector<float>(9, 1.0F))}}};
    return p;
}

Taps& taps_of(ConvProblem& p) {
    return p.conv.front().taps.front();
}

struct Refusal {
    std::function<void(ConvProblem&)> breaks;
    std::string sentence;
};

std::vector<Refusal> image_refusals() {
    return {
        {[](ConvProblem& p) { p.width = 0; },
         "an image of 0×480 cannot be filtered: a side must be 1 to 16777216 pixels"},
        {[](ConvProblem& p) { p.height = 16777217; },
         "an image of 640×16777217 cannot be filtered: a side must be 1 to 16777216 pixels"},
        {[](ConvProblem& p) { p.channels = 5; }, "5 interleaved channels: there must be 1 to 4"},
        {[](ConvProblem& p) { p.channels = 0; }, "0 interleaved channels: there must be 1 to 4"},
        {[](ConvProblem& p) { p.max_value = 256; },
         "max_value 256 of u8 pixels: it must be an integer from 1 to 255"},
        {[](ConvProblem& p) {
             p.type = PixelType::u16;
             p.max_value = 1023.5F;
         },
         "max_value 1023.5 of u16 pixels: it must be an integer from 1 to 65535"},
        {[](ConvProblem& p) { p.max_value = NAN; },
         "max_value nan of u8 pixels: it must be an integer from 1 to 255"},
        {[](ConvProblem& p) { p.border_value = 23.5F; },
         "the border value is 23.5: integer samples take a whole number from 0 to 255"},
        {[](ConvProblem& p) { p.border_value = -1; },
         "the border value is -1: integer samples take a whole number from 0 to 255"},
        {[](ConvProblem& p) { p.border_value = 256; },
         "the border value is 256: integer samples take a whole number from 0 to 255"},
        {[](ConvProblem& p) { p.border_value = kInfinity; },
         "the border value is inf: it must be finite"},
    };
}

std::vector<Refusal> set_refusals() {
    return {
        {[](ConvProblem& p) { p.conv.clear(); },
         "0 tap entries for 1 channels: give one for all or one for each"},
        {[](ConvProblem& p) {
             p.channels = 3;
             p.conv.push_back(p.conv.front());
         },
         "2 tap entries for 3 channels: give one for all or one for each"},
        {[](ConvProblem& p) { p.conv.front().taps.clear(); },
         "combine single takes 1 tap set, not 0"},
        {[](ConvProblem& p) { p.combine = Combine::magnitude; },
         "combine magnitude takes 2 to 16 tap sets, not 1"},
        {[](ConvProblem& p) { p.combine = Combine::maximum; },
         "combine maximum takes 2 to 16 tap sets, not 1"},
        {[](ConvProblem& p) {
             p.combine = Combine::maximum;
             p.conv.front().taps.assign(17, taps_of(p));
         },
         "combine maximum takes 2 to 16 tap sets, not 17"},
        {[](ConvProblem& p) {
             p.combine = Combine::magnitude;
             p.conv.front().taps.push_back(dense_taps(3, 1, {1, 2, 3}));
         },
         "tap sets of one problem must share size and anchor: 3×3 (1, 1) and 3×1 (1, 0)"},
        {[](ConvProblem& p) { p.conv.front().scale = NAN; },
         "scale nan and bias 0: both must be finite"},
        {[](ConvProblem& p) { p.conv.front().bias = -kInfinity; },
         "scale 1 and bias -inf: both must be finite"},
    };
}

std::vector<Refusal> tap_refusals() {
    return {
        {[](ConvProblem& p) { taps_of(p).weights.clear(); }, "3×3 taps have no weights"},
        {[](ConvProblem& p) { taps_of(p).weights.pop_back(); }, "3×3 taps need 9 weights, not 8"},
        {[](ConvProblem& p) { taps_of(p).width = 64; }, "64×3 dense taps: a side must be 1 to 63"},
        {[](ConvProblem& p) {
             taps_of(p).weights.clear();
             taps_of(p).row.assign(10242, 1.0F);
             taps_of(p).width = 10242;
         },
         "10242×3 factored taps: a side must be 1 to 10241"},
        {[](ConvProblem& p) { taps_of(p).gaussian_x = 2; },
         "the standard deviation of 3×3 taps is 2: it must be finite and not negative, and 0 "
         "without factors"},
        {[](ConvProblem& p) {
             taps_of(p) = separable_taps({1, 1, 1}, {1});
             taps_of(p).gaussian_y = NAN;
         },
         "the standard deviation of 3×1 taps is nan: it must be finite and not negative, and 0 "
         "without factors"},
        {[](ConvProblem& p) {
             taps_of(p) = separable_taps({1, 1, 1}, {1});
             taps_of(p).gaussian_x = -1;
         },
         "the standard deviation of 3×1 taps is -1: it must be finite and not negative, and 0 "
         "without factors"},
        {[](ConvProblem& p) { taps_of(p).row.assign(3, 1.0F); },
         "3×3 taps have 3 row and 0 column factors"},
        {[](ConvProblem& p) { taps_of(p).anchor_x = 3; },
         "the anchor (3, 1) lies outside 3×3 taps"},
        {[](ConvProblem& p) { taps_of(p).anchor_y = -1; },
         "the anchor (1, -1) lies outside 3×3 taps"},
        {[](ConvProblem& p) { taps_of(p).weights[4] = NAN; }, "a weight is nan: it must be finite"},
        {[](ConvProblem& p) {
             taps_of(p).row = {1, kInfinity, 1};
             taps_of(p).column = {1, 1, 1};
         },
         "a row factor is inf: it must be finite"},
    };
}

std::string sentence_of(const ConvProblem& p) {
    try {
        validate(p);
    } catch (const std::invalid_argument& e) {
        return e.what();
    }
    return "accepted";
}

}  // namespace

TEST(KernelsProblem, RefusesWithASentence) {
    EXPECT_EQ(sentence_of(good()), "accepted");
    for (const auto& table : {image_refusals(), set_refusals(), tap_refusals()}) {
        for (const Refusal& refusal : table) {
            ConvProblem p = good();
            refusal.breaks(p);
            EXPECT_EQ(sentence_of(p), refusal.sentence);
        }
    }
}

TEST(KernelsProblem, DescribesItself) {
    ConvProblem p = good();
    EXPECT_EQ(describe(p), "640×480 u8, 3×3 taps, reflect101");
    p.channels = 3;
    p.conv.assign(3, p.conv.front());
    p.type = PixelType::u16;
    p.border = Border::constant;
    for (ChannelConv& conv : p.conv) conv.taps.push_back(conv.taps.front());
    p.combine = Combine::magnitude;
    EXPECT_EQ(describe(p),
              "640×480 u16, 3 channels, 3×3 taps (magnitude of 2) for each channel, constant");
}

TEST(KernelsProblem, KeepsIntegerTapsOutOfFractionalFactors) {
    Taps taps = separable_taps({1, 2, 1}, {1, 2, 1});
    EXPECT_TRUE(factors_keep_exactness(taps));
    taps.row = {0.5F, 1, 0.5F};
    taps.column = {2, 4, 2};
    EXPECT_FALSE(factors_keep_exactness(taps));  // integers as a product, not as factors
    taps.weights[0] = 1.5F;
    EXPECT_TRUE(factors_keep_exactness(taps));
    EXPECT_FALSE(factors_keep_exactness(dense_taps(1, 1, {1})));
}

TEST(KernelsProblem, KnowsWhereSumsAreExact) {
    ConvProblem p;
    p.width = p.height = 8;
    const auto exact = [&](Taps taps) {
        p.conv = {{.taps = {std::move(taps)}, .scale = 0.1F, .bias = 0.5F}};
        return sums_are_exact(p);
    };
    EXPECT_TRUE(exact(dense_taps(2, 1, {-7, 3})));
    EXPECT_FALSE(exact(dense_taps(2, 1, {-7, 3.5F})));
    EXPECT_TRUE(exact(dense_taps(1, 1, {65793})));  // times 255 is 2^24 - 1
    EXPECT_FALSE(exact(dense_taps(1, 1, {65794})));
    EXPECT_TRUE(exact(separable_taps(std::vector<float>(101, 1.0F), {1})));
    EXPECT_FALSE(exact(separable_taps(std::vector<float>(101, 0.5F), {2})));
    p.border_value = 300;
    EXPECT_FALSE(exact(dense_taps(1, 1, {65793})));
    p.border_value = 0;
    p.type = PixelType::f32;
    EXPECT_FALSE(exact(dense_taps(1, 1, {1})));
}

}  // namespace weft
