// R24: a signal stops the run at any time with the shell's code for it and leaves no files.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <random>
#include <sys/stat.h>
#include <sys/types.h>
#include <thread>
#include <unistd.h>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace fs = std::filesystem;
namespace {

struct Case {
    const char* name;
    int signal;
    std::vector<int> codes;
};

// Half a minute of pictures, which takes longer than any delay below on any current machine; the
// actual duration does not matter, as each run is stopped.
std::string long_clip() {
    return clip("long.mkv", picture_input(30, "640x360") + kFastVideo);
}

class CliR24Signals : public CliTest, public testing::WithParamInterface<Case> {
 protected:
    Command filter(const std::string& output) {
        return weft_command({"batch", "-vf", "gaussian=sigma=3,motion=length=15", "-preset",
                             "veryslow", "-y", "-o", path("out/" + output), long_clip()});
    }
    void expect_stopped(const Result& result, const std::vector<int>& codes) {
        ASSERT_FALSE(result.timed_out) << "it does not stop";
        EXPECT_NE(std::find(codes.begin(), codes.end(), result.shell_code()), codes.end())
            << describe(result);
    }
};

TEST_P(CliR24Signals, StopsAndLeavesNothing) {
    make_folder("out");
    std::mt19937 random(24);
    const int rounds = long_tests() ? 67 : 3;
    for (int round = 0; round < rounds; ++round) {
        const auto delay = std::chrono::milliseconds(random() % 1500);
        SCOPED_TRACE(testing::Message() << GetParam().name << " after " << delay.count() << " ms");
        Process process(filter("out.mkv"));
        std::this_thread::sleep_for(delay);
        process.send(GetParam().signal);
        expect_stopped(process.wait(), GetParam().codes);
        EXPECT_EQ(names_in(path("out")), std::vector<std::string>());
    }
}

TEST_P(CliR24Signals, OldOutputStays) {
    make_folder("out");
    write_file(path("out/out.mp4"), "an old good output");
    Process process(filter("out.mp4"));
    process.wait_until_it_opens(long_clip());
    process.send(GetParam().signal);
    expect_stopped(process.wait(), GetParam().codes);
    EXPECT_EQ(names_in(path("out")), std::vector<std::string>{"out.mp4"});
    EXPECT_EQ(read_file(path("out/out.mp4")), "an old good output");
}

TEST_P(CliR24Signals, ASecondSignalChangesNothing) {
    make_folder("out");
    Process process(filter("out.mkv"));
    process.wait_until_it_opens(long_clip());
    process.send(GetParam().signal);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    process.send(GetParam().signal);
    expect_stopped(process.wait(), GetParam().codes);
    EXPECT_EQ(names_in(path("out")), std::vector<std::string>());
}

INSTANTIATE_TEST_SUITE_P(Kinds, CliR24Signals,
                         testing::Values(Case{"INT", SIGINT, {130}}, Case{"TERM", SIGTERM, {143}},
                                         Case{"HUP", SIGHUP, {129, 143}}),
                         [](const testing::TestParamInfo<Case>& tested) {
                             return std::string(tested.param.name);
                         });

class CliR24Ignored : public CliTest, public testing::WithParamInterface<const char*> {};

// As nohup does, and scripts for their background jobs. The signal is sent when all of the film but
// its last byte has been read or is in the pipe.
TEST_P(CliR24Ignored, StaysIgnored) {
    const std::string film = read_file(video_clip());
    const std::string pipe = path("pipe");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const int fd = open(pipe.c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_LT(fcntl(fd, F_SETPIPE_SZ, 4096), static_cast<int>(film.size()));
    Command command = weft_command({"batch", "-vf", "box", "-o", path("out.mkv"), "-"});
    const std::string script = std::string("trap '' ") + GetParam() + "; exec \"$0\" \"$@\"";
    command.argv.insert(command.argv.begin(), {"bash", "-c", script});
    command.input = pipe;
    Process process(command);
    const std::size_t begun = film.size() - 1;
    for (std::size_t at = 0; at < begun;) {
        const ssize_t written = write(fd, film.data() + at, begun - at);
        ASSERT_GT(written, 0);
        at += static_cast<std::size_t>(written);
    }
    ASSERT_EQ(run({"kill", std::string("-") + GetParam(), std::to_string(process.pid())}).exit_code,
              0);
    EXPECT_EQ(write(fd, film.data() + begun, 1), 1);
    close(fd);
    EXPECT_TRUE(exits(process.wait(), 0));
    EXPECT_EQ(frame_count(path("out.mkv")), 60);
}

INSTANTIATE_TEST_SUITE_P(Kinds, CliR24Ignored, testing::Values("INT", "TERM", "HUP", "USR1"),
                         [](const auto& tested) { return std::string(tested.param); });

class CliR24Crash : public CliTest, public testing::WithParamInterface<int> {};

// A crash ends the program as usual, but with a message and without half-written files.
TEST_P(CliR24Crash, IsReportedAndLeavesAClaim) {
    make_folder("out");
    Command command = weft_command(
        {"batch", "-vf", "gaussian=sigma=3", "-y", "-o", path("out/out.mkv"), long_clip()});
    for (const char* sanitizer : {"ASAN_OPTIONS", "TSAN_OPTIONS"})
        command.env[sanitizer] = "handle_segv=0:handle_sigbus=0:handle_sigill=0:handle_sigfpe=0";
    Process process(command);
    process.wait_until_it_opens(long_clip());
    process.send(GetParam());
    const Result result = process.wait();
    const std::string name = std::string("SIG") + sigabbrev_np(GetParam());
    EXPECT_EQ(result.signal, GetParam()) << describe(result);
    EXPECT_TRUE(contains(result.err, "weft: error: crashed: " + name)) << describe(result);
    EXPECT_TRUE(contains(result.err, "weft(")) << "no calls: " << describe(result);
    // The claim states to the next run which file was in work.
    for (const std::string& left : names_in(path("out")))
        EXPECT_TRUE(left.ends_with(".claim")) << left;
}

INSTANTIATE_TEST_SUITE_P(Faults, CliR24Crash,
                         testing::Values(SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT),
                         [](const testing::TestParamInfo<int>& tested) {
                             return std::string(sigabbrev_np(tested.param));
                         });

class CliR24Claims : public CliTest {
 protected:
    void SetUp() override {
        CliTest::SetUp();
        make_folder("out");
    }
    std::vector<std::string> claims() const { return claims_in(path("out")); }
    // Kills the run once it is at work on so many files.
    void kill_at_work(const Command& command, std::size_t files) const {
        Process process(command);
        while (process.running() && claims().size() < files)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        process.send(SIGKILL);
        EXPECT_EQ(process.wait().signal, SIGKILL);
        ASSERT_EQ(claims().size(), files);
    }
};

// Threads that are stuck in a read cannot end.
class CliR24StuckRead : public CliR24Claims {
 protected:
    void SetUp() override {
        CliR24Claims::SetUp();
        const std::string pipe = path("pipe");
        ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
        writer_ = open(pipe.c_str(), O_RDWR | O_CLOEXEC);
        Command command = weft_command({"batch", "-vf", "box", "-o", path("out/out.mkv"), "-"});
        command.input = pipe;
        process_.emplace(command);
        while (process_->running() && claims().empty())
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ~CliR24StuckRead() override { close(writer_); }
    int writer_ = -1;
    std::optional<Process> process_;
};

TEST_F(CliR24StuckRead, ASecondSignalRemovesTheClaims) {
    while (process_->running()) {
        process_->send(SIGINT);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    const Result result = process_->wait();
    EXPECT_TRUE(exits(result, 130));
    EXPECT_TRUE(contains(result.err, "ended by signal 2")) << result.err;
    EXPECT_EQ(names_in(path("out")), std::vector<std::string>());
}

// Batch systems give notice before they end a task: it did not end for its input.
TEST_F(CliR24StuckRead, AClaimRemembersTheNotice) {
    ASSERT_EQ(claims().size(), 1U);
    const std::string claim = path("out/" + claims().front());
    const std::size_t size = read_file(claim).size();
    process_->send(SIGTERM);
    while (process_->running() && read_file(claim).size() == size)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    process_->send(SIGKILL);
    EXPECT_EQ(process_->wait().signal, SIGKILL);
    let_memory_run_out(path("out"));
    const Result next =
        run(weft_command({"batch", "-n", "-vf", "box", "-o", path("out/out.mkv"), short_clip()}));
    EXPECT_TRUE(exits(next, 0));
    EXPECT_TRUE(contains(next.err, "ended by signal 15")) << next.err;
}

// With several files at work, any of them may have taken the memory.
TEST_F(CliR24Claims, NameTheFilesThatRanOutOfMemory) {
    for (const char* name : {"a.mkv", "b.mkv"}) fs::copy_file(long_clip(), path(name));
    Arguments arguments = {"batch",      "-vf",         "gaussian=sigma=3", "--gpu",     "off",
                           "--jobs",     "2",           "-preset",          "veryslow",  "-o",
                           path("out/"), path("a.mkv"), path("b.mkv"),      short_clip()};
    kill_at_work(weft_command(arguments), 2);
    let_memory_run_out(path("out"));
    arguments.insert(arguments.begin() + 1, "-n");
    for (int runs = 0; runs < 2; ++runs) {
        const Result next = run(weft_command(arguments));
        EXPECT_TRUE(exits(next, 3));
        for (const char* name : {"a.mkv", "b.mkv"})
            EXPECT_TRUE(contains(next.err, path(name) + ": an earlier run was killed by the system "
                                                        "when memory ran out"))
                << next.err;
        EXPECT_EQ(frame_count(path("out/cli_short.mkv")), 15);
    }
    EXPECT_EQ(claims().size(), 2U);
}

TEST_F(CliR24Claims, AFileIsTriedAgainWithMoreMemory) {
    const auto filter = [&](const char* existing, const char* preset) {
        return weft_command({"batch", existing, "-vf", "box", "--gpu", "off", "-preset", preset,
                             "-o", path("out/out.mkv"), long_clip()});
    };
    kill_at_work(filter("-n", "veryslow"), 1);
    let_memory_run_out(path("out"), "1");
    const Result next = run(filter("-n", "ultrafast"));
    EXPECT_TRUE(exits(next, 0));
    EXPECT_TRUE(contains(next.err, "an earlier run was killed by the system when memory ran out"))
        << next.err;
    EXPECT_EQ(names_in(path("out")), std::vector<std::string>{"out.mkv"});
}

class CliR24SignalsBatch : public CliTest {};

// The rest of a batch is not started; finished files stay.
TEST_F(CliR24SignalsBatch, FinishedFilesStay) {
    make_folder("out");
    Process process(weft_command({"batch", "-vf", "gaussian=sigma=3", "-preset", "veryslow",
                                  "--jobs", "1", "-o", path("out/"), short_clip(), long_clip()}));
    for (int i = 0; i < 3000 && !fs::exists(path("out/cli_short.mkv")); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    process.send(SIGINT);
    EXPECT_EQ(process.wait().shell_code(), 130);
    EXPECT_EQ(names_in(path("out")), std::vector<std::string>{"cli_short.mkv"});
    EXPECT_EQ(frame_count(path("out/cli_short.mkv")), 15);
}

TEST_F(CliR24SignalsBatch, AReaderThatClosesThePipeIsAnOutputError) {
    const std::string script =
        "\"$0\" batch -vf box -f nut -o - \"$1\" | head -c 1000 >/dev/null; "
        "exit ${PIPESTATUS[0]}";
    const Result result = run({"bash", "-c", script, weft_program(), video_clip()});
    EXPECT_FALSE(result.timed_out);
    EXPECT_TRUE(result.exit_code == 5 || result.exit_code == 128 + SIGPIPE) << describe(result);
}

// As in dd: SIGUSR1 prints the progress and ends nothing.
TEST_F(CliR24SignalsBatch, RequestingProgressEndsNothing) {
    for (const char* progress : {"none", "json"}) {
        make_folder("out");
        Process process(weft_command({"batch", "-vf", "gaussian=sigma=3,motion=length=15",
                                      "-preset", "veryslow", "-y", "-o", path("out/out.mkv"),
                                      std::string("--progress=") + progress, long_clip()}));
        process.wait_until_it_opens(long_clip());
        for (int round = 0; round < 3; ++round) {
            process.send(SIGUSR1);
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
        process.send(SIGINT);
        const Result result = process.wait();
        EXPECT_EQ(result.shell_code(), 130) << describe(result);
        EXPECT_TRUE(contains(result.err, "frames")) << describe(result);
        EXPECT_TRUE(contains(result.err, "fps")) << describe(result);
    }
}

// However many requests there are, the stack does not grow: 256 KiB were full after 1,350 calls.
TEST_F(CliR24SignalsBatch, RequestingProgressVeryOftenEndsNothing) {
    const std::string list = path("list.fifo");
    ASSERT_EQ(mkfifo(list.c_str(), 0600), 0);
    Command command =
        weft_command({"batch", "-vf", "box", "-o", path("out/"), "--input-list", list});
    const Arguments shell{"bash", "-c", "ulimit -s 256; exec \"$@\"", "bash"};
    command.argv.insert(command.argv.begin(), shell.begin(), shell.end());
    Process process(command);
    process.wait_until_it_handles(SIGUSR1);
    for (int round = 0; round < 2'000 && process.running(); ++round) {
        process.send(SIGUSR1);
        process.wait_until_none_is_pending();
    }
    EXPECT_TRUE(process.running());
    process.send(SIGINT);
    EXPECT_EQ(process.wait().shell_code(), 130);
}

// Other commands as well, and a batch that is still listing its inputs.
TEST_F(CliR24SignalsBatch, RequestingProgressNeverEndsACommand) {
    const std::string list = path("list.fifo");
    ASSERT_EQ(mkfifo(list.c_str(), 0600), 0);
    for (const Arguments& arguments :
         {Arguments{"batch", "-vf", "box", "-o", path("out/"), "--input-list", list},
          Arguments{"compare", "--gpu", "off", "--frames", "1000000", "-vf", "gaussian=sigma=3",
                    image_clip()}}) {
        Process process(weft_command(arguments));
        process.wait_until_it_handles(SIGUSR1);
        for (int round = 0; round < 3; ++round) {
            process.send(SIGUSR1);
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
        EXPECT_TRUE(process.running()) << arguments.front();
        process.send(SIGINT);
        const Result result = process.wait();
        EXPECT_EQ(result.shell_code(), 130) << describe(result);
        if (arguments.front() != "compare") continue;
        EXPECT_TRUE(contains(result.err, " frames compared")) << result.err;
    }
}

}  // namespace
}  // namespace weft::cli
