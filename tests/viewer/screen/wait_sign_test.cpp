#include "app/viewer/screen/wait_sign.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

using std::chrono::milliseconds;

// A moment of the test.
WaitSign::Time at(int ms) {
    return WaitSign::Time{} + std::chrono::hours(1) + milliseconds(ms);
}

TEST(ViewerWaitSign, AppearsAfterItsPatienceAndGoesWithTheWait) {
    WaitSign sign;
    sign.update("", false, at(0));
    EXPECT_FALSE(sign.left(at(0)));
    sign.update("Filtering…", false, at(1000));
    EXPECT_EQ(sign.text(), "");
    EXPECT_EQ(sign.left(at(1050)), milliseconds(100));
    EXPECT_EQ(sign.left(at(2000)), milliseconds(0));
    sign.update("Filtering…", false, at(1149));
    EXPECT_EQ(sign.text(), "");
    sign.update("Filtering…", false, at(1150));
    EXPECT_EQ(sign.text(), "Filtering…");
    EXPECT_FALSE(sign.left(at(1150)));
    sign.update("", false, at(1151));
    EXPECT_EQ(sign.text(), "");
}

TEST(ViewerWaitSign, CountsFromTheFirstOfSeveralReasons) {
    WaitSign sign;
    sign.update("Seeking…", false, at(0));
    sign.update("Filtering…", false, at(100));
    sign.update("Filtering…", false, at(150));
    EXPECT_EQ(sign.text(), "Filtering…");
}

TEST(ViewerWaitSign, APictureThatIsRenewedIsNotStale) {
    WaitSign sign;
    for (int ms = 0; ms < 1000; ms += 100) {
        sign.update("Filtering…", true, at(ms));
        EXPECT_EQ(sign.text(), "") << ms;
    }
}

// A slider is dragged, and each result takes longer than the patience.
TEST(ViewerWaitSign, StaysWhileASlowFilterRenewsThePicture) {
    WaitSign sign;
    sign.update("Filtering…", false, at(0));
    sign.update("Filtering…", false, at(200));
    for (int ms = 300; ms < 1000; ms += 300) {
        sign.update("Filtering…", true, at(ms));
        EXPECT_EQ(sign.text(), "Filtering…") << ms;
    }
}

}  // namespace
}  // namespace weft
