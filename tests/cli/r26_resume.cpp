// R26: `weft batch --resume`: after a kill at any moment the run continues after the last finished
// segment, and the output has the frames of an uninterrupted run.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <sys/mount.h>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace fs = std::filesystem;
namespace {

constexpr int kSegment = 250;  // frames
constexpr int kFrames = 1500;

std::string long_clip() {
    return clip("resume.mkv", picture_input(kFrames / 30.0, "160x90") + tone_input(50) +
                                  kFastVideo + " -c:a aac -b:a 32k");
}

// Three segments with uneven times, an audio stream and a subtitle.
std::string uneven_clip() {
    write_file(test::clip_dir() / "cli_said.srt", "1\n00:00:02,000 --> 00:00:04,000\nweft\n");
    return clip("uneven.mkv", picture_input(25, "160x90") + tone_input(25) +
                                  " -i @said.srt -map 0 -map 1 -map 2 -vf "
                                  "select='not(eq(mod(n\\,7)\\,3))' -fps_mode vfr" +
                                  kFastVideo + " -c:a aac -b:a 32k -c:s srt");
}

class CliR26Resume : public CliTest {
 protected:
    Arguments arguments(const std::string& output, const Arguments& more = {}) {
        Arguments all = {"batch",   "-vf",    stack_, "--gpu",      "off",  "--resume",
                         "-preset", "medium", "-o",   path(output), input_, "--progress=json"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    Command filter(const std::string& output, const Arguments& more = {}) {
        return weft_command(arguments(output, more));
    }
    std::string kept(const std::string& output) { return path("." + output + ".weft-resume"); }

    // Runs to the end and returns the file's entry in the report.
    nlohmann::json finish(const std::string& output) {
        EXPECT_TRUE(exits(run(filter(output, {"--json", path("report.json")})), 0));
        const auto report = parse_json(read_file(path("report.json")));
        fs::remove(path("report.json"));
        return report.at("files").at(0);
    }
    // Kills a run and resumes it: no finished segment is redone.
    void kill_and_finish(const std::string& output, std::chrono::milliseconds delay) {
        Process process(filter(output));
        std::this_thread::sleep_for(delay);
        process.send(SIGKILL);
        const Result killed = process.wait();
        if (fs::exists(path(output))) {  // the kill came before the claim was removed, or later
            EXPECT_TRUE(exits(weft({"clean", folder_.path()}), 0));
            return expect_whole(output);
        }
        const int seen = frames_told(killed.err);
        const auto file = finish(output);
        expect_whole(output);
        EXPECT_GE(file.at("resume").at("frames_taken_over").get<int>(), seen / kSegment * kSegment)
            << killed.err;
    }
    // Frames reported by the last event of --progress=json.
    static int frames_told(const std::string& events) {
        int frames = 0;
        std::istringstream lines(events);
        for (std::string line; std::getline(lines, line);) {
            const auto event = nlohmann::json::parse(line, nullptr, false);
            if (event.is_object() && event.value("event", "") == "progress")
                frames = event.value("frames", 0);
        }
        return frames;
    }
    void expect_whole(const std::string& output) {
        EXPECT_TRUE(frame_hashes(path(output), "yuv420p") == whole_) << "other frames";
        for (const char* stream : {"0:v:0", "0:a:0"})
            EXPECT_EQ(packet_hash(path(output), stream), packet_hash(whole_file_, stream));
    }
    // Makes the frames of an uninterrupted run.
    void make_whole(const std::string& output) {
        EXPECT_TRUE(exits(run(filter(output)), 0));
        whole_file_ = path(output);
        whole_ = frame_hashes(whole_file_, "yuv420p");
    }
    // Stops a run by a signal when its file holds `segments` and most of the next one.
    Result stop_after(const std::string& output, int segments, int signal = SIGTERM) {
        const std::int64_t bytes = (segments + 1) * segment_bytes();
        Process process(filter(output));
        while (process.running() && size_of(kept(output)) < bytes)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        process.send(signal);
        return process.wait();
    }
    static std::int64_t size_of(const std::string& file) {
        std::error_code error;
        const auto size = fs::file_size(file, error);
        return error ? 0 : static_cast<std::int64_t>(size);
    }

    // At least the size of a segment in the store, because the whole file has sound, too.
    std::int64_t segment_bytes() {
        if (whole_file_.empty() && whole_bytes_ == 0) {
            EXPECT_TRUE(exits(run(filter("measured.mkv")), 0));
            whole_bytes_ = size_of(path("measured.mkv"));
            fs::remove(path("measured.mkv"));
        }
        const std::int64_t whole = whole_file_.empty() ? whole_bytes_ : size_of(whole_file_);
        return whole * kSegment / kFrames;
    }

    std::string stack_ = "gaussian=sigma=1";
    std::string input_ = long_clip();
    std::int64_t whole_bytes_ = 0;
    std::string whole_file_;
    std::vector<std::string> whole_;  // its frames
};

TEST_F(CliR26Resume, KilledAtAnyTime) {
    const auto begin = std::chrono::steady_clock::now();
    make_whole("whole.mkv");
    const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - begin);
    ASSERT_EQ(whole_.size(), static_cast<std::size_t>(kFrames));
    const int rounds = long_tests() ? 20 : 3;
    for (int round = 0; round < rounds; ++round) {
        const auto delay = time * (2 * round + 1) / (2 * rounds);
        SCOPED_TRACE(testing::Message() << "killed after " << delay.count() << " ms");
        const std::string output = fmt::format("killed{}.mkv", round);
        kill_and_finish(output, delay);
        fs::remove(path(output));
        fs::remove(kept(output));  // left by a kill after the output got its name
        EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>{"whole.mkv"});
    }
}

// Kills one run again and again.
TEST_F(CliR26Resume, KilledManyTimes) {
    make_whole("whole.mkv");
    const std::string output = "killed.mkv";
    for (int round = 0; round < 12 && !fs::exists(path(output)); ++round)
        stop_after(output, round / 2 + 1, SIGKILL);
    if (!fs::exists(path(output))) finish(output);
    expect_whole(output);
}

// Kills at each call that affects a later run.
TEST_F(CliR26Resume, KilledAtSystemCalls) {
    if (run({"strace", "-f", "-qq", "-o", "/dev/null", "true"}).exit_code != 0)
        GTEST_SKIP() << "strace cannot be used here";
    input_ = uneven_clip();
    make_whole("whole.mkv");
    struct Moment {
        const char* call;
        int count;
    };
    // fsync: the job and its folder, three segments, the output and its folder. linkat and unlink:
    // first on an empty file, to test whether it can be linked; then the output gets its name, and
    // the segments are removed.
    std::vector<Moment> moments = {
        {"ftruncate", 1}, {"linkat", 1}, {"linkat", 2}, {"unlink", 1}, {"unlink", 2}};
    for (int k = 1; k <= 7; ++k) moments.push_back({"fsync", k});
    for (const Moment& moment : moments) {
        SCOPED_TRACE(testing::Message() << moment.call << " " << moment.count);
        const std::string output = "killed.mkv";
        Command command = filter(output);
        command.argv.insert(
            command.argv.begin(),
            {"strace", "-f", "-qq", "-o", "/dev/null", "-e", fmt::format("trace={}", moment.call),
             "-e", fmt::format("inject={}:signal=KILL:when={}", moment.call, moment.count)});
        EXPECT_NE(run(command).exit_code, 0);
        if (!fs::exists(path(output))) finish(output);
        expect_whole(output);
        fs::remove(path(output));
        fs::remove(kept(output));
        // The claim of an output that has its name goes with the next run in the folder.
        std::vector<std::string> left = names_in(folder_.path());
        std::erase_if(left, [](const std::string& name) { return name.ends_with(".claim"); });
        EXPECT_EQ(left, std::vector<std::string>{"whole.mkv"});
        for (const std::string& name : names_in(folder_.path()))
            if (name.ends_with(".claim")) fs::remove(path(name));
    }
}

// The first frames of a segment depend on the frames before it.
TEST_F(CliR26Resume, StepsInTimeSeeThePast) {
    input_ = uneven_clip();
    stack_ = "temporal_average=frames=4,frame_difference";
    make_whole("whole.mkv");
    stop_after("killed.mkv", 1);
    EXPECT_GE(finish("killed.mkv").at("resume").at("frames_taken_over").get<int>(), kSegment);
    expect_whole("killed.mkv");
}

TEST_F(CliR26Resume, TimesAndOtherStreamsAreTheSame) {
    input_ = uneven_clip();
    for (const std::string ending : {"mkv", "mp4", "mov"}) {
        SCOPED_TRACE(ending);
        const std::string whole = "whole." + ending;
        const std::string killed = "killed." + ending;
        make_whole(whole);
        stop_after(killed, 2);
        finish(killed);
        expect_whole(killed);
        EXPECT_EQ(frame_times(path(killed)), frame_times(path(whole)));
        EXPECT_EQ(packet_hash(path(killed), "0:s:0"), packet_hash(path(whole), "0:s:0"));
    }
}

TEST_F(CliR26Resume, FieldsAndRangesToo) {
    input_ = uneven_clip();
    const Arguments more = {"--fields", "split", "-ss", "1", "-t", "20"};
    EXPECT_TRUE(exits(run(filter("whole.mkv", more)), 0));
    const std::int64_t bytes = size_of(path("whole.mkv")) / 2;
    Process process(filter("killed.mkv", more));
    while (process.running() && size_of(kept("killed.mkv")) < bytes)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    process.send(SIGKILL);
    process.wait();
    if (!fs::exists(path("killed.mkv"))) {
        EXPECT_TRUE(exits(run(filter("killed.mkv", more)), 0));
    }
    EXPECT_EQ(frame_hashes(path("killed.mkv"), "yuv420p"),
              frame_hashes(path("whole.mkv"), "yuv420p"));
}

TEST_F(CliR26Resume, ReportsHowToContinue) {
    const Result stopped = stop_after("out.mkv", 1);
    EXPECT_EQ(stopped.shell_code(), 143);
    EXPECT_TRUE(contains(last_line(stopped.err), "--resume")) << stopped.err;
    EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>{".out.mkv.weft-resume"});
    Command command = filter("out.mkv");
    std::erase(command.argv, "--progress=json");
    const Result result = run(command);
    EXPECT_TRUE(exits(result, 0));
    EXPECT_TRUE(contains(result.err, " taken over, ")) << result.err;
    EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>{"out.mkv"});
}

