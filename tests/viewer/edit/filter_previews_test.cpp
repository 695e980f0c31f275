#include "app/viewer/edit/filter_previews.h"

#include <algorithm>
#include <atomic>
#include <span>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "app/viewer/play/frame_source.h"
#include "tests/pipeline/test_frames.h"
#include "tests/support/clips.h"

namespace weft::test {
namespace {

// Black on the left, white on the right.
ThumbnailPtr halves(int width, int height, int left = 0, int right = 255) {
    auto picture = std::make_shared<Thumbnail>();
    picture->width = width;
    picture->height = height;
    for (int y = 0; y < height; ++y)
        for (int k = 0; k < 3 * width; ++k)
            picture->rgb.push_back(static_cast<std::uint8_t>(k / 3 < width / 2 ? left : right));
    return picture;
}

ThumbnailPtr preview(const char* filter, const std::vector<ThumbnailPtr>& frames) {
    return filter_preview(*find_filter(filter), frames);
}

int red(const Thumbnail& picture, int x, int y) {
    return picture.rgb[std::size_t{3} * (static_cast<std::size_t>(y) * picture.width + x)];
}

TEST(ViewerFilterPreviews, ShowTheFiltersEffect) {
    const ThumbnailPtr picture = halves(95, 41);  // rows without padding
    const ThumbnailPtr blurred = preview("gaussian", {picture});
    ASSERT_TRUE(blurred);
    EXPECT_EQ(red(*blurred, 3, 20), 0);
    EXPECT_EQ(red(*blurred, 90, 20), 255);
    EXPECT_GT(red(*blurred, 46, 20), 90);
    EXPECT_LT(red(*blurred, 47, 20), 165);
    const ThumbnailPtr edges = preview("sobel", {picture});
    ASSERT_TRUE(edges);
    EXPECT_EQ(red(*edges, 20, 40), 0);
    EXPECT_EQ(red(*edges, 47, 40), 255);
}

TEST(ViewerFilterPreviews, AMatrixStartsAsACopy) {
    const ThumbnailPtr picture = halves(33, 9);
    const ThumbnailPtr same = preview("convolve", {picture});
    ASSERT_TRUE(same);
    EXPECT_EQ(same->rgb, picture->rgb);
}

// A bank's matrices come from a file.
TEST(ViewerFilterPreviews, ExistForEveryFilterButTheBank) {
    for (const auto list : {filters(), ffmpeg_filters()})
        for (const FilterDef& filter : list) {
            EXPECT_EQ(filter_preview(filter, {{halves(96, 54)}}) == nullptr, filter.name == "bank")
                << filter.name;
            EXPECT_EQ(frames_before_preview(filter) > 0, filter.group == FilterGroup::time)
                << filter.name;
        }
}

TEST(ViewerFilterPreviews, FiltersInTimeSeeTheFramesBefore) {
    const ThumbnailPtr before = halves(24, 8, 10, 200);
    const ThumbnailPtr now = halves(24, 8, 50, 80);
    const ThumbnailPtr changed = preview("frame_difference", {before, now});
    ASSERT_TRUE(changed);
    EXPECT_EQ(red(*changed, 2, 4), 40);
    EXPECT_EQ(red(*changed, 20, 4), 120);
    const ThumbnailPtr mean = preview("temporal_average", {before, before, now});
    ASSERT_TRUE(mean);
    EXPECT_EQ(red(*mean, 2, 4), 23);    // 70 / 3
    EXPECT_EQ(red(*mean, 20, 4), 160);  // 480 / 3
}

TEST(ViewerFilterPreviews, ExistForThePixelOfAPicture) {
    EXPECT_TRUE(preview("gaussian", {halves(1, 1)}));
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

// The shown frame is far from a key frame, with frames of both kinds before it.
class ViewerFilterPreviewsOfClip : public ClipTest {};

TEST_F(ViewerFilterPreviewsOfClip, FiltersInTimeUseTheFramesBeforeTheShownOne) {
    const auto clip =
        make_clip("previews.mkv", "-f lavfi -i testsrc2=s=96x54:r=25:d=3 -c:v libx264 -bf 3 -g 60");
    auto media = std::make_shared<MediaInfo>();
    media->path = clip.string();
    std::vector<ThumbnailPtr> small;
    FrameSource source(clip.string());
    FilterPreviews previews(cpu_device(), [] {});
    const FilterDef& difference = *find_filter("frame_difference");
    const FilterDef& average = *find_filter("temporal_average");
    const std::size_t used = static_cast<std::size_t>(frames_before_preview(average)) + 1;
    while (std::optional<Frame> frame = source.next()) {
        small.push_back(make_thumbnail(*frame->av, *media, 0, FilterPreviews::kMaxSide));
        const std::size_t count = small.size();
        if (count != 1 && count != 2 && count != 55) continue;
        auto shown = std::make_shared<ShownFrame>();
        shown->info = frame_info(*frame->av, 0);
        shown->played.frame = std::make_shared<Frame>(std::move(*frame));
        shown->played.duration = 0.04;
        previews.ask(shown, media);
        while (!previews.of(average)) std::this_thread::yield();
        const std::span all(small);
        const auto last = [&](std::size_t frames) { return all.last(std::min(frames, count)); };
        EXPECT_EQ(previews.of(difference)->rgb, filter_preview(difference, last(2))->rgb) << count;
        EXPECT_EQ(previews.of(average)->rgb, filter_preview(average, last(used))->rgb) << count;
    }
    EXPECT_EQ(small.size(), 75U);
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
