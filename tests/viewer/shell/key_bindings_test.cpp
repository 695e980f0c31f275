#include "app/viewer/shell/key_bindings.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/viewer/shell/key_list.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::size_t row_with(std::string_view command) {
    for (std::size_t row = 0; row < kKeyRows.size(); ++row)
        if (kKeyRows[row].command == command) return row;
    ADD_FAILURE() << "no command " << command;
    return 0;
}

// "" for keys without an action.
std::string_view command_of(const KeyBindings& keys, std::string_view key) {
    const auto row = keys.row_of(key);
    return row ? kKeyRows[*row].command : "";
}

TEST(ViewerKeyBindings, BuiltInKeysAreThoseOfTheList) {
    const KeyBindings keys;
    for (std::size_t row = 0; row < kKeyRows.size(); ++row)
        for (const std::string_view key : kKeyRows[row].keys) {
            if (key.empty()) continue;
            EXPECT_EQ(keys.row_of(key), row) << key;
        }
    EXPECT_EQ(keys.row_of("F12"), std::nullopt);
    EXPECT_EQ(keys.text(row_with("cycle pause")), "Space or p");
}

TEST(ViewerKeyBindings, TheUsersKeysComeBeforeTheBuiltInOnes) {
    const LoadedKeys loaded = parse_keys(
        "# my keys\n"
        "\n"
        "z  undo  # like everywhere else\n"
        "SPACE\tframe-step\r\n"
        "q ignore\n"
        "z   cycle   pause",
        "keys.conf");
    EXPECT_THAT(loaded.problems, IsEmpty());
    EXPECT_EQ(command_of(loaded.keys, "z"), "cycle pause") << "the last line counts";
    EXPECT_EQ(command_of(loaded.keys, "Space"), "frame-step");
    EXPECT_EQ(command_of(loaded.keys, "q"), "");
    EXPECT_EQ(command_of(loaded.keys, "Ctrl+Q"), "quit");
    EXPECT_THAT(loaded.keys.keys_of(row_with("cycle pause")), ElementsAre("z", "p"));
    EXPECT_THAT(loaded.keys.keys_of(row_with("frame-step")), ElementsAre("Space", "."));
    EXPECT_THAT(loaded.keys.keys_of(row_with("undo")), ElementsAre("Ctrl+Z"));
}

TEST(ViewerKeyBindings, NamesOfKeysAsInMenusAndAsInMpv) {
    struct Row {
        std::string_view written, key;
    };
    for (const auto& [written, key] :
         {Row{"Space", "Space"}, Row{"SPACE", "Space"}, Row{"pgup", "PageUp"},
          Row{"PGDWN", "PageDown"}, Row{"ESC", "Escape"}, Row{"BS", "Backspace"}, Row{"f11", "F11"},
          Row{"SHARP", "#"}, Row{"ctrl+o", "Ctrl+O"}, Row{"Shift+Ctrl+e", "Ctrl+Shift+E"},
          Row{"alt+ctrl+left", "Ctrl+Alt+Left"}, Row{"Ctrl++", "Ctrl++"}, Row{"Alt+-", "Alt+-"},
          Row{"+", "+"}, Row{"a", "a"}, Row{"A", "A"}, Row{"Shift+a", "A"},
          Row{"Shift+F3", "Shift+F3"}, Row{"ö", "ö"}}) {
        const LoadedKeys loaded = parse_keys(std::string(written) + " swap", "keys.conf");
        EXPECT_THAT(loaded.problems, IsEmpty());
        EXPECT_EQ(command_of(loaded.keys, key), "swap") << written;
    }
}

TEST(ViewerKeyBindings, EveryBuiltInKeyAndCommandCanBeWritten) {
    for (const KeyRow& row : kKeyRows)
        for (const std::string_view key : row.keys) {
            if (key.empty()) continue;
            std::string line(key == "#" ? "SHARP" : key);
            line.append(" ").append(row.command);
            const LoadedKeys loaded = parse_keys(line, "keys.conf");
            EXPECT_THAT(loaded.problems, IsEmpty());
            EXPECT_EQ(command_of(loaded.keys, key), row.command);
        }
}

TEST(ViewerKeyBindings, AWrongLineIsNamedAndSkipped) {
    const LoadedKeys loaded = parse_keys(
        "Spcae quit\n"
        "z\n"
        "z cycle deband\n"
        "z frame-stepp\n"
        "Meta+z undo\n"
        "MBTN_LEFT undo\n"
        "x undo\n",
        "keys.conf");
    EXPECT_THAT(loaded.problems,
                ElementsAre(HasSubstr("keys.conf:1: unknown key 'Spcae'"),
                            HasSubstr("keys.conf:2: 'z' has no command"),
                            HasSubstr("keys.conf:3: unknown command 'cycle deband'"),
                            HasSubstr("keys.conf:4: unknown command 'frame-stepp': did you "
                                      "mean 'frame-step'?"),
                            HasSubstr("keys.conf:5: unknown key 'Meta+z'"),
                            HasSubstr("keys.conf:6: unknown key 'MBTN_LEFT'")));
    EXPECT_EQ(command_of(loaded.keys, "z"), "");
    EXPECT_EQ(command_of(loaded.keys, "x"), "undo");
    EXPECT_EQ(command_of(loaded.keys, "Space"), "cycle pause");
}

TEST(ViewerKeyBindings, AFileThatIsMissingOrUnreadable) {
    const test::TemporaryFolder folder;
    EXPECT_THAT(load_keys("").problems, IsEmpty());
    const std::filesystem::path path = folder.path() / "keys.conf";
    EXPECT_THAT(load_keys(path).problems, IsEmpty());
    std::ofstream(path) << "z undo\n?? undo\n";
    const LoadedKeys loaded = load_keys(path);
    EXPECT_EQ(command_of(loaded.keys, "z"), "undo");
    EXPECT_THAT(loaded.problems, ElementsAre(HasSubstr(path.string() + ":2: ")));
    std::filesystem::remove(path);
    std::filesystem::create_directory(path);
    EXPECT_THAT(load_keys(path).problems, ElementsAre(HasSubstr(path.string())));
    EXPECT_EQ(command_of(load_keys(path).keys, "q"), "quit");
}

}  // namespace
}  // namespace weft
