// How far stacks may amplify a difference of one level, against every pattern of differences.
#include "app/pipeline/stack/allowed_difference.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "filters/stack.h"

namespace weft {
namespace {

FrameInfo gray_info(SampleType sample, int depth) {
    FrameInfo info;
    info.width = 64;
    info.height = 48;
    info.sample = sample;
    info.depth_bits = depth;
    info.planes = {{64, 48, {Component::y}}};
    return info;
}

std::vector<double> differences(const char* stack, const FrameInfo& info) {
    return stack_differences(plan_stack(parse_stack(stack), info, cpu_device()));
}

// The largest result over all 512 patterns of +1 and -1 under 3×3 taps.
double largest_by_hand(const ConvProblem& p) {
    double largest = 0;
    for (unsigned pattern = 0; pattern < 512; ++pattern) {
        double squares = 0;
        for (const Taps& t : p.conv.front().taps) {
            double sum = 0;
            for (unsigned k = 0; k < 9; ++k)
                sum += (pattern >> k & 1U) != 0 ? t.weights[k] : -t.weights[k];
            squares += sum * sum;
        }
        largest = std::max(largest, std::sqrt(squares));
    }
    return largest;
}

}  // namespace

TEST(PipelineStackDifferences, AddUpStepByStep) {
    struct Row {
        const char* stack;
        std::vector<double> want;
    };
    const FrameInfo info = gray_info(SampleType::u8, 8);
    for (const Row& row : {
             Row{"sobel", {0}},
             Row{"gaussian=sigma=2", {1}},
             Row{"sobel,convolve=matrix='1 2 1; 2 4 2; 1 2 1'", {0, 0}},
             // Σ|w| is 9, and whole numbers stay whole.
             Row{"gaussian=sigma=2,convolve=matrix='0 -1 0; -1 5 -1; 0 -1 0'", {1, 9}},
             // Σ|w cos θ + v sin θ| is 8.485 at 45 degrees.
             Row{"gaussian=sigma=2,sobel", {1, 9}},
             Row{"gaussian=sigma=2,gaussian=sigma=2", {1, 2}},
             Row{"gaussian=sigma=2,convolve=matrix='400'", {1, 255}},
         })
        EXPECT_EQ(differences(row.stack, info), row.want) << row.stack;
}

TEST(PipelineStackDifferences, AreSmallForFloats) {
    const std::vector<double> d =
        differences("gaussian=sigma=2,sobel", gray_info(SampleType::f32, 32));
    EXPECT_GT(d[0], 0);
    EXPECT_LT(d[1], 1e-3);
    EXPECT_GT(d[1], 8 * d[0]);
}

TEST(PipelineStackDifferences, AreDescribedInWords) {
    const auto text = [](const char* stack) {
        return difference_text(
            plan_stack(parse_stack(stack), gray_info(SampleType::u8, 8), cpu_device()));
    };
    EXPECT_EQ(text("sobel"), "bit for bit on every device");
    EXPECT_EQ(text("gaussian=sigma=2"), "devices differ by at most 1 level");
    EXPECT_EQ(text("gaussian=sigma=2,sobel"), "devices differ by at most 9 levels");
}

TEST(PipelineStackDifferences, GainHoldsForEveryPattern) {
    std::mt19937 random(5);
    std::normal_distribution<float> weight;
    for (int round = 0; round < 200; ++round) {
        ConvProblem p;
        p.combine = Combine::magnitude;
        p.conv.resize(1);
        for (int set = 0; set < 2 + round % 2; ++set) {
            std::vector<float> weights(9);
            for (float& w : weights) w = weight(random);
            p.conv.front().taps.push_back(dense_taps(3, 3, weights));
        }
        const double by_hand = largest_by_hand(p);
        EXPECT_GE(gain(p) * (1 + 1e-12), by_hand);
        // The bound is tight for two sets.
        if (round % 2 == 0) {
            EXPECT_LE(gain(p), by_hand * 1.001);
        }
    }
}

}  // namespace weft
