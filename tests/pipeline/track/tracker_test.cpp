// A Tracker on drawn pictures, in which the place of the object is known.
#include "app/pipeline/track/tracker.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr int kWidth = 320;
constexpr int kHeight = 240;
constexpr double kObjectWidth = 60;
constexpr double kObjectHeight = 40;

template <class Sample>
ImageView view_of(std::vector<Sample>& samples, PixelType type, int width) {
    ImageView view;
    view.data = samples.data();
    view.width = width;
    view.height = static_cast<int>(samples.size()) / width;
    view.pitch_bytes = static_cast<std::ptrdiff_t>(sizeof(Sample)) * width;
    view.type = type;
    return view;
}

// Where the object is, and how it looks.
struct Placed {
    double x = 160;
    double y = 120;
    double scale = 1;
    double angle = 0;
    double light = 1;
    double stretch = 1;        // scales the width
    double way = 0;            // to the right during the exposure
    double detail = 1;         // scales the pattern, across
    double turn = 0;           // in radians, of the cylinder that has the pattern
    double other_x = -1000;    // of another object in front, which is almost like it
    double other_change = 12;  // of levels by which it differs
    bool hidden = false;
    int background = 0;
};

double texture(double u, double v) {
    return 120 + 50 * std::sin(9 * u + 2) * std::cos(5 * v) + 40 * std::cos(4 * u - 7 * v + 1);
}

// Where the pattern of a cylinder's front was before the cylinder turned; -0.5 to 0.5 is its width.
double turned(double u, double turn) {
    return turn == 0 ? u : 0.5 * std::sin(std::asin(2 * u) - turn);
}

double ground(int x, int y, int number) {
    const double a = 0.11 + 0.023 * number;
    return 120 + 45 * std::sin(a * x + number) * std::sin((0.17 - 0.02 * number) * y) +
           30 * std::sin(0.31 * x - 0.23 * y + 5 * number);
}

GrayPyramid picture(const Placed& at) {
    std::vector<std::uint8_t> samples;
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x) {
            const int exposures = at.way > 0 ? 16 : 1;
            double sum = 0;
            for (int e = 0; e < exposures; ++e) {
                const double shift = at.way * ((e + 0.5) / exposures - 0.5);
                const double dx = (x + 0.5 - at.x - shift) / at.scale;
                const double dy = (y + 0.5 - at.y) / at.scale;
                const double u = (dx * std::cos(at.angle) + dy * std::sin(at.angle)) /
                                 (kObjectWidth * at.stretch);
                const double v =
                    (dy * std::cos(at.angle) - dx * std::sin(at.angle)) / kObjectHeight;
                const double other = (x + 0.5 - at.other_x) / kObjectWidth;
                const bool inside = std::abs(u) < 0.5 && std::abs(v) < 0.5 && !at.hidden;
                if (std::abs(other) < 0.5 && std::abs(v) < 0.5)
                    sum += texture(other, v) +
                           at.other_change * std::sin(20 * other) * std::sin(15 * v);
                else
                    sum += inside ? texture(at.detail * turned(u, at.turn), v)
                                  : ground(x, y, at.background);
            }
            const double value = at.light * sum / exposures;
            samples.push_back(static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0)));
        }
    return {view_of(samples, PixelType::u8, kWidth), 8, 0};
}

// The smallest upright box around the object.
TrackBox true_box(const Placed& at) {
    const double c = std::abs(std::cos(at.angle)) * at.scale;
    const double s = std::abs(std::sin(at.angle)) * at.scale;
    const double wide = kObjectWidth * at.stretch;
    const double w = wide * c + kObjectHeight * s;
    const double h = wide * s + kObjectHeight * c;
    return {at.x - w / 2, at.y - h / 2, w, h};
}

// The margin is 8 % of each side, at least of the mean one. Half a pixel is for the place, the
// quarter of a way of at most 4 pixels for smear, and 0.45 times the root of 1 % of the mean
// side for looks that resampling has changed by less than 1 %.
testing::AssertionResult covers(const TrackBox& box, const TrackBox& object) {
    const double side = std::sqrt(object.width * object.height);
    const double room = 2 * (0.08 * side + 0.5 + 0.25 * 4 + 0.045 * side);
    const bool inside = box.left <= object.left && box.top <= object.top &&
                        box.right() >= object.right() && box.bottom() >= object.bottom();
    const bool close =
        box.width <= 1.16 * object.width + room && box.height <= 1.16 * object.height + room;
    if (inside && close) return testing::AssertionSuccess();
    return testing::AssertionFailure() << fmt::format(
               "{:.1f}×{:.1f}+{:.1f}+{:.1f} around {:.1f}×{:.1f}+{:.1f}+{:.1f}", box.width,
               box.height, box.left, box.top, object.width, object.height, object.left, object.top);
}

