#include "app/viewer/shell/path_completion.h"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class ViewerCompletion : public testing::Test {
 protected:
    void SetUp() override {
        for (const char* name : {"film.mkv", "film-2.mkv", "Photo.png", "\xc3\xa9t\xc3\xa9.mkv",
                                 "\xc3\xa9t\xc3\xa8.mkv", "bad\xff.mkv", "notes.txt", ".old.mkv"})
            std::ofstream(folder_.path() / name) << 'x';
        for (const char* name : {"films of summer", "other"})
            fs::create_directories(folder_.path() / name);
        std::ofstream(folder_.path() / "other/one.mkv") << 'x';
    }
    PathCompletion complete(const std::string& typed, const ListingOptions& options = {}) const {
        return complete_path(folder_.path(), typed, options);
    }
    std::string text(const std::string& typed, const ListingOptions& options = {}) const {
        return complete(typed, options).text;
    }
    static std::vector<std::string> names(const PathCompletion& completion) {
        std::vector<std::string> found;
        for (const FolderEntry& entry : completion.candidates.entries) found.push_back(entry.name);
        return found;
    }

    test::TemporaryFolder folder_;
};

TEST_F(ViewerCompletion, GoesAsFarAsTheNamesAgree) {
    EXPECT_EQ(text("f"), "film");
    EXPECT_THAT(names(complete("f")), ElementsAre("films of summer", "film-2.mkv", "film.mkv"));
    EXPECT_EQ(text("film-"), "film-2.mkv");
    EXPECT_EQ(text("film"), "film");
    EXPECT_EQ(text("films"), "films of summer/");
    EXPECT_EQ(text("oth"), "other/");
    EXPECT_EQ(text("other/"), "other/one.mkv");
    EXPECT_EQ(text("other/../oth"), "other/../other/");
    EXPECT_EQ(text("none"), "none");
    EXPECT_EQ(text("none/f"), "none/f");
    EXPECT_THAT(names(complete("none/f")), IsEmpty());
}

TEST_F(ViewerCompletion, AbsolutePathsAndTheHomeFolder) {
    const std::string here = folder_.path().string();
    EXPECT_EQ(complete_path("/", here + "/oth", {}).text, here + "/other/");
    const char* const home = std::getenv("HOME");
    ASSERT_NE(home, nullptr);
    const std::string before = home;
    setenv("HOME", here.c_str(), 1);
    EXPECT_EQ(complete_path("/", "~/oth", {}).text, "~/other/");
    EXPECT_EQ(complete_path("/", "~", {}).text, "~/");
    EXPECT_EQ(typed_path("/", "~/other/one.mkv"), folder_.path() / "other/one.mkv");
    setenv("HOME", before.c_str(), 1);
    EXPECT_EQ(typed_path("/a", "b"), "/a/b");
    EXPECT_EQ(typed_path("/a", "/b"), "/b");
}

TEST_F(ViewerCompletion, OtherCasesCountWhereNoNameHasTheTypedOne) {
    EXPECT_EQ(text("pho"), "Photo.png");
    EXPECT_EQ(text("FILM-"), "film-2.mkv");
    std::ofstream(folder_.path() / "photo 2.png") << 'x';
    EXPECT_EQ(text("pho"), "photo 2.png");
    EXPECT_EQ(text("PHO"), "PHO");  // one is Photo and one is photo
    EXPECT_EQ(names(complete("PHO")).size(), 2U);
}

// As the list below: names of media, and hidden ones on request.
TEST_F(ViewerCompletion, OffersTheNamesOfTheList) {
    EXPECT_EQ(text("n"), "n");
    EXPECT_EQ(text("n", {.all_files = true}), "notes.txt");
    EXPECT_EQ(text("."), ".old.mkv");
    EXPECT_THAT(names(complete("")), testing::Not(testing::Contains(".old.mkv")));
    EXPECT_THAT(names(complete("", {.hidden = true})), testing::Contains(".old.mkv"));
}

TEST_F(ViewerCompletion, KeepsCharactersWhole) {
    EXPECT_EQ(text("\xc3\xa9"), "\xc3\xa9t");
    EXPECT_EQ(text("ba"), "ba");  // its name cannot be typed
}

TEST_F(ViewerCompletion, PathsAreNoSearch) {
    for (const char* path : {"/", "/a", "a/b", "~", "~/a", "a/"})
        EXPECT_TRUE(looks_like_path(path)) << path;
    for (const char* words : {"", "film", "a.mkv", "a~"})
        EXPECT_FALSE(looks_like_path(words)) << words;
}

TEST_F(ViewerCompletion, AThreadCompletes) {
    PathCompleter completer;
    EXPECT_FALSE(completer.poll());
    completer.ask(folder_.path(), "f", {});
    std::optional<PathCompletion> done;
    while (!(done = completer.poll())) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(done->typed, "f");
    EXPECT_EQ(done->text, "film");
    EXPECT_FALSE(completer.busy());
}

}  // namespace
}  // namespace weft