// A corrected filter discards finished segments only with -y.
TEST_F(CliR26Resume, AnotherStackIsRefused) {
    stop_after("out.mkv", 1);
    const std::string bytes = read_file(kept("out.mkv"));
    stack_ = "gaussian=sigma=2";
    const Result refused = run(filter("out.mkv"));
    EXPECT_TRUE(exits(refused, 2));
    EXPECT_TRUE(contains(refused.err, "stack: then gaussian=sigma=1")) << refused.err;
    EXPECT_TRUE(contains(refused.err, "-y to start over")) << refused.err;
    EXPECT_TRUE(read_file(kept("out.mkv")) == bytes);
    const Result anew = run(filter("out.mkv", {"-y", "--json", path("r.json")}));
    EXPECT_TRUE(exits(anew, 0));
    const auto file = parse_json(read_file(path("r.json"))).at("files").at(0);
    EXPECT_EQ(file.at("resume").at("frames_taken_over"), 0);
    EXPECT_TRUE(contains(file.at("notes").dump(), "started over")) << file.at("notes");
}

TEST_F(CliR26Resume, AnotherInputIsRefused) {
    input_ = path("in.mkv");
    fs::copy_file(long_clip(), input_);
    stop_after("out.mkv", 1);
    fs::last_write_time(input_, fs::last_write_time(input_) + std::chrono::seconds(1));
    EXPECT_TRUE(exits(run(filter("out.mkv")), 2));
}

