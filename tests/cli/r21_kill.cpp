// R21: after kill -9 at any moment the output's name leads to nothing, to the unchanged old file,
// or to the complete new one; the next run cleans up.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>
#include <thread>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace fs = std::filesystem;
namespace {

constexpr int kFrames = 60;

class CliR21Kill : public CliTest {
 protected:
    Command filter(const std::string& output) {
        return weft_command(
            {"batch", "-vf", "gaussian=sigma=2", "-y", "-o", path(output), video_and_audio_clip()});
    }
    std::chrono::milliseconds duration(const std::string& output) {
        const auto begin = std::chrono::steady_clock::now();
        EXPECT_TRUE(exits(run(filter(output)), 0));
        return std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::steady_clock::now() - begin);
    }
    void kill_after(std::chrono::milliseconds delay, const std::string& output) {
        Process process(filter(output));
        std::this_thread::sleep_for(delay);
        process.send(SIGKILL);
        process.wait();
    }
    // Kills `rounds` runs, each at a random moment of its life, and checks the name each time.
    void kill_often(const std::string& extension, bool old_output) {
        const std::string output = "killed." + extension;
        const std::string old = read_file(video_clip("old." + extension));
        const auto whole = duration(output);
        const int rounds = long_tests() ? 500 : 6;
        std::mt19937 random(21);
        for (int round = 0; round < rounds; ++round) {
            fs::remove(path(output));
            if (old_output) write_file(path(output), old);
            const std::chrono::milliseconds delay(random() % (whole.count() * 11 / 10 + 1));
            SCOPED_TRACE(testing::Message() << "killed after " << delay.count() << " ms");
            kill_after(delay, output);
            check_name(output, old_output ? old : "");
        }
        EXPECT_TRUE(exits(run(filter(output)), 0));
        EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>{output})
            << "stale temporary files";
    }
    void check_name(const std::string& output, const std::string& old) {
        if (!fs::exists(path(output))) {
            EXPECT_EQ(old, "") << "the old output is gone";
            return;
        }
        if (!old.empty() && read_file(path(output)) == old) return;
        EXPECT_EQ(frame_count(path(output)), kFrames) << "neither old nor complete";
    }
};

TEST_F(CliR21Kill, NewOutput) {
    kill_often("mp4", false);
}

TEST_F(CliR21Kill, OverAnOldOutput) {
    kill_often("mkv", true);
}

// Each picture of a sequence is complete under its name, or absent.
TEST_F(CliR21Kill, ImageSequence) {
    const std::string output = "picture_%03d.png";
    const auto whole = duration(output);
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_.path()))
        fs::remove(entry.path());
    for (int part : {2, 5, 9}) {
        kill_after(whole * part / 10, output);
        for (const std::string& name : names_in(folder_.path()))
            EXPECT_TRUE(name[0] == '.' || frame_count(path(name)) == 1) << name;
    }
    EXPECT_TRUE(exits(run(filter(output)), 0));
    EXPECT_EQ(names_in(folder_.path()).size(), std::size_t{kFrames}) << "stale temporary files";
}

class CliR21Sequence : public FailingCallsTest {
 protected:
    Arguments filter(const std::string& stack, const std::string& output) const {
        return {"batch", "--gpu", "off", "-y", "-vf", stack, "-o", path(output), source()};
    }
    static std::string source() {
        return clip("five.mkv", "-f lavfi -i testsrc2=s=16x16:r=25:d=0.2 -c:v ffv1");
    }
    std::string pictures() const {
        std::string all;
        for (const std::string& name : names_in(path("s")))
            if (name[0] != '.') all += name + read_file(path("s/" + name));
        return all;
    }
};

// Five renames put the pictures into place. A mixture is refused when it is read by its pattern,
// until another run has moved the rest.
TEST_F(CliR21Sequence, KilledAtAnyRenameIsOldOrNewOrRefused) {
    const std::string pattern = "s/i_%03d.bmp";
    ASSERT_TRUE(exits(weft(filter("sobel", pattern)), 0));
    const std::string made = pictures();
    int mixtures = 0;
    for (int at = 1;; ++at) {
        SCOPED_TRACE(at);
        ASSERT_TRUE(exits(weft(filter("box", pattern)), 0));
        const std::string old = pictures();
        Command killed = command_with_failing_calls(filter("sobel", pattern));
        killed.env["WEFT_KILL_RENAME"] = std::to_string(at);
        const Result result = run(killed);
        if (result.exit_code == 0) break;
        ASSERT_EQ(result.signal, SIGKILL);
        const std::string now = pictures();
        const bool moving = fs::exists(path("s/.i_%03d.bmp.weft-moving"));
        mixtures += now == old || now == made ? 0 : 1;
        EXPECT_TRUE(moving || now == old);
        const Result read = weft({"info", path(pattern)});
        EXPECT_TRUE(exits(read, moving ? 1 : 0));
        EXPECT_EQ(contains(read.err, "weft clean"), moving) << read.err;
        if (at % 2 == 0)
            EXPECT_TRUE(exits(weft({"clean", path("s")}), 0));
        else
            EXPECT_TRUE(exits(weft(filter("box", "s/other.mkv")), 0)) << "any run in this folder";
        fs::remove(path("s/other.mkv"));
        EXPECT_TRUE(pictures() == (moving ? made : old));
        EXPECT_TRUE(exits(weft({"info", path(pattern)}), 0));
    }
    EXPECT_EQ(mixtures, 4);
    EXPECT_EQ(names_in(path("s")).size(), 5U) << "stale temporary files";
}

