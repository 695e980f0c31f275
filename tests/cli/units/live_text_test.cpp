// Text that is redrawn in place, cut to fit the terminal.
#include <gtest/gtest.h>

#include "app/cli/terminal/terminal.h"
#include "app/cli/terminal/text_table.h"

namespace weft {
namespace {

Terminal terminal_of(int columns, int lines) {
    return {.interactive = true, .color = false, .columns = columns, .lines = lines};
}

TEST(CliLiveText, OverwritesThePreviousText) {
    LiveText live;
    const Terminal terminal = terminal_of(80, 24);
    EXPECT_EQ(live.redraw("one\ntwo\n", terminal), "\rone\x1b[K\ntwo\x1b[K\n\x1b[J");
    EXPECT_EQ(live.redraw("three\n", terminal), "\x1b[2A\rthree\x1b[K\n\x1b[J");
    EXPECT_EQ(live.erase(), "\x1b[1A\r\x1b[J");
    EXPECT_EQ(live.erase(), "");
}

// A line that wraps or scrolls away could not be redrawn.
TEST(CliLiveText, FitsTheTerminal) {
    LiveText live;
    EXPECT_EQ(live.redraw("12345678\nb\nc\nd\n", terminal_of(6, 3)),
              "\r12345\x1b[K\nb\x1b[K\n\x1b[J");
    EXPECT_EQ(live.erase(), "\x1b[2A\r\x1b[J");
}

TEST(CliLiveText, CutsBetweenCharacters) {
    EXPECT_EQ(cut_to_columns("5×5 µs", 2), "5×");
    EXPECT_EQ(cut_to_columns("5×5 µs", 5), "5×5 µ");
    EXPECT_EQ(cut_to_columns("5×5 µs", 9), "5×5 µs");
    EXPECT_EQ(cut_to_columns("", 3), "");
    EXPECT_EQ(columns_of("5×5 µs"), 6U);
}

// A file's extension and number are at its end.
TEST(CliLiveText, ShortensInTheMiddle) {
    EXPECT_EQ(shorten_middle("holiday_2024_take_0007.mp4", 12), "holid…07.mp4");
    EXPECT_EQ(shorten_middle("abcdefgh", 8), "abcdefgh");
    EXPECT_EQ(shorten_middle("abcdefgh", 7), "abc…fgh");
    EXPECT_EQ(shorten_middle("abcdefgh", 6), "ab…fgh");
    EXPECT_EQ(shorten_middle("äöüßéèêë", 5), "äö…êë");
    EXPECT_EQ(shorten_middle("abc", 1), "…");
    EXPECT_EQ(shorten_middle("abc", 0), "");
}

TEST(CliTextTable, AlignsByCharacters) {
    TextTable table({"name", "time", "note"});
    table.align_right(1, 1);
    table.add({"a", "5 µs", "first"});
    table.add({"longer", "15 ms", ""});
    EXPECT_EQ(table.text(),
              "name     time  note\n"
              "a        5 µs  first\n"
              "longer  15 ms\n");
}

}  // namespace
}  // namespace weft
