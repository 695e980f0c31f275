#include "app/viewer/view/false_colour.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "app/viewer/view/compare_video.h"
#include "tests/pipeline/test_frames.h"
#include "tests/support/blank_frame.h"

namespace weft::test {
namespace {

using Triple = std::array<double, 3>;

constexpr double kRed = 0.299, kBlue = 0.114, kGreen = 1 - kRed - kBlue;  // below 720 lines

// Between full-range values of 0 to 1, chroma around 0, and red, green and blue.
Triple rgb_of(const Triple& yuv) {
    const double r = yuv[0] + 2 * (1 - kRed) * yuv[2];
    const double b = yuv[0] + 2 * (1 - kBlue) * yuv[1];
    return {r, (yuv[0] - kRed * r - kBlue * b) / kGreen, b};
}

Triple yuv_of(const Triple& rgb) {
    const double y = kRed * rgb[0] + kGreen * rgb[1] + kBlue * rgb[2];
    return {y, (rgb[2] - y) / (2 * (1 - kBlue)), (rgb[0] - y) / (2 * (1 - kRed))};
}

Triple colour_of(double value) {
    constexpr std::array<Triple, 4> kColours{
        {{0, 0, 0.02}, {0.45, 0.11, 0.43}, {0.93, 0.41, 0.15}, {0.99, 1, 0.64}}};
    const double at = std::clamp(value, 0.0, 1.0) * 3;
    const auto below = std::min(static_cast<std::size_t>(at), std::size_t{2});
    Triple colour;
    for (std::size_t k = 0; k < 3; ++k)
        colour[k] =
            std::lerp(kColours[below][k], kColours[below + 1][k], at - static_cast<double>(below));
    return colour;
}

// The meaning of samples of a format, one pixel at a time.
class Meaning {
 public:
    Meaning(const FormatRow& row, const FrameInfo& info)
        : row_(row),
          rgb_(info.is_rgb()),
          full_(info.full_range),
          max_(std::exp2(row.depth) - 1),
          step_(std::exp2(row.depth - 8)) {}

    Triple rgb_at(const AVFrame& frame, int x, int y) const {
        Triple yuv{};
        std::size_t k = 0;
        for (const ComponentPlace& place : row_.components) {
            if (place.component == Component::a) continue;
            const oracle::Image image = component_image(frame, row_, place.component);
            const double sample =
                image.samples[image.index(x >> place.shift_x, y >> place.shift_y, 0)];
            yuv[k] = rgb_    ? sample / max_
                     : k > 0 ? (sample - (max_ + 1) / 2) / (full_ ? max_ : 224 * step_)
                             : (full_ ? sample / max_ : (sample - 16 * step_) / (219 * step_));
            ++k;
        }
        return rgb_ ? yuv : rgb_of(yuv);
    }
    double sample_of(const Triple& colour, std::size_t k) const {
        if (rgb_) return colour[k] * max_;
        const double value = yuv_of(colour)[k];
        if (k > 0) return value * (full_ ? max_ : 224 * step_) + (max_ + 1) / 2;
        return full_ ? value * max_ : value * 219 * step_ + 16 * step_;
    }
    double max() const { return max_; }

 private:
    const FormatRow& row_;
    bool rgb_, full_;
    double max_, step_;
};

TEST(ViewerFalseColour, IsTheLargestDifferenceOfRedGreenAndBlue) {
    constexpr int kWidth = 7, kHeight = 5;
    constexpr double kGain = 0.4;
    for (const FormatRow& row : format_rows()) {
        SCOPED_TRACE(av_get_pix_fmt_name(row.format));
        const AVFramePtr left = random_frame(row, kWidth, kHeight, 1);
        const AVFramePtr right = random_frame(row, kWidth, kHeight, 2);
        const Meaning meaning(row, frame_info(*left, 0));
        const AVFramePtr made = compare_frames(
            {.layout = CompareLayout::difference, .gain = kGain, .false_colour = true}, *left,
            *right);
        std::vector<Triple> colours;
        for (int y = 0; y < kHeight; ++y)
            for (int x = 0; x < kWidth; ++x) {
                const Triple a = meaning.rgb_at(*left, x, y);
                const Triple b = meaning.rgb_at(*right, x, y);
                double most = 0;
                for (std::size_t k = 0; k < 3; ++k) most = std::max(most, std::abs(b[k] - a[k]));
                colours.push_back(colour_of(kGain * most));
            }
        std::size_t k = 0;
        for (const ComponentPlace& place : row.components) {
            const oracle::Image got = component_image(*made, row, place.component);
            for (int y = 0; y < got.height; ++y)
                for (int x = 0; x < got.width; ++x) {
                    double sum = 0, count = 0;
                    for (int j = y << place.shift_y; j < (y + 1) << place.shift_y; ++j)
                        for (int i = x << place.shift_x; i < (x + 1) << place.shift_x; ++i) {
                            if (i >= kWidth || j >= kHeight) continue;
                            const auto at = static_cast<std::size_t>(j) * kWidth + i;
                            sum += place.component == Component::a
                                       ? meaning.max()
                                       : meaning.sample_of(colours[at], k);
                            ++count;
                        }
                    EXPECT_NEAR(got.samples[got.index(x, y, 0)], sum / count, 0.5 + 1e-6)
                        << "component " << k << " at " << x << "," << y;
                }
            ++k;
        }
    }
}

TEST(ViewerFalseColour, FloatsAreNotRounded) {
    const AVFramePtr left = blank_frame(AV_PIX_FMT_GBRPF32LE, 1, 1);
    const AVFramePtr right = new_frame_like(*left);
    for (int p = 0; p < 3; ++p) {
        reinterpret_cast<float*>(left->data[p])[0] = 0.5F;
        reinterpret_cast<float*>(right->data[p])[0] = p == 1 ? 0.25F : 0.5F;
    }
    const AVFramePtr made = new_frame_like(*left);
    paint_false_colours(4, *left, *right, *made);
    EXPECT_FLOAT_EQ(reinterpret_cast<float*>(made->data[2])[0], 0.99F);
    EXPECT_FLOAT_EQ(reinterpret_cast<float*>(made->data[0])[0], 1);
    EXPECT_FLOAT_EQ(reinterpret_cast<float*>(made->data[1])[0], 0.64F);
}

}  // namespace
}  // namespace weft::test
