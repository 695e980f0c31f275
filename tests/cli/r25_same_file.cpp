// R25: an output that is the input under any name is refused, and the input is not touched.
#include <filesystem>
#include <map>
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

TEST_F(CliR25SameFile, StandardInputFromTheOutput) {
    Command command = weft_command({"batch", "-vf", "box", "-y", "-o", "source.mkv", "-"});
    command.folder = folder_.path();
    command.input = path("source.mkv");
    EXPECT_TRUE(exits(run(command), 2));
    EXPECT_EQ(read_file(path("source.mkv")), before_);
}

// Appending to the file that is read would never end.
TEST_F(CliR25SameFile, StandardOutputToTheInput) {
    Command command =
        weft_command({"batch", "-vf", "box", "-f", "nut", "-o", "-", path("source.mkv")});
    command.output = path("source.mkv");
    EXPECT_TRUE(exits(run(command), 2));
    EXPECT_EQ(read_file(path("source.mkv")), before_);
}

// Numbered pictures, a preset and a matrix in one folder, also reachable by links, dots and a
// mount.
class CliR25Sequence : public CliTest {
 protected:
    void SetUp() override {
        CliTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        for (const char* folder : {"sub", "out", "bound"}) make_folder(folder);
        for (const char* name : {"i_1.png", "i_2.png", "i_3.png", "i_4.png"})
            fs::copy_file(image_clip(), path(name));
        fs::create_directory_symlink(".", path("linked"));
        fs::create_symlink("../i_2.png", path("out/soft_2.png"));
        fs::create_hard_link(path("i_2.png"), path("out/hard_2.png"));
        write_file(path("p.toml"), "stack = \"box\"\n");
        fs::create_hard_link(path("p.toml"), path("p.png"));
        write_file(path("m.png"), "0 1 0; 1 1 1; 0 1 0\n");
        mounted_ =
            mount(folder_.path().c_str(), path("bound").c_str(), nullptr, MS_BIND, nullptr) == 0;
        before_ = files();
    }
    void TearDown() override {
        if (mounted_) umount2(path("bound").c_str(), MNT_DETACH);
    }
    // The bytes of every file except links, by name.
    std::map<std::string, std::string> files() const {
        std::map<std::string, std::string> bytes;
        for (const char* folder : {".", "sub", "out"})
            for (const std::string& name : names_in(folder_.path() / folder)) {
                const fs::path file = folder_.path() / folder / name;
                if (fs::is_regular_file(file)) bytes[file.string()] = read_file(file);
            }
        return bytes;
    }
    void expect_refused(const Arguments& words) {
        Arguments arguments = {"batch"};
        arguments.insert(arguments.end(), words.begin(), words.end());
        Command command = weft_command(arguments);
        command.folder = folder_.path();
        const Result result = run(command);
        EXPECT_TRUE(exits(result, 2)) << testing::PrintToString(words);
        const bool same = contains(result.err, "the output is the input") ||
                          contains(result.err, "the report would replace") ||
                          contains(result.err, "would both");
        EXPECT_TRUE(same) << "another reason: " << result.err;
        EXPECT_TRUE(files() == before_) << "a file has changed: " << testing::PrintToString(words);
        if (HasFailure()) restore();
    }
    void restore() const {
        for (const auto& [name, bytes] : before_) write_file(name, bytes);
    }

    bool mounted_ = false;
    std::map<std::string, std::string> before_;
};

TEST_F(CliR25Sequence, OverItself) {
    const std::string here = folder_.path().string();
    const std::vector<std::string> inputs = {"i_%d.png", "./i_%d.png", here + "/i_%d.png",
                                             "sub/../i_%d.png", "linked/i_%d.png"};
    for (const std::string& input : inputs) expect_refused({"-vf", "box", "-y", "-o", ".", input});
    for (const std::string& output :
         {std::string("./"), here, here + "/", std::string("sub/.."), std::string("linked"),
          std::string("linked/i_%d.png"), std::string("i_%d.png"), std::string("i_%01d.png")})
        expect_refused({"-vf", "box", "-y", "-o", output, "i_%d.png"});
}

TEST_F(CliR25Sequence, ThroughABindMount) {
    if (!mounted_) GTEST_SKIP() << "nothing can be mounted here";
    expect_refused({"-vf", "box", "-y", "-o", "bound", "i_%d.png"});
    expect_refused({"-vf", "box", "-y", "-o", ".", "bound/i_%d.png"});
    expect_refused({"-vf", "box", "-y", "-o", "bound/i_3.png", "i_%d.png"});
    expect_refused({"-vf", "box", "-y", "-o", "new_%d.png", "--json=bound/new_3.png", "i_%d.png"});
}

