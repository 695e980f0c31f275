#include "app/pipeline/folders.h"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "app/media/libav/error.h"
#include "filters/text/text_file.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

class PipelineFolder : public testing::Test {
 protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "weft-folder-XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        root_ = name;
    }
    void TearDown() override { fs::remove_all(root_); }
    std::string at(const std::string& name) const { return (root_ / name).string(); }

    fs::path root_;
};

TEST_F(PipelineFolder, MadeAndKept) {
    {
        OutputFolder folder(at("a/b/c.mkv"));
        EXPECT_TRUE(fs::is_directory(at("a/b")));
        folder.keep();
    }
    EXPECT_TRUE(fs::is_directory(at("a/b")));
}

TEST_F(PipelineFolder, IsRemovedAfterAFailure) {
    fs::create_directory(at("old"));
    { const OutputFolder folder(at("old/a/b/c.mkv")); }
    EXPECT_FALSE(fs::exists(at("old/a")));
    EXPECT_TRUE(fs::is_directory(at("old")));
    { const OutputFolder folder(at("old/c.mkv")); }
    EXPECT_TRUE(fs::is_directory(at("old")));
}

TEST_F(PipelineFolder, FoldersWithFilesStay) {
    {
        const OutputFolder folder(at("a/b/c.mkv"));
        std::ofstream(at("a/other")) << "x";
    }
    EXPECT_FALSE(fs::exists(at("a/b")));
    EXPECT_TRUE(fs::exists(at("a/other")));
}

TEST_F(PipelineFolder, BelowAFileIsAnError) {
    std::ofstream(at("file")) << "x";
    try {
        const OutputFolder folder(at("file/sub/c.mkv"));
        FAIL() << "a folder was made below a file";
    } catch (const Error& error) {
        EXPECT_EQ(error.outcome(), Outcome::not_written);
    }
}

TEST_F(PipelineFolder, StandardOutputAndPlainNamesHaveNone) {
    EXPECT_NO_THROW(OutputFolder("-"));
    EXPECT_NO_THROW(OutputFolder("c.mkv"));
}

TEST_F(PipelineFolder, FilesAreWrittenWithTheirFolderOrNotAtAll) {
    for (const char* text : {"first", "second"}) {
        write_file(at("a/b/file"), text);
        EXPECT_EQ(read_text_file(at("a/b/file")), text);
    }
    EXPECT_THROW(write_file(at("new/") + std::string(300, 'n'), "x"), Error);
    EXPECT_FALSE(fs::exists(at("new")));
}

}  // namespace
}  // namespace weft
