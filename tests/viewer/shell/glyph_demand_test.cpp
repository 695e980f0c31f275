#include "app/viewer/shell/glyph_demand.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

using Characters = std::set<char32_t>;

Characters wanted(std::string_view text) {
    GlyphDemand demand;
    demand.note(text);
    return demand.wanted();
}

TEST(ViewerGlyphDemand, OnlyCharactersThatTheOwnFontLacksAreWanted) {
    EXPECT_EQ(wanted("film.mp4 Größe Ωμέγα Кириллица Tiếng Việt – ½ → ≤ ×"), Characters{});
    EXPECT_EQ(wanted("影片 2.mp4"), (Characters{U'影', U'片'}));
    EXPECT_EQ(wanted("հայ"), (Characters{U'հ', U'ա', U'յ'}));
    EXPECT_EQ(wanted("سلام"), (Characters{U'س', U'ل', U'ا', U'م'}));
}

// A file's name may have any bytes. The window's texts have 16 bits per character.
TEST(ViewerGlyphDemand, WhatCannotBeDrawnIsLeftOut) {
    EXPECT_EQ(wanted("\xF0\x9F\x8E\xAC"), Characters{});  // a clapper board, U+1F3AC
    EXPECT_EQ(wanted("\xE5\xBD"), Characters{});          // ends within a character
    EXPECT_EQ(wanted("\xE5\xBD\x41"), Characters{});
    EXPECT_EQ(wanted("\xFF\x80\xC0\xAF"), Characters{});
    EXPECT_EQ(wanted("\xC2\x85"), Characters{});  // a control character
}

TEST(ViewerGlyphDemand, GrowsOncePerCharacter) {
    GlyphDemand demand;
    EXPECT_FALSE(demand.take_grown());
    demand.note("影");
    EXPECT_TRUE(demand.grown());
    EXPECT_TRUE(demand.take_grown());
    EXPECT_FALSE(demand.grown());
    demand.note("影");
    EXPECT_FALSE(demand.take_grown());
    demand.note("影片");
    EXPECT_TRUE(demand.take_grown());
}

TEST(ViewerGlyphDemand, IsBounded) {
    GlyphDemand demand;
    for (int code = 0x4E00; code < 0x9000; ++code) {
        const char text[] = {static_cast<char>(0xE0 | code >> 12),
                             static_cast<char>(0x80 | (code >> 6 & 0x3F)),
                             static_cast<char>(0x80 | (code & 0x3F))};
        demand.note({text, sizeof text});
    }
    EXPECT_EQ(demand.wanted().size(), GlyphDemand::kMost);
}

}  // namespace
}  // namespace weft
