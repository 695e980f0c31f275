#include "app/viewer/shell/key_list.h"

#include <set>

#include <gtest/gtest.h>

namespace weft {
namespace {

// Compiling the window checks that each row has an action.
TEST(ViewerKeyList, NamesCommandsAndKeysAreUnique) {
    std::set<std::string_view> names, commands, keys;
    for (const KeyRow& row : kKeyRows) {
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
        EXPECT_TRUE(commands.insert(row.command).second) << row.command;
        EXPECT_FALSE(row.keys.front().empty()) << row.name;
        for (const std::string_view key : row.keys)
            EXPECT_TRUE(key.empty() || keys.insert(key).second) << key << ": " << row.name;
    }
}

// Help shows a group's title where it begins.
TEST(ViewerKeyList, GroupsAreContiguous) {
    std::set<ActionGroup> begun;
    for (std::size_t k = 0; k < kKeyRows.size(); ++k)
        if (k == 0 || kKeyRows[k].group != kKeyRows[k - 1].group) {
            EXPECT_TRUE(begun.insert(kKeyRows[k].group).second) << kKeyRows[k].name;
            EXPECT_FALSE(title(kKeyRows[k].group).empty());
        }
}

}  // namespace
}  // namespace weft
