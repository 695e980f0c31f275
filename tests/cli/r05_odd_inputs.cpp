// R05: input that is not a media file is refused within seconds, with the right code and without a
// trace; a media file with a strange name is filtered like any other.
#include <algorithm>
#include <filesystem>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace fs = std::filesystem;
namespace {

constexpr uid_t kNobody = 65534;

class CliR05OddInputs : public CliTest {
 protected:
    Command filter(const std::string& input) const {
        Command command = weft_command(
            {"batch", "-vf", "gaussian=sigma=1", "-o", path("out/out.mkv"), "--", input});
        command.hang_guard = std::chrono::seconds(120);
        return command;
    }

    void SetUp() override {
        CliTest::SetUp();
        if (!IsSkipped() && !HasFatalFailure()) make_folder("out");
    }

    void expect_refused(const std::string& input, const std::vector<int>& codes = {1}) {
        const Result result = run(filter(input));
        EXPECT_TRUE(exits_one_of(result, codes));
        EXPECT_EQ(names_in(path("out")), std::vector<std::string>());
        EXPECT_TRUE(contains(result.err, fs::path(input).filename().string()))
            << "the file is not named: " << result.err;
    }

    void expect_filtered(const std::string& input) {
        EXPECT_TRUE(exits(run(filter(input)), 0));
        EXPECT_EQ(frame_count(path("out/out.mkv")), 15);
    }
};

TEST_F(CliR05OddInputs, MissingFile) {
    expect_refused(path("none.mp4"), {1, 2});
}

TEST_F(CliR05OddInputs, ZeroBytes) {
    for (const char* name : {"zero.mp4", "zero.mkv", "zero.png", "zero"}) {
        write_file(path(name), "");
        expect_refused(path(name));
    }
}

TEST_F(CliR05OddInputs, Garbage) {
    std::string bytes(50000, '\0');
    unsigned state = 1;
    for (char& byte : bytes)
        byte = static_cast<char>((state = state * 1664525U + 1013904223U) >> 24);
    for (const char* name : {"garbage.mp4", "garbage.mkv", "garbage.png", "garbage.txt"}) {
        write_file(path(name), bytes);
        expect_refused(path(name));
    }
}

TEST_F(CliR05OddInputs, TextFile) {
    write_file(path("notes.txt"), "Dear diary, today I filtered a video.\n");
    expect_refused(path("notes.txt"));
}

// A playlist would make the program open the files and addresses that it names.
TEST_F(CliR05OddInputs, PlaylistsThatOpenOtherFiles) {
    fs::copy(short_clip("inner.ts"), path("inner.ts"));
    write_file(path("list.m3u8"),
               "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:0.5,\ninner.ts\n#EXT-X-ENDLIST\n");
    expect_refused(path("list.m3u8"));
    write_file(path("list.ffconcat"), "ffconcat version 1.0\nfile inner.ts\n");
    expect_refused(path("list.ffconcat"));
}

TEST_F(CliR05OddInputs, AudioOnly) {
    expect_refused(clip("tone.wav", tone_input(0.5)));
}

TEST_F(CliR05OddInputs, NetworkAddress) {
    expect_refused("http://127.0.0.1:9/clip.mp4", {1, 2});
    expect_refused("tcp://127.0.0.1:9", {1, 2});
}

TEST_F(CliR05OddInputs, EmptyFolder) {
    expect_refused(make_folder("nothing"), {1, 2});
}

TEST_F(CliR05OddInputs, Fifo) {
    ASSERT_EQ(mkfifo(path("fifo.mkv").c_str(), 0644), 0);
    expect_refused(path("fifo.mkv"), {1, 2});
}

TEST_F(CliR05OddInputs, Devices) {
    expect_refused("/dev/zero", {1, 2});
    expect_refused("/dev/null", {1, 2});
}

TEST_F(CliR05OddInputs, ProcFile) {
    expect_refused("/proc/self/status");
    expect_refused("/proc/kmsg", {1, 2});
}

TEST_F(CliR05OddInputs, Socket) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = path("socket.mkv");
    ASSERT_LT(name.size(), sizeof address.sun_path);
    name.copy(address.sun_path, name.size());
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    expect_refused(name, {1, 2});
    close(fd);
}

