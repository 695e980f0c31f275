#include "app/viewer/edit/filter_previews.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "tests/pipeline/test_frames.h"

namespace weft::test {
namespace {

// Black on the left, white on the right.
Thumbnail halves(int width, int height) {
    Thumbnail picture;
    picture.width = width;
    picture.height = height;
    for (int y = 0; y < height; ++y)
        for (int k = 0; k < 3 * width; ++k) picture.rgb.push_back(k / 3 < width / 2 ? 0 : 255);
    return picture;
}

int red(const Thumbnail& picture, int x, int y) {
    return picture.rgb[std::size_t{3} * (static_cast<std::size_t>(y) * picture.width + x)];
}

TEST(ViewerFilterPreviews, ShowTheFiltersEffect) {
    const Thumbnail picture = halves(95, 41);  // rows without padding
    const ThumbnailPtr blurred = filter_preview(*find_filter("gaussian"), picture);
    ASSERT_TRUE(blurred);
    EXPECT_EQ(red(*blurred, 3, 20), 0);
    EXPECT_EQ(red(*blurred, 90, 20), 255);
    EXPECT_GT(red(*blurred, 46, 20), 90);
    EXPECT_LT(red(*blurred, 47, 20), 165);
    const ThumbnailPtr edges = filter_preview(*find_filter("sobel"), picture);
    ASSERT_TRUE(edges);
    EXPECT_EQ(red(*edges, 20, 40), 0);
    EXPECT_EQ(red(*edges, 47, 40), 255);
}

TEST(ViewerFilterPreviews, AMatrixStartsAsACopy) {
    const Thumbnail picture = halves(33, 9);
    const ThumbnailPtr same = filter_preview(*find_filter("convolve"), picture);
    ASSERT_TRUE(same);
    EXPECT_EQ(same->rgb, picture.rgb);
}

// Steps in time have no effect on one frame, and a bank of matrices comes from a file.
TEST(ViewerFilterPreviews, ExistForEveryFilterOfOneFrame) {
    const Thumbnail picture = halves(96, 54);
    for (const FilterDef& filter : filters()) {
        const bool none = filter.group == FilterGroup::time || filter.name == "bank";
        EXPECT_EQ(filter_preview(filter, picture) == nullptr, none) << filter.name;
    }
}

TEST(ViewerFilterPreviews, ExistForThePixelOfAPicture) {
    EXPECT_TRUE(filter_preview(*find_filter("gaussian"), halves(1, 1)));
}

ShownFramePtr shown_frame(int width, int height) {
    auto decoded = std::make_shared<Frame>();
    decoded->av = random_frame(format_row(AV_PIX_FMT_YUV420P), width, height, 7);
    auto shown = std::make_shared<ShownFrame>();
    shown->info = frame_info(*decoded->av, 0);
    shown->played.frame = std::move(decoded);
    return shown;
}

TEST(ViewerFilterPreviews, TheLastFrameIsShownUpright) {
    std::atomic<int> news = 0;
    FilterPreviews previews(cpu_device(), [&news] { ++news; });
    auto media = std::make_shared<MediaInfo>();
    const FilterDef& last = *find_filter("convolve");
    EXPECT_EQ(previews.of(last), nullptr);
    for (int width = 200; width < 210; ++width) previews.ask(shown_frame(width, 100), media);
    media = std::make_shared<MediaInfo>();
    media->rotation_degrees = 90;
    const ShownFramePtr shown = shown_frame(192, 96);
    previews.ask(shown, media);
    while (!previews.of(last) || previews.of(last)->width != 48) std::this_thread::yield();
    EXPECT_EQ(previews.of(last)->height, 96);
    const ThumbnailPtr before = previews.of(last);
    previews.ask(shown, media);
    EXPECT_EQ(previews.of(last), before) << "made again for the same frame";
    EXPECT_GT(news, 0);
}

TEST(ViewerFilterPreviews, AFrameIsNotKeptAfterItsPictures) {
    FilterPreviews previews(cpu_device(), [] {});
    ShownFramePtr shown = shown_frame(64, 64);
    const std::weak_ptr<const ShownFrame> watch = shown;
    previews.ask(std::move(shown), std::make_shared<MediaInfo>());
    while (!watch.expired()) std::this_thread::yield();
    EXPECT_TRUE(previews.of(*find_filter("box")));
}

}  // namespace
}  // namespace weft::test
