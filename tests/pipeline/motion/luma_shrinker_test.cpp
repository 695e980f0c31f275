#include "app/pipeline/motion/luma_shrinker.h"

#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace weft {
namespace {

FrameInfo gray(int width, int height, SampleType sample = SampleType::u8, int depth = 8) {
    return {.width = width,
            .height = height,
            .sample = sample,
            .depth_bits = depth,
            .planes = {{width, height, {Component::y}}}};
}

template <class Sample>
ImageView view_of(std::vector<Sample>& samples, int width, int channels, PixelType type) {
    const int row = width * channels;
    return {.data = samples.data(),
            .width = width,
            .height = static_cast<int>(samples.size()) / row,
            .channels = channels,
            .pitch_bytes = row * static_cast<std::ptrdiff_t>(sizeof(Sample)),
            .type = type};
}

float at(const ImageView& view, int x, int y) {
    return reinterpret_cast<const float*>(view.row(y))[x];
}

TEST(PipelineLumaShrinker, ARectangleTurnsWithThePicture) {
    const PixelRect box{3, 1, 4, 2};  // of 10 × 5
    EXPECT_EQ(turned(box, 10, 5, 0), box);
    EXPECT_EQ(turned(box, 10, 5, 90), (PixelRect{2, 3, 2, 4}));
    EXPECT_EQ(turned(box, 10, 5, 180), (PixelRect{3, 2, 4, 2}));
    EXPECT_EQ(turned(box, 10, 5, 270), (PixelRect{1, 3, 2, 4}));
    EXPECT_EQ(turned(turned(box, 10, 5, 90), 5, 10, 270), box);
}

TEST(PipelineLumaShrinker, SmallPicturesKeepTheirPixels) {
    EXPECT_EQ(LumaShrinker(gray(256, 256), {0, 0, 256, 256}).factor(), 1);
    EXPECT_EQ(LumaShrinker(gray(257, 256), {0, 0, 257, 256}).factor(), 2);
    EXPECT_EQ(LumaShrinker(gray(1920, 1080), {0, 0, 1920, 1080}).factor(), 6);
    EXPECT_EQ(LumaShrinker(gray(1920, 1080), {100, 100, 200, 200}).factor(), 1)
        << "a region is seen at its own scale";
}

// Cells at the right and at the lower edge have fewer pixels: 1003 = 4 · 250 + 3, 601 = 4 · 150
// + 1.
TEST(PipelineLumaShrinker, EachPixelIsTheMeanOfItsCell) {
    const int width = 1010;
    std::vector<std::uint8_t> samples;
    for (int y = 0; y < 610; ++y)
        for (int x = 0; x < width; ++x)
            samples.push_back(static_cast<std::uint8_t>((x * 7 + y * 13 + x * y) % 251));
    const PixelRect part{5, 7, 1003, 601};
    LumaShrinker shrinker(gray(width, 610), part);
    const int factor = shrinker.factor();
    ASSERT_EQ(factor, 4);
    PlaneViews planes;
    planes.push_back(view_of(samples, width, 1, PixelType::u8));
    const ImageView got = shrinker.shrink(planes);
    ASSERT_EQ(got.width, 251);
    ASSERT_EQ(got.height, 151);
    for (int y = 0; y < got.height; ++y)
        for (int x = 0; x < got.width; ++x) {
            double sum = 0;
            int pixels = 0;
            for (int v = y * factor; v < std::min((y + 1) * factor, part.height); ++v)
                for (int u = x * factor; u < std::min((x + 1) * factor, part.width); ++u) {
                    sum += samples[static_cast<std::size_t>(v + part.top) * width + u + part.left];
                    ++pixels;
                }
            // A quotient and a product of fp32.
            ASSERT_NEAR(at(got, x, y), sum / pixels, 255 * 0x1p-22) << x << ", " << y;
        }
}

TEST(PipelineLumaShrinker, SamplesOfAnyDepthBecomeLevelsOfEightBits) {
    std::vector<std::uint16_t> ten = {0, 1023, 512, 1023};
    LumaShrinker of_ten(gray(2, 2, SampleType::u16, 10), {0, 0, 2, 2});
    PlaneViews planes;
    planes.push_back(view_of(ten, 2, 1, PixelType::u16));
    ImageView got = of_ten.shrink(planes);
    EXPECT_EQ(at(got, 0, 0), 0);
    EXPECT_NEAR(at(got, 1, 0), 255, 1e-4);
    EXPECT_NEAR(at(got, 0, 1), 512 * 255.0 / 1023, 1e-4);

    std::vector<float> floats = {0, 1, 0.5F, std::numeric_limits<float>::quiet_NaN()};
    LumaShrinker of_floats(gray(2, 2, SampleType::f32, 32), {0, 0, 2, 2});
    PlaneViews float_planes;
    float_planes.push_back(view_of(floats, 2, 1, PixelType::f32));
    got = of_floats.shrink(float_planes);
    EXPECT_EQ(at(got, 1, 0), 255);
    EXPECT_EQ(at(got, 0, 1), 127.5F);
    EXPECT_EQ(at(got, 1, 1), 0) << "NaN would spread to every statistic";
}

// The weights of BT.709, from packed pixels with alpha; chroma and alpha are not read.
TEST(PipelineLumaShrinker, RgbBecomesLuma) {
    std::vector<std::uint8_t> bgra = {0, 0, 255, 9, 0, 255, 0, 8, 255, 0, 0, 7, 255, 255, 255, 6};
    const FrameInfo info{
        .width = 4,
        .height = 1,
        .planes = {{4, 1, {Component::b, Component::g, Component::r, Component::a}}}};
    LumaShrinker shrinker(info, {0, 0, 4, 1});
    PlaneViews planes;
    planes.push_back(view_of(bgra, 4, 4, PixelType::u8));
    const ImageView got = shrinker.shrink(planes);
    const std::array<double, 4> want = {0.2126 * 255, 0.7152 * 255, 0.0722 * 255, 255};
    for (int x = 0; x < 4; ++x) EXPECT_NEAR(at(got, x, 0), want[x], 1e-3);
}

}  // namespace
}  // namespace weft
