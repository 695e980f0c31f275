#include "assets/clip_scene.h"

#include <cmath>
#include <numbers>
#include <string>

#include <opencv2/imgproc.hpp>

namespace weft::clip {
namespace {

constexpr double kPi = std::numbers::pi;

double seconds(int n) {
    return static_cast<double>(n) / kFramesPerSecond;
}

int rounded(double value) {
    return static_cast<int>(std::lround(value));
}

// Smooth in both directions: shows banding and areas that a blur must not change.
void draw_gradient(cv::Mat& image) {
    for (int y = 0; y < image.rows; ++y) {
        auto* row = image.ptr<cv::Vec3b>(y);
        const auto green = static_cast<unsigned char>(40 + 120 * y / image.rows);
        for (int x = 0; x < image.cols; ++x) {
            const auto red = static_cast<unsigned char>(30 + 170 * x / image.cols);
            row[x] = {static_cast<unsigned char>(200 - red / 2), green, red};
        }
    }
}

// Fine grain in one corner: removed by a blur and picked up by an edge filter.
void draw_noise(cv::Mat& image, int n) {
    const cv::Rect where(image.cols - 360, image.rows - 220, 320, 180);
    cv::Mat grain(where.size(), CV_8UC1);
    cv::RNG(static_cast<std::uint64_t>(n) + 1).fill(grain, cv::RNG::UNIFORM, 64, 192);
    cv::cvtColor(grain, image(where), cv::COLOR_GRAY2BGR);
}

void draw_text(cv::Mat& image, const std::string& text, cv::Point at, double size) {
    cv::putText(image, text, at + cv::Point(3, 3), cv::FONT_HERSHEY_DUPLEX, size, {0, 0, 0}, 4,
                cv::LINE_AA);
    cv::putText(image, text, at, cv::FONT_HERSHEY_DUPLEX, size, {255, 255, 255}, 2, cv::LINE_AA);
}

void draw_turning_square(cv::Mat& image, double t) {
    const cv::RotatedRect square({900, 260}, {220, 220}, static_cast<float>(40 * t));
    cv::Point2f corners[4];
    square.points(corners);
    const cv::Point polygon[4] = {corners[0], corners[1], corners[2], corners[3]};
    cv::fillConvexPoly(image, polygon, 4, {40, 200, 240}, cv::LINE_AA);
}

cv::Mat draw_shapes(int n) {
    const double t = seconds(n);
    cv::Mat image(kHeight, kWidth, CV_8UC3);
    draw_gradient(image);
    const cv::Point ball(rounded(300 + 180 * std::cos(2 * t)),
                         rounded(330 + 140 * std::sin(3 * t)));
    cv::circle(image, ball, 90, {230, 90, 40}, cv::FILLED, cv::LINE_AA);
    cv::circle(image, ball, 90, {250, 250, 250}, 3, cv::LINE_AA);
    draw_turning_square(image, t);
    for (int line = 0; line < 12; ++line)  // one to twelve pixels wide
        cv::line(image, {60 + 40 * line, 560}, {60 + 40 * line, 680}, {255, 255, 255}, line + 1);
    draw_noise(image, n);
    draw_text(image, "Warpweft", {rounded(40 + 120 * t), 120}, 2.5);
    return image;
}

// Rings whose frequency rises outwards: every spatial frequency in every direction, moving.
cv::Mat draw_rings(int n) {
    const double t = seconds(n);
    cv::Mat image(kHeight, kWidth, CV_8UC3);
    for (int y = 0; y < image.rows; ++y) {
        auto* row = image.ptr<cv::Vec3b>(y);
        for (int x = 0; x < image.cols; ++x) {
            const double dx = x - kWidth / 2.0;
            const double dy = y - kHeight / 2.0;
            const double wave = std::cos(kPi * (dx * dx + dy * dy) / 1600 - 4 * t);
            const auto level = static_cast<unsigned char>(128 + rounded(90 * wave));
            row[x] = {level, level, static_cast<unsigned char>(255 - level)};
        }
    }
    cv::rectangle(image, {rounded(200 * t) % kWidth, 300}, {rounded(200 * t) % kWidth + 80, 420},
                  {30, 220, 30}, cv::FILLED);
    draw_text(image, "columns by shuffles, rows by accumulators", {90, 660}, 1.5);
    return image;
}

}  // namespace

cv::Mat draw_frame(int n) {
    cv::Mat image = n < kSceneCut ? draw_shapes(n) : draw_rings(n);
    draw_text(image, std::to_string(n), {kWidth - 150, 60}, 1.5);
    return image;
}

float tone_sample(std::int64_t n) {
    const std::int64_t cut = static_cast<std::int64_t>(kSceneCut) * kSampleRate / kFramesPerSecond;
    const double frequency = n < cut ? 440 : 660;
    const double t = static_cast<double>(n) / kSampleRate;
    return static_cast<float>(0.2 * std::sin(2 * kPi * frequency * t));
}

}  // namespace weft::clip
