#include "app/pipeline/motion/film_motion.h"

#include <gtest/gtest.h>

#include "app/media/libav/error.h"
#include "filters/filter.h"

namespace weft {
namespace {

PixelRect placed(const std::string& text, int width = 200, int height = 101) {
    return place_region(parse_region(text), width, height, text);
}

TEST(PipelineFilmMotion, ARegionIsThePixelsThatItTouches) {
    EXPECT_EQ(placed("20x10+3+4"), (PixelRect{3, 4, 20, 10}));
    EXPECT_EQ(placed("200x101+0+0"), (PixelRect{0, 0, 200, 101}));
    EXPECT_EQ(placed("50%x50%+50%+50%"), (PixelRect{100, 50, 100, 51}));
    EXPECT_EQ(placed("10%x100%+4+0"), (PixelRect{4, 0, 20, 101}));
    EXPECT_EQ(placed("1.5x1+2.5+0"), (PixelRect{2, 0, 2, 1}));
    EXPECT_EQ(placed("0.5x0.5+9.2+8.3"), (PixelRect{9, 8, 1, 1}));
    // 7 % of 300 is 21.000000000000004.
    EXPECT_EQ(placed("7%x7%+7%+7%", 300, 300), (PixelRect{21, 21, 21, 21}));
}

TEST(PipelineFilmMotion, PartsOutsideOfThePictureAreCutOff) {
    EXPECT_EQ(placed("500x500+150+100"), (PixelRect{150, 100, 50, 1}));
    EXPECT_EQ(placed("20x20-5-1"), (PixelRect{0, 0, 15, 19}));
    for (const char* outside : {"10x10+200+0", "10x10+0+101", "10x10+500+500", "10x10-10+0",
                                "10x10+0-50%", "10x10+100%+0"})
        EXPECT_THROW((void)placed(outside), Error) << outside;
}

TEST(PipelineFilmMotion, OtherTextsAreMarked) {
    for (const char* text : {"", "10", "10x10", "10x10+5", "10x10+5+5+5", "axb+c+d", "0x10+5+5",
                             "nanx10+0+0", "10x10+0+0|10x10+20+20"})
        EXPECT_THROW((void)parse_region(text), FilterError) << text;
    try {
        (void)parse_region("10x10+0+0|10x10+20+20");
    } catch (const FilterError& error) {
        EXPECT_EQ(error.position(), 9U) << "the second region begins there";
    }
}

}  // namespace
}  // namespace weft