TEST_F(CliR21Sequence, OlderPicturesThatStayAreNamed) {
    ASSERT_TRUE(exits(weft(filter("box", "s/i_%02d.bmp")), 0));
    Arguments shorter = filter("sobel", "s/i_%02d.bmp");
    shorter.insert(shorter.end(), {"-t", "0.1"});
    const Result result = weft(shorter);
    EXPECT_TRUE(exits(result, 0));
    EXPECT_TRUE(contains(result.err, "2 older pictures")) << result.err;
    EXPECT_TRUE(contains(result.err, "i_04.bmp")) << result.err;
    EXPECT_TRUE(contains(result.err, "i_05.bmp")) << result.err;
    EXPECT_EQ(names_in(path("s")).size(), 5U);
    const std::string before = pictures();
    shorter.emplace_back("--strict");
    EXPECT_TRUE(exits(weft(shorter), 2));
    EXPECT_TRUE(pictures() == before);
}

// A writer on another machine may be alive: its lock may not be visible here.
TEST_F(CliR21Kill, PartialsOfOtherMachinesGoByTheirAge) {
    const std::string name = ".a.mkv.weft-0123456789abcdef-abc123.partial";
    write_file(path(name), "half");
    EXPECT_TRUE(exits(run(filter("out.mkv")), 0));
    EXPECT_TRUE(contains(weft({"clean", folder_.path()}).out, "nothing to remove"));
    EXPECT_EQ(names_in(folder_.path()), (std::vector<std::string>{name, "out.mkv"}));
    fs::last_write_time(path(name), fs::last_write_time(path(name)) - std::chrono::hours(25));
    EXPECT_TRUE(exits(run(filter("out.mkv")), 0));
    EXPECT_TRUE(fs::exists(path(name)));
    const Result cleaned = weft({"clean", "--recursive", folder_.path()});
    EXPECT_TRUE(exits(cleaned, 0));
    EXPECT_TRUE(contains(cleaned.out, name)) << cleaned.out;
    EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>{"out.mkv"});
    EXPECT_TRUE(exits(weft({"clean"}), 2));
    EXPECT_TRUE(exits(weft({"clean", path("out.mkv")}), 2));
}

// A fault in the first file; sanitizers have handlers of their own.
TEST_F(CliTest, AFileThatEndedARunIsNamedAndLeftOut) {
    if (kSanitized) GTEST_SKIP() << "sanitizers handle faults themselves";
    const auto arguments = [&](const Arguments& more) {
        Arguments all{"batch",
                      "--jobs",
                      "1",
                      "-vf",
                      "gaussian=sigma=9",
                      "-o",
                      path("out/"),
                      video_and_audio_clip(),
                      video_clip("whole.mkv")};
        all.insert(all.begin() + 1, more.begin(), more.end());
        return all;
    };
    {
        Process process(weft_command(arguments({})));
        const auto has_claim = [&] {
            return std::ranges::any_of(names_in(path("out")), [&](const std::string& name) {
                return name.ends_with(".claim") && !read_file(path("out/" + name)).empty();
            });
        };
        while (process.running() && !has_claim()) std::this_thread::yield();
        process.send(SIGSEGV);
        EXPECT_EQ(process.wait().signal, SIGSEGV);
    }
    for (const Arguments& more : {Arguments{"-n"}, {"-n", "--receipts"}}) {
        const Result again = weft(arguments(more));
        EXPECT_TRUE(exits(again, 3)) << describe(again);
        EXPECT_TRUE(contains(again.err, "an earlier run was ended by signal 11"));
        EXPECT_TRUE(fs::exists(path("out/cli_whole.mkv")));
    }
    EXPECT_TRUE(exits(weft(arguments({"-y"})), 0));
}

}  // namespace
}  // namespace weft::cli