TEST_F(CliR05OddInputs, NoPermissionToRead) {
    fs::copy(short_clip(), path("secret.mkv"));
    fs::permissions(path("secret.mkv"), fs::perms(0));
    fs::permissions(path("out"), fs::perms(0777));
    Command command = filter(path("secret.mkv"));
    if (geteuid() == 0) command.user = kNobody;
    const Result result = run(command);
    if (result.exit_code == 127) GTEST_SKIP() << "another user cannot run the program here";
    EXPECT_TRUE(exits(result, 1));
    EXPECT_TRUE(contains(result.err, "secret.mkv")) << result.err;
    EXPECT_EQ(names_in(path("out")), std::vector<std::string>());
}

TEST_F(CliR05OddInputs, StrangeNamesAreOrdinaryFiles) {
    fs::copy(short_clip(), path("plain.mkv"));
    for (const char* name :
         {"two\nlines.mkv", "bad \xff\xfe utf8.mkv", "-leading.mkv", "100%03d.mkv", "a:b.mkv",
          "quote'\".mkv", "file:x.mkv", " ", "star*[x].mkv"}) {
        SCOPED_TRACE(name);
        fs::rename(path("plain.mkv"), path(name));
        expect_filtered(path(name));
        fs::remove(path("out/out.mkv"));
        fs::rename(path(name), path("plain.mkv"));
    }
}

// Pictures, whose names may be patterns, into a folder and by the name of one output.
TEST_F(CliR05OddInputs, PicturesKeepThePercentSignsOfTheirNames) {
    const Arguments names = {"50%done.png", "v%03d.png", "100%.png", "%d.png", "a%%b%02d.png"};
    make_folder("in");
    Arguments into_folder = {"batch", "-vf", "box", "--receipts", "-o", path("out/")};
    for (const std::string& name : names) {
        fs::copy(image_clip(), path("in/" + name));
        into_folder.push_back(path("in/" + name));
        EXPECT_TRUE(
            exits(weft({"batch", "-vf", "box", "-o", path("one/" + name), path("in/" + name)}), 0));
    }
    // A picture that "50%done.png" would be numbered to is not in the way of -n.
    write_file(path("out/501one.png"), "another file");
    into_folder.emplace_back("-n");
    EXPECT_TRUE(exits(weft(into_folder), 0));
    fs::remove(path("out/501one.png"));
    Arguments sorted = names;
    std::ranges::sort(sorted);
    EXPECT_EQ(names_in(path("one")), sorted);
    for (const std::string& name : names) {
        EXPECT_EQ(read_file(path("out/" + name)), read_file(path("one/" + name))) << name;
        EXPECT_TRUE(fs::exists(path("out/." + name + ".weft.json"))) << name;
    }
    const Result proof = weft({"prove", path("out")});
    EXPECT_TRUE(exits(proof, 0));
    EXPECT_TRUE(contains(proof.out, "5 proven, 0 wrong, 0 not proven")) << proof.out;
    EXPECT_TRUE(exits(weft(into_folder), 0)) << "again, with everything done";
    EXPECT_EQ(names_in(path("out")).size(), 2 * names.size());
}

TEST_F(CliR05OddInputs, VideosAreNeverNumbered) {
    fs::copy(short_clip(), path("v%03d.mkv"));
    EXPECT_TRUE(exits(
        weft({"batch", "-vf", "box", "--receipts", "-o", path("out/"), path("v%03d.mkv")}), 0));
    EXPECT_TRUE(exits(weft({"prove", path("out")}), 0));
}

// An output that has not the name of its input is a pattern, and the report has the file's name.
TEST_F(CliR05OddInputs, TheOnlyPictureOfAPatternIsNamed) {
    const Result result =
        weft({"batch", "-vf", "box", "-o", path("out/a%02d 50%.png"), image_clip()});
    EXPECT_TRUE(exits(result, 0));
    EXPECT_TRUE(contains(result.err, "a01 50%.png")) << result.err;
    EXPECT_EQ(names_in(path("out")), std::vector<std::string>{"a01 50%.png"});
    EXPECT_TRUE(exits(run(filter(path("out/a%02d 50%.png"))), 0)) << "it is read by that name";
}

