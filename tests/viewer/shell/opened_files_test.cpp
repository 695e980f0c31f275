#include "app/viewer/shell/opened_files.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

using test::TemporaryFolder;

using testing::ElementsAre;

// Only names matter: nothing is read.
class ViewerOpenedFiles : public testing::Test {
 protected:
    std::string file(const std::string& name) const {
        const std::filesystem::path path = folder_.path() / name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path).put('x');
        return path.string();
    }
    std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
    std::vector<std::string> files(const std::vector<std::string>& names) const {
        std::vector<std::string> all;
        for (const std::string& name : names) all.push_back(file(name));
        return all;
    }

    const TemporaryFolder folder_;
};

TEST_F(ViewerOpenedFiles, SingleFilesStay) {
    for (const char* name : {"a.mp4", "shot_001.png", "none.txt"})
        EXPECT_THAT(opened_files({file(name)}), ElementsAre(path(name)));
    EXPECT_THAT(opened_files({"missing.mp4"}), ElementsAre("missing.mp4"));
    EXPECT_THAT(opened_files({}), ElementsAre());
}

TEST_F(ViewerOpenedFiles, AFolderIsTheFilesInIt) {
    (void)files({"d/clip10.mp4", "d/clip2.mp4", "d/b.png", "d/notes.txt"});
    EXPECT_THAT(opened_files({path("d")}),
                ElementsAre(path("d/b.png"), path("d/clip2.mp4"), path("d/clip10.mp4")));
    std::filesystem::create_directory(path("empty"));
    EXPECT_THAT(opened_files({path("empty")}), ElementsAre(path("empty")));
}

TEST_F(ViewerOpenedFiles, NumberedPicturesAreAFilm) {
    const auto named = files({"a/f_098.png", "a/f_099.png", "a/f_100.png"});
    EXPECT_THAT(opened_files(named), ElementsAre(path("a/f_%03d.png")));
    EXPECT_THAT(opened_files({path("a")}), ElementsAre(path("a/f_%03d.png")));
    const auto plain = files({"b/9.jpg", "b/10.jpg", "b/11.jpg"});
    EXPECT_THAT(opened_files(plain), ElementsAre(path("b/%d.jpg")));
    EXPECT_THAT(opened_files(files({"c/50%_1.png", "c/50%_2.png", "c/50%_3.png"})),
                ElementsAre(path("c/50%%_%d.png")));
}

TEST_F(ViewerOpenedFiles, OtherPicturesStayPictures) {
    for (const auto& names : std::vector<std::vector<std::string>>{
             {"two/1.png", "two/2.png"},                     // too few
             {"gap/1.png", "gap/2.png", "gap/4.png"},        // photos, of which some were deleted
             {"kinds/1.png", "kinds/2.png", "kinds/3.jpg"},  // not of one kind
             {"names/a1.png", "names/b2.png", "names/c3.png"},
             {"films/1.mp4", "films/2.mp4", "films/3.mp4"}}) {
        const std::vector<std::string> paths = files(names);
        EXPECT_EQ(opened_files(paths), paths) << names.front();
    }
    const auto more = files({"some/1.png", "some/2.png", "some/3.png", "some/4.png"});
    const std::vector<std::string> chosen(more.begin(), more.begin() + 3);
    EXPECT_EQ(opened_files(chosen), chosen) << "only some of the pictures were chosen";
}

}  // namespace
}  // namespace weft
