#include "app/viewer/shell/folder_listing.h"

#include <algorithm>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/clips.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

// A folder with these files and, for names that end in '/', folders.
fs::path folder_with(const std::string& name, const std::vector<std::string>& entries) {
    fs::path folder = clip_dir() / "listing" / name;
    fs::remove_all(folder);
    fs::create_directories(folder);
    for (const std::string& entry : entries)
        if (entry.ends_with('/'))
            fs::create_directories(folder / entry);
        else
            write_bytes("listing/" + name + "/" + entry, Bytes(entry.size()));
    return folder;
}

std::vector<std::string> names(const FolderListing& listing) {
    std::vector<std::string> result;
    for (const FolderEntry& entry : listing.entries)
        result.push_back(entry.name + (entry.folder ? "/" : ""));
    return result;
}

TEST(ViewerFolder, NaturalOrder) {
    const std::vector<std::string> sorted{"",
                                          "007",
                                          "7a",
                                          "10",
                                          "a",
                                          "A",
                                          "a.mkv",
                                          "a1.mkv",
                                          "a02.mkv",
                                          "a2.mkv",
                                          "a10.mkv",
                                          "a10b2",
                                          "a10b10",
                                          "B.mkv",
                                          "b99999999999999999999999.mkv",
                                          "b100000000000000000000000.mkv",
                                          "z",
                                          "\xc3\xa9"};
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        for (std::size_t j = 0; j < sorted.size(); ++j) {
            if (sorted[i] == "a" && sorted[j] == "A") continue;  // either may come first
            if (sorted[i] == "A" && sorted[j] == "a") continue;
            EXPECT_EQ(natural_less(sorted[i], sorted[j]), i < j) << sorted[i] << " " << sorted[j];
        }
    }
    EXPECT_NE(natural_less("a", "A"), natural_less("A", "a"));
}

TEST(ViewerFolder, ListsVisibleMediaAndFolders) {
    const fs::path folder =
        folder_with("plain", {"b10.mkv", "b9.MKV", "z.txt", ".hidden.mkv", ".config/", "Zoo/",
                              "art/", "noending", "shot.PNG", "a.tar.gz", "rec.ts"});
    EXPECT_THAT(names(list_folder(folder, {})),
                ElementsAre("art/", "Zoo/", "b9.MKV", "b10.mkv", "rec.ts", "shot.PNG"));
    EXPECT_THAT(names(list_folder(folder, {.hidden = true})),
                ElementsAre(".config/", "art/", "Zoo/", ".hidden.mkv", "b9.MKV", "b10.mkv",
                            "rec.ts", "shot.PNG"));
    EXPECT_THAT(names(list_folder(folder, {.all_files = true})),
                ElementsAre("art/", "Zoo/", "a.tar.gz", "b9.MKV", "b10.mkv", "noending", "rec.ts",
                            "shot.PNG", "z.txt"));
    EXPECT_EQ(list_folder(folder, {}).entries[2].bytes, 6U);
    const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1000);
    fs::last_write_time(folder / "b9.MKV", long_ago);
    EXPECT_EQ(list_folder(folder, {}).entries[2].modified, long_ago);
}

TEST(ViewerFolder, FollowsLinksAndSkipsSpecialFiles) {
    const fs::path folder = folder_with("links", {"real.mkv", "sub/"});
    fs::create_symlink("real.mkv", folder / "link.mkv");
    fs::create_directory_symlink("sub", folder / "linked");
    fs::create_symlink("gone.mkv", folder / "dangling.mkv");
    EXPECT_THAT(names(list_folder(folder, {})),
                ElementsAre("linked/", "sub/", "link.mkv", "real.mkv"));
}

TEST(ViewerFolder, KeepsNamesThatAreNotUtf8) {
    const fs::path folder = folder_with("bytes", {"b\xff\xc3t.mkv"});
    const FolderListing listing = list_folder(folder, {});
    ASSERT_EQ(listing.entries.size(), 1U);
    EXPECT_EQ(listing.entries[0].name, "b\xff\xc3t.mkv");
    EXPECT_EQ(listing.entries[0].label, "b\uFFFD\uFFFDt.mkv");
    EXPECT_TRUE(fs::exists(listing.folder / listing.entries[0].name));
}

