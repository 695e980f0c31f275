#include "app/viewer/shell/recent_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

using test::TemporaryFolder;

std::vector<std::string> paths(const RecentFiles& files) {
    std::vector<std::string> out;
    for (const RecentFiles::File& file : files.list()) out.push_back(file.path);
    return out;
}

TEST(ViewerRecentFiles, NewestFirstWithoutDuplicates) {
    RecentFiles files;
    files.add("/v/a.mkv");
    files.add("/v/b.mkv");
    files.add("/v/x/../a.mkv");
    EXPECT_THAT(paths(files), testing::ElementsAre("/v/a.mkv", "/v/b.mkv"));
    files.remove("/v/./a.mkv");
    EXPECT_THAT(paths(files), testing::ElementsAre("/v/b.mkv"));
    files.add("relative.mkv");
    EXPECT_EQ(paths(files)[0], (std::filesystem::current_path() / "relative.mkv").string());
    files.clear();
    EXPECT_TRUE(files.list().empty());
}

TEST(ViewerRecentFiles, KeepsTwentyFiles) {
    RecentFiles files;
    for (int k = 0; k < 30; ++k) files.add("/v/" + std::to_string(k));
    ASSERT_EQ(files.list().size(), 20U);
    EXPECT_EQ(paths(files).front(), "/v/29");
    EXPECT_EQ(paths(files).back(), "/v/10");
}

TEST(ViewerRecentFiles, MissingFilesAreMarked) {
    const TemporaryFolder folder;
    RecentFiles files;
    files.add(folder.path() / "gone.mkv");
    files.add(folder.write("here.mkv", ""));
    EXPECT_FALSE(files.list()[0].missing);
    EXPECT_TRUE(files.list()[1].missing);
}

TEST(ViewerRecentFiles, NumberedPicturesAreThereWithOneOfThem) {
    const TemporaryFolder folder;
    (void)folder.write("shot_007.png", "");
    EXPECT_TRUE(is_there(folder.path() / "shot_007.png"));
    EXPECT_TRUE(is_there(folder.path() / "shot_%03d.png"));
    EXPECT_FALSE(is_there(folder.path() / "shot_%02d.png"));
    EXPECT_FALSE(is_there(folder.path() / "none/shot_%03d.png"));
    RecentFiles files;
    files.add(folder.path() / "shot_%03d.png");
    EXPECT_FALSE(files.list()[0].missing);
}

TEST(ViewerRecentFiles, PositionsAreKeptPerFile) {
    RecentFiles files;
    files.set_place("/v/a.mkv", 12.5);
    files.set_place("/v/b.mkv", 3);
    files.set_place("/v/../v/a.mkv", 13);
    EXPECT_EQ(files.place("/v/a.mkv"), 13.0);
    EXPECT_EQ(files.place("/v/b.mkv"), 3.0);
    files.forget_place("/v/b.mkv");
    EXPECT_EQ(files.place("/v/b.mkv"), std::nullopt);
    for (int k = 0; k < 300; ++k) files.set_place("/v/" + std::to_string(k), k);
    EXPECT_EQ(files.place("/v/99"), std::nullopt);
    EXPECT_EQ(files.place("/v/100"), 100.0);
}

TEST(ViewerRecentFiles, AreRestoredFromTheFile) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "state/recent.toml";
    RecentFiles files;
    files.add("/v/\"odd\" näme.mkv");
    files.add("/v/b.mkv");
    files.set_place("/v/b.mkv", 7.25);
    save_recent_files(files, path);
    const LoadedRecentFiles loaded = load_recent_files(path);
    EXPECT_EQ(loaded.problem, "");
    EXPECT_EQ(paths(loaded.files), paths(files));
    EXPECT_EQ(loaded.files.place("/v/b.mkv"), 7.25);
}

TEST(ViewerRecentFiles, InvalidEntriesAreSkipped) {
    const TemporaryFolder folder;
    const LoadedRecentFiles loaded = load_recent_files(folder.write("recent.toml", R"(
files = [1, "", "/v/a.mkv", ["/v/b.mkv"]]
place = [{path = "/v/a.mkv", seconds = -1}, {path = "/v/b.mkv", seconds = nan}, 7,
         {path = "/v/c.mkv", seconds = 4}, {seconds = 4}]
)"));
    EXPECT_EQ(loaded.problem, "");
    EXPECT_THAT(paths(loaded.files), testing::ElementsAre("/v/a.mkv"));
    EXPECT_EQ(loaded.files.place("/v/a.mkv"), std::nullopt);
    EXPECT_EQ(loaded.files.place("/v/b.mkv"), std::nullopt);
    EXPECT_EQ(loaded.files.place("/v/c.mkv"), 4.0);
}

TEST(ViewerRecentFiles, ABrokenFileIsRenamed) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.write("recent.toml", "files = [");
    EXPECT_THAT(load_recent_files(path).problem, testing::HasSubstr("recent.toml.bad"));
    EXPECT_TRUE(load_recent_files(path).files.list().empty());
    EXPECT_TRUE(std::filesystem::exists(path.string() + ".bad"));
}

}  // namespace
}  // namespace weft
