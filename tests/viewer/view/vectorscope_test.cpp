#include "app/viewer/view/vectorscope.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "tests/pipeline/test_frames.h"

namespace weft::test {
namespace {

struct BarRow {
    char letter;
    double cb, cr;  // of the bar at 100 %, from -0.5 to 0.5
};

// By hand from Kr, Kb: BT.601 0.299, 0.114; BT.709 0.2126, 0.0722; BT.2020 0.2627, 0.0593.
struct MatrixRow {
    ColorMatrix matrix;
    AVColorSpace tag;
    BarRow bars[6];
};

constexpr MatrixRow kMatrices[] = {
    {ColorMatrix::bt601,
     AVCOL_SPC_SMPTE170M,
     {{'R', -0.168736, 0.5},
      {'Y', -0.5, 0.081312},
      {'G', -0.331264, -0.418688},
      {'C', 0.168736, -0.5},
      {'B', 0.5, -0.081312},
      {'M', 0.331264, 0.418688}}},
    {ColorMatrix::bt709,
     AVCOL_SPC_BT709,
     {{'R', -0.114572, 0.5},
      {'Y', -0.5, 0.045847},
      {'G', -0.385428, -0.454153},
      {'C', 0.114572, -0.5},
      {'B', 0.5, -0.045847},
      {'M', 0.385428, 0.454153}}},
    {ColorMatrix::bt2020,
     AVCOL_SPC_BT2020_NCL,
     {{'R', -0.139630, 0.5},
      {'Y', -0.5, 0.040214},
      {'G', -0.360370, -0.459786},
      {'C', 0.139630, -0.5},
      {'B', 0.5, -0.040214},
      {'M', 0.360370, 0.459786}}},
};

struct Coded {
    int cb = 0, cr = 0;
};

// A 75 % bar in samples of the depth, as the standards define them.
Coded coded(const BarRow& bar, int depth, bool full) {
    const double steps = full ? std::exp2(depth) - 1 : 224 * std::exp2(depth - 8);
    const double middle = std::exp2(depth - 1);
    return {static_cast<int>(std::lround(middle + 0.75 * bar.cb * steps)),
            static_cast<int>(std::lround(middle + 0.75 * bar.cr * steps))};
}

AVFramePtr new_frame(AVPixelFormat format, int width, int height) {
    return random_frame(format_row(format), width, height, 3);
}

void fill_plane(AVFrame& frame, std::size_t plane, int value) {
    const ImageView view = plane_views(frame)[plane];
    for (int y = 0; y < view.height; ++y)
        for (int x = 0; x < view.width * view.channels; ++x)
            if (view.type == PixelType::u8)
                reinterpret_cast<std::uint8_t*>(view.row(y))[x] = static_cast<std::uint8_t>(value);
            else
                reinterpret_cast<std::uint16_t*>(view.row(y))[x] =
                    static_cast<std::uint16_t>(value);
}

std::uint64_t total(const Vectorscope& scope) {
    return std::accumulate(scope.counts.begin(), scope.counts.end(), std::uint64_t{0});
}

int nearest(double bin) {
    return static_cast<int>(std::lround(bin));
}

// Every bar lands where its box is drawn, apart from the rounding of the sample. 10 bits lose up to
// a bin by truncation, and 0.28 because full range has 1023 steps there, not 4 · 255.
TEST(ViewerVectorscope, BarsLandOnTheirTargets) {
    for (const MatrixRow& row : kMatrices)
        for (const AVPixelFormat format : {AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV422P10})
            for (const bool full : {false, true})
                for (std::size_t k = 0; k < 6; ++k) {
                    const AVFramePtr frame = new_frame(format, 7, 5);
                    frame->colorspace = row.tag;
                    frame->color_range = full ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
                    const FrameInfo info = frame_info(*frame, 0);
                    ASSERT_EQ(info.matrix, row.matrix);
                    const Coded bar = coded(row.bars[k], info.depth_bits, full);
                    fill_plane(*frame, 1, bar.cb);
                    fill_plane(*frame, 2, bar.cr);
                    const auto scope = vectorscope(plane_views(*frame), info, 1);
                    ASSERT_TRUE(scope);
                    const int shift = info.depth_bits - 8;
                    const std::uint32_t samples = format == AV_PIX_FMT_YUV420P ? 4 * 3 : 4 * 5;
                    EXPECT_EQ(scope->at(bar.cb >> shift, bar.cr >> shift), samples);
                    EXPECT_EQ(total(*scope), samples);
                    const VectorscopeTarget target = graticule(info).targets[k];
                    EXPECT_EQ(target.letter, row.bars[k].letter);
                    const double tolerance = shift == 0 ? 0.5 : 1 + 0.28 + 0.125;
                    EXPECT_NEAR(target.at.cb, bar.cb >> shift, tolerance) << target.letter << full;
                    EXPECT_NEAR(target.at.cr, bar.cr >> shift, tolerance) << target.letter << full;
                }
}

TEST(ViewerVectorscope, InterleavedChromaAndSteps) {
    const AVFramePtr frame = new_frame(AV_PIX_FMT_NV12, 5, 9);  // chroma 3×5
    const FrameInfo info = frame_info(*frame, 0);
    const oracle::Image u = component_image(*frame, format_row(AV_PIX_FMT_NV12), Component::u);
    const oracle::Image v = component_image(*frame, format_row(AV_PIX_FMT_NV12), Component::v);
    for (const int step : {1, 2, 3}) {
        std::vector<std::uint32_t> want(kLevels * kLevels);
        for (int y = 0; y < u.height; y += step)
            for (int x = 0; x < u.width; ++x)
                ++want[static_cast<std::size_t>(v.samples[v.index(x, y, 0)]) * kLevels +
                       static_cast<std::size_t>(u.samples[u.index(x, y, 0)])];
        EXPECT_EQ(vectorscope(plane_views(*frame), info, step)->counts, want) << step;
    }
}

// Samples beyond the depth, which damaged files hold, count in the last bin.
TEST(ViewerVectorscope, SamplesBeyondTheDepth) {
    const AVFramePtr frame = new_frame(AV_PIX_FMT_YUV422P10, 2, 1);
    fill_plane(*frame, 1, 65535);
    fill_plane(*frame, 2, 1024);
    EXPECT_EQ(vectorscope(plane_views(*frame), frame_info(*frame, 0), 1)->at(255, 255), 1U);
}

TEST(ViewerVectorscope, RgbIsConvertedByItsMatrix) {
    for (const MatrixRow& row : kMatrices)
        for (const BarRow& bar : row.bars) {
            SCOPED_TRACE(bar.letter);
            const AVFramePtr frame = new_frame(AV_PIX_FMT_GBRP, 3, 3);
            const std::string lit = bar.letter == 'Y'   ? "RG"
                                    : bar.letter == 'C' ? "GB"
                                    : bar.letter == 'M' ? "RB"
                                                        : std::string(1, bar.letter);
            for (std::size_t plane = 0; plane < 3; ++plane)
                fill_plane(*frame, plane, lit.find("GBR"[plane]) == std::string::npos ? 0 : 191);
            FrameInfo info = frame_info(*frame, 0);
            info.matrix = row.matrix;
            const auto scope = vectorscope(plane_views(*frame), info, 1);
            const double bright = 191.0 / 255;
            EXPECT_EQ(scope->at(nearest(128 + 255 * bright * bar.cb),
                                nearest(128 + 255 * bright * bar.cr)),
                      9U);
        }
}

TEST(ViewerVectorscope, GrayPicturesHaveNone) {
    const AVFramePtr gray = new_frame(AV_PIX_FMT_GRAY8, 3, 3);
    EXPECT_FALSE(vectorscope(plane_views(*gray), frame_info(*gray, 0), 1));
    const AVFramePtr rgb = new_frame(AV_PIX_FMT_RGB24, 3, 3);
    fill_plane(*rgb, 0, 77);
    EXPECT_EQ(vectorscope(plane_views(*rgb), frame_info(*rgb, 0), 1)->at(128, 128), 9U);
}

TEST(ViewerVectorscope, NeighboursOfABinHaveHalfItsBrightness) {
    Vectorscope scope{std::vector<std::uint32_t>(kLevels * kLevels)};
    EXPECT_EQ(dot_brightness(scope), std::vector<std::uint8_t>(kLevels * kLevels));
    scope.counts[0] = 7;                     // a corner
    scope.counts[100 * kLevels + 255] = 63;  // an edge
    const std::vector<std::uint8_t> got = dot_brightness(scope);
    EXPECT_EQ(got[0], 128);  // 255 · log 8 / log 64
    EXPECT_EQ(got[kLevels + 1], 64);
    EXPECT_EQ(got[2], 0);
    EXPECT_EQ(got[100 * kLevels + 255], 255);
    EXPECT_EQ(got[99 * kLevels + 254], 127);
    EXPECT_EQ(got[101 * kLevels], 0);  // the next row begins at the other edge
    EXPECT_EQ(std::ranges::count_if(got, [](int b) { return b != 0; }), 4 + 6);
}

// 123 degrees from B - Y, as vectorscopes of NTSC show it, and within the plot.
TEST(ViewerVectorscope, TheLineOfSkinIsTheIAxis) {
    FrameInfo info;
    info.matrix = ColorMatrix::bt601;
    const ChromaPoint end = graticule(info).skin;
    // NTSC weighs B - Y by 0.492 and R - Y by 0.877; Cb and Cr are 0.564 and 0.713 of them.
    const double along = (end.cb - 128) / 0.564 * 0.492;
    const double up = (end.cr - 128) / 0.713 * 0.877;
    EXPECT_NEAR(std::atan2(up, along) * 180 / std::acos(-1), 123, 0.2);
    EXPECT_GT(end.cb, 0);
    EXPECT_LT(end.cr, 255);
}

}  // namespace
}  // namespace weft::test
