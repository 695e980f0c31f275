// R25: an output that is the input under any name is refused, and the input is not touched.
#include <filesystem>
#include <sys/mount.h>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace fs = std::filesystem;
namespace {

class CliR25SameFile : public CliTest {
 protected:
    void SetUp() override {
        CliTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        make_folder("sub");
        fs::copy_file(video_clip(), path("source.mkv"));
        before_ = read_file(path("source.mkv"));
    }
    void expect_refused(const std::string& output, const Arguments& more = {"-y"},
                        const std::string& input = "source.mkv") {
        const std::vector<std::string> names = names_in(folder_.path());
        Arguments arguments = {"batch", "-vf", "box=radius=1", "-o", output};
        arguments.insert(arguments.end(), more.begin(), more.end());
        arguments.push_back(input);
        Command command = weft_command(arguments);
        command.folder = folder_.path();
        const Result result = run(command);
        EXPECT_TRUE(exits(result, 2)) << output;
        EXPECT_EQ(read_file(path("source.mkv")), before_) << "the source has changed";
        EXPECT_EQ(names_in(folder_.path()), names);
        EXPECT_TRUE(contains(result.err, "source.mkv")) << result.err;
    }

    std::string before_;
};

TEST_F(CliR25SameFile, SamePath) {
    expect_refused("source.mkv");
    expect_refused("./source.mkv");
    expect_refused(path("source.mkv"));
}

TEST_F(CliR25SameFile, DotDot) {
    expect_refused("sub/../source.mkv");
    expect_refused("../" + folder_.path().filename().string() + "/source.mkv");
}

TEST_F(CliR25SameFile, SymbolicLink) {
    fs::create_symlink("source.mkv", path("link.mkv"));
    expect_refused("link.mkv");
    expect_refused("source.mkv", {"-y"}, "link.mkv");
    fs::create_symlink("link.mkv", path("link2.mkv"));
    expect_refused("link2.mkv");
    EXPECT_TRUE(fs::is_symlink(path("link.mkv")));
}

TEST_F(CliR25SameFile, LinkedFolder) {
    fs::create_directory_symlink(".", path("here"));
    expect_refused("here/source.mkv");
}

TEST_F(CliR25SameFile, HardLink) {
    fs::create_hard_link(path("source.mkv"), path("hard.mkv"));
    expect_refused("hard.mkv");
    EXPECT_EQ(read_file(path("hard.mkv")), before_);
}

TEST_F(CliR25SameFile, BindMount) {
    const std::string folder = make_folder("bound");
    if (mount(folder_.path().c_str(), folder.c_str(), nullptr, MS_BIND, nullptr) != 0)
        GTEST_SKIP() << "nothing can be mounted here";
    expect_refused("bound/source.mkv");
    umount2(folder.c_str(), MNT_DETACH);
}

TEST_F(CliR25SameFile, FolderOfTheInput) {
    expect_refused(".");
    expect_refused("./");
    expect_refused(folder_.path().string() + "/");
}

TEST_F(CliR25SameFile, WithoutYAndWithN) {
    expect_refused("source.mkv", {});
    expect_refused("source.mkv", {"-n"});
    expect_refused("source.mkv", {"-y", "--dry-run"});
}

// One input's output is another input.
TEST_F(CliR25SameFile, AnotherInputOfTheSameRun) {
    fs::copy_file(video_clip(), path("sub/source.mkv"));
    Command command = weft_command(
        {"batch", "-vf", "box=radius=1", "-y", "-o", "sub/", "source.mkv", "sub/source.mkv"});
    command.folder = folder_.path();
    EXPECT_TRUE(exits(run(command), 2));
    EXPECT_EQ(read_file(path("sub/source.mkv")), before_);
}

TEST_F(CliR25SameFile, ReportOverTheInput) {
    Command command = weft_command(
        {"batch", "-vf", "box=radius=1", "-y", "-o", "out.mkv", "--json=source.mkv", "source.mkv"});
    command.folder = folder_.path();
    EXPECT_TRUE(exits(run(command), 2));
    EXPECT_EQ(read_file(path("source.mkv")), before_);
}

}  // namespace
}  // namespace weft::cli