// Names that the file system cannot take are refused before any work is done.
TEST_F(CliR05OddInputs, NamesOfAnyLength) {
    for (const std::size_t length : {255U, 256U, 4096U, 60'000U, 120'000U}) {
        SCOPED_TRACE(length);
        const bool fits = length <= 255;
        for (const char* option : {"-y", "--resume"}) {
            const std::string output = path("out/" + std::string(length - 4, 'y') + ".mkv");
            const Result result = weft({"batch", option, "-vf", "box", "-o", output, short_clip()});
            EXPECT_TRUE(exits(result, fits ? 0 : 5)) << option;
            EXPECT_EQ(names_in(path("out")).size(), fits ? 1U : 0U) << option;
            fs::remove_all(path("out"));
            make_folder("out");
        }
        write_file(path("list"), std::string(length, 'x') + "\n");
        EXPECT_TRUE(exits(
            weft({"batch", "-vf", "box", "-o", path("out/"), "--input-list", path("list")}), 1));
    }
}

// A path has at most 4095 bytes, which a tree of folders may exceed.
TEST_F(CliR05OddInputs, ATreeThatIsTooDeepIsRefused) {
    make_folder("in");
    fs::copy(short_clip(), path("in/top.mkv"));
    const std::string name(200, 'd');
    const fs::path here = fs::current_path();
    fs::current_path(path("in"));
    for (int depth = 0; depth < 22; ++depth) {
        fs::create_directory(name);
        fs::current_path(name);
    }
    fs::copy(short_clip(), "deep.mkv");
    fs::current_path(here);
    const Result result =
        weft({"batch", "-vf", "box", "--recursive", "-o", path("out/"), path("in")});
    EXPECT_TRUE(exits(result, 1));
    EXPECT_TRUE(contains(result.err, "File name too long")) << result.err;
    EXPECT_EQ(names_in(path("out")), std::vector<std::string>());
    EXPECT_EQ(run({"rm", "-r", path("in")}).exit_code, 0);  // by names relative to each folder
}

// The current folder, which relative names are below, may be gone.
TEST_F(CliR05OddInputs, TheCurrentFolderWasDeleted) {
    const std::string script = "cd \"$1\" && rmdir \"$1\" && shift && exec \"$0\" \"$@\"";
    for (const Arguments& words :
         {Arguments{"batch", "-vf", "box", "-o", "o.mkv", short_clip()},
          Arguments{"batch", "-vf", "box", "-o", "o/", short_clip()},
          Arguments{"batch", "-vf", "box", "--receipts", "-o", path("out/a.mkv"), "in.mkv"},
          Arguments{"batch", "-vf", "box", "-o", path("out/"), "--plan", "p.plan", short_clip()},
          Arguments{"prove", "."}, Arguments{"info", "in.mkv"}}) {
        Arguments argv = {"bash", "-c", script, weft_program(), make_folder("gone")};
        argv.insert(argv.end(), words.begin(), words.end());
        const Result result = run(argv);
        EXPECT_TRUE(exits_one_of(result, {1, 2, 3, 5})) << words.front();
        EXPECT_FALSE(contains(result.err, "filesystem error")) << result.err;
        EXPECT_FALSE(contains(result.err, "cannot make absolute path")) << result.err;
    }
}

// A relative name, as a shell completes it.
TEST_F(CliR05OddInputs, LeadingDash) {
    fs::copy(short_clip(), path("-leading.mkv"));
    Command command = filter("-leading.mkv");
    command.folder = folder_.path();
    EXPECT_TRUE(exits(run(command), 0));
    command.argv = {weft_program(), "batch",     "-vf",         "gaussian=sigma=1",
                    "-o",           "out/b.mkv", "-leading.mkv"};
    EXPECT_TRUE(exits(run(command), 2)) << "without -- it is an unknown option";
    command.argv.back() = "./-leading.mkv";
    EXPECT_TRUE(exits(run(command), 0));
}

TEST_F(CliR05OddInputs, ReportOfABadNameIsStillJson) {
    fs::copy(short_clip(), path("bad \xff\xfe\n.mkv"));
    const Result result = weft({"batch", "-vf", "gaussian=sigma=1", "-o", path("out/"),
                                "--json=" + path("report.json"), path("bad \xff\xfe\n.mkv")});
    EXPECT_TRUE(exits(result, 0));
    EXPECT_EQ(parse_json(read_file(path("report.json"))).at("files").size(), 1U);
}

TEST_F(CliR05OddInputs, NothingOnStandardInput) {
    EXPECT_TRUE(exits(run(filter("-")), 1));
    EXPECT_EQ(names_in(path("out")), std::vector<std::string>());
}

}  // namespace
}  // namespace weft::cli
