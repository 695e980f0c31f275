#include "app/pipeline/motion/motion_detector.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>

#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr int kWidth = 160;
constexpr int kHeight = 90;

// A picture of kWidth × kHeight levels that tests draw on.
class Picture {
 public:
    explicit Picture(const std::function<float(int x, int y)>& level)
        : levels_(static_cast<std::size_t>(kWidth) * kHeight) {
        for (int y = 0; y < kHeight; ++y)
            for (int x = 0; x < kWidth; ++x) at(x, y) = level(x, y);
    }

    float& at(int x, int y) { return levels_[static_cast<std::size_t>(y) * kWidth + x]; }
    ImageView view() {
        return {.data = levels_.data(),
                .width = kWidth,
                .height = kHeight,
                .pitch_bytes = kWidth * static_cast<std::ptrdiff_t>(sizeof(float)),
                .type = PixelType::f32};
    }

 private:
    std::vector<float> levels_;
};

// Smooth structure between the levels 30 and 190.
float scene(int x, int y) {
    return 110 + 50 * std::sin(static_cast<float>(x) / 7) +
           30 * std::cos(static_cast<float>(y) / 5);
}

Picture still() {
    static const Picture once(scene);
    return once;
}

void add_square(Picture& picture, int left, int top, int side, float level) {
    for (int y = top; y < top + side; ++y)
        for (int x = std::max(left, 0); x < std::min(left + side, kWidth); ++x)
            if (y >= 0 && y < kHeight) picture.at(x, y) = level;
}

class Noise {
 public:
    explicit Noise(float sigma) : normal_(0, sigma) {}
    void add_to(Picture& picture) {
        for (int y = 0; y < kHeight; ++y)
            for (int x = 0; x < kWidth; ++x) picture.at(x, y) += normal_(engine_);
    }

 private:
    std::mt19937 engine_{20261129};
    std::normal_distribution<float> normal_;
};

// The events of a film whose pictures `draw` changes, given the time of each frame.
std::vector<MotionEvent> events_of(const std::vector<double>& times,
                                   const std::function<void(Picture&, double seconds)>& draw,
                                   MotionOptions options = {}) {
    MotionDetector detector(options);
    for (const double seconds : times) {
        Picture picture = still();
        draw(picture, seconds);
        (void)detector.add(picture.view(), seconds);
    }
    const double last = times.size() > 1 ? times.back() - times[times.size() - 2] : 0;
    detector.finish(times.back() + last);
    return detector.events();
}

std::vector<double> steady(double seconds, double rate) {
    std::vector<double> times;
    for (int k = 0; k < seconds * rate; ++k) times.push_back(k / rate);
    return times;
}

TEST(PipelineMotionDetector, AStillPictureHasNoEvents) {
    EXPECT_TRUE(events_of(steady(10, 25), [](Picture&, double) {}).empty());
}

TEST(PipelineMotionDetector, NoiseIsNoMotion) {
    for (const float sigma : {1.0F, 4.0F, 16.0F, 40.0F}) {
        Noise noise(sigma);
        EXPECT_TRUE(
            events_of(steady(10, 25), [&](Picture& picture, double) { noise.add_to(picture); })
                .empty())
            << "noise of " << sigma << " levels";
    }
}

// A square of 10 pixels enters at 3 s and has left at 5 s, from the left to the right in 50 frames:
// its first columns are in the frame at 3 s, and the frame at 5 s is the first without it.
void cross(Picture& picture, double seconds) {
    if (seconds < 3 - 1e-9 || seconds > 5 - 1e-9) return;
    const double way = (seconds - 3) / 2;
    add_square(picture, static_cast<int>(std::lround(-6 + way * (kWidth + 6))), 40, 10, 240);
}

TEST(PipelineMotionDetector, ASquareThatCrossesIsOneEvent) {
    const auto events = events_of(steady(10, 25), cross);
    ASSERT_EQ(events.size(), 1U);
    EXPECT_NEAR(events[0].begin, 3, 0.04 + 1e-6);
    EXPECT_NEAR(events[0].end, 5, 0.04 + 1e-6);
    EXPECT_GE(events[0].peak, events[0].begin);
    EXPECT_LE(events[0].peak, events[0].end);
    // The square of 100 pixels where it is and where it was, and the ring of the 3 × 3 mean.
    EXPECT_GE(events[0].area, 2 * 100.0 / (kWidth * kHeight));
    EXPECT_LE(events[0].area, 2 * 144.0 / (kWidth * kHeight));
    // The mean exceeds the threshold of 6 levels with three of nine pixels of any contrast
    // above 18.
    EXPECT_EQ(events[0].box, (PixelRect{0, 39, kWidth, 12}));
}

