// Finds the stretches of a film in which something moves, from the luma of its frames and their
// times. Knows no files and keeps no clock, so that the commands and the window can share it.
//
// The measure of one frame at time t:
//
//   r          the time of the newest remembered frame that is at least kLagSeconds older; until
//              one exists, that of the oldest. A fixed distance makes the measure independent of
//              the frame rate. Frames are remembered kLagSeconds / 8 apart, so that the memory does
//              not depend on the rate either.
//   d          frame(t) - frame(r), pixel by pixel
//   g          a + b · frame(r), the change of the whole picture: a and b fit d by least squares
//              over the pixels whose residual is within 3 sigma, in four rounds that begin with
//              the median of d. Exposure, flicker and fades are such changes.
//   e          the part of d that is not between 0 and g. A saturated sky does not follow the
//              exposure, and must not count as motion either.
//   s          the mean of e over 3 × 3 pixels; the border repeats the edge
//   sigma      1.4826 · median |s|, the noise of this frame if less than half of the picture moves
//   usual      the lower quartile of sigma over the last kNoiseSeconds, this frame included: an
//              object that fills the picture for a part of this time is no noise
//   threshold  max(threshold_levels, kNoiseFactor · min(sigma, 2 · usual))
//   area       the share of pixels with |s| > threshold
//
// A frame is active if its area exceeds area_share. Active frames form a motion as long as inactive
// ones between them last at most kPauseSeconds. It begins with its first active frame, and ends
// with the frame that follows r of the last active one: that frame equals all later ones, so
// nothing moves from there on. A cut, a lamp that is switched on and a frame that the encoder
// refreshes thus last 0 s. Motion between the first two frames begins with the first one, and
// longer motion up to the last frame ends with the film, if these are at most kLagSeconds away.
// Motions shorter than min_length_seconds are dropped, and the others are one event where they are
// at most kGapSeconds apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "app/pipeline/motion/luma_shrinker.h"
#include "kernels/image_view.h"

namespace weft {

struct MotionOptions {
    double threshold_levels = 6;      // of 8 bits
    double area_share = 0.001;        // 0..1
    double min_length_seconds = 0.1;  // 0: cuts are events, too
};

// One point of the curve of motion.
struct MotionPoint {
    double seconds = 0;
    double area = 0;     // 0..1
    PixelRect box = {};  // of the pixels above the threshold; without size if none is
};

struct MotionEvent {
    double begin = 0;    // seconds
    double end = 0;      // the time of the first frame without motion, or the end of the film
    double peak = 0;     // when the area was largest
    double area = 0;     // then
    PixelRect box = {};  // around the pixels above the threshold in all active frames
};

// One thread at a time may use it.
class MotionDetector {
 public:
    static constexpr double kLagSeconds = 0.25;
    static constexpr double kPauseSeconds = 0.3;
    static constexpr double kGapSeconds = 2;
    static constexpr double kNoiseFactor = 5;
    static constexpr double kNoiseSeconds = 10;

    explicit MotionDetector(MotionOptions options = {}) : options_(options) {}

    // `luma` is on the host: one channel of f32 in levels of 8 bits, always of the same size, which
    // LumaShrinker makes. It is copied. `seconds` rises from call to call. Costs 0.5 ms for 65,536
    // pixels.
    MotionPoint add(const ImageView& luma, double seconds);

    // Ends the motion that lasts until now at the end of the film.
    void finish(double end_seconds);

    // The events so far, in order. The last one may still grow until finish(); one that is shorter
    // than the minimum so far is left out.
    std::vector<MotionEvent> events() const;

 private:
    struct Picture {
        double seconds = 0;
        std::vector<float> levels;
    };
    // The change a + b * level of the whole picture.
    struct GlobalChange {
        float a = 0;
        float b = 0;
    };
    struct Noise {
        double seconds = 0;
        float sigma = 0;
    };
    // A motion that has not ended.
    struct Motion {
        MotionEvent event;
        double last_active = 0;
    };

    void remember(const ImageView& luma, double seconds);
    std::size_t reference(double seconds) const;
    MotionPoint measure(const ImageView& luma, double seconds, const Picture& before);
    void subtract(const ImageView& luma, const Picture& before);
    GlobalChange global_change(const Picture& before);
    void smooth(int width, int height);
    float noise(double seconds);
    void follow(const MotionPoint& point, double still_since);
    void close();

    MotionOptions options_;
    std::deque<Picture> pictures_;  // the oldest one first
    std::deque<Noise> noises_;      // the same, as far apart as the pictures
    std::int64_t frames_ = 0;
    double last_seconds_ = 0;    // the time of the frame before
    std::vector<float> change_;  // d, then e
    std::vector<float> rows_;    // sums of three neighbours in a row
    std::vector<float> smooth_;  // |s|
    std::vector<float> before_sample_, change_sample_, sorted_;
    std::optional<Motion> motion_;
    std::vector<MotionEvent> events_;
};

}  // namespace weft