TEST(ViewerFolder, ValidUtf8) {
    struct Case {
        std::string bytes, text;
    };
    for (const auto& [bytes, text] :
         {Case{"", ""}, Case{"a\u00e9\u20ac\U0001F600", "a\u00e9\u20ac\U0001F600"},
          Case{"\xc0\x80", "\uFFFD\uFFFD"},                      // overlong
          Case{"\xe0\x80\x80", "\uFFFD\uFFFD\uFFFD"},            // overlong
          Case{"\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},            // a surrogate
          Case{"\xf4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},  // beyond U+10FFFF
          Case{"\xe2\x82", "\uFFFD\uFFFD"}, Case{"\x80z", "\uFFFDz"}})
        EXPECT_EQ(valid_utf8(bytes), text);
}

TEST(ViewerFolder, KnowsItsParent) {
    const fs::path folder = folder_with("parent", {"sub/"});
    EXPECT_EQ(list_folder(folder / "sub" / "." / "", {}).folder, folder / "sub");
    EXPECT_EQ(list_folder(folder / "sub", {}).parent, folder);
    EXPECT_EQ(list_folder(folder / "sub" / "..", {}).folder, folder);
    EXPECT_EQ(list_folder("/", {}).parent, "");
    EXPECT_EQ(list_folder("", {}).folder, fs::current_path());
}

TEST(ViewerFolder, ErrorsAreReported) {
    const fs::path folder = folder_with("errors", {"file.mkv"});
    EXPECT_THAT(list_folder(folder / "gone", {}).error,
                HasSubstr("gone: cannot read the folder: No such"));
    EXPECT_THAT(list_folder(folder / "file.mkv", {}).error, HasSubstr("Not a directory"));
    EXPECT_EQ(list_folder(folder / "gone", {}).parent, folder);
}

TEST(ViewerFolder, BrowsesWithoutBlocking) {
    const fs::path folder = folder_with("browse", {"one/a.mkv/", "two/b.mkv/", "three/"});
    FolderBrowser browser;
    EXPECT_FALSE(browser.poll());
    browser.go_to(folder / "one");
    browser.go_to(folder / "two");  // superseded by the next
    browser.go_to(folder / "three");
    while (browser.busy()) {
        browser.poll();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(browser.shown().folder, folder / "three");
    write_bytes("listing/browse/three/note.txt", {1});
    EXPECT_TRUE(browser.shown().entries.empty());
    browser.set_options({.all_files = true});
    while (!browser.poll()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_THAT(names(browser.shown()), ElementsAre("note.txt"));
}

TEST(ViewerFolder, ListsEveryOutputFormat) {
    const std::vector<std::string> patterns = media_patterns();
    EXPECT_EQ(std::set(patterns.begin(), patterns.end()).size(), patterns.size());
    for (const char* pattern :
         {"*.mkv", "*.png", "*.y4m", "*.ts", "*.exr", "*.heic", "*.MP4", "*.plan"})
        EXPECT_NE(std::ranges::find(patterns, pattern), patterns.end()) << pattern;
}

TEST(ViewerFolder, LongNamesLoseTheirMiddle) {
    const auto shortened = [](const std::string& name, std::size_t most) {
        return elided_middle(name, [most](const std::string& text) { return text.size() <= most; });
    };
    EXPECT_EQ(shortened("film.mkv", 8), "film.mkv");
    EXPECT_EQ(shortened("a_long_name.mkv", 13), "a_lo…e.mkv");
    EXPECT_EQ(shortened("äöüäöü", 9), "ä…ü");  // no half of a letter
    EXPECT_EQ(shortened("film.mkv", 0), "…");
}

}  // namespace
}  // namespace weft::test
