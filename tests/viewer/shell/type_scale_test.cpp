#include "app/viewer/shell/type_scale.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

// The user's factor is 0.5 to 3, on displays of up to three times 96 dpi.
TEST(ViewerTypeScale, SizesDifferAtEveryScale) {
    for (int percent = 50; percent <= 900; ++percent) {
        const double scale = percent / 100.0;
        const int small = font_pixels(TextSize::small, scale);
        const int body = font_pixels(TextSize::body, scale);
        const int title = font_pixels(TextSize::title, scale);
        EXPECT_LT(small, body) << scale;
        EXPECT_LT(body, title) << scale;
        EXPECT_GE(small, 6) << scale;
    }
    EXPECT_EQ(font_pixels(TextSize::body, 1), 16);
}

}  // namespace
}  // namespace weft
