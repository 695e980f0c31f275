#include "app/viewer/play/drop_notice.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

using std::chrono::seconds;

TEST(ViewerDropNotice, CountsTheFramesOfOneDisturbance) {
    const DropNotice::Time start{seconds(1000)};
    DropNotice notice;
    EXPECT_EQ(notice.update(0, start), 0);
    EXPECT_EQ(notice.update(3, start + seconds(1)), 3);
    EXPECT_EQ(notice.update(5, start + seconds(4)), 5);
    EXPECT_EQ(notice.update(5, start + seconds(8)), 5);
    EXPECT_EQ(notice.update(5, start + seconds(9)), 0) << "five seconds after the last one";
    EXPECT_EQ(notice.update(6, start + seconds(60)), 1) << "the earlier ones are no news";
}

TEST(ViewerDropNotice, KnowsWhenItDisappears) {
    const DropNotice::Time start{seconds(1000)};
    DropNotice notice;
    EXPECT_FALSE(notice.left(start));
    (void)notice.update(2, start);
    EXPECT_EQ(notice.left(start + seconds(2)), seconds(3));
    EXPECT_EQ(notice.left(start + seconds(9)), seconds(0)) << "the window has to be redrawn";
    (void)notice.update(2, start + seconds(9));
    EXPECT_FALSE(notice.left(start + seconds(9)));
}

TEST(ViewerDropNotice, AnotherFileStartsFromZero) {
    const DropNotice::Time start{seconds(1000)};
    DropNotice notice;
    EXPECT_EQ(notice.update(7, start), 7);
    EXPECT_EQ(notice.update(0, start + seconds(1)), 0);
    EXPECT_EQ(notice.update(2, start + seconds(2)), 2);
}

}  // namespace
}  // namespace weft
