#include "app/viewer/play/playlist.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(ViewerPlaylist, RequestsAFileOnceForEachChoice) {
    Playlist list;
    EXPECT_EQ(list.take_request(), nullptr);
    list.set({"a", "b"});
    ASSERT_NE(list.take_request(), nullptr);
    EXPECT_EQ(list.current(), "a");
    EXPECT_EQ(list.take_request(), nullptr);
    EXPECT_TRUE(list.move(1));
    const std::string* const request = list.take_request();
    ASSERT_NE(request, nullptr);
    EXPECT_EQ(*request, "b");
}

TEST(ViewerPlaylist, RequestsNothingPastItsEndsOrForAnEmptyList) {
    Playlist list;
    list.set({"a"});
    (void)list.take_request();
    EXPECT_FALSE(list.move(1));
    EXPECT_FALSE(list.move(-1));
    list.set({});
    EXPECT_EQ(list.take_request(), nullptr);
    EXPECT_EQ(list.current(), "a");
}

}  // namespace
}  // namespace weft
