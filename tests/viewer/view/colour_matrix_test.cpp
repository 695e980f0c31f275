// Against the definitions of BT.601, BT.709 and BT.2020: r, g, b to y, u, v and back.
#include "app/viewer/view/colour_matrix.h"

#include <cmath>

#include <gtest/gtest.h>

namespace weft {
namespace {

using Triple = std::array<double, 3>;

struct Standard {
    ColorMatrix matrix;
    double kr, kb;
};

// 0..1 of the sample range, without quantisation.
Triple encode(const Triple& rgb, const Standard& standard, bool full, int depth) {
    const double y =
        standard.kr * rgb[0] + (1 - standard.kr - standard.kb) * rgb[1] + standard.kb * rgb[2];
    const double u = (rgb[2] - y) / (2 * (1 - standard.kb));
    const double v = (rgb[0] - y) / (2 * (1 - standard.kr));
    const double largest = std::pow(2.0, depth) - 1;
    const double unit = std::pow(2.0, depth - 8);
    if (full) return {y, u + 128 * unit / largest, v + 128 * unit / largest};
    return {(16 + 219 * y) * unit / largest, (128 + 224 * u) * unit / largest,
            (128 + 224 * v) * unit / largest};
}

Triple decode(const Triple& yuv, const ColourTransform& t) {
    Triple rgb{};
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t k = 0; k < 3; ++k)
            rgb[row] += t.matrix[3 * row + k] * (yuv[k] - t.offset[k]);
    return rgb;
}

FrameInfo yuv_frame(ColorMatrix matrix, bool full, int depth) {
    FrameInfo info;
    info.width = 64;
    info.height = 64;
    info.sample = depth == 8 ? SampleType::u8 : SampleType::u16;
    info.depth_bits = depth;
    info.planes = {{64, 64, {Component::y}}, {32, 32, {Component::u}}, {32, 32, {Component::v}}};
    info.matrix = matrix;
    info.full_range = full;
    return info;
}

TEST(ViewerColours, InvertTheStandardsEncoding) {
    for (const Standard& standard :
         {Standard{ColorMatrix::bt601, 0.299, 0.114}, Standard{ColorMatrix::bt709, 0.2126, 0.0722},
          Standard{ColorMatrix::bt2020, 0.2627, 0.0593}})
        for (const int depth : {8, 10, 16})
            for (const bool full : {false, true})
                for (const Triple& rgb : {Triple{0, 0, 0}, Triple{1, 1, 1}, Triple{0.8, 0.1, 0.3},
                                          Triple{0.05, 0.9, 0.6}}) {
                    const ColourTransform t = to_rgb(yuv_frame(standard.matrix, full, depth));
                    const Triple back = decode(encode(rgb, standard, full, depth), t);
                    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(back[k], rgb[k], 1e-12);
                }
}

TEST(ViewerColours, RgbStaysAsItIs) {
    FrameInfo info = yuv_frame(ColorMatrix::bt709, true, 8);
    info.planes = {{64, 64, {Component::r, Component::g, Component::b}}};
    const Triple rgb{0.25, 0.5, 0.75};
    EXPECT_EQ(decode(rgb, to_rgb(info)), rgb);
}

}  // namespace
}  // namespace weft
