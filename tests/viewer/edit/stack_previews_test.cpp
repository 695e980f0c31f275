#include "app/viewer/edit/stack_previews.h"

#include <algorithm>
#include <atomic>
#include <span>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "app/viewer/edit/stack_editor.h"
#include "app/viewer/play/frame_source.h"
#include "tests/pipeline/test_frames.h"
#include "tests/support/clips.h"
#include "tests/support/temporary_folder.h"

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

Stack stack_of(const char* filter) {
    return new_stack(*find_filter(filter));
}

ThumbnailPtr preview(const char* filter, const std::vector<ThumbnailPtr>& frames) {
    return stack_preview(stack_of(filter), frames);
}

int red(const Thumbnail& picture, int x, int y) {
    return picture.rgb[std::size_t{3} * (static_cast<std::size_t>(y) * picture.width + x)];
}

TEST(ViewerStackPreviews, ShowTheFiltersEffect) {
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

TEST(ViewerStackPreviews, AMatrixStartsAsACopy) {
    const ThumbnailPtr picture = halves(33, 9);
    const ThumbnailPtr same = preview("convolve", {picture});
    ASSERT_TRUE(same);
    EXPECT_EQ(same->rgb, picture->rgb);
}

// A bank's matrices come from a file.
TEST(ViewerStackPreviews, ExistForEveryFilterButTheBank) {
    for (const auto list : {filters(), ffmpeg_filters()})
        for (const FilterDef& filter : list) {
            const Stack stack = new_stack(filter);
            EXPECT_EQ(stack_preview(stack, {{halves(96, 54)}}) == nullptr, filter.name == "bank")
                << filter.name;
            EXPECT_EQ(frames_before_preview(stack) > 0, filter.group == FilterGroup::time)
                << filter.name;
        }
}

TEST(ViewerStackPreviews, EachStepSeesTheResultOfTheOneBefore) {
    const ThumbnailPtr picture = halves(95, 41, 20, 220);
    const ThumbnailPtr blurred = preview("gaussian", {picture});
    const Stack both = parse_stack("gaussian,sobel@weft");
    EXPECT_EQ(stack_preview(both, {{picture}})->rgb, preview("sobel", {blurred})->rgb);
    EXPECT_NE(stack_preview(both, {{picture}})->rgb, preview("sobel", {picture})->rgb);
}

TEST(ViewerStackPreviews, FiltersInTimeSeeTheFramesBefore) {
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

TEST(ViewerStackPreviews, ExistForThePixelOfAPicture) {
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

TEST(ViewerStackPreviews, TheLastFrameIsShownUpright) {
    std::atomic<int> news = 0;
    StackPreviews previews(cpu_device(), [&news] { ++news; });
    auto media = std::make_shared<MediaInfo>();
    const Stack last = stack_of("convolve");
    EXPECT_EQ(previews.of(last), nullptr);
    for (int width = 200; width < 210; ++width)
        previews.ask(shown_frame(width, 100), media, {last});
    media = std::make_shared<MediaInfo>();
    media->rotation_degrees = 90;
    const ShownFramePtr shown = shown_frame(192, 96);
    previews.ask(shown, media, {last});
    while (!previews.of(last) || previews.of(last)->width != 48) std::this_thread::yield();
    EXPECT_EQ(previews.of(last)->height, 96);
    const ThumbnailPtr before = previews.of(last);
    const Stack other = stack_of("box");
    previews.ask(shown, media, {last, other});
    while (!previews.of(other)) std::this_thread::yield();
    EXPECT_EQ(previews.of(last), before) << "made again for the same frame";
    previews.ask(shown_frame(64, 64), media, {other});
    EXPECT_EQ(previews.of(last), nullptr) << "of another frame";
    EXPECT_GT(news, 0);
}

TEST(ViewerStackPreviews, AStackWhoseFileReturnsIsTriedAgain) {
    const TemporaryFolder folder;
    const std::string file = (folder.path() / "matrix.txt").string();
    const Stack stack = parse_stack("convolve=file='" + file + "'");
    const Stack last = stack_of("box");
    StackPreviews previews(cpu_device(), [] {});
    const auto media = std::make_shared<MediaInfo>();
    const ShownFramePtr shown = shown_frame(64, 64);
    previews.ask(shown, media, {stack, last});
    while (!previews.of(last)) std::this_thread::yield();
    EXPECT_EQ(previews.of(stack), nullptr);
    folder.write("matrix.txt", "0 0 0\n0 1 0\n0 0 0\n");
    previews.ask(shown, media, {stack, last});
    while (!previews.of(stack)) std::this_thread::yield();
}

// The shown frame is far from a key frame, with frames of both kinds before it.
class ViewerStackPreviewsOfClip : public ClipTest {};

TEST_F(ViewerStackPreviewsOfClip, FiltersInTimeUseTheFramesBeforeTheShownOne) {
    const auto clip =
        make_clip("previews.mkv", "-f lavfi -i testsrc2=s=96x54:r=25:d=3 -c:v libx264 -bf 3 -g 60");
    auto media = std::make_shared<MediaInfo>();
    media->path = clip.string();
    std::vector<ThumbnailPtr> small;
    FrameSource source(clip.string());
    StackPreviews previews(cpu_device(), [] {});
    const Stack difference = stack_of("frame_difference");
    const Stack average = stack_of("temporal_average");
    const Stack both = {average[0], difference[0]};
    ASSERT_EQ(frames_before_preview(both),
              frames_before_preview(average) + frames_before_preview(difference));
    const std::size_t used = static_cast<std::size_t>(frames_before_preview(average)) + 1;
    while (std::optional<Frame> frame = source.next()) {
        small.push_back(make_thumbnail(*frame->av, *media, 0, StackPreviews::kMaxSide));
        const std::size_t count = small.size();
        if (count != 1 && count != 2 && count != 55) continue;
        auto shown = std::make_shared<ShownFrame>();
        shown->info = frame_info(*frame->av, 0);
        shown->played.frame = std::make_shared<Frame>(std::move(*frame));
        shown->played.duration = 0.04;
        previews.ask(shown, media, {difference, average, both});
        while (!previews.of(both)) std::this_thread::yield();
        const std::span all(small);
        const auto last = [&](std::size_t frames) { return all.last(std::min(frames, count)); };
        EXPECT_EQ(previews.of(difference)->rgb, stack_preview(difference, last(2))->rgb) << count;
        EXPECT_EQ(previews.of(average)->rgb, stack_preview(average, last(used))->rgb) << count;
        EXPECT_EQ(previews.of(both)->rgb, stack_preview(both, last(used + 1))->rgb) << count;
    }
    EXPECT_EQ(small.size(), 75U);
}

TEST(ViewerStackPreviews, AFrameIsNotKeptAfterItsPictures) {
    StackPreviews previews(cpu_device(), [] {});
    ShownFramePtr shown = shown_frame(64, 64);
    const std::weak_ptr<const ShownFrame> watch = shown;
    const Stack stack = stack_of("box");
    previews.ask(std::move(shown), std::make_shared<MediaInfo>(), {stack});
    while (!watch.expired()) std::this_thread::yield();
    EXPECT_TRUE(previews.of(stack));
}

}  // namespace
}  // namespace weft::test