// Follows the object through placed(0), placed(1) …; every frame must be found and covered.
template <class Place>
void expect_followed(const Place& placed, int frames) {
    Tracker tracker(picture(placed(0)), true_box(placed(0)));
    EXPECT_TRUE(covers(tracker.first_box(), true_box(placed(0))));
    for (int n = 1; n < frames; ++n) {
        SCOPED_TRACE(n);
        const auto tracked = tracker.next(picture(placed(n)));
        ASSERT_TRUE(tracked);
        EXPECT_GE(tracked->confidence, 0.5);
        EXPECT_TRUE(covers(tracked->box, true_box(placed(n))));
    }
}

TEST(PipelineTracker, FollowsAnObjectThatMoves) {
    expect_followed([](int n) { return Placed{.x = 60 + 3.3 * n, .y = 180 - 1.7 * n}; }, 50);
}

TEST(PipelineTracker, FollowsAnObjectThatGrowsAndTurns) {
    expect_followed([](int n) { return Placed{.scale = std::pow(1.015, n), .angle = 0.009 * n}; },
                    40);
}

TEST(PipelineTracker, BrightnessDoesNotMatter) {
    expect_followed([](int n) { return Placed{.x = 120.0 + n, .light = 1 - 0.015 * n}; }, 40);
}

// The box of a plate on a car that turns keeps its width, since the same is true of a head whose
// face turns and whose edges stay where they are.
TEST(PipelineTracker, FollowsAnObjectThatTurnsToTheSide) {
    const auto placed = [](int n) { return Placed{.x = 120.0 + n, .stretch = 1 - 0.01 * n}; };
    Tracker tracker(picture(placed(0)), true_box(placed(0)));
    for (int n = 1; n < 40; ++n) {
        SCOPED_TRACE(n);
        const auto tracked = tracker.next(picture(placed(n)));
        ASSERT_TRUE(tracked);
        EXPECT_GE(tracked->confidence, 0.5);
        Placed edges = placed(n);
        edges.stretch = 1;
        EXPECT_TRUE(covers(tracked->box, true_box(edges)));
    }
}

// Half a pixel is for the edges, which are not sharper.
testing::AssertionResult contains(const TrackBox& box, const TrackBox& object) {
    constexpr double kEdge = 0.5;
    if (box.left <= object.left + kEdge && box.top <= object.top + kEdge &&
        box.right() >= object.right() - kEdge && box.bottom() >= object.bottom() - kEdge)
        return testing::AssertionSuccess();
    return testing::AssertionFailure()
           << fmt::format("{:.1f} to {:.1f} around {:.1f} to {:.1f}", box.left, box.right(),
                          object.left, object.right());
}

// The face moves by a seventh of the head's width, and the edges stay where they are.
TEST(PipelineTracker, FollowsAHeadThatTurns) {
    const auto placed = [](int n) {
        return Placed{.x = 100 + 2.0 * n, .detail = 2, .turn = 0.3 * std::sin(0.1 * n)};
    };
    Tracker tracker(picture(placed(0)), true_box(placed(0)));
    for (int n = 1; n < 65; ++n) {
        SCOPED_TRACE(n);
        const auto tracked = tracker.next(picture(placed(n)));
        ASSERT_TRUE(tracked);
        EXPECT_GE(tracked->confidence, 0.5);
        EXPECT_TRUE(contains(tracked->box, true_box(placed(n))));
    }
}

// Background in the box moves otherwise than the object.
TEST(PipelineTracker, FollowsAnObjectInABoxThatIsTooLarge) {
    const auto placed = [](int n) { return Placed{.x = 60 + 3.3 * n, .y = 180 - 1.7 * n}; };
    const TrackBox object = true_box(placed(0));
    Tracker tracker(picture(placed(0)),
                    {object.left - 0.3 * object.width, object.top - 0.1 * object.height,
                     1.45 * object.width, 1.45 * object.height});
    for (int n = 1; n < 60; ++n) {
        SCOPED_TRACE(n);
        const auto tracked = tracker.next(picture(placed(n)));
        ASSERT_TRUE(tracked);
        EXPECT_GE(tracked->confidence, 0.5);
        EXPECT_TRUE(contains(tracked->box, true_box(placed(n))));
    }
}

