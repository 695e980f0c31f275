// R23: if the output cannot be written, exit 5 names the path, the temporary file is removed and an
// old output is unchanged.
#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"
#include "tests/support/mount.h"

namespace weft::cli {
namespace fs = std::filesystem;
namespace {

using test::Mount;

constexpr uid_t kNobody = 65534;

// From a page to half of the output: 50 sizes, or three.
std::vector<int> disk_sizes_kib() {
    if (!long_tests()) return {64, 1024, 8192};
    std::vector<int> sizes;
    for (int k = 0; k < 50; ++k) sizes.push_back(16 + 400 * k);
    return sizes;
}

class CliR23DiskFull : public CliTest {
 protected:
    // About 40 MB of output: far more than any disk here can hold.
    Command filter(const std::string& output) {
        return weft_command({"batch", "-vf", "box=radius=1", "-c:v", "rawvideo", "-y", "-o", output,
                             clip("big.mkv", picture_input(2, "640x360") + kFastVideo)});
    }
    void expect_not_written(const Result& result, const std::string& output) {
        EXPECT_TRUE(exits(result, 5));
        EXPECT_TRUE(contains(result.err, fs::path(output).filename().string()))
            << "the path is not named: " << result.err;
    }
};

TEST_F(CliR23DiskFull, FullFileSystem) {
    for (int kib : disk_sizes_kib()) {
        SCOPED_TRACE(fmt::format("{} KiB", kib));
        const std::string disk = make_folder("disk");
        const Mount tmpfs(disk, "tmpfs", 0, fmt::format("size={}k", kib));
        if (!tmpfs.mounted()) GTEST_SKIP() << "a tmpfs cannot be mounted here";
        const std::string output = disk + "/out.mkv";
        expect_not_written(run(filter(output)), output);
        EXPECT_EQ(names_in(disk), std::vector<std::string>());
        write_file(output, "an old good output");
        expect_not_written(run(filter(output)), output);
        EXPECT_EQ(names_in(disk), std::vector<std::string>{"out.mkv"});
        EXPECT_EQ(read_file(output), "an old good output");
    }
}

TEST_F(CliR23DiskFull, EncodedOutputsOfEveryKind) {
    const std::string disk = make_folder("disk");
    const Mount tmpfs(disk, "tmpfs", 0, "size=64k");
    if (!tmpfs.mounted()) GTEST_SKIP() << "a tmpfs cannot be mounted here";
    const std::string source =
        clip("noisy.mkv", picture_input(2, "320x180") + " -vf noise=alls=60:allf=t" + kFastVideo);
    for (const char* name : {"o.mp4", "o.mov", "o.webm", "o.avi", "o.gif", "o_%03d.png"}) {
        SCOPED_TRACE(name);
        Command command =
            weft_command({"batch", "-vf", "convolve=matrix=1", "-o", disk + "/" + name, source});
        // libavformat 5.1 frees the last packet of a GIF in its trailer, which a full disk
        // prevents.
        if (kSanitized && std::string_view(name) == "o.gif")
            command.env["ASAN_OPTIONS"] = "detect_leaks=0";
        const Result result = run(command);
        EXPECT_TRUE(exits(result, 5));
        EXPECT_EQ(names_in(disk), std::vector<std::string>());
    }
}

TEST_F(CliR23DiskFull, ReportCannotBeWritten) {
    const std::string disk = make_folder("disk");
    const Mount tmpfs(disk, "tmpfs", 0, "size=4k,nr_inodes=1");
    if (!tmpfs.mounted()) GTEST_SKIP() << "a tmpfs cannot be mounted here";
    const Result result = weft({"batch", "-vf", "box=radius=1", "-o", path("out.mkv"),
                                "--json=" + disk + "/report.json", short_clip()});
    EXPECT_TRUE(exits(result, 5));
    EXPECT_TRUE(contains(result.err, "report.json")) << result.err;
}

TEST_F(CliR23DiskFull, FileSizeLimit) {
    for (int kib : {0, 1, 64, 4096}) {
        SCOPED_TRACE(fmt::format("{} KiB", kib));
        make_folder("out");
        Command command = filter(path("out/out.mkv"));
        command.file_size_limit = kib * 1024;
        expect_not_written(run(command), path("out/out.mkv"));
        EXPECT_EQ(names_in(path("out")), std::vector<std::string>());
    }
}

TEST_F(CliR23DiskFull, FullDeviceOnStandardOutput) {
    for (const char* format : {"nut", "matroska", "y4m"}) {
        Command command =
            weft_command({"batch", "-vf", "box=radius=1", "-f", format, "-o", "-", video_clip()});
        command.output = "/dev/full";
        EXPECT_TRUE(exits(run(command), 5)) << format;
    }
    Command report = weft_command({"list", "filters"});
    report.output = "/dev/full";
    EXPECT_TRUE(exits_one_of(run(report), {1, 5})) << "a list that nobody got";
}

TEST_F(CliR23DiskFull, DeviceAsOutput) {
    const Result result = run(filter("/dev/full"));
    EXPECT_TRUE(exits_one_of(result, {2, 5}));
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(CliR23DiskFull, NoPermissionToWriteInTheFolder) {
    const std::string output = make_folder("locked") + "/out.mkv";
    fs::permissions(path("locked"), fs::perms(0555));
    Command command = filter(output);
    if (geteuid() == 0) command.user = kNobody;
    fs::permissions(test::clip_dir(), fs::perms(0755));
    const Result result = run(command);
    if (result.exit_code == 127) GTEST_SKIP() << "another user cannot run the program here";
    expect_not_written(result, output);
    EXPECT_EQ(names_in(path("locked")), std::vector<std::string>());
}

TEST_F(CliR23DiskFull, ReadOnlyFileSystem) {
    const std::string folder = make_folder("frozen");
    write_file(folder + "/out.mkv", "an old good output");
    const Mount bind(folder, nullptr, MS_BIND, "");
    if (!bind.mounted() ||
        mount(nullptr, folder.c_str(), nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr) != 0)
        GTEST_SKIP() << "nothing can be mounted here";
    expect_not_written(run(filter(folder + "/out.mkv")), folder + "/out.mkv");
    expect_not_written(run(filter(folder + "/new.mkv")), folder + "/new.mkv");
    EXPECT_EQ(read_file(folder + "/out.mkv"), "an old good output");
}

// File systems without the calls that create a new name: FAT has neither links nor a rename that
// refuses to replace, object stores have no rename.
class CliR23PoorFileSystem : public CliR23DiskFull {
 protected:
    void SetUp() override {
        CliR23DiskFull::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        if (weft::cli::run({"strace", "-f", "-qq", "-o", "/dev/null", "true"}).exit_code != 0)
            GTEST_SKIP() << "strace cannot be used here";
    }
    // Runs with failing calls: "?link,?linkat:error=EPERM".
    Result without(const Arguments& faults, const std::string& output, const char* overwrite) {
        Command command =
            weft_command({"batch", "-vf", "box", "-o", path(output), overwrite, short_clip()});
        Arguments strace = {"strace", "-f", "-qq", "-o", "/dev/null"};
        for (const std::string& fault : faults) {
            strace.emplace_back("-e");
            strace.push_back("inject=" + fault);
        }
        command.argv.insert(command.argv.begin(), strace.begin(), strace.end());
        return weft::cli::run(command);
    }
    const std::string no_links_ = "?link,?linkat:error=EPERM";
    const std::string no_refusing_ = "?renameat2:error=EINVAL";
    const std::string no_rename_ = "?rename,?renameat,?renameat2:error=ENOSYS";
};

TEST_F(CliR23PoorFileSystem, WithoutLinks) {
    for (const char* output : {"new.mkv", "new_%02d.png"})
        for (const char* overwrite : {"--skip-existing", "-y"}) {
            SCOPED_TRACE(testing::Message() << output << " " << overwrite);
            EXPECT_TRUE(exits(without({no_links_, no_refusing_}, output, overwrite), 0));
        }
    EXPECT_EQ(frame_count(path("new.mkv")), 15);
    EXPECT_EQ(names_in(folder_.path()).size(), 16U);
}

TEST_F(CliR23PoorFileSystem, WithoutRename) {
    for (const char* output : {"new.mkv", "new_%02d.png"})
        for (const char* overwrite : {"--skip-existing", "-y"}) {
            SCOPED_TRACE(testing::Message() << output << " " << overwrite);
            const Result result = without({no_links_, no_rename_}, output, overwrite);
            EXPECT_TRUE(exits(result, 5));
            EXPECT_TRUE(contains(result.err, "cannot rename files")) << result.err;
            EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>());
        }
}

// A rename checks the permissions of the folder alone, not the file's.
TEST_F(CliR23DiskFull, ReadOnlyFile) {
    write_file(path("out.mkv"), "an old good output");
    fs::permissions(path("out.mkv"), fs::perms(0444));
    const Result result = run(filter(path("out.mkv")));
    expect_not_written(result, path("out.mkv"));
    EXPECT_TRUE(contains(result.err, "read-only")) << result.err;
    EXPECT_EQ(read_file(path("out.mkv")), "an old good output");
}

TEST_F(CliR23DiskFull, AFileWhereTheFolderShouldBe) {
    write_file(path("file"), "no folder");
    EXPECT_TRUE(exits_one_of(run(filter(path("file") + "/out.mkv")), {2, 5}));
    EXPECT_TRUE(exits_one_of(run(filter(path("file") + "/")), {2, 5}));
    EXPECT_EQ(read_file(path("file")), "no folder");
}

// The unwritable target is found before the work starts, not at its end.
TEST_F(CliR23DiskFull, MissingFolder) {
    const Result result = run(filter(path("nowhere/out.mkv")));
    if (result.exit_code == 0)
        EXPECT_TRUE(fs::exists(path("nowhere/out.mkv"))) << "made the folder";
    else
        EXPECT_TRUE(exits_one_of(result, {2, 5}));
}

using CliR23LostAnswers = FailingCallsTest;

// A file server does the work and reports a failure: nothing stays under a name of our own.
TEST_F(CliR23LostAnswers, LeaveNothing) {
    for (const char* output : {"out.mkv", "out_%02d.png"}) {
        Command command = command_with_failing_calls(
            {"batch", "-vf", "box", "--gpu", "off", "-o", path(output), short_clip()});
        command.env["WEFT_LOST_ANSWERS"] = "1";
        EXPECT_TRUE(exits(run(command), 5)) << output;
        EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>()) << output;
    }
}

}  // namespace
}  // namespace weft::cli
