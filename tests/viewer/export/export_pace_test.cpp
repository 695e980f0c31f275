#include "app/viewer/export/export_pace.h"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

namespace weft {
namespace {

// An export of that many frames. `end_of` gives the time at which a frame is encoded.
struct Course {
    const char* name;
    std::int64_t frames;
    std::function<double(std::int64_t)> end_of;
};

double ripple(std::int64_t frame) {
    return 0.02 * std::sin(static_cast<double>(frame));
}

const Course kCourses[]{
    {"steady", 3000, [](auto k) { return 0.02 * static_cast<double>(k); }},
    // The encoder takes 60 frames before it returns the first one, and opening takes 1.5 s.
    {"slow start", 3000,
     [](auto k) { return 1.5 + 0.02 * static_cast<double>(k + 60) + ripple(k); }},
    {"short, slow start", 300, [](auto k) { return 1.5 + 0.02 * static_cast<double>(k); }},
    // The first frames are decoded ahead, and thus fast.
    {"fast start", 3000,
     [](auto k) {
         return k < 50 ? 0.004 * static_cast<double>(k) : 0.2 + 0.05 * static_cast<double>(k - 50);
     }},
    // Groups of 25 frames end together.
    {"in steps", 3000,
     [](auto k) {
         const auto step = k / 25 + 1;
         return 0.5 * static_cast<double>(step);
     }},
};

TEST(ViewerExportPace, TheRestIsKnownWithinAFifthAfterATenth) {
    for (const Course& course : kCourses) {
        SCOPED_TRACE(course.name);
        const double end = course.end_of(course.frames);
        ExportPace pace;
        for (std::int64_t k = 1; k <= course.frames; ++k) {
            const double now = course.end_of(k);
            pace.add(now, k);
            if (10 * k < course.frames || 10 * k > 9 * course.frames) continue;
            const auto rest = pace.seconds_for(course.frames - k);
            ASSERT_TRUE(rest) << k;
            ASSERT_NEAR(now + *rest, end, 0.2 * end) << k;
        }
    }
}

TEST(ViewerExportPace, NothingIsKnownBeforeTheFirstFrames) {
    ExportPace pace;
    EXPECT_EQ(pace.fps(), std::nullopt);
    pace.add(0.5, 0);
    pace.add(1, 1);
    EXPECT_EQ(pace.seconds_for(10).has_value(), true);
    ExportPace none;
    none.add(1, 0);
    none.add(2, 0);
    EXPECT_EQ(none.seconds_for(10), std::nullopt);
}

// The speed that counts is that of now: another program has taken half of the cores.
TEST(ViewerExportPace, FollowsAChangeOfSpeed) {
    ExportPace pace;
    for (int k = 1; k <= 100; ++k) pace.add(0.1 * k, k);
    EXPECT_NEAR(*pace.fps(), 10, 1e-6);
    for (int k = 1; k <= 100; ++k) pace.add(10 + 0.2 * k, 100 + k);
    EXPECT_NEAR(*pace.fps(), 5, 1e-6);
}

}  // namespace
}  // namespace weft
