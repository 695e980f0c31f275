#include <string>

#include <gtest/gtest.h>

#include "filters/filter.h"
#include "filters/text/nearest.h"

namespace weft {
namespace {

std::string shown_for(const std::string& text, std::size_t position) {
    return FilterError("what is wrong", text, position).with_caret();
}

TEST(FiltersCaret, IsUnderTheByte) {
    EXPECT_EQ(shown_for("abc", 1), "what is wrong\n  abc\n   ^");
    EXPECT_EQ(shown_for("abc", 3), "what is wrong\n  abc\n     ^");
    EXPECT_EQ(shown_for("", 0), "what is wrong\n  \n  ^");
    EXPECT_EQ(shown_for("abc", 99), "what is wrong\n  abc\n     ^");
}

TEST(FiltersCaret, ShowsOneLineOfSeveral) {
    EXPECT_EQ(shown_for("first\nsecond\nthird", 8), "what is wrong\n  second\n    ^");
    EXPECT_EQ(shown_for("first\nsecond", 5), "what is wrong\n  first\n       ^");
    EXPECT_EQ(shown_for("first\n", 6), "what is wrong\n  \n  ^");
}

TEST(FiltersCaret, CountsCharactersNotBytes) {
    EXPECT_EQ(shown_for("Länge=x", 7), "what is wrong\n  Länge=x\n        ^");
}

TEST(FiltersCaret, CutsLongLinesAndHidesControlCharacters) {
    const std::string text = shown_for(std::string(500, 'a') + "\tX" + std::string(500, 'b'), 501);
    EXPECT_LT(text.size(), 300U);
    const std::size_t line = text.find('\n') + 1;
    const std::size_t caret_line = text.find('\n', line) + 1;
    EXPECT_EQ(text[line + (text.find('^') - caret_line)], 'X');
    EXPECT_EQ(text.substr(line, 6), "  ...a");
    EXPECT_EQ(text.substr(caret_line - 5, 5), "b...\n");
    EXPECT_EQ(text.find('\t'), std::string::npos);
    EXPECT_EQ(shown_for("a\x1b[2Jb", 0), "what is wrong\n  a\\x1b[2Jb\n  ^");
}

TEST(FiltersNearest, CountsEdits) {
    EXPECT_EQ(edit_distance("", ""), 0U);
    EXPECT_EQ(edit_distance("abc", ""), 3U);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
    EXPECT_EQ(edit_distance("sgima", "sigma"), 1U);
    EXPECT_EQ(edit_distance("gausian", "gaussian"), 1U);
}

TEST(FiltersNearest, SuggestsOnlyWhatIsNear) {
    const std::vector<std::string_view> names{"gaussian", "box", "sobel"};
    EXPECT_EQ(nearest_name("gausian", names), "gaussian");
    EXPECT_EQ(nearest_name("sobol", names), "sobel");
    const std::vector<std::string_view> with_option{"gaussian", "box", "-an"};
    for (const char* far : {"crop", "foo", "-map", "bix1", "x"})
        EXPECT_EQ(nearest_name(far, with_option), "") << far;
    EXPECT_EQ(nearest_name("bxo", names), "box");
    EXPECT_EQ(nearest_name("gausan", names), "gaussian");
    EXPECT_EQ(nearest_name("", names), "");
    EXPECT_EQ(nearest_name(std::string(100000, 'x'), names), "");
    EXPECT_EQ(shown(std::string(50, 'x')), std::string(40, 'x') + "...");
}

TEST(FiltersNearest, ListsFiveNames) {
    using Names = std::vector<std::string_view>;
    const Names names{"av1", "libx264", "libx264rgb", "libx265", "mpeg4", "vp9", "h264"};
    EXPECT_EQ(nearest_names("x264", names),
              (Names{"libx264", "libx264rgb", "h264", "av1", "libx265"}));
    EXPECT_EQ(nearest_names("libx625", names).front(), "libx265");
    EXPECT_EQ(nearest_names("", {"b", "a"}), (Names{"b", "a"}));
    EXPECT_EQ(nearest_names("x", {}), Names{});
}

}  // namespace
}  // namespace weft
