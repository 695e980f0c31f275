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

// Zoomed so that only coded pixels (2, 1) and (3, 1) are visible.
TEST(ViewerPicture, TheGridShowsTheSamplesUnderEachPixel) {
    PicturePool pool(small_frame(), Allocation::host);
    const Picture picture = numbered(pool);
    const double scale = 50;
    const Rect placed{-2 * scale, -1 * scale, 6 * scale, 4 * scale};
    const auto cells = pixel_grid(small_frame(), picture,
                                  {placed, {1, 1, 2 * scale - 2, scale - 2}, {6, 4, 1, 0}});
    ASSERT_EQ(cells.size(), 2U);
    EXPECT_EQ(cells[0].values, "12\n101\n201");
    EXPECT_EQ(cells[1].values, "13\n101\n201");
    EXPECT_EQ(cells[1].place, (Rect{scale, 0, scale, scale}));
}

TEST(ViewerPicture, TheGridIsEmptyBelowItsScale) {
    PicturePool pool(small_frame(), Allocation::host);
    const Picture picture = numbered(pool);
    EXPECT_TRUE(
        pixel_grid(small_frame(), picture, {{0, 0, 60, 40}, {0, 0, 60, 40}, {6, 4, 1, 0}}).empty());
}

}  // namespace
}  // namespace weft
