#include "app/viewer/play/file_thumbnails.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "tests/support/allocations.h"
#include "tests/support/clips.h"

namespace weft::test {
namespace {

class ViewerFileThumbnails : public ClipTest {};

// Black for the first 0.3 of 4 seconds, then red, with a key frame every 0.2 s.
std::string film() {
    return make_clip("begins_black.mp4",
                     "-f lavfi -i color=red:s=320x180:r=30:d=4 -vf "
                     "drawbox=color=black:t=fill:enable=lt(t\\,0.3) -c:v libx264 -preset ultrafast "
                     "-g 6")
        .string();
}

std::string photo() {
    return make_clip("blue.png", "-f lavfi -i color=blue:s=90x180 -frames:v 1").string();
}

int middle(const Thumbnail& picture, int channel) {
    const std::size_t row = static_cast<std::size_t>(picture.height / 2) * picture.width;
    return picture.rgb[3 * (row + picture.width / 2) + channel];
}

TEST_F(ViewerFileThumbnails, AVideoIsShownAfterItsBeginning) {
    const ThumbnailPtr picture = thumbnail_of_file(film(), std::make_shared<Heartbeat>());
    ASSERT_TRUE(picture);
    EXPECT_EQ(picture->width, 160);
    EXPECT_GT(middle(*picture, 0), 230);
}

TEST_F(ViewerFileThumbnails, AreMadeForFilesThatCanBeRead) {
    const std::string broken = (clip_dir() / "broken.mp4").string();
    std::filesystem::copy_file(photo(), broken, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(broken, 20);
    std::atomic<int> news = 0;
    FileThumbnails files([&news] { ++news; });
    files.want({broken, (clip_dir() / "missing.mp4").string(), photo(), film()});
    while (!files.of(film())) std::this_thread::yield();
    ASSERT_TRUE(files.of(photo()));
    EXPECT_EQ(files.of(photo())->width, 80);
    EXPECT_GT(middle(*files.of(photo()), 2), 230);
    EXPECT_EQ(files.of(broken), nullptr);
    EXPECT_GE(news, 3);
}

// The list then shows a file without its picture.
TEST_F(ViewerFileThumbnails, MemoryThatRunsOutEndsNothing) {
    const std::string missing = (clip_dir() / "a_file_that_is_missing.mp4").string();
    bool all_failed = false;
    for (std::int64_t nth = 1; !all_failed; ++nth) {
        std::atomic<int> news = 0;
        FileThumbnails files([&news] { ++news; });
        std::vector<std::string> paths{missing};
        const FailedAllocation failure(nth, FailedAllocation::In::other_threads);
        files.want(std::move(paths));
        while (news == 0) std::this_thread::yield();
        EXPECT_EQ(files.of(missing), nullptr);
        all_failed = !failure.happened();
    }
}

TEST_F(ViewerFileThumbnails, OthersAreDroppedAndTheSameAreKept) {
    FileThumbnails files([] {});
    files.want({photo(), film()});
    while (!files.of(film())) std::this_thread::yield();
    const ThumbnailPtr before = files.of(film());
    files.want({film()});
    EXPECT_EQ(files.of(photo()), nullptr);
    EXPECT_EQ(files.of(film()), before);
    files.want({});
    EXPECT_EQ(files.of(film()), nullptr);
}

}  // namespace
}  // namespace weft::test
