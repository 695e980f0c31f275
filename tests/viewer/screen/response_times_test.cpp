#include "app/viewer/screen/response_times.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

// A moment of the test.
ResponseTimes::Time at(int ms) {
    return ResponseTimes::Time{} + std::chrono::hours(1) + std::chrono::milliseconds(ms);
}

TEST(ViewerResponseTimes, APictureAnswersItsEventOnce) {
    Durations seconds;
    ResponseTimes times(seconds);
    times.ask(5, at(100));
    times.answer(4, at(110));
    EXPECT_EQ(seconds.count(), 0);
    times.answer(5, at(140));
    times.answer(5, at(200));
    EXPECT_EQ(seconds.count(), 1);
    EXPECT_DOUBLE_EQ(seconds.total_seconds(), 0.040);
}

TEST(ViewerResponseTimes, APictureAnswersTheEventsWhosePicturesWereSkipped) {
    Durations seconds;
    ResponseTimes times(seconds);
    times.ask(1, at(0));
    times.ask(2, at(10));
    times.ask(4, at(20));
    times.answer(3, at(50));
    EXPECT_EQ(seconds.count(), 2);
    EXPECT_DOUBLE_EQ(seconds.total_seconds(), 0.050 + 0.040);
    times.answer(4, at(60));
    EXPECT_EQ(seconds.count(), 3);
    EXPECT_DOUBLE_EQ(seconds.quantile_seconds(1), 0.050);
}

TEST(ViewerResponseTimes, ForgottenEventsAreNotCounted) {
    Durations seconds;
    ResponseTimes times(seconds);
    times.ask(1, at(0));
    times.forget();
    times.answer(1, at(10));
    EXPECT_EQ(seconds.count(), 0);
}

}  // namespace
}  // namespace weft
