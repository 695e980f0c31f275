// Values in 8-bit levels follow the file's depth; convolve's bias, as in ffmpeg, does not.
#include <gtest/gtest.h>

#include "tests/filters/frames.h"

namespace weft {
namespace {

using test::convolution;
using test::frame;

struct Depth {
    std::string_view frame;
    double level;  // samples per 8-bit level
};

constexpr Depth kDepths[]{{"gray", 1}, {"gray10", 4}, {"yuv420p16", 256}, {"grayf32", 1.0 / 255}};

TEST(FiltersLevels, FollowTheDepth) {
    for (const Depth& depth : kDepths) {
        SCOPED_TRACE(depth.frame);
        const FrameInfo info = frame(depth.frame);
        const auto near = [&](double got, double levels) {
            EXPECT_NEAR(got, levels * depth.level, 1e-6 * levels * depth.level);
        };
        near(convolution("emboss", info).components[0].bias, 128);
        near(convolution("highpass=bias=100", info).components[0].bias, 100);
        near(convolution("sobel=delta=20", info).components[0].bias, 20);
        near(convolution("laplacian=delta=30", info).components[0].bias, 30);
        near(convolution("box=border=constant:border_value=16", info).border_value, 16);
        const auto blend = [&](std::string_view step) {
            return std::get<TemporalBlend>(test::make(step, info).compute);
        };
        near(blend("frame_difference=threshold=12").threshold, 12);
        near(blend("frame_difference=mode=signed").bias, 128);
    }
}

TEST(FiltersLevels, MidGrayIsTheNeutralOfVideo) {
    EXPECT_EQ(convolution("emboss", frame("gray10")).components[0].bias, 512);
    EXPECT_EQ(convolution("emboss", frame("yuv420p16")).components[0].bias, 32768);
}

TEST(FiltersLevels, ConvolveBiasIsNative) {
    for (const Depth& depth : kDepths)
        EXPECT_EQ(convolution("convolve=matrix=1:bias=100", frame(depth.frame)).components[0].bias,
                  100);
}

}  // namespace
}  // namespace weft
