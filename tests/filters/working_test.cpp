// The parameters of linear light, weighted alpha and dithering: the filters that take them, their
// text, and their meaning for a frame.
#include "filters/light/working.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "filters/ffmpeg_text.h"
#include "filters/stack.h"
#include "tests/filters/frames.h"

namespace weft::test {
namespace {

using testing::Contains;
using testing::HasSubstr;

struct Asked {
    Working working;
    std::vector<std::string> notes;
};

Asked asked(const std::string& step, const FrameInfo& info) {
    const Stack stack = parse_stack(step);
    Asked asked;
    asked.working = working_of(stack[0].params, info, asked.notes);
    return asked;
}

}  // namespace

// One tap set for all components, no negative weight, a sum of 1 and no bias, whatever the frame.
TEST(FiltersWorking, FiltersThatSmoothAreWeightedMeans) {
    int found = 0;
    for (const auto list : {filters(), ffmpeg_filters()})
        for (const FilterDef& filter : list) {
            EXPECT_EQ(find_param(filter, "light") != nullptr, filter.smooths) << filter.name;
            EXPECT_NE(find_param(filter, "dither"), nullptr) << filter.name;
            if (!filter.smooths) continue;
            ++found;
            for (const char* const format : {"yuv420p", "rgba", "gbrapf32"}) {
                const Operation made = filter.make(Params(filter), frame(format));
                const auto& conv = std::get<Convolution>(made.compute);
                ASSERT_EQ(conv.components.size(), 1U) << filter.name;
                const ComponentTaps& taps = conv.components[0];
                EXPECT_EQ(conv.combine, Combine::single);
                EXPECT_FALSE(conv.sums_rgb);
                EXPECT_EQ(taps.bias, 0);
                EXPECT_NEAR(sum(taps.taps[0]) * taps.scale, 1, 1e-6) << filter.name;
                for (const auto* weights :
                     {&taps.taps[0].weights, &taps.taps[0].row, &taps.taps[0].column})
                    for (const float w : *weights) EXPECT_GE(w, 0) << filter.name;
            }
        }
    EXPECT_GE(found, 4);
}

TEST(FiltersWorking, OthersRefuseThem) {
    for (const char* const text :
         {"sobel=light=linear", "unsharp=alpha=weighted", "box=light=dark", "gaussian=dither=1"})
        EXPECT_THROW(parse_stack(text), FilterError) << text;
}

TEST(FiltersWorking, ATextSurvivesPrinting) {
    const std::string text =
        "gaussian=sigma=3:light=linear:alpha=weighted:region=3x4+5+6:dither=ordered";
    EXPECT_EQ(print_stack(parse_stack(text)), text);
    EXPECT_EQ(parse_stack(print_resolved(parse_stack(text))), parse_stack(text));
    EXPECT_EQ(print_stack(parse_stack("box=2:light=off:dither=off")), "box");
    // Stacks without them are written as before there were any.
    for (const char* const name : {"light", "alpha=", "dither"})
        EXPECT_THAT(print_resolved(parse_stack("gaussian=3")), testing::Not(HasSubstr(name)));
}

TEST(FiltersWorking, FfmpegHasNoEquivalent) {
    for (const char* const text :
         {"gaussian=light=linear", "box=alpha=weighted", "sobel=dither=ordered"})
        EXPECT_FALSE(ffmpeg_text(parse_stack(text)[0]).exists()) << text;
    EXPECT_TRUE(ffmpeg_text(parse_stack("box=light=off:dither=off")[0]).exists());
}

TEST(FiltersWorking, FollowsTheFrame) {
    FrameInfo rgb = frame("rgb24");
    EXPECT_FALSE(asked("gaussian", rgb).working.any());
    EXPECT_THAT(asked("box=light=linear", rgb).notes, Contains(HasSubstr("sRGB, as players")));
    EXPECT_THAT(asked("box=light=linear", frame("yuv420p")).notes,
                Contains(HasSubstr("BT.709, as players")));
    rgb.transfer = TransferFunction::pq;
    const Asked pq = asked("box=light=linear", rgb);
    EXPECT_TRUE(pq.working.linear_light);
    EXPECT_THAT(pq.notes, Contains(testing::EndsWith("is PQ")));
    rgb.transfer = TransferFunction::other;
    EXPECT_THROW(asked("box=light=linear", rgb), FilterError);
    EXPECT_NO_THROW(asked("box=alpha=weighted", rgb));
    EXPECT_FALSE(asked("box=alpha=weighted", rgb).working.weighted_alpha);
    EXPECT_TRUE(asked("box=alpha=weighted", frame("rgba")).working.weighted_alpha);
    EXPECT_TRUE(asked("sobel=dither=ordered", frame("gray")).working.dither);
    EXPECT_FALSE(asked("sobel=dither=ordered", frame("gray10")).working.dither);
}

}  // namespace weft::test
