// Rotated video gets rotated taps: filtering the coded picture and then rotating it equals
// filtering the rotated picture. The oracle here is naive, in double, with its own rotation and
// wrapping.
#include <gtest/gtest.h>

#include "tests/filters/frames.h"
#include "tests/filters/oracle.h"

namespace weft {
namespace {

using test::filtered;
using test::noise;
using test::Picture;

// The top row becomes the right column.
Picture turned_clockwise(Picture in) {
    Picture out{in.height, in.width, std::vector<double>(in.pixels.size())};
    for (int y = 0; y < in.height; ++y)
        for (int x = 0; x < in.width; ++x) out.at(in.height - 1 - y, x) = in.at(x, y);
    return out;
}

Picture shown(Picture coded, int degrees) {
    for (; degrees > 0; degrees -= 90) coded = turned_clockwise(coded);
    return coded;
}

class FiltersRotation : public testing::TestWithParam<const char*> {};

TEST_P(FiltersRotation, LooksTheSameAsUnrotated) {
    for (int degrees : {0, 90, 180, 270}) {
        SCOPED_TRACE(degrees);
        const Picture coded = noise(29, 23);
        FrameInfo info = test::frame("gray");
        const Picture want = filtered(shown(coded, degrees), test::convolution(GetParam(), info));
        info.rotation_degrees = degrees;
        const Picture got = shown(filtered(coded, test::convolution(GetParam(), info)), degrees);
        ASSERT_EQ(got.width, want.width);
        for (std::size_t k = 0; k < want.pixels.size(); ++k)
            ASSERT_NEAR(got.pixels[k], want.pixels[k], 1e-6) << k;
    }
}

INSTANTIATE_TEST_SUITE_P(AsymmetricTaps, FiltersRotation,
                         testing::Values("convolve=matrix='1 2 3; 4 5 6; 7 8 -9'",
                                         "convolve=matrix='1 2 3 4; 5 6 7 8'",
                                         "convolve=matrix='1 2; 3 4; 5 6':anchor_x=1:anchor_y=0",
                                         "convolve=matrix='1 2 3; 2 4 6'", "emboss=30",
                                         "emboss=135", "roberts", "motion=9:20",
                                         "gaussian=1:sigmaV=3", "box=width=4:height=3",
                                         "box=width=2:height=6:power=2", "sobel=direction=x",
                                         "sobel=direction=y", "prewitt", "kirsch", "robinson",
                                         "gabor=3:6:20:0.7:50", "laplacian", "disc=2.5"));

// ffmpeg's border begins with the picture's own sample after the end at the shown right and bottom
// only. A clockwise turn by 90 degrees shows the coded top at the right, and the coded right at the
// bottom.
TEST(FiltersTurned, FfmpegsBorderIsAtTheEndsThatAreShown) {
    constexpr Border kForwards = Border::ffmpeg;
    constexpr Border kBackwards = Border::ffmpeg_backwards;
    FrameInfo info = test::frame("gray");
    for (const auto& [degrees, want] : {std::pair{0, Borders(kForwards, kForwards)},
                                        {90, Borders(kForwards, kBackwards)},
                                        {180, Borders(kBackwards, kBackwards)},
                                        {270, Borders(kBackwards, kForwards)}}) {
        SCOPED_TRACE(degrees);
        info.rotation_degrees = degrees;
        for (const char* step : {"sobel@ffmpeg", "convolution@ffmpeg='1 1 1 1 1 1 1 1 1'"})
            EXPECT_EQ(test::convolution(step, info).border, want) << step;
        EXPECT_EQ(test::convolution("boxblur@ffmpeg", info).border, Border::reflect);
        EXPECT_EQ(test::convolution("sobel@weft", info).border, Border::reflect101);
    }
}

}  // namespace
}  // namespace weft
