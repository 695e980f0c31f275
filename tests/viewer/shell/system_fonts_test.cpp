#include "app/viewer/shell/system_fonts.h"

#include <filesystem>

#include <gtest/gtest.h>

namespace weft {
namespace {

// Which scripts there are fonts for depends on the machine; for Latin there is one on every
// desktop.
TEST(ViewerSystemFonts, AFontIsAFileThatExists) {
    const std::optional<FontFile> latin = system_font_for(U'A');
    if (!latin) GTEST_SKIP() << "this machine has no fonts or no libfontconfig";
    EXPECT_TRUE(std::filesystem::exists(latin->path)) << latin->path;
    EXPECT_GE(latin->index, 0);
    EXPECT_EQ(system_font_for(U'A'), latin);
}

// A noncharacter: the nearest font would draw a box.
TEST(ViewerSystemFonts, AFontWithoutTheCharacterIsNone) {
    EXPECT_EQ(system_font_for(U'\xFFFE'), std::nullopt);
}

}  // namespace
}  // namespace weft