// Changed in place, far from its beginning, with its old time stamp.
TEST_F(CliR26Resume, AnInputChangedInPlaceIsRefused) {
    input_ = path("in.mkv");
    fs::copy_file(long_clip(), input_);
    stop_after("out.mkv", 1);
    const auto time = fs::last_write_time(input_);
    std::string bytes = read_file(input_);
    bytes[bytes.size() - 1000] ^= 1;
    write_file(input_, bytes);
    fs::last_write_time(input_, time);
    const Result result = run(filter("out.mkv"));
    EXPECT_TRUE(exits(result, 2));
    EXPECT_TRUE(contains(result.err, "input: then ")) << result.err;
}

// A link, a chmod and another name for a while set the time of the last change.
TEST_F(CliR26Resume, EventsThatChangeNoByteOfTheInputAreNoOtherInput) {
    input_ = path("in.mkv");
    fs::copy_file(long_clip(), input_);
    make_whole("whole.mkv");
    stop_after("out.mkv", 1);
    fs::create_hard_link(input_, path("link.mkv"));
    fs::permissions(input_, fs::perms::owner_read);
    fs::rename(input_, path("other.mkv"));
    fs::rename(path("other.mkv"), input_);
    EXPECT_GE(finish("out.mkv").at("resume").at("frames_taken_over").get<int>(), kSegment);
    expect_whole("out.mkv");
}

