// The benchmark's check accepts results within the bound and rejects all others.
#include "tests/bench/image_reference.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "kernels/device/image_buffer.h"
#include "tests/support/oracle.h"

namespace weft::bench {
namespace {

constexpr int kWidth = 97, kHeight = 61;

ConvProblem problem(PixelType type) {
    std::mt19937 random(5);
    std::vector<float> w(15);
    for (float& v : w) v = static_cast<float>(random() % 1000) / 5000.0F - 0.05F;
    ConvProblem p;
    p.width = kWidth;
    p.height = kHeight;
    p.channels = 2;
    p.type = type;
    p.conv = {{.taps = {dense_taps(5, 3, w)}, .scale = 0.75F, .bias = 0.0F}};
    return p;
}

class KernelsBenchImageReference : public testing::TestWithParam<PixelType> {
 protected:
    KernelsBenchImageReference() : src_(kWidth, kHeight, 2, GetParam(), Allocation::host) {
        std::mt19937 random(9);
        for (int y = 0; y < kHeight; ++y) {
            for (int x = 0; x < kWidth * 2; ++x) {
                if (GetParam() == PixelType::f32) {
                    reinterpret_cast<float*>(src_.view().row(y))[x] =
                        static_cast<float>(random() % 1000) / 1000.0F;
                } else {
                    src_.view().row(y)[x] = static_cast<std::byte>(random());
                }
            }
        }
    }

    // The oracle's results for the problem at the reference's places.
    std::vector<double> right(const ConvProblem& p, const ImageReference& reference) const {
        oracle::Problem o;
        o.image = {.width = kWidth, .height = kHeight, .channels = 2, .samples = {}};
        const std::size_t size = bytes_per_sample(p.type);
        for (int y = 0; y < kHeight; ++y)
            for (std::size_t k = 0; k < kWidth * 2; ++k)
                o.image.samples.push_back(sample_value(src_.view().row(y) + k * size, p.type));
        const Taps& t = p.taps();
        oracle::Matrix matrix{
            .width = t.width, .height = t.height, .anchor_x = t.anchor_x, .anchor_y = t.anchor_y};
        matrix.weights.assign(t.weights.begin(), t.weights.end());
        o.channels = {{.matrices = {matrix}, .scale = p.conv.front().scale, .bias = 0}};
        o.rounded = p.type != PixelType::f32;
        const oracle::Answer answer = oracle::convolve(o);
        std::vector<double> out;
        for (const Place& at : reference.places())
            out.push_back(answer.want.samples[answer.want.index(at.x, at.y, at.channel)]);
        return out;
    }

    ImageBuffer src_;
};

TEST_P(KernelsBenchImageReference, TakesWhatIsRight) {
    const ConvProblem p = problem(GetParam());
    const ImageReference reference(p, src_.view());
    EXPECT_EQ(reference.why_wrong({}, right(p, reference)), "");
}

TEST_P(KernelsBenchImageReference, RefusesOtherTaps) {
    const ConvProblem p = problem(GetParam());
    const ImageReference reference(p, src_.view());
    ConvProblem flipped = p;
    std::ranges::reverse(flipped.conv.front().taps.front().weights);
    ConvProblem shifted = p;
    shifted.conv.front().taps.front().anchor_x = 1;
    for (const ConvProblem& other : {flipped, shifted})
        EXPECT_NE(reference.why_wrong({}, right(other, reference)), "");
}

TEST_P(KernelsBenchImageReference, RefusesOneBadSampleAndNaN) {
    const ConvProblem p = problem(GetParam());
    const ImageReference reference(p, src_.view());
    for (const double bad : {300.0, std::numeric_limits<double>::quiet_NaN()}) {
        std::vector<double> got = right(p, reference);
        got.back() = bad;
        EXPECT_NE(reference.why_wrong({}, got), "");
        EXPECT_NE(reference.why_wrong({.steps = 2}, got), "");
    }
}

TEST_P(KernelsBenchImageReference, AMarginLeavesTheEdgeOutAndNothingElse) {
    const ConvProblem p = problem(GetParam());
    const ImageReference reference(p, src_.view());
    const std::vector<double> good = right(p, reference);
    const auto spoiled = [&](const std::function<bool(const Place&)>& where) {
        std::vector<double> got = good;
        for (std::size_t k = 0; k < got.size(); ++k)
            if (where(reference.places()[k])) got[k] += 100;
        return reference.why_wrong({.margin = 2}, got);
    };
    EXPECT_EQ(spoiled([](const Place& at) { return at.x < 2 || at.y >= kHeight - 2; }), "");
    EXPECT_NE(spoiled([](const Place& at) { return at.x == 2 && at.y == 2; }), "");
}

INSTANTIATE_TEST_SUITE_P(Types, KernelsBenchImageReference,
                         testing::Values(PixelType::u8, PixelType::f32));

}  // namespace
}  // namespace weft::bench
