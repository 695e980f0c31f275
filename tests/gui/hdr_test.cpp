// HDR films on the screen: the shader's colours against the standards' formulas in double
// precision.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "tests/gui/viewer.h"
#include "tests/support/clips.h"

namespace weft::gui {
namespace {

using Colour = std::array<double, 3>;

// ---- the formulas ------------------------------------------------------------------------------

constexpr double kWhite = 203;  // cd/m², as of BT.2408
constexpr double kPeak = 1000;  // without metadata

// ST 2084, equation 4.1; in units of 10,000 cd/m².
double pq_decoded(double n) {
    const double m1 = 0.1593017578125, m2 = 78.84375;
    const double c2 = 18.8515625, c3 = 18.6875, c1 = c3 - c2 + 1;
    const double root = std::pow(n, 1 / m2);
    return std::pow(std::max(root - c1, 0.0) / (c2 - c3 * root), 1 / m1);
}

// The inverse, by bisection.
double pq_encoded(double light) {
    double low = 0, high = 1;
    for (int k = 0; k < 60; ++k)
        (pq_decoded((low + high) / 2) < light ? low : high) = (low + high) / 2;
    return low;
}

// BT.2100, table 5: the inverse of the OETF, and the OOTF for 1000 cd/m².
Colour hlg_light(const Colour& coded) {
    Colour scene{};
    for (std::size_t k = 0; k < 3; ++k) {
        const double a = 0.17883277, b = 1 - 4 * a, c = 0.5 - a * std::log(4 * a);
        scene[k] =
            coded[k] <= 0.5 ? std::pow(coded[k], 2) / 3 : (std::exp((coded[k] - c) / a) + b) / 12;
    }
    const double luma = 0.2627 * scene[0] + 0.6780 * scene[1] + 0.0593 * scene[2];
    for (double& value : scene) value *= 1000 * std::pow(luma, 0.2);
    return scene;
}

// BT.2390, 5.4.1, with black at 0.
double eetf(double nits) {
    const double peak = pq_encoded(kPeak / 10000);
    const double e1 = std::min(pq_encoded(nits / 10000) / peak, 1.0);
    const double max_lum = pq_encoded(kWhite / 10000) / peak;
    const double ks = 1.5 * max_lum - 0.5;
    if (e1 < ks) return nits;
    const double t = (e1 - ks) / (1 - ks);
    const double e2 = (2 * t * t * t - 3 * t * t + 1) * ks +
                      (t * t * t - 2 * t * t + t) * (1 - ks) +
                      (-2 * t * t * t + 3 * t * t) * max_lum;
    return 10000 * pq_decoded(e2 * peak);
}

// The matrix from BT.2020 to BT.709 by the primaries of both (BT.2087, table 4).
Colour to_bt709(const Colour& c) {
    return {1.6605 * c[0] - 0.5876 * c[1] - 0.0728 * c[2],
            -0.1246 * c[0] + 1.1329 * c[1] - 0.0083 * c[2],
            -0.0182 * c[0] - 0.1006 * c[1] + 1.1187 * c[2]};
}

// Screen levels.
Colour expected(const Colour& coded, bool pq) {
    Colour light = coded;
    if (pq)
        for (double& value : light) value = 10000 * pq_decoded(value);
    else
        light = hlg_light(coded);
    const double most = std::max(*std::ranges::max_element(light), 1e-4);
    for (double& value : light) value *= eetf(most) / most / kWhite;
    light = to_bt709(light);
    for (double& value : light) value = 255 * std::pow(std::clamp(value, 0.0, 1.0), 1 / 2.2);
    return light;
}

// ---- the film ----------------------------------------------------------------------------------

constexpr int kColumns = 8, kRows = 4;
constexpr int kTile = kClipWidth / kColumns, kTileHeight = kClipHeight / kRows;

// Grays, then three rows of colours, of 10 bits.
std::array<int, 3> tile(int column, int row) {
    const int value = 1023 * (column + 1) / kColumns;
    switch (row) {
        case 0:
            return {value, value, value};
        case 1:
            return {value, value / 2, value / 3};
        case 2:
            return {value * 2 / 3, value, value * 3 / 4};
        default:
            return {value / 2, value * 3 / 5, value};
    }
}

// Planes in the order of gbrp10le.
std::string picture() {
    std::string bytes;
    for (const std::size_t channel : {1, 2, 0})
        for (int y = 0; y < kClipHeight; ++y)
            for (int x = 0; x < kClipWidth; ++x) {
                const int value = tile(x / kTile, y / kTileHeight).at(channel);
                bytes.push_back(static_cast<char>(value & 0xFF));
                bytes.push_back(static_cast<char>(value >> 8));
            }
    return bytes;
}

class GuiHdr : public GuiTest {
 protected:
    void SetUp() override {
        if (const std::string reason = test::why_no_ffmpeg(); !reason.empty())
            GTEST_SKIP() << reason;
        GuiTest::SetUp();
    }
    std::string film(const std::string& transfer) const {
        cli::write_file(path("film.raw"), picture() + picture());
        return test::make_clip(
            transfer + ".mkv",
            fmt::format("-f rawvideo -pixel_format gbrp10le -video_size {}x{} -framerate 5 -i {} "
                        "-c:v ffv1 -color_primaries bt2020 -color_trc {} -colorspace rgb",
                        kClipWidth, kClipHeight, path("film.raw"), transfer));
    }
    // Each clip of this size is there.
    PixelRect place() const {
        Viewer viewer = view({clip()});
        const PixelRect at = viewer.clip_place();
        (void)viewer.quit();
        return at;
    }
};

// Half a level of dithering, half of rounding, and one of float arithmetic with the printed digits
// of the matrix.
constexpr double kTolerance = 2;

void expect_tone_mapped(const Viewer& viewer, const PixelRect& at, bool pq) {
    for (int row = 0; row < kRows; ++row)
        for (int column = 0; column < kColumns; ++column) {
            Colour coded{};
            for (std::size_t k = 0; k < 3; ++k) coded[k] = tile(column, row).at(k) / 1023.0;
            const Colour wanted = expected(coded, pq);
            Rgb seen;
            EXPECT_TRUE(eventually([&] {
                seen = clip_pixel(Screen::get().shot(), at, (column + 0.5) / kColumns,
                                  (row + 0.5) / kRows);
                return std::abs(seen.r - wanted[0]) <= kTolerance &&
                       std::abs(seen.g - wanted[1]) <= kTolerance &&
                       std::abs(seen.b - wanted[2]) <= kTolerance;
            })) << column
                << ", " << row << ": "
                << fmt::format("{:.1f} {:.1f} {:.1f}", wanted[0], wanted[1], wanted[2]) << ", not "
                << seen.r << " " << seen.g << " " << seen.b;
            if (testing::Test::HasFailure() || !viewer.is_running()) return;
        }
}

TEST_F(GuiHdr, PqIsToneMapped) {
    const PixelRect at = place();
    Viewer viewer = view({film("smpte2084")});
    expect_tone_mapped(viewer, at, true);
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

TEST_F(GuiHdr, HlgIsToneMapped) {
    const PixelRect at = place();
    Viewer viewer = view({film("arib-std-b67")});
    expect_tone_mapped(viewer, at, false);
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

}  // namespace
}  // namespace weft::gui
