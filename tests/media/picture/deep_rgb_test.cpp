#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "app/media/picture/pixel_converter.h"
#include "tests/support/blank_frame.h"

namespace weft::test {
namespace {

AVFramePtr flat(AVPixelFormat format, AVColorRange range, std::array<int, 3> values) {
    AVFramePtr frame = blank_frame(format, 4, 2);
    frame->color_range = range;
    frame->colorspace = AVCOL_SPC_BT709;
    for (std::size_t p = 0; p < 3; ++p)
        for (int y = 0; y < 2; ++y)
            for (int x = 0; x < 4; ++x)
                reinterpret_cast<std::uint16_t*>(frame->data[p] + y * frame->linesize[p])[x] =
                    static_cast<std::uint16_t>(values[p]);
    return frame;
}

int sample(const AVFrame& frame, int plane, int x) {
    return reinterpret_cast<const std::uint16_t*>(frame.data[plane])[x];
}

// Black, white and gray of deep YUV and RGB match the standard in both directions. The bound is one
// step of the ten bits; the standard's own rounding is within half a step.
TEST(MediaDeepRgb, WhiteIsWhite) {
    struct Case {
        int yuv10;
        double level;  // 0..1
        AVColorRange range;
    };
    for (const auto& [yuv10, level, range] :
         {Case{64, 0, AVCOL_RANGE_MPEG}, Case{940, 1, AVCOL_RANGE_MPEG},
          Case{502, 0.5, AVCOL_RANGE_MPEG}, Case{0, 0, AVCOL_RANGE_JPEG},
          Case{1023, 1, AVCOL_RANGE_JPEG}}) {
        const AVFramePtr yuv = flat(AV_PIX_FMT_YUV444P10LE, range, {yuv10, 512, 512});
        const AVFramePtr rgb = PixelConverter(AV_PIX_FMT_RGB48LE, "t").convert(*yuv);
        for (int c = 0; c < 3; ++c) EXPECT_NEAR(sample(*rgb, 0, 6 + c), level * 65535, 64) << yuv10;
        const AVFramePtr big = PixelConverter(AV_PIX_FMT_RGB48BE, "t").convert(*yuv);
        EXPECT_EQ(big->data[0][0], rgb->data[0][1]);
        EXPECT_EQ(big->data[0][1], rgb->data[0][0]);
        const AVFramePtr planar = PixelConverter(AV_PIX_FMT_GBRP12LE, "t").convert(*yuv);
        for (int p = 0; p < 3; ++p) EXPECT_NEAR(sample(*planar, p, 3), level * 4095, 4) << yuv10;
    }
    for (const double level : {0.0, 0.5, 1.0}) {
        const int value = static_cast<int>(std::lround(level * 4095));
        const AVFramePtr rgb = flat(AV_PIX_FMT_GBRP12LE, AVCOL_RANGE_JPEG, {value, value, value});
        const AVFramePtr yuv = PixelConverter(AV_PIX_FMT_YUV444P10LE, "t").convert(*rgb);
        EXPECT_NEAR(sample(*yuv, 0, 3), 64 + level * 876, 1);
        EXPECT_NEAR(sample(*yuv, 1, 3), 512, 1);
        EXPECT_EQ(sample(*rgb, 0, 3), value);  // untouched
    }
}

TEST(MediaDeepRgb, AlphaIsKept) {
    const AVFramePtr yuva = blank_frame(AV_PIX_FMT_YUVA444P16LE, 4, 2);
    for (int p = 0; p < 4; ++p)
        for (int y = 0; y < 2; ++y)
            for (int x = 0; x < 4; ++x)
                reinterpret_cast<std::uint16_t*>(yuva->data[p] + y * yuva->linesize[p])[x] =
                    static_cast<std::uint16_t>(p == 3 ? 12345 : 32768);
    const AVFramePtr rgba = PixelConverter(AV_PIX_FMT_RGBA64LE, "t").convert(*yuva);
    EXPECT_EQ(sample(*rgba, 0, 7), 12345);
}

}  // namespace
}  // namespace weft::test
