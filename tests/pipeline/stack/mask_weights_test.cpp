#include "app/pipeline/stack/mask_weights.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "tests/pipeline/test_frames.h"

namespace weft::test {
namespace {

// A frame of one row and one packed or gray plane.
template <class Sample>
AVFramePtr one_row(AVPixelFormat format, int width, const std::vector<Sample>& samples) {
    AVFramePtr frame = make_frame();
    frame->format = format;
    frame->width = width;
    frame->height = 1;
    EXPECT_GE(av_frame_get_buffer(frame.get(), 0), 0);
    std::memcpy(frame->data[0], samples.data(), samples.size() * sizeof(Sample));
    return frame;
}

using Values = std::vector<std::uint16_t>;

TEST(PipelineMaskWeights, GrayOfFullRangeIsStretched) {
    EXPECT_EQ(mask_weights(*one_row<std::uint8_t>(AV_PIX_FMT_GRAY8, 4, {0, 1, 128, 255})).values,
              (Values{0, 257, 32'896, 65'535}));
    EXPECT_EQ(mask_weights(*one_row<std::uint16_t>(AV_PIX_FMT_GRAY16, 3, {0, 777, 65'535})).values,
              (Values{0, 777, 65'535}));
    // 65,535 / 1023 = 64.06…: 100 gives 6406.158, 900 gives 57655.4.
    EXPECT_EQ(
        mask_weights(*one_row<std::uint16_t>(AV_PIX_FMT_GRAY10, 4, {0, 100, 900, 1023})).values,
        (Values{0, 6406, 57'655, 65'535}));
}

TEST(PipelineMaskWeights, LimitedRangeIsExpanded) {
    // 65,535 / 219 = 299.2465…: level 17 gives 299, 125 gives 109 of them, 32617.87.
    const std::vector<std::uint8_t> samples{0, 15, 16, 17, 125, 235, 236, 255};
    const AVFramePtr frame = one_row(AV_PIX_FMT_GRAY8, 8, samples);
    frame->color_range = AVCOL_RANGE_MPEG;
    EXPECT_EQ(mask_weights(*frame).values, (Values{0, 0, 0, 299, 32'618, 65'535, 65'535, 65'535}));
}

TEST(PipelineMaskWeights, FloatingPointIsClamped) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float infinity = std::numeric_limits<float>::infinity();
    EXPECT_EQ(mask_weights(
                  *one_row<float>(AV_PIX_FMT_GRAYF32, 8, {0, 0.5F, 1, 2, -1, nan, infinity, 0.25F}))
                  .values,
              (Values{0, 32'768, 65'535, 65'535, 0, 0, 65'535, 16'384}));
}

TEST(PipelineMaskWeights, TransparentPixelsAreBlack) {
    EXPECT_EQ(mask_weights(
                  *one_row<std::uint8_t>(AV_PIX_FMT_YA8, 4, {255, 255, 255, 0, 255, 51, 100, 128}))
                  .values,
              // 65,535 · 100 · 128 / 255² = 12900.39
              (Values{65'535, 0, 13'107, 12'900}));
    EXPECT_EQ(
        mask_weights(*one_row<std::uint8_t>(AV_PIX_FMT_RGBA, 2, {9, 9, 9, 255, 255, 255, 255, 51}))
            .values,
        (Values{9 * 257, 13'107}));
}

// Every format against the formula in double precision.
TEST(PipelineMaskWeights, RandomFramesOfEveryFormat) {
    struct Matrix {
        AVColorSpace tag;
        double r, b;
    };
    for (const FormatRow& row : format_rows())
        for (const Matrix& matrix : {Matrix{AVCOL_SPC_UNSPECIFIED, 0.299, 0.114},
                                     {AVCOL_SPC_BT709, 0.2126, 0.0722},
                                     {AVCOL_SPC_BT2020_NCL, 0.2627, 0.0593}})
            for (const AVColorRange range :
                 {AVCOL_RANGE_UNSPECIFIED, AVCOL_RANGE_MPEG, AVCOL_RANGE_JPEG}) {
                SCOPED_TRACE(fmt::format("{} {} {}", av_get_pix_fmt_name(row.format),
                                         static_cast<int>(matrix.tag), static_cast<int>(range)));
                const AVFramePtr frame = random_frame(row, 33, 17, 5);
                frame->colorspace = matrix.tag;
                frame->color_range = range;
                const auto has = [&](Component component) {
                    return std::ranges::count(row.components, component,
                                              &ComponentPlace::component) > 0;
                };
                const auto samples = [&](Component component) {
                    return component_image(*frame, row, component).samples;
                };
                const double max = std::pow(2, row.depth) - 1;
                const bool gray = row.components.size() == 1;
                const bool rgb = has(Component::r);
                const bool full =
                    rgb || range == AVCOL_RANGE_JPEG || (gray && range == AVCOL_RANGE_UNSPECIFIED);
                std::vector<double> want = samples(rgb ? Component::g : Component::y);
                for (std::size_t k = 0; k < want.size(); ++k) {
                    if (rgb)
                        want[k] = (1 - matrix.r - matrix.b) * want[k] +
                                  matrix.r * samples(Component::r)[k] +
                                  matrix.b * samples(Component::b)[k];
                    const double step = std::pow(2, row.depth - 8);
                    want[k] = full ? want[k] / max : (want[k] - 16 * step) / (219 * step);
                    want[k] = std::clamp(want[k], 0.0, 1.0) * 65'535;
                    if (has(Component::a)) want[k] *= samples(Component::a)[k] / max;
                }
                const MaskWeights got = mask_weights(*frame);
                ASSERT_EQ(got.width, 33);
                ASSERT_EQ(got.height, 17);
                ASSERT_EQ(got.values.size(), want.size());
                for (std::size_t k = 0; k < want.size(); ++k)
                    ASSERT_LE(std::fabs(got.values[k] - want[k]), 0.5 + 1e-6) << k;
            }
}

TEST(PipelineMaskWeights, Turns) {
    const MaskWeights mask{3, 2, {1, 2, 3, 4, 5, 6}};
    EXPECT_EQ(turned(mask, 0), mask);
    EXPECT_EQ(turned(mask, 90), (MaskWeights{2, 3, {4, 1, 5, 2, 6, 3}}));
    EXPECT_EQ(turned(mask, 180), (MaskWeights{3, 2, {6, 5, 4, 3, 2, 1}}));
    EXPECT_EQ(turned(mask, 270), (MaskWeights{2, 3, {3, 6, 2, 5, 1, 4}}));
}

TEST(PipelineMaskWeights, ScalesByATriangle) {
    // Halves: rounded to even.
    EXPECT_EQ(scaled({2, 1, {0, 1}}, 1, 1).values, (Values{0}));
    EXPECT_EQ(scaled({2, 1, {1, 2}}, 1, 1).values, (Values{2}));
    // Linear between the centres, constant past them.
    EXPECT_EQ(scaled({2, 1, {0, 800}}, 4, 1).values, (Values{0, 200, 600, 800}));
    EXPECT_EQ(scaled({1, 2, {0, 800}}, 1, 4).values, (Values{0, 200, 600, 800}));
    // Three to one: factors 2/3 1 2/3 around the centre, over 7/3.
    EXPECT_EQ(scaled({3, 1, {700, 0, 0}}, 1, 1).values, (Values{200}));
    // A line of one pixel is not lost.
    Values line(4096, 0);
    line[1000] = 65'535;
    const MaskWeights small = scaled({4096, 1, line}, 64, 1);
    EXPECT_GT(*std::ranges::max_element(small.values), 500);
    EXPECT_EQ(scaled({1, 1, {777}}, 5, 3).values, Values(15, 777));
    EXPECT_EQ(scaled({2, 2, {1, 2, 3, 4}}, 2, 2).values, (Values{1, 2, 3, 4}));
}

double triangle(int from, int to, int i, int x) {
    const double centre = (x + 0.5) * from / to;
    return std::max(0.0, 1 - std::fabs(i + 0.5 - centre) / std::max(1.0, double(from) / to));
}

TEST(PipelineMaskWeights, ScalingMatchesTheSumOverAllPixels) {
    std::mt19937 random(20260706);
    for (int round = 0; round < 200; ++round) {
        const auto side = [&] { return static_cast<int>(1 + random() % (round % 4 ? 12 : 70)); };
        MaskWeights mask{side(), side(), {}};
        const int width = side(), height = side();
        for (int k = mask.width * mask.height; k > 0; --k)
            mask.values.push_back(static_cast<std::uint16_t>(random() % 3 ? random() % 65'536
                                                                          : random() % 2 * 65'535));
        const MaskWeights got = scaled(mask, width, height);
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x) {
                double sum = 0, factors = 0;
                for (int j = 0; j < mask.height; ++j)
                    for (int i = 0; i < mask.width; ++i) {
                        const double factor =
                            triangle(mask.width, width, i, x) * triangle(mask.height, height, j, y);
                        sum += factor * mask.values[static_cast<std::size_t>(j * mask.width + i)];
                        factors += factor;
                    }
                ASSERT_LE(
                    std::fabs(got.values[static_cast<std::size_t>(y * width + x)] - sum / factors),
                    0.5 + 1e-6)
                    << fmt::format("{}x{} to {}x{} at {} {}", mask.width, mask.height, width,
                                   height, x, y);
            }
    }
}

// The largest sums: 64 times as large in both sides.
TEST(PipelineMaskWeights, LargestReductionStaysInRange) {
    const Values white(std::size_t{65'535} * 64, 65'535);
    EXPECT_EQ(scaled({65'535, 64, white}, 1024, 1).values, Values(1024, 65'535));
    EXPECT_EQ(scaled({64, 65'535, white}, 1, 1024).values, Values(1024, 65'535));
}

}  // namespace
}  // namespace weft::test