// The other object never takes over: while it hides the object, the box is uncertain or right. An
// object whose looks are the same takes another way.
TEST(PipelineTracker, AnotherObjectLikeItDoesNotTakeOver) {
    for (const double change : {12.0, 1.0}) {
        const auto placed = [&](int n) {
            return Placed{.x = 60 + 4.0 * n, .other_x = 260 - 4.0 * n, .other_change = change};
        };
        Tracker tracker(picture(placed(0)), true_box(placed(0)));
        for (int n = 1; n <= 50; ++n) {
            SCOPED_TRACE(fmt::format("frame {}, change {}", n, change));
            const auto tracked = tracker.next(picture(placed(n)));
            ASSERT_TRUE(tracked);
            if (tracked->confidence >= 0.5) {
                EXPECT_TRUE(contains(tracked->box, true_box(placed(n))));
            }
            const bool apart = std::abs(placed(n).x - placed(n).other_x) > 1.5 * kObjectWidth;
            if (apart) {
                EXPECT_GE(tracked->confidence, 0.5);
            }
        }
    }
}

// The exposure lasts for most of the time between frames, so that details fade which are 21
// pixels apart.
TEST(PipelineTracker, FollowsAnObjectThatItsMotionSmears) {
    constexpr std::array kWays = {0, 0, 0, 4, 8, 14, 20, 20, 20};
    Placed at{.x = 60, .detail = 2};
    Tracker tracker(picture(at), true_box(at));
    for (const int way : kWays) {
        SCOPED_TRACE(at.x);
        at.x += way;
        at.way = 0.75 * way;
        const auto tracked = tracker.next(picture(at));
        ASSERT_TRUE(tracked);
        EXPECT_GE(tracked->confidence, 0.5);
        EXPECT_LE(tracked->box.left, true_box(at).left);
        EXPECT_GE(tracked->box.right(), true_box(at).right());
    }
}

TEST(PipelineTracker, FollowsAJerkyCamera) {
    expect_followed(
        [](int n) { return Placed{.x = 160 + 2.0 * (n % 3), .y = 120 - 3.0 * (n % 2)}; }, 20);
}

// While the object is hidden, the box is held and grows; the object is found again elsewhere.
TEST(PipelineTracker, ReportsAHiddenObjectAndFindsItAgain) {
    const auto placed = [](int n) {
        return Placed{.x = n < 15 ? 100.0 : 220.0, .y = 120, .hidden = n >= 5 && n < 15};
    };
    Tracker tracker(picture(placed(0)), true_box(placed(0)));
    double width = 0;
    for (int n = 1; n < 25; ++n) {
        SCOPED_TRACE(n);
        const auto tracked = tracker.next(picture(placed(n)));
        ASSERT_TRUE(tracked);
        if (!placed(n).hidden) {
            EXPECT_GE(tracked->confidence, 0.5);
            EXPECT_TRUE(covers(tracked->box, true_box(placed(n))));
        } else {
            EXPECT_LT(tracked->confidence, 0.5);
            EXPECT_GT(tracked->box.width, width);
        }
        width = tracked->box.width;
    }
}

TEST(PipelineTracker, FollowsAnObjectOutOfThePictureAndBack) {
    const auto placed = [](int n) { return Placed{.x = 250 + 6.0 * std::min(n, 40 - n)}; };
    Tracker tracker(picture(placed(0)), true_box(placed(0)));
    for (int n = 1; n <= 40; ++n) {
        SCOPED_TRACE(n);
        const auto tracked = tracker.next(picture(placed(n)));
        ASSERT_TRUE(tracked);
        const TrackBox object = true_box(placed(n));
        if (object.right() <= kWidth) {
            EXPECT_GE(tracked->confidence, 0.5);
        }
        if (object.left >= kWidth) {
            EXPECT_LT(tracked->confidence, 0.5);
        }
    }
}

TEST(PipelineTracker, ACutEndsTheTrack) {
    const Placed before;
    Tracker tracker(picture(before), true_box(before));
    ASSERT_TRUE(tracker.next(picture(before)));
    EXPECT_FALSE(tracker.next(picture({.hidden = true, .background = 3})));
}

