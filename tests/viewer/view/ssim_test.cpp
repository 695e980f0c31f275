#include "app/viewer/view/ssim.h"

#include <cmath>
#include <limits>
#include <regex>

#include <gtest/gtest.h>

#include "app/viewer/play/frame_source.h"
#include "kernels/plane_views.h"
#include "tests/pipeline/test_frames.h"
#include "tests/support/clips.h"

namespace weft::test {
namespace {

constexpr int kWindow = 8;

// SSIM of the window at (left, top), from means and unbiased variances.
double window_ssim(const oracle::Image& a, const oracle::Image& b, int left, int top, double max) {
    constexpr double kCount = kWindow * kWindow;
    double mean_a = 0, mean_b = 0;
    for (int y = top; y < top + kWindow; ++y)
        for (int x = left; x < left + kWindow; ++x) {
            mean_a += a.samples[a.index(x, y, 0)] / kCount;
            mean_b += b.samples[b.index(x, y, 0)] / kCount;
        }
    double var_a = 0, var_b = 0, covariance = 0;
    for (int y = top; y < top + kWindow; ++y)
        for (int x = left; x < left + kWindow; ++x) {
            const double da = a.samples[a.index(x, y, 0)] - mean_a;
            const double db = b.samples[b.index(x, y, 0)] - mean_b;
            var_a += da * da / (kCount - 1);
            var_b += db * db / (kCount - 1);
            covariance += da * db / (kCount - 1);
        }
    const double c1 = 0.01 * 0.01 * max * max / kCount;  // ffmpeg's; 64 times as large in the paper
    const double c2 = 0.03 * 0.03 * max * max;
    return (2 * mean_a * mean_b + c1) * (2 * covariance + c2) /
           ((mean_a * mean_a + mean_b * mean_b + c1) * (var_a + var_b + c2));
}

TEST(ViewerSsim, IsTheMeanOverWindows) {
    for (const FormatRow& row : format_rows())
        for (const auto& [width, height] : {std::pair{40, 33}, {37, 18}}) {
            SCOPED_TRACE(av_get_pix_fmt_name(row.format));
            const AVFramePtr a = random_frame(row, width, height, 3);
            const AVFramePtr b = random_frame(row, width, height, 4);
            const FrameInfo info = frame_info(*a, 0);
            const double max = std::exp2(row.depth) - 1;
            for (std::size_t p = 0; p < info.planes.size(); ++p)
                for (std::size_t c = 0; c < info.planes[p].components.size(); ++c) {
                    const Component component = info.planes[p].components[c];
                    const oracle::Image want = component_image(*a, row, component);
                    const oracle::Image got = component_image(*b, row, component);
                    double sum = 0, count = 0;
                    for (int top = 0; top + kWindow <= want.height; top += 4)
                        for (int left = 0; left + kWindow <= want.width; left += 4, ++count)
                            sum += window_ssim(want, got, left, top, max);
                    const auto mean = mean_ssim(plane_views(*a)[p], plane_views(*b)[p], c, max);
                    EXPECT_EQ(mean.has_value(), count > 0);
                    if (!mean) continue;
                    EXPECT_NEAR(*mean, sum / count, 1e-9);
                    EXPECT_EQ(mean_ssim(plane_views(*a)[p], plane_views(*a)[p], c, max), 1);
                }
        }
}

TEST(ViewerSsim, IsNothingForNan) {
    std::vector<float> samples(64, 0.5F);
    const ImageView view{
        .data = samples.data(), .width = 8, .height = 8, .pitch_bytes = 32, .type = PixelType::f32};
    EXPECT_EQ(mean_ssim(view, view, 0, 1), 1);
    samples[9] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_FALSE(mean_ssim(view, view, 0, 1));
}

// ffmpeg rounds its constants to whole numbers, which changes the sixth digit.
class ViewerSsimOfClips : public ClipTest {};

TEST_F(ViewerSsimOfClips, IsFfmpegs) {
    const auto sharp = make_clip("ssim_sharp.nut", "-f lavfi -i testsrc2=s=96x64:d=0.04 -c:v ffv1");
    const auto blurred = make_clip("ssim_blurred.nut", "-i @ssim_sharp.nut -vf gblur=2 -c:v ffv1");
    const CommandResult compared =
        run_command({"ffmpeg", "-nostdin", "-i", sharp.string(), "-i", blurred.string(), "-lavfi",
                     "ssim", "-f", "null", "-"});
    std::smatch found;
    ASSERT_TRUE(std::regex_search(compared.err, found, std::regex("SSIM Y:([0-9.]+)")))
        << compared.err;
    const auto first = [](const auto& path) { return *FrameSource(path.string()).next(); };
    const Frame a = first(sharp);
    const Frame b = first(blurred);
    EXPECT_NEAR(*mean_ssim(plane_views(*a.av)[0], plane_views(*b.av)[0], 0, 255),
                std::stod(found[1]), 2e-6);
}

}  // namespace
}  // namespace weft::test
