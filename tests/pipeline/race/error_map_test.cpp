// Where a kernel's pixels differ from the reference's, as levels and as a histogram.
#include "app/pipeline/race/error_map.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft {
namespace {

using testing::ElementsAre;

// Samples of a type as an image of that width and number of channels.
template <class Sample>
ImageView view_of(std::vector<Sample>& samples, PixelType type, int width, int channels) {
    ImageView view;
    view.data = samples.data();
    view.width = width;
    view.channels = channels;
    view.height = static_cast<int>(samples.size()) / (width * channels);
    view.pitch_bytes = static_cast<std::ptrdiff_t>(sizeof(Sample)) * width * channels;
    view.type = type;
    return view;
}

TEST(PipelineErrorMap, LevelsAreSharesOfTheLargest) {
    std::vector<std::uint8_t> want = {10, 10, 10, 10, 10, 10};
    std::vector<std::uint8_t> got = {10, 11, 8, 14, 0, 10};
    const ErrorMap map =
        map_errors("some", view_of(want, PixelType::u8, 3, 1), view_of(got, PixelType::u8, 3, 1));
    EXPECT_EQ(map.kernel, "some");
    EXPECT_EQ(map.width, 3);
    EXPECT_EQ(map.height, 2);
    EXPECT_EQ(map.largest, 10);
    // 1 + 254 · error / 10, rounded.
    EXPECT_THAT(map.levels, ElementsAre(0, 26, 52, 103, 255, 0));
    EXPECT_THAT(map.pixels, ElementsAre(2, 1, 1, 1, 0, 1, 0, 0, 0, 0)) << "0, 1, 2, 4, 8, 16";
}

TEST(PipelineErrorMap, APixelHasTheLargestOfItsChannels) {
    std::vector<std::uint16_t> want = {100, 200, 300, 400};
    std::vector<std::uint16_t> got = {101, 205, 300, 400};
    const ErrorMap map =
        map_errors("some", view_of(want, PixelType::u16, 2, 2), view_of(got, PixelType::u16, 2, 2));
    EXPECT_THAT(map.levels, ElementsAre(255, 0));
    EXPECT_EQ(map.largest, 5);
}

TEST(PipelineErrorMap, NanIsTheLargestAndHidesNothing) {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> want = {0, kNan, 1, 0};
    std::vector<float> got = {0, kNan, kNan, 0.5F};
    const ErrorMap map =
        map_errors("some", view_of(want, PixelType::f32, 4, 1), view_of(got, PixelType::f32, 4, 1));
    EXPECT_TRUE(std::isinf(map.largest));
    EXPECT_THAT(map.levels, ElementsAre(0, 0, 255, 1));
    EXPECT_EQ(map.pixels.back(), 1);
    EXPECT_EQ(map.pixels[1], 1);
}

TEST(PipelineErrorMap, EqualImagesAreBlack) {
    std::vector<std::uint8_t> same(12, 7);
    const ErrorMap map =
        map_errors("some", view_of(same, PixelType::u8, 4, 3), view_of(same, PixelType::u8, 4, 3));
    EXPECT_EQ(map.largest, 0);
    EXPECT_THAT(map.levels, testing::Each(0));
    EXPECT_EQ(map.pixels[0], 4);
}

}  // namespace
}  // namespace weft