TEST(PipelineMotionDetector, NoiseHidesNoSquare) {
    Noise noise(4);
    const auto events = events_of(steady(10, 25), [&](Picture& picture, double seconds) {
        cross(picture, seconds);
        noise.add_to(picture);
    });
    ASSERT_EQ(events.size(), 1U);
    EXPECT_NEAR(events[0].begin, 3, 0.08 + 1e-6);
    EXPECT_NEAR(events[0].end, 5, 0.08 + 1e-6);
}

// Brightness and contrast of the whole picture change at once, in a ramp and by flicker.
TEST(PipelineMotionDetector, AChangeOfExposureIsNoMotion) {
    const auto expose = [](Picture& picture, float gain, float offset) {
        for (int y = 0; y < kHeight; ++y)
            for (int x = 0; x < kWidth; ++x)
                picture.at(x, y) = std::clamp(picture.at(x, y) * gain + offset, 0.0F, 235.0F);
    };
    MotionOptions with_cuts;
    with_cuts.min_length_seconds = 0;
    EXPECT_TRUE(events_of(
                    steady(10, 25),
                    [&](Picture& picture, double s) {
                        if (s >= 4) expose(picture, 1, 30);
                    },
                    with_cuts)
                    .empty());
    EXPECT_TRUE(events_of(
                    steady(10, 25),
                    [&](Picture& picture, double s) {
                        if (s >= 4) expose(picture, 1.5F, -20);  // saturates a part
                    },
                    with_cuts)
                    .empty());
    EXPECT_TRUE(events_of(steady(10, 25), [&](Picture& picture, double s) {
                    expose(picture, static_cast<float>(std::clamp(1 + (s - 4) / 5, 1.0, 1.6)), 0);
                }).empty());
    EXPECT_TRUE(events_of(steady(10, 25), [&](Picture& picture, double s) {
                    expose(picture, 1, static_cast<float>(10 * std::sin(40 * s)));
                }).empty());
    const auto both = events_of(steady(10, 25), [&](Picture& picture, double s) {
        cross(picture, s);
        expose(picture, static_cast<float>(std::clamp(1 + (s - 2) / 10, 1.0, 1.4)), 0);
    });
    ASSERT_EQ(both.size(), 1U) << "the exposure hides the square";
    EXPECT_NEAR(both[0].begin, 3, 0.08 + 1e-6);
    EXPECT_NEAR(both[0].end, 5, 0.08 + 1e-6);
}

// A cut changes the picture for good: it takes no time, and only a minimum of 0 s lists it.
TEST(PipelineMotionDetector, ACutIsNoMotion) {
    const auto cut = [](Picture& picture, double seconds) {
        if (seconds >= 4) picture = Picture([](int x, int y) { return scene(y * 3, x * 2); });
    };
    EXPECT_TRUE(events_of(steady(10, 25), cut).empty());
    MotionOptions with_cuts;
    with_cuts.min_length_seconds = 0;
    const auto events = events_of(steady(10, 25), cut, with_cuts);
    ASSERT_EQ(events.size(), 1U);
    EXPECT_DOUBLE_EQ(events[0].begin, 4);
    EXPECT_DOUBLE_EQ(events[0].end, 4);
}

// An object that is in a single frame of 0.04 s changes the picture twice.
TEST(PipelineMotionDetector, MotionsShorterThanTheMinimumAreLeftOut) {
    const auto flash = [](Picture& picture, double seconds) {
        if (std::fabs(seconds - 4) < 0.01) add_square(picture, 50, 40, 20, 240);
    };
    EXPECT_TRUE(events_of(steady(10, 25), flash).empty());
    MotionOptions short_ones;
    short_ones.min_length_seconds = 0.04;
    const auto events = events_of(steady(10, 25), flash, short_ones);
    ASSERT_EQ(events.size(), 1U);
    EXPECT_NEAR(events[0].begin, 4, 1e-6);
    EXPECT_NEAR(events[0].end, 4.04, 1e-6);
    EXPECT_EQ(events_of(steady(10, 25), cross, {.min_length_seconds = 1.9}).size(), 1U);
    EXPECT_TRUE(events_of(steady(10, 25), cross, {.min_length_seconds = 2.2}).empty());
}

TEST(PipelineMotionDetector, MotionsThatAreCloseAreOneEvent) {
    // Two crossings; the second one begins `pause` after the end of the first one at 5 s.
    const auto count = [](double pause) {
        return events_of(steady(15, 25),
                         [&](Picture& picture, double seconds) {
                             cross(picture, seconds);
                             cross(picture, seconds - 2 - pause);
                         })
            .size();
    };
    EXPECT_EQ(count(1.8), 1U);
    EXPECT_EQ(count(2.2), 2U);
}