TEST(PipelineTracker, APictureOfAnotherSizeEndsTheTrack) {
    const Placed before;
    Tracker tracker(picture(before), true_box(before));
    std::vector<std::uint8_t> samples(64 * 64, 100);
    EXPECT_FALSE(tracker.next(GrayPyramid(view_of(samples, PixelType::u8, 64), 8, 0)));
}

TEST(PipelineTracker, ACopyContinuesOnItsOwn) {
    const auto placed = [](int n) { return Placed{.x = 100 + 3.0 * n}; };
    Tracker forwards(picture(placed(0)), true_box(placed(0)));
    for (int n = 1; n < 10; ++n) ASSERT_TRUE(forwards.next(picture(placed(n))));
    Tracker back = forwards;
    for (int n = 8; n >= 0; --n) {
        const auto tracked = back.next(picture(placed(n)));
        ASSERT_TRUE(tracked);
        EXPECT_GE(tracked->confidence, 0.5);
        EXPECT_TRUE(covers(tracked->box, true_box(placed(n)))) << n;
    }
    const auto tracked = forwards.next(picture(placed(10)));
    ASSERT_TRUE(tracked);
    EXPECT_TRUE(covers(tracked->box, true_box(placed(10))));
}

TEST(PipelineGrayPyramid, LevelsAreRoundedMeansOfFourAndDropOddEdges) {
    constexpr int kSide = 67;
    std::vector<std::uint8_t> samples;
    for (int k = 0; k < kSide * kSide; ++k)
        samples.push_back(static_cast<std::uint8_t>(k * 37 % 251));
    const GrayPyramid pyramid(view_of(samples, PixelType::u8, kSide), 8, 0);
    EXPECT_EQ(pyramid.width(), kSide);
    EXPECT_EQ(pyramid.finest(), 0);
    // 67, 33 and 16 pixels: a level with less than 16 is not kept.
    ASSERT_EQ(pyramid.coarsest(), 2);
    EXPECT_EQ(pyramid.level(0).samples, samples);
    for (int k = 1; k <= 2; ++k) {
        const GrayImage& above = pyramid.level(k - 1);
        const GrayImage& level = pyramid.level(k);
        ASSERT_EQ(level.width, above.width / 2);
        ASSERT_EQ(level.height, above.height / 2);
        for (int y = 0; y < level.height; ++y)
            for (int x = 0; x < level.width; ++x) {
                const int sum = above.row(2 * y)[2 * x] + above.row(2 * y)[2 * x + 1] +
                                above.row(2 * y + 1)[2 * x] + above.row(2 * y + 1)[2 * x + 1];
                ASSERT_EQ(level.row(y)[x], (sum + 2) / 4) << k << " " << x << " " << y;
            }
    }
    const GrayPyramid coarse(view_of(samples, PixelType::u8, kSide), 8, 1);
    EXPECT_EQ(coarse.finest(), 1);
    EXPECT_EQ(coarse.coarsest(), 2);
    EXPECT_EQ(coarse.level(1).samples, pyramid.level(1).samples);
    EXPECT_EQ(coarse.level(2).samples, pyramid.level(2).samples);
}

TEST(PipelineGrayPyramid, SamplesOfMoreBitsLoseTheLowOnes) {
    std::vector<std::uint16_t> samples(32 * 32, 1023);
    samples[5] = 512;
    const GrayPyramid pyramid(view_of(samples, PixelType::u16, 32), 10, 0);
    EXPECT_EQ(pyramid.level(0).samples[0], 255);
    EXPECT_EQ(pyramid.level(0).samples[5], 128);
    const GrayPyramid half(view_of(samples, PixelType::u16, 32), 10, 1);
    EXPECT_EQ(half.level(1).samples[0], 255);
}

TEST(PipelineGrayPyramid, ATinyPictureHasOneLevel) {
    std::vector<std::uint8_t> samples(6, 9);
    const GrayPyramid pyramid(view_of(samples, PixelType::u8, 3), 8, 4);
    EXPECT_EQ(pyramid.finest(), 0);
    EXPECT_EQ(pyramid.coarsest(), 0);
    EXPECT_EQ(pyramid.nearest_level(4), 0);
}

}  // namespace
}  // namespace weft
