#include "app/viewer/screen/picture.h"

#include <gtest/gtest.h>

#include "app/viewer/screen/pixel_grid.h"

namespace weft {
namespace {

// yuv420p of 6 × 4 with every sample its own number: 100 p + 10 row + column.
FrameInfo small_frame() {
    FrameInfo info;
    info.width = 6;
    info.height = 4;
    info.planes = {{6, 4, {Component::y}}, {3, 2, {Component::u}}, {3, 2, {Component::v}}};
    return info;
}

Picture numbered(PicturePool& pool) {
    Picture picture = pool.get();
    for (std::size_t p = 0; p < picture.planes.size(); ++p)
        for (int y = 0; y < picture.planes[p].height; ++y)
            for (int x = 0; x < picture.planes[p].width; ++x)
                picture.planes[p].row(y)[x] = static_cast<std::byte>(
                    100 * p + 10 * static_cast<std::size_t>(y) + static_cast<std::size_t>(x));
    return picture;
}

TEST(ViewerPicture, PoolsReuseReleasedMemory) {
    std::optional<PicturePool> pool(std::in_place, small_frame(), Allocation::host);
    Picture first = pool->get();
    const void* memory = first.planes[0].data;
    const Picture second = pool->get();
    EXPECT_NE(second.planes[0].data, memory);
    first = {};
    EXPECT_EQ(pool->get().planes[0].data, memory);
    pool.reset();
    EXPECT_EQ(second.planes[0].height, 4);  // outlives its pool
}

TEST(ViewerPicture, ReadsSamplesClippedToThePlane) {
    PicturePool pool(small_frame(), Allocation::host);
    const Picture picture = numbered(pool);
    const SampleBlock block = read_samples(picture.planes[0], 4, 2, 5, 5);
    EXPECT_EQ(block.width, 2);
    EXPECT_EQ(block.height, 2);
    EXPECT_EQ(block.at(5, 3, 0), 35);
    EXPECT_FALSE(block.contains(6, 3));
    EXPECT_TRUE(read_samples(picture.planes[0], -9, -9, 3, 3).samples.empty());
}

// The filtered picture has 3 more in each sample of y, 1 less in u and 2 less in v.
ShownFrame two_pictures(PicturePool& pool) {
    ShownFrame shown;
    shown.info = small_frame();
    shown.original = numbered(pool);
    shown.filtered = {numbered(pool)};
    for (std::size_t p = 0; p < shown.info.planes.size(); ++p) {
        const ImageView& plane = shown.filtered[0].planes[p];
        for (int y = 0; y < plane.height; ++y)
            for (int x = 0; x < plane.width; ++x) {
                const auto value = static_cast<int>(plane.row(y)[x]);
                plane.row(y)[x] =
                    static_cast<std::byte>(p == 0 ? value + 3 : value - static_cast<int>(p));
            }
    }
    return shown;
}

using Texts = std::vector<ComponentText>;
using enum Component;

constexpr double kScale = 50;
constexpr Rect kPlaced{-2 * kScale, -1 * kScale, 6 * kScale, 4 * kScale};
// Only coded pixels (2, 1) and (3, 1) are visible, without a unit at their outer edges.
constexpr Rect kSeen{1, 1, 2 * kScale - 2, kScale - 2};

GridRequest seen_part(const Rect& visible, Side side, std::optional<Side> minus = {}) {
    return {{kSeen, visible, side, minus}, kPlaced, {6, 4, 1, 0}};
}

TEST(ViewerPicture, TheGridShowsTheSamplesUnderEachPixel) {
    PicturePool pool(small_frame(), Allocation::host);
    const auto cells = pixel_grid(two_pictures(pool), seen_part(kSeen, 0));
    ASSERT_EQ(cells.size(), 2U);
    EXPECT_EQ(cells[0].values, (Texts{{y, "12"}, {u, "101"}, {v, "201"}}));
    EXPECT_EQ(cells[1].values, (Texts{{y, "13"}, {u, "101"}, {v, "201"}}));
    EXPECT_EQ(cells[1].place, (Rect{kScale, 1, kScale - 1, kScale - 2}));
}

TEST(ViewerPicture, TheGridShowsTheSamplesOfItsSideAndSignedDifferences) {
    PicturePool pool(small_frame(), Allocation::host);
    const ShownFrame shown = two_pictures(pool);
    EXPECT_EQ(pixel_grid(shown, seen_part(kSeen, 1)).at(0).values,
              (Texts{{y, "15"}, {u, "100"}, {v, "199"}}));
    EXPECT_EQ(pixel_grid(shown, seen_part(kSeen, 1, 0)).at(0).values,
              (Texts{{y, "+3"}, {u, "−1"}, {v, "−2"}}));
    EXPECT_EQ(pixel_grid(shown, seen_part(kSeen, 0, 0)).at(0).values,
              (Texts{{y, "0"}, {u, "0"}, {v, "0"}}));
}

// A line at x = 70 leaves 20 of its 50 units to the pixel's left part, which begins at 50.
TEST(ViewerPicture, APixelUnderTheLineOfAWipeIsACellOnEachSide) {
    PicturePool pool(small_frame(), Allocation::host);
    const ShownFrame shown = two_pictures(pool);
    const auto left = pixel_grid(shown, seen_part({1, 1, 69, 48}, 0));
    const auto right = pixel_grid(shown, seen_part({70, 1, 29, 48}, 1));
    ASSERT_EQ(left.size(), 2U);
    ASSERT_EQ(right.size(), 1U);
    EXPECT_EQ(left[1].place, (Rect{50, 1, 20, 48}));
    EXPECT_EQ(right[0].place, (Rect{70, 1, 29, 48}));
    EXPECT_EQ(left[1].values.at(0).text, "13");
    EXPECT_EQ(right[0].values.at(0).text, "16");
}

TEST(ViewerPicture, TheGridIsEmptyBelowItsScale) {
    PicturePool pool(small_frame(), Allocation::host);
    const Rect all{0, 0, 60, 40};
    EXPECT_TRUE(pixel_grid(two_pictures(pool), {{all, all, 0, {}}, all, {6, 4, 1, 0}}).empty());
}

TEST(ViewerPicture, ValuesAtAPoint) {
    PicturePool pool(small_frame(), Allocation::host);
    const ShownFrame shown = two_pictures(pool);
    EXPECT_EQ(values_at(shown, 1, 0, {2.9, 1.1}).texts, (Texts{{y, "+3"}, {u, "−1"}, {v, "−2"}}));
    EXPECT_EQ(values_at(shown, 0, {}, {5.5, 3.5}).texts,
              (Texts{{y, "35"}, {u, "112"}, {v, "212"}}));
    EXPECT_TRUE(values_at(shown, 0, {}, {6, 3}).texts.empty());
    EXPECT_TRUE(values_at(shown, 0, {}, {-0.5, 3}).texts.empty());
}

// BT.601 of limited range: y' = (y - 16) / 219, r = y' + 1.402 (v - 128) / 224, and so on.
TEST(ViewerPicture, AValueHasItsColour) {
    PicturePool pool(small_frame(), Allocation::host);
    const auto rgb = values_at(two_pictures(pool), 0, {}, {5.5, 3.5}).rgb;
    const double luma = (35 - 16) / 219.0;
    const double red = luma + 1.402 * (212 - 128) / 224.0;
    const double green = luma - 1.402 * 0.299 / 0.587 * (212 - 128) / 224.0 -
                         1.772 * 0.114 / 0.587 * (112 - 128) / 224.0;
    const double blue = luma + 1.772 * (112 - 128) / 224.0;
    constexpr double kFloat = 1e-6;
    EXPECT_NEAR(rgb[0], red, kFloat);
    EXPECT_NEAR(rgb[1], std::max(green, 0.0), kFloat);
    EXPECT_NEAR(rgb[2], std::max(blue, 0.0), kFloat);
}

TEST(ViewerPicture, GrayHasNoColour) {
    FrameInfo info;
    info.width = info.height = 1;
    info.planes = {{1, 1, {y}}};
    info.full_range = true;
    PicturePool pool(info, Allocation::host);
    ShownFrame shown;
    shown.info = info;
    shown.original = pool.get();
    shown.original.planes[0].row(0)[0] = std::byte{51};
    const auto rgb = values_at(shown, 0, {}, {0.5, 0.5}).rgb;
    for (const double value : rgb) EXPECT_NEAR(value, 0.2, 1e-6);
}

TEST(ViewerPicture, FloatsHaveFourDecimals) {
    FrameInfo info = small_frame();
    info.sample = SampleType::f32;
    EXPECT_EQ(sample_text(info, 0.25F), "0.2500");
    EXPECT_EQ(difference_text(info, 0.25F), "+0.2500");
    EXPECT_EQ(difference_text(info, -0.25F), "−0.2500");
}

}  // namespace
}  // namespace weft