TEST_F(CliR26Resume, AFullDiskKeepsFinishedSegments) {
    make_whole("whole.mkv");
    const std::string disk = make_folder("disk");
    if (mount("none", disk.c_str(), "tmpfs", 0, "size=1500k") != 0)
        GTEST_SKIP() << "a tmpfs cannot be mounted here";
    const Result full = run(filter("disk/out.mkv"));
    EXPECT_TRUE(exits(full, 5));
    EXPECT_TRUE(contains(full.err, "--resume continues")) << full.err;
    EXPECT_EQ(names_in(disk), std::vector<std::string>{".out.mkv.weft-resume"});
    EXPECT_EQ(mount("none", disk.c_str(), "tmpfs", MS_REMOUNT, "size=100m"), 0);
    EXPECT_GE(finish("disk/out.mkv").at("resume").at("frames_taken_over").get<int>(), kSegment);
    expect_whole("disk/out.mkv");
    umount2(disk.c_str(), MNT_DETACH);
}

// Damage may be reported by mistake, so finished segments are only discarded with -y.
TEST_F(CliR26Resume, DamagedInputsKeepFinishedSegmentsWithoutY) {
    const std::string bytes = read_file(long_clip());
    input_ = path("cut.mkv");
    write_file(input_, bytes.substr(0, bytes.size() / 2));
    const Result first = run(filter("out.mkv"));
    EXPECT_TRUE(exits(first, 4));
    EXPECT_TRUE(contains(first.err, "finished frames are kept")) << first.err;
    EXPECT_EQ(names_in(folder_.path()),
              (std::vector<std::string>{".out.mkv.weft-resume", "cut.mkv"}));
    EXPECT_TRUE(exits(run(filter("out.mkv", {"-y"})), 4));
    EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>{"cut.mkv"});
}

// What a crash leaves is empty or zeros.
TEST_F(CliR26Resume, AForeignFileOfThatNameStays) {
    input_ = short_clip();
    for (const std::string& text : {std::string("my notes"), std::string(100, '?')}) {
        write_file(kept("out.mkv"), text);
        const Result refused = run(filter("out.mkv"));
        EXPECT_TRUE(exits(refused, 2));
        EXPECT_TRUE(contains(refused.err, "does not begin as weft writes such files"))
            << refused.err;
        EXPECT_EQ(read_file(kept("out.mkv")), text);
    }
    EXPECT_TRUE(exits(run(filter("out.mkv", {"-y"})), 0));
    for (const std::size_t zeros : {0, 16, 1000}) {
        fs::remove(path("out.mkv"));
        write_file(kept("out.mkv"), std::string(zeros, '\0'));
        EXPECT_TRUE(exits(run(filter("out.mkv")), 0)) << zeros;
    }
}

TEST_F(CliR26Resume, TwoRunsAtOnceAreRefused) {
    Process first(filter("out.mkv"));
    for (int i = 0; i < 3000 && size_of(kept("out.mkv")) == 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    first.send(SIGSTOP);  // so that it cannot end before the other begins
    const Result second = run(filter("out.mkv"));
    first.send(SIGKILL);
    first.wait();
    EXPECT_TRUE(exits(second, 5));
    EXPECT_TRUE(contains(second.err, "another --resume run is using it")) << second.err;
}

TEST_F(CliR26Resume, NeedsFilesAsInputAndOutput) {
    struct Row {
        Arguments words;
        const char* says;
    };
    for (const Row& row : {Row{{"-f", "nut", "-o", "-", video_clip()}, "standard output"},
                           {{"-o", "null:", video_clip()}, "null:"},
                           {{"-f", "matroska", "-o", path("o.mkv"), "-"}, "standard input"},
                           {{"-o", path("o_%03d.png"), video_clip()}, "segments"},
                           {{"-o", path("o.png"), image_clip()}, "segments"},
                           {{"-o", path("o.gif"), video_clip()}, "gif"},
                           {{"-o", path("o.apng"), video_clip()}, "apng"},
                           {{"-o", path("o.y4m"), video_clip()}, "y4m"}}) {
        Arguments all = {"batch", "-vf", "box", "--resume"};
        all.insert(all.end(), row.words.begin(), row.words.end());
        const Result result = weft(all);
        EXPECT_TRUE(exits(result, 2));
        EXPECT_TRUE(contains(result.err, row.says)) << result.err;
        EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>());
    }
}

TEST_F(CliR26Resume, PicturesNextToVideosAreFiltered) {
    EXPECT_TRUE(exits(
        weft({"batch", "-vf", "box", "--resume", "-o", path("out/"), video_clip(), image_clip()}),
        0));
    EXPECT_EQ(names_in(path("out")).size(), 2U);
}

}  // namespace
}  // namespace weft::cli
