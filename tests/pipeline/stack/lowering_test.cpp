// The work that an operation becomes on each layout of planes, against hand-written tables.
#include "app/pipeline/stack/lowering.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace weft {
namespace {

using C = Component;

FrameInfo frame(std::vector<PlaneInfo> planes, int depth = 8) {
    FrameInfo info;
    info.width = planes.front().width;
    info.height = planes.front().height;
    info.depth_bits = depth;
    info.sample = depth > 8 ? SampleType::u16 : SampleType::u8;
    info.planes = std::move(planes);
    return info;
}

FrameInfo yuv420() {
    return frame({{9, 7, {C::y}}, {5, 4, {C::u}}, {5, 4, {C::v}}}, 10);
}
FrameInfo nv12() {
    return frame({{9, 7, {C::y}}, {5, 4, {C::u, C::v}}});
}
FrameInfo bgra() {
    return frame({{9, 7, {C::b, C::g, C::r, C::a}}});
}
FrameInfo gbrap() {
    return frame({{9, 7, {C::g}}, {9, 7, {C::b}}, {9, 7, {C::r}}, {9, 7, {C::a}}});
}

// A 3×3 matrix identified by its first weight.
ComponentTaps marked(float mark) {
    return {{dense_taps(3, 3, {mark, 0, 0, 0, 1, 0, 0, 0, 0})}, 1, 0};
}

Operation convolution(std::vector<Component> filtered, std::vector<ComponentTaps> taps) {
    return {Convolution{std::move(taps)}, {std::move(filtered)}, {}};
}

const ConvProblem& problem(const LoweredStep& step, std::size_t plane) {
    return std::get<ConvProblem>(step.planes.at(plane).compute);
}

float mark_of(const ConvProblem& p, int channel) {
    return p.channel(channel).taps.at(0).weights.at(0);
}

bool passes_through(const ChannelConv& channel) {
    const Taps& taps = channel.taps.at(0);
    float sum = 0;
    for (float w : taps.weights) sum += w < 0 ? -w : w;
    return channel.scale == 1 && channel.bias == 0 && sum == 1 &&
           taps.weights.at(static_cast<std::size_t>(taps.anchor_y) * taps.width + taps.anchor_x) ==
               1;
}

TEST(PipelineLowering, PlanarFrameTakesItsOwnSizesAndDepth) {
    const LoweredStep step = lower(convolution({C::y, C::u, C::v}, {marked(2)}), yuv420());
    ASSERT_EQ(step.planes.size(), 3U);
    EXPECT_FALSE(step.gray.has_value());
    EXPECT_EQ(problem(step, 0).width, 9);
    EXPECT_EQ(problem(step, 1).width, 5);
    EXPECT_EQ(problem(step, 2).height, 4);
    EXPECT_EQ(problem(step, 0).type, PixelType::u16);
    EXPECT_EQ(problem(step, 0).max_value, 1023);
    EXPECT_EQ(problem(step, 0).conv.size(), 1U);
}

ComponentTaps finished(Taps taps, float scale, float bias) {
    return {{std::move(taps)}, scale, bias};
}

// The exact identity is not computed; near identities are.
TEST(PipelineLowering, IdentityTapsLeaveTheirPlaneAlone) {
    const Taps one = dense_taps(3, 3, {0, 0, 0, 0, 1, 0, 0, -0.0F, 0});
    const Taps factors = separable_taps({0, 0, 1, 0, 0}, {1});
    FrameInfo f32 = frame({{9, 7, {C::y}}}, 32);
    f32.sample = SampleType::f32;
    struct {
        ComponentTaps taps;
        bool computed = false;
    } const cases[] = {
        {finished(one, 1, 0), false},
        {finished(factors, 1, 0), false},
        {finished(one, 0.5F, 0), true},
        {finished(one, 1, 1), true},
        {finished(dense_taps(3, 1, {1, 0, 0}), 1, 0), true},
        {finished(dense_taps(3, 1, {0, 1, 1e-9F}), 1, 0), true},
        {finished(dense_taps(1, 1, {2}), 1, 0), true},
        {finished(separable_taps({0, 1, 0}, {1, 0, 0}), 1, 0), true},
        {finished(separable_taps({0, 0, 1}, {0, 1, 0}), 1, 0), true},
    };
    for (const auto& c : cases) {
        const std::size_t number = &c - cases;
        EXPECT_EQ(lower(convolution({C::y}, {c.taps}), yuv420()).writes(0), c.computed) << number;
        EXPECT_TRUE(lower(convolution({C::y}, {c.taps}), f32).writes(0)) << number;
        EXPECT_EQ(lower(convolution({C::u}, {c.taps}), nv12()).writes(1), c.computed) << number;
    }
    EXPECT_TRUE(
        lower(convolution({C::u, C::v}, {marked(1), marked(2), finished(one, 1, 0)}), nv12())
            .writes(1));
    // Luma of RGB replaces r, g and b even with identity taps.
    Operation gray = convolution({C::r, C::g, C::b}, {finished(one, 1, 0)});
    gray.selection.rgb_luma = true;
    EXPECT_TRUE(lower(gray, bgra()).gray->work.computes());
}

TEST(PipelineLowering, UnfilteredPlanesAreNotTouched) {
    const LoweredStep step = lower(convolution({C::y}, {marked(2)}), yuv420());
    EXPECT_TRUE(step.writes(0));
    EXPECT_FALSE(step.writes(1));
    EXPECT_FALSE(step.writes(2));
}

TEST(PipelineLowering, NeutralChromaIsMidGray) {
    Operation operation = convolution({C::y}, {marked(2)});
    operation.selection.neutral_chroma = true;
    const LoweredStep planar = lower(operation, yuv420());
    for (std::size_t plane : {1U, 2U}) {
        EXPECT_FALSE(planar.planes[plane].computes());
        EXPECT_EQ(planar.planes[plane].fill_mask, 1U);
        EXPECT_EQ(planar.planes[plane].fill_value, 512);
    }
    const LoweredStep interleaved = lower(operation, nv12());
    EXPECT_EQ(interleaved.planes[1].fill_mask, 3U);
    EXPECT_EQ(interleaved.planes[1].fill_value, 128);
    EXPECT_EQ(lower(operation, frame({{4, 4, {C::y}}})).planes[0].fill_mask, 0U);
}

TEST(PipelineLowering, OneMatrixAComponentFollowsTheComponentsNotTheMemory) {
    const std::vector<ComponentTaps> four = {marked(1), marked(2), marked(3), marked(4)};
    const LoweredStep packed = lower(convolution({C::r, C::g, C::b, C::a}, four), bgra());
    const float packed_marks[] = {3, 2, 1, 4};  // b g r a in memory
    for (int c = 0; c < 4; ++c) EXPECT_EQ(mark_of(problem(packed, 0), c), packed_marks[c]);
    const LoweredStep planar = lower(convolution({C::r, C::g, C::b, C::a}, four), gbrap());
    const float planar_marks[] = {2, 3, 1, 4};
    for (std::size_t p = 0; p < 4; ++p) EXPECT_EQ(mark_of(problem(planar, p), 0), planar_marks[p]);
    const LoweredStep chroma = lower(convolution({C::y, C::u, C::v}, four), nv12());
    EXPECT_EQ(mark_of(problem(chroma, 1), 0), 2);
    EXPECT_EQ(mark_of(problem(chroma, 1), 1), 3);
}

TEST(PipelineLowering, UnfilteredChannelsCarryIdentityTaps) {
    const LoweredStep step = lower(convolution({C::r, C::b}, {marked(5)}), bgra());
    const ConvProblem& p = problem(step, 0);
    ASSERT_EQ(p.conv.size(), 4U);
    EXPECT_EQ(mark_of(p, 0), 5);
    EXPECT_TRUE(passes_through(p.channel(1)));
    EXPECT_EQ(mark_of(p, 2), 5);
    EXPECT_TRUE(passes_through(p.channel(3)));
    EXPECT_EQ(p.channel(1).taps[0].width, 3);
    EXPECT_NO_THROW(validate(p));
}

TEST(PipelineLowering, IdentityKeepsWideBlursSeparable) {
    const std::vector<float> wide(101, 0.01F);
    const ComponentTaps blur{{separable_taps(wide, wide)}, 1, 0};
    const LoweredStep step = lower(convolution({C::r, C::g, C::b}, {blur}), bgra());
    const ConvProblem& p = problem(step, 0);
    for (int c = 0; c < 4; ++c) {
        EXPECT_TRUE(p.channel(c).taps[0].separable());
        EXPECT_EQ(p.channel(c).taps[0].width, 101);
    }
    EXPECT_EQ(p.channel(3).taps[0].row[50], 1);
    EXPECT_NO_THROW(validate(p));
}

TEST(PipelineLowering, DifferentSizesShareOneExtent) {
    const ComponentTaps wide{{dense_taps(5, 1, {1, 2, 3, 4, 5})}, 1, 0};
    const ComponentTaps tall{{dense_taps(1, 3, {6, 7, 8})}, 1, 0};
    const LoweredStep step = lower(convolution({C::y, C::u, C::v}, {wide, wide, tall}), nv12());
    const ConvProblem& p = problem(step, 1);
    for (int c = 0; c < 2; ++c) {
        EXPECT_EQ(p.channel(c).taps[0].width, 5);
        EXPECT_EQ(p.channel(c).taps[0].height, 3);
        EXPECT_EQ(p.channel(c).taps[0].anchor_x, 2);
        EXPECT_EQ(p.channel(c).taps[0].anchor_y, 1);
    }
    EXPECT_EQ(p.channel(0).taps[0].weights[5], 1);  // the middle row
    EXPECT_EQ(p.channel(1).taps[0].weights[2], 6);  // the middle column
    EXPECT_NO_THROW(validate(p));
}

TEST(PipelineLowering, PassThroughOfCombinedSums) {
    const Taps x = dense_taps(3, 3, {-1, 0, 1, -2, 0, 2, -1, 0, 1});
    const Taps y = dense_taps(3, 3, {-1, -2, -1, 0, 0, 0, 1, 2, 1});
    Operation operation = convolution({C::r}, {{{x, y}, 1, 0}});
    std::get<Convolution>(operation.compute).combine = Combine::magnitude;
    const ConvProblem magnitude = problem(lower(operation, bgra()), 0);
    EXPECT_EQ(magnitude.channel(3).taps.size(), 2U);
    EXPECT_EQ(magnitude.channel(3).taps[0].weights[4], 1);  // sqrt(x² + 0²)
    EXPECT_EQ(magnitude.channel(3).taps[1].weights[4], 0);
    std::get<Convolution>(operation.compute).combine = Combine::maximum;
    const ConvProblem maximum = problem(lower(operation, bgra()), 0);
    EXPECT_EQ(maximum.channel(3).taps[0].weights[4], 1);  // max(x, x)
    EXPECT_EQ(maximum.channel(3).taps[1].weights[4], 1);
}

TEST(PipelineLowering, TooFewMatricesAreAnError) {
    EXPECT_THROW(lower(convolution({C::y, C::u, C::v}, {marked(1), marked(2)}), yuv420()),
                 std::invalid_argument);
    EXPECT_NO_THROW(lower(convolution({C::y, C::u}, {marked(1), marked(2)}), yuv420()));
}

TEST(PipelineLowering, LumaOfRgbGoesToColourAndLeavesAlpha) {
    Operation operation = convolution({C::r, C::g, C::b}, {marked(2)});
    operation.selection.rgb_luma = true;
    const LoweredStep packed = lower(operation, bgra());
    ASSERT_TRUE(packed.gray.has_value());
    EXPECT_EQ(packed.gray->r.channel, 2);
    EXPECT_EQ(packed.gray->b.channel, 0);
    EXPECT_EQ(packed.gray->spread_masks, std::vector<unsigned>{7U});
    EXPECT_EQ(std::get<ConvProblem>(packed.gray->work.compute).channels, 1);
    const LoweredStep planar = lower(operation, gbrap());
    EXPECT_EQ(planar.gray->r.plane, 2);
    EXPECT_EQ(planar.gray->spread_masks, (std::vector<unsigned>{1U, 1U, 1U, 0U}));
    EXPECT_FALSE(planar.writes(3));
    EXPECT_FALSE(lower(operation, yuv420()).gray.has_value());
}

TEST(PipelineLowering, SumsOverRgbReadTheirPlaneOrOneOfThree) {
    Operation operation = convolution({C::r, C::g, C::b}, {marked(2), marked(3), marked(4), {}});
    auto& conv = std::get<Convolution>(operation.compute);
    conv.sums_rgb = true;
    conv.components[0].bias = 7;
    const LoweredStep packed = lower(operation, bgra());
    ASSERT_TRUE(packed.gray.has_value());
    EXPECT_FALSE(packed.gray->luma.has_value());
    EXPECT_FALSE(packed.gray->planar());
    EXPECT_EQ(packed.gray->spread_masks, std::vector<unsigned>{7U});
    const auto& p = std::get<ConvProblem>(packed.gray->work.compute);
    EXPECT_TRUE(p.sums_channels);
    EXPECT_EQ(p.channels, 4);
    EXPECT_EQ(mark_of(p, 0), 4);
    EXPECT_EQ(mark_of(p, 1), 3);
    EXPECT_EQ(mark_of(p, 2), 2);
    EXPECT_EQ(absolute_sum(p.channel(3).taps.at(0)), 0);
    const LoweredStep planar = lower(operation, gbrap());
    EXPECT_TRUE(planar.gray->planar());
    EXPECT_EQ(planar.gray->spread_masks, (std::vector<unsigned>{1U, 1U, 1U, 0U}));
    const auto& q = std::get<ConvProblem>(planar.gray->work.compute);
    EXPECT_EQ(q.channels, 3);
    EXPECT_EQ(mark_of(q, 0), 2);
    EXPECT_EQ(mark_of(q, 2), 4);
    EXPECT_EQ(q.conv.front().bias, 7);
}

TEST(PipelineLowering, UntaggedLumaMatrixFollowsTheHeight) {
    Operation operation = convolution({C::r, C::g, C::b}, {marked(2)});
    operation.selection.rgb_luma = true;
    for (const auto& [height, matrix] :
         {std::pair(719, ColorMatrix::bt601), std::pair(720, ColorMatrix::bt709)}) {
        const FrameInfo info = frame({{1280, height, {C::r, C::g, C::b}}});
        EXPECT_EQ(lower(operation, info).gray->luma, matrix) << height;
    }
}

// GPU kernels store the border as a sample: 23.3 would be 23 there and 23.3 on the CPU.
TEST(PipelineLowering, BorderValueIsASample) {
    const auto border = [](const FrameInfo& info, float value) {
        Operation operation = convolution({C::y}, {marked(7)});
        std::get<Convolution>(operation.compute).border_value = value;
        return problem(lower(operation, info), 0).border_value;
    };
    EXPECT_EQ(border(nv12(), 23.3F), 23);
    EXPECT_EQ(border(nv12(), 300), 255);
    EXPECT_EQ(border(nv12(), -1), 0);
    EXPECT_EQ(border(yuv420(), 1020.4F), 1020);
    FrameInfo f32 = nv12();
    f32.sample = SampleType::f32;
    EXPECT_EQ(border(f32, 0.3F), 0.3F);
}

TEST(PipelineLowering, BlendKeepsOtherChannels) {
    Operation operation;
    operation.compute = TemporalBlend{{1, -1}, true, 1, 0, 0, true};
    operation.selection.filtered = {C::u};
    const LoweredStep step = lower(operation, nv12());
    EXPECT_FALSE(step.writes(0));
    const auto& blend = std::get<PlaneBlend>(step.planes[1].compute);
    EXPECT_EQ(blend.channel_mask, 1U);
    EXPECT_EQ(blend.black, (std::vector<float>{128, 128}));
}

}  // namespace
}  // namespace weft