TEST(PipelineMotionDetector, ThresholdAndAreaAreLimits) {
    // A square of contrast 12, 12 × 12 pixels: 1 % of 14400 where it is, and as much where it was.
    const auto faint = [](Picture& picture, double seconds) {
        if (seconds < 3 || seconds > 5) return;
        const int left = static_cast<int>((seconds - 3) / 2 * 140);
        for (int y = 40; y < 52; ++y)
            for (int x = left; x < left + 12; ++x) picture.at(x, y) += 12;
    };
    EXPECT_EQ(events_of(steady(10, 25), faint, {.threshold_levels = 10}).size(), 1U);
    EXPECT_TRUE(events_of(steady(10, 25), faint, {.threshold_levels = 14}).empty());
    EXPECT_EQ(events_of(steady(10, 25), faint, {.area_share = 0.01}).size(), 1U);
    EXPECT_TRUE(events_of(steady(10, 25), faint, {.area_share = 0.04}).empty());
}

// Frames at 5, 10, 25, 100 and 1000 per second, and times that change from second to second.
TEST(PipelineMotionDetector, EventsDoNotDependOnTheFrameRate) {
    std::vector<double> varying;
    for (int second = 0; second < 10; ++second)
        for (int k = 0; k < (second % 2 == 0 ? 50 : 10); ++k)
            varying.push_back(second + k * (second % 2 == 0 ? 0.02 : 0.1));
    struct Row {
        std::vector<double> times;
        double step;
    };
    // An event begins at most a frame late, and 1/32 s at rates above 32.
    for (const Row& row :
         {Row{steady(10, 5), 0.2}, Row{steady(10, 10), 0.1}, Row{steady(10, 25), 0.04},
          Row{steady(10, 100), 0.04}, Row{steady(8, 1000), 0.04}, Row{varying, 0.1}}) {
        const auto events = events_of(row.times, cross);
        ASSERT_EQ(events.size(), 1U) << row.step;
        EXPECT_NEAR(events[0].begin, 3, row.step + 1e-6);
        EXPECT_NEAR(events[0].end, 5, row.step + 1e-6);
    }
}

TEST(PipelineMotionDetector, MotionAtTheBeginBeginsWithTheFirstFrame) {
    const auto events = events_of(
        steady(4, 25), [](Picture& picture, double seconds) { cross(picture, seconds + 4); });
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].begin, 0);
    EXPECT_NEAR(events[0].end, 1, 0.04 + 1e-6);
}

// A frame of a time lapse every 2 s: the object is only in the second one of three.
TEST(PipelineMotionDetector, FramesFarApartAreNoMotionUntilTheEnds) {
    const auto events = events_of({0, 2, 4}, [](Picture& picture, double seconds) {
        if (seconds > 1 && seconds < 3) add_square(picture, 50, 40, 20, 240);
    });
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].begin, 2);
    EXPECT_EQ(events[0].end, 4);
}

TEST(PipelineMotionDetector, MotionAtTheEndLastsUntilTheEnd) {
    const auto events = events_of(steady(4, 25), cross);
    ASSERT_EQ(events.size(), 1U);
    EXPECT_NEAR(events[0].begin, 3, 0.04 + 1e-6);
    EXPECT_NEAR(events[0].end, 4, 1e-6);
}

// A door that somebody passes: for a second more than half of the region moves.
TEST(PipelineMotionDetector, AnObjectThatFillsThePictureIsNoNoise) {
    Noise noise(4);
    const auto events = events_of(steady(10, 25), [&](Picture& picture, double seconds) {
        if (seconds > 5 - 1e-9 && seconds < 6 - 1e-9) {
            const int shift = static_cast<int>(seconds * 100);
            for (int y = 0; y < kHeight; ++y)
                for (int x = 10; x < kWidth - 10; ++x)
                    picture.at(x, y) = scene((x + shift) * 3, y * 2);
        }
        noise.add_to(picture);
    });
    ASSERT_EQ(events.size(), 1U);
    EXPECT_NEAR(events[0].begin, 5, 1e-6);
    EXPECT_NEAR(events[0].end, 6, 1e-6);
    EXPECT_GT(events[0].area, 0.3);
}

TEST(PipelineMotionDetector, TheCurveHasAPointForEachFrame) {
    MotionDetector detector;
    for (const double seconds : steady(6, 25)) {
        Picture picture = still();
        cross(picture, seconds);
        const MotionPoint point = detector.add(picture.view(), seconds);
        EXPECT_EQ(point.seconds, seconds);
        const bool moves = seconds > 3.05 && seconds < 5.2;
        if (seconds < 2.99 || seconds > 5.3) {
            EXPECT_EQ(point.area, 0);
        }
        if (moves) {
            EXPECT_GT(point.area, 0.001) << seconds;
            EXPECT_GT(point.box.width, 0) << seconds;
        }
    }
}

TEST(PipelineMotionDetector, TheSmallestPicturesAreMeasured) {
    float level = 0;
    const ImageView one{
        .data = &level, .width = 1, .height = 1, .pitch_bytes = 4, .type = PixelType::f32};
    MotionDetector detector;
    for (int k = 0; k < 20; ++k) {
        level = k < 10 ? 0 : 200;
        EXPECT_EQ(detector.add(one, k * 0.04).area, 0) << "all of the picture changes alike";
    }
}

}  // namespace
}  // namespace weft
