// The sample clip's pictures and sound: two scenes with material for every filter. Pure functions
// of the frame or sample number, so that every machine makes the same clip.
#pragma once

#include <cstdint>

#include <opencv2/core.hpp>

namespace weft::clip {

inline constexpr int kWidth = 1280;
inline constexpr int kHeight = 720;
inline constexpr int kFramesPerSecond = 30;
inline constexpr int kFrames = 6 * kFramesPerSecond;
inline constexpr int kSceneCut = 105;  // first frame of the second scene, 3.5 s
inline constexpr int kSampleRate = 48000;

// Frame `n` as 8-bit BGR, kWidth × kHeight.
cv::Mat draw_frame(int n);

// One sample of the tone, -1 to 1: 440 Hz, and 660 Hz from the scene cut on.
float tone_sample(std::int64_t n);

}  // namespace weft::clip