TEST_F(CliR25Sequence, MembersAndLinks) {
    for (const char* output : {"i_2.png", "./i_2.png", "linked/i_4.png", "out/soft_2.png",
                               "out/hard_2.png", "out/soft_%d.png", "out/hard_%01d.png"})
        expect_refused({"-vf", "box", "-y", "-o", output, "i_%d.png"});
    for (const char* output : {"i_%d.png", "i_%01d.png", "linked/i_%d.png", "out/soft_%d.png"})
        expect_refused({"-vf", "box", "-y", "-o", output, "i_2.png"});
    expect_refused({"-vf", "box", "-y", "-o", "i_2.png", "out/soft_%d.png"});
}

TEST_F(CliR25Sequence, Reports) {
    for (const char* option : {"--json=", "--trace="}) {
        for (const char* file : {"i_3.png", "linked/i_4.png", "out/soft_2.png", "out/hard_2.png"})
            expect_refused(
                {"-vf", "box", "-o", "new_%d.png", std::string(option) + file, "i_%d.png"});
        for (const char* file : {"new_3.png", "sub/../new_7.png", "linked/new_1.png"})
            expect_refused(
                {"-vf", "box", "-o", "new_%d.png", std::string(option) + file, "i_%d.png"});
        expect_refused({"--preset", "./p.toml", "-y", "-o", "new.png",
                        std::string(option) + "p.toml", "i_1.png"});
        expect_refused({"-vf", "convolve=file=m.png", "-y", "-o", "new.png",
                        std::string(option) + "m.png", "i_1.png"});
    }
    expect_refused(
        {"-vf", "box", "-o", "new.png", "--json=r.json", "--trace=linked/r.json", "i_1.png"});
}

// They are there, or would be: receipts, finished segments and parts of any output.
TEST_F(CliR25Sequence, ReportsThatHaveNamesOfOurs) {
    for (const char* name : {".new.mkv.weft.json", ".old.mkv.weft-resume", ".old.mkv.weft-part-3",
                             "linked/.new.mkv.weft.json"})
        for (const char* option : {"--json=", "--trace=", "--failed-list="})
            expect_refused({"-vf", "box", "-y", "--receipts", "-o", "new.png",
                            std::string(option) + name, "i_1.png"});
    expect_refused(
        {"-vf", "box", "-y", "-o", "new/", "--shards=2", "--plan=.new.mkv.weft.json", "i_1.png"});
    write_file(path(".a.png.weft.json"), "{\n  \"schema\": 1,\n  \"type\": \"receipt\",\n");
    const std::string receipt = read_file(path(".a.png.weft.json"));
    EXPECT_TRUE(exits(weft({"prove", "--json", path(".a.png.weft.json"), folder_.path()}), 2));
    EXPECT_EQ(read_file(path(".a.png.weft.json")), receipt);
}

TEST_F(CliR25Sequence, PresetsAndMatrices) {
    expect_refused({"--preset", "./p.toml", "-y", "-o", "p.png", "i_1.png"});
    expect_refused({"-vf", "convolve=file=m.png", "-y", "-o", "m.png", "i_1.png"});
    expect_refused({"-vf", "convolve=file=linked/m.png", "-y", "-o", "out/../m.png", "i_1.png"});
}

TEST_F(CliR25Sequence, TwoInputsForOneMember) {
    expect_refused({"-vf", "box", "-y", "-o", "new/", "i_%d.png", "i_1.png"});
    expect_refused({"-vf", "box", "-y", "-o", "new/", "i_%d.png", "i_%01d.png"});
}

// Names that only look alike do not conflict.
TEST_F(CliR25Sequence, OtherNamesAreAccepted) {
    write_file(path("i_03.png"), "no member of i_%d.png");
    for (const char* output : {"sub", "j_%d.png", "i_%02d.png"}) {
        Command command = weft_command({"batch", "-vf", "box", "-y", "-o", output, "i_%d.png"});
        command.folder = folder_.path();
        EXPECT_TRUE(exits(run(command), 0)) << output;
    }
    EXPECT_EQ(names_in(path("sub")).size(), 4U);
    EXPECT_TRUE(fs::exists(path("i_04.png")));
    for (const char* name : {"i_1.png", "i_2.png", "i_3.png", "i_4.png"})
        EXPECT_EQ(read_file(path(name)), before_.at((folder_.path() / "." / name).string()));
}

}  // namespace
}  // namespace weft::cli
