#include "app/viewer/play/thumbnails.h"

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>

#include <gtest/gtest.h>

#include "app/media/read/reader.h"
#include "tests/media/read/reader_recipes.h"
#include "tests/support/clips.h"

namespace weft::test {
namespace {

std::shared_ptr<const MediaInfo> info_of(const std::filesystem::path& file) {
    ReaderOptions options;
    options.path = file.string();
    return std::make_shared<MediaInfo>(media_info(Reader(options), file.string()));
}

// Counts notifications, so that tests can wait for them.
struct News {
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t count = 0;

    void tell() {
        const std::scoped_lock lock(mutex);
        ++count;
        changed.notify_all();
    }
    bool wait_for(std::size_t wanted) {
        std::unique_lock lock(mutex);
        return changed.wait_for(lock, std::chrono::minutes(1), [&] { return count >= wanted; });
    }
};

class ViewerThumbnails : public ClipTest {};

// A clip whose left half is red and right half is blue, with key frames half a second apart.
std::filesystem::path two_colours() {
    return make_clip("colours.mp4",
                     "-f lavfi -i color=red:s=320x180:r=30:d=2 -vf drawbox=x=160:w=160:h=180:"
                     "color=blue:t=fill -c:v libx264 -preset ultrafast -g 15");
}

int channel(const Thumbnail& picture, int x, int y, int c) {
    return picture.rgb[static_cast<std::size_t>(3 * (y * picture.width + x) + c)];
}

TEST_F(ViewerThumbnails, AreKeyFramesOfTheWholeFile) {
    News news;
    Thumbnails thumbnails([&] { news.tell(); });
    thumbnails.open(info_of(two_colours()), 8);
    ASSERT_TRUE(news.wait_for(4));
    const auto all = thumbnails.all();
    ASSERT_EQ(all.size(), 4U);
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_NEAR(all[i]->seconds, 0.5 * static_cast<double>(i), 1e-6);
        EXPECT_EQ(all[i]->width, 160);
        EXPECT_EQ(all[i]->height, 90);
        EXPECT_GT(channel(*all[i], 20, 45, 0), 230);
        EXPECT_GT(channel(*all[i], 140, 45, 2), 230);
    }
    EXPECT_EQ(thumbnails.nearest(1.1), all[2]);
}

TEST_F(ViewerThumbnails, AreUpright) {
    MediaInfo media = *info_of(two_colours());
    ReaderOptions options;
    options.path = media.path;
    Reader reader(options);
    MediaItem item = reader.next();
    while (!std::holds_alternative<Frame>(item)) item = reader.next();
    const AVFrame& frame = *std::get<Frame>(item).av;
    media.rotation_degrees = 90;
    const auto clockwise = make_thumbnail(frame, media, 0);
    ASSERT_EQ(clockwise->width, 90);
    ASSERT_EQ(clockwise->height, 160);
    EXPECT_GT(channel(*clockwise, 45, 20, 0), 230) << "left comes to the top";
    media.rotation_degrees = 270;
    EXPECT_GT(channel(*make_thumbnail(frame, media, 0), 45, 20, 2), 230)
        << "right comes to the top";
    media.rotation_degrees = 180;
    EXPECT_GT(channel(*make_thumbnail(frame, media, 0), 20, 45, 2), 230);
    media.rotation_degrees = 0;
    media.sample_aspect = 0.5;
    EXPECT_EQ(make_thumbnail(frame, media, 0)->height, 160 * 180 / 180);
}

TEST_F(ViewerThumbnails, AreReplacedWithANewFile) {
    News news;
    Thumbnails thumbnails([&] { news.tell(); });
    thumbnails.open(info_of(recipe("plain.mkv")), 32);
    thumbnails.open(info_of(recipe("anim.gif")), 4);
    ASSERT_TRUE(news.wait_for(4));
    thumbnails.open(nullptr);
    EXPECT_TRUE(thumbnails.all().empty());
    EXPECT_EQ(thumbnails.nearest(0), nullptr);
}

}  // namespace
}  // namespace weft::test
