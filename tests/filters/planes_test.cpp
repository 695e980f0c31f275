#include "filters/planes.h"

#include <gtest/gtest.h>

#include "filters/text/text_error.h"
#include "tests/filters/frames.h"

namespace weft {
namespace {

using test::frame;

std::string letters(const std::vector<Component>& components) {
    std::string out;
    for (Component c : components) out += letter(c);
    return out;
}

struct Case {
    std::string_view planes;
    std::string_view frame;
    std::string_view filtered;
};

TEST(FiltersPlanes, SelectsComponents) {
    for (const Case& c : {
             Case{"all", "yuv420p", "yuv"},
             {"all", "yuva420p", "yuv"},
             {"all", "rgba", "rgb"},
             {"all", "bgra", "rgb"},
             {"all", "ya8", "y"},
             {"all+a", "rgba", "rgba"},
             {"y", "nv12", "y"},
             {"uv", "nv12", "uv"},
             {"v+y", "yuv420p", "yv"},
             {"a", "rgba", "a"},
             {"yuva", "yuva420p", "yuva"},
             {"yrgb", "rgba", "rgb"},
             {"yrgb", "yuv420p", "y"},
             {"rgba", "gbrp", "rgb"},
             {"0+2", "yuv420p", "yv"},
             {"0+2", "gbrp", "rb"},
             {"0+3", "ya8", "ya"},
             {"1", "yuv420p", "y"},
             {"2", "yuv420p", "u"},
             {"6", "yuv420p", "uv"},
             {"7", "yuva420p", "yuv"},
             {"15", "yuva420p", "yuv"},
             {"15", "rgba", "rgb"},
             {"8", "yuva420p", "a"},
             {"9", "rgba", "ra"},
             {"1", "gbrp", "r"},
             {"3", "gray", "y"},
             {"yuv", "gray", "y"},
             {"luma", "yuv420p", "y"},
             {"luma", "rgba", "rgb"},
             {"luma", "gray", "y"},
             {"luma", "ya8", "y"},
             {"y+1", "yuv420p", "yu"},
         }) {
        std::vector<std::string> notes;
        const auto selection = select_components(parse_planes(c.planes), frame(c.frame), notes);
        EXPECT_EQ(letters(selection.filtered), c.filtered) << c.planes << " on " << c.frame;
    }
}

TEST(FiltersPlanes, LumaMakesChromaNeutralAndNamesItsMatrix) {
    std::vector<std::string> notes;
    EXPECT_TRUE(select_components(parse_planes("luma"), frame("nv12"), notes).neutral_chroma);
    EXPECT_FALSE(select_components(parse_planes("luma"), frame("gray"), notes).neutral_chroma);
    EXPECT_FALSE(select_components(parse_planes("y"), frame("yuv420p"), notes).neutral_chroma);
    EXPECT_TRUE(notes.empty());

    FrameInfo rgb = frame("rgb24");
    EXPECT_TRUE(select_components(parse_planes("luma"), rgb, notes).rgb_luma);
    EXPECT_NE(notes.at(0).find("BT.601"), std::string::npos) << notes[0];
    EXPECT_NE(notes.at(0).find("assumed"), std::string::npos) << notes[0];
    rgb.height = 720;
    select_components(parse_planes("luma"), rgb, notes);
    EXPECT_NE(notes.at(1).find("BT.709"), std::string::npos) << notes[1];
    rgb.matrix = ColorMatrix::bt2020;
    select_components(parse_planes("luma"), rgb, notes);
    EXPECT_NE(notes.at(2).find("BT.2020"), std::string::npos) << notes[2];
    EXPECT_EQ(notes[2].find("assumed"), std::string::npos) << notes[2];
}

TEST(FiltersPlanes, NamesTheMissingComponents) {
    std::vector<std::string> notes;
    select_components(parse_planes("yuva"), frame("yuv420p"), notes);
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_EQ(notes[0], "planes=yuva: this picture has no a");
    for (const Case& c : {Case{"r", "yuv420p", ""},
                          {"y", "rgb24", ""},
                          {"a", "gray", ""},
                          {"8", "yuv420p", ""},
                          {"uv", "gray", ""},
                          {"1+2", "gray", ""}})
        EXPECT_THROW(select_components(parse_planes(c.planes), frame(c.frame), notes), TextError)
            << c.planes << " on " << c.frame;
}

TEST(FiltersPlanes, TextRoundTrips) {
    for (std::string_view text :
         {"all", "luma", "y", "yuv", "rgba", "yrgb", "0+2", "all+a", "8", "1", "14", "y+1+3"}) {
        EXPECT_EQ(print_planes(parse_planes(text)), text);
        EXPECT_EQ(parse_planes(print_planes(parse_planes(text))), parse_planes(text));
    }
    EXPECT_EQ(print_planes(parse_planes("15")), "all");
    EXPECT_EQ(print_planes(parse_planes("7")), "all");
    EXPECT_EQ(print_planes(parse_planes("v+y+u")), "yuv");
}

}  // namespace
}  // namespace weft
