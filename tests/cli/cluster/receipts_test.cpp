// `weft batch --receipts`: what receipts hold, and which outputs are done again.
#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <sys/stat.h>
#include <thread>
#include <xxhash.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;

// As xxh128sum prints it.
std::string xxh128(const std::string& bytes) {
    XXH128_canonical_t text;
    XXH128_canonicalFromHash(&text, XXH3_128bits(bytes.data(), bytes.size()));
    std::string digits;
    for (const unsigned char byte : text.digest) digits += fmt::format("{:02x}", byte);
    return digits;
}

// A receipt whose checksum is made right, as a forger would.
std::string with_checksum(std::string text) {
    const std::string mark = ",\n  \"checksum\": \"";
    const std::size_t end = text.find(mark);
    return text.replace(end + mark.size(), 32, xxh128(text.substr(0, end)));
}

// Inode and modification time of each file in a folder: unchanged if nothing is written there.
std::map<std::string, std::pair<ino_t, std::int64_t>> states_in(const fs::path& folder) {
    std::map<std::string, std::pair<ino_t, std::int64_t>> states;
    for (const std::string& name : names_in(folder)) {
        struct stat info {};
        EXPECT_EQ(stat((folder / name).c_str(), &info), 0);
        states[name] = {info.st_ino, info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec};
    }
    return states;
}

// The parts of a receipt that do not depend on when and where the run was.
Json lasting(Json receipt) {
    receipt.erase("run");
    receipt.erase("checksum");
    receipt["output"].erase("modified");
    return receipt;
}

class CliReceipts : public CliTest {
 protected:
    Result batch(const Arguments& more) const {
        Arguments arguments = {"batch", "--receipts", "--gpu", "off"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        Command command = weft_command(arguments);
        command.folder = folder_.path();
        return run(command);
    }
    Json receipt(const std::string& output) const {
        const fs::path name(output);
        const fs::path file =
            name.parent_path() / fmt::format(".{}.weft.json", name.filename().string());
        return parse_json(read_file(path(file.string())));
    }
    bool has_receipt(const std::string& output) const {
        const fs::path name(output);
        return fs::exists(
            path((name.parent_path() / fmt::format(".{}.weft.json", name.filename().string()))
                     .string()));
    }
    void make_input(const std::string& name, const std::string& clip) {
        fs::create_directories(fs::path(path(name)).parent_path());
        fs::copy_file(clip, path(name), fs::copy_options::overwrite_existing);
    }
    // One input, in/a.mkv, whose output is proven.
    void make_proven() {
        make_input("in/a.mkv", short_clip());
        ASSERT_TRUE(exits(batch(proven_), 0));
        ASSERT_TRUE(has_receipt("out/a.mkv"));
    }
    // Whether the output is another file after one more run, which ends with `code`.
    bool done_again(const Arguments& arguments, int code = 0) {
        const auto before = states_in(path("out"));
        const Result result = batch(arguments);
        EXPECT_TRUE(exits(result, code));
        return states_in(path("out"))["a.mkv"] != before.at("a.mkv");
    }

    const Arguments proven_ = {"-vf", "box", "-n", "-o", "out/", "in"};
};

TEST_F(CliReceipts, FrameHashesAreThoseOfRawVideo) {
    const std::string input = video_and_audio_clip();
    ASSERT_TRUE(exits(batch({"-vf", "sobel", "--lossless", "-o", "out.mkv", input}), 0));
    const Json receipt = this->receipt("out.mkv");
    const std::string raw = raw_video(path("out.mkv"), "yuv420p");
    const std::size_t bytes = 320 * 180 * 3 / 2;
    ASSERT_EQ(receipt["frames"]["count"], raw.size() / bytes);
    ASSERT_EQ(receipt["hashes"].size(), 60U);
    for (std::size_t k = 0; k < receipt["hashes"].size(); ++k)
        ASSERT_EQ(receipt["hashes"][k], xxh128(raw.substr(k * bytes, bytes)).substr(0, 16)) << k;
    EXPECT_EQ(receipt["frames"]["lossless"], true);
    EXPECT_EQ(receipt["frames"]["largest_difference"], 0);
    EXPECT_EQ(receipt["frames"]["pixel_format"], "yuv420p");
    ASSERT_EQ(receipt["streams"].size(), 1U);
    EXPECT_EQ(receipt["streams"][0]["hash"],
              xxh128(ffmpeg_text(input, "-map 0:a -c copy -f data -")));
    EXPECT_EQ(receipt["output"]["bytes"], fs::file_size(path("out.mkv")));
    const Result sum = run({"sha256sum", path("out.mkv")});
    EXPECT_EQ(receipt["output"]["sha256"], sum.out.substr(0, 64));
}

TEST_F(CliReceipts, HoldTheJobWithoutAbsolutePaths) {
    make_input("films/2024/a.mkv", short_clip());
    write_file(path("m.txt"), "0 1 0\n1 1 1\n0 1 0\n");
    ASSERT_TRUE(
        exits(batch({"-vf", "box,convolve=file=" + path("m.txt"), "-crf", "30", "-an",
                     "--recursive", "--shard", "1/1", "-o", path("deep/out"), path("films")}),
              0));
    const std::string text = read_file(path("deep/out/2024/.a.mkv.weft.json"));
    EXPECT_FALSE(contains(text, folder_.path().string())) << text;
    const Json receipt = parse_json(text);
    EXPECT_EQ(receipt["name"], "a.mkv");
    EXPECT_EQ(receipt["input"]["path"], "../../../films/2024/a.mkv");
    EXPECT_EQ(receipt["input"]["name"], "2024/a.mkv");
    EXPECT_EQ(receipt["input"]["bytes"], fs::file_size(path("films/2024/a.mkv")));
    const std::string stack = receipt["job"]["-vf"];
    EXPECT_TRUE(stack.starts_with("box=radius=2:")) << stack;
    EXPECT_TRUE(contains(stack, "file=../../../m.txt:")) << stack;
    EXPECT_EQ(receipt["job"]["files"], xxh128(read_file(path("m.txt"))));
    EXPECT_EQ(receipt["job"]["-crf"], "30");
    EXPECT_EQ(receipt["job"]["-an"], "yes");
    EXPECT_EQ(receipt["job"].size(), 4U) << receipt["job"];
    EXPECT_EQ(receipt["error"], nullptr);
}

TEST_F(CliReceipts, NameTheEnginesTask) {
    make_input("in/a.mkv", short_clip());
    Command command = weft_command({"batch", "--receipts", "-vf", "box", "--gpu", "off", "--shard",
                                    "auto/1", "-o", path("out/"), path("in")});
    command.env["SLURM_ARRAY_TASK_ID"] = "0";
    command.env["SLURM_ARRAY_JOB_ID"] = "4711";
    command.env["SLURM_RESTART_COUNT"] = "1";
    ASSERT_TRUE(exits(run(command), 0));
    EXPECT_EQ(receipt("out/a.mkv")["run"]["engine"], "Slurm array 4711, task 0, attempt 2");
}

// M05: a task that is queued again after its success writes nothing.
TEST_F(CliReceipts, ProvenOutputsAreSkippedAndNothingIsWritten) {
    make_proven();
    make_input("in/b.png", image_clip());
    ASSERT_TRUE(exits(batch(proven_), 0));
    const auto before = states_in(path("out"));
    EXPECT_EQ(before.size(), 4U);
    const Result again = batch(proven_);
    EXPECT_TRUE(exits(again, 0));
    EXPECT_TRUE(contains(again.err, "2 skipped")) << again.err;
    EXPECT_EQ(states_in(path("out")), before);
}

TEST_F(CliReceipts, ADryRunShowsWhatIsProven) {
    make_proven();
    Arguments arguments = proven_;
    arguments.emplace_back("--dry-run");
    Result planned = batch(arguments);
    EXPECT_TRUE(exits(planned, 0));
    EXPECT_TRUE(contains(planned.out, "skipped")) << planned.out;
    make_input("in/a.mkv", video_clip());
    planned = batch(arguments);
    EXPECT_TRUE(exits(planned, 0));
    EXPECT_FALSE(contains(planned.out, "skipped")) << planned.out;
}

TEST_F(CliReceipts, AnotherInputIsDoneAgain) {
    make_proven();
    make_input("in/a.mkv", video_clip());
    EXPECT_TRUE(done_again(proven_));
    EXPECT_EQ(frame_count(path("out/a.mkv")), 60);
    EXPECT_FALSE(done_again(proven_));
}

TEST_F(CliReceipts, AnotherJobIsDoneAgain) {
    make_proven();
    for (const Arguments& job :
         {Arguments{"-vf", "sobel"}, Arguments{"-vf", "box", "-crf", "40"},
          Arguments{"-vf", "box", "--lossless"}, Arguments{"-vf", "box", "-ss", "0.1"}}) {
        Arguments arguments = job;
        arguments.insert(arguments.end(), {"-n", "-o", "out/", "in"});
        EXPECT_TRUE(done_again(arguments)) << job.back();
        EXPECT_FALSE(done_again(arguments)) << job.back();
    }
}

// Options that only change how the work is done.
TEST_F(CliReceipts, AnotherWayOfWorkingIsNotDoneAgain) {
    make_proven();
    for (const Arguments& way : {Arguments{"--jobs", "2"}, Arguments{"--kernel", "opencv_cpu"},
                                 Arguments{"--resume"}, Arguments{"--keep-damaged"}}) {
        Arguments arguments = proven_;
        arguments.insert(arguments.end(), way.begin(), way.end());
        EXPECT_FALSE(done_again(arguments)) << way.front();
    }
}

// They left out the values that were defaults.
TEST_F(CliReceipts, ThoseOfEarlierVersionsStayValid) {
    make_proven();
    const std::string kept = path("out/.a.mkv.weft.json");
    std::string text = read_file(kept);
    const std::string stack = parse_json(text)["job"]["-vf"];
    text.replace(text.find(stack), stack.size(), "box");
    write_file(kept, with_checksum(text));
    EXPECT_FALSE(done_again(proven_));
    EXPECT_EQ(receipt("out/a.mkv")["job"]["-vf"], "box");
    EXPECT_TRUE(exits(weft({"prove", "--gpu", "off", path("out/a.mkv")}), 0));
}

// A copy has other times but the same bytes.
TEST_F(CliReceipts, ACopiedFolderIsStillProven) {
    make_proven();
    fs::rename(path("out"), path("old"));
    fs::copy(path("old"), path("out"));
    EXPECT_FALSE(done_again(proven_));
}

// A crash between an output and its receipt: the same bytes are made again and prove it. Without
// -threads, x264 need not make the same ones.
TEST_F(CliReceipts, AMissingReceiptIsMadeAgainWithoutReplacingTheOutput) {
    make_input("in/a.mkv", short_clip());
    Arguments repeatable = proven_;
    repeatable.insert(repeatable.end(), {"-threads", "2"});
    ASSERT_TRUE(exits(batch(repeatable), 0));
    for (const bool torn : {false, true}) {
        const std::string text = read_file(path("out/.a.mkv.weft.json"));
        fs::remove(path("out/.a.mkv.weft.json"));
        if (torn) write_file(path("out/.a.mkv.weft.json"), text.substr(0, text.size() / 2));
        EXPECT_FALSE(done_again(repeatable)) << torn;
        EXPECT_TRUE(lasting(receipt("out/a.mkv")) == lasting(parse_json(text)));
        EXPECT_FALSE(done_again(repeatable)) << torn;
    }
}

// -n never destroys what no receipt proves to be ours.
TEST_F(CliReceipts, AUsersFileStaysUnlessOverwriteIsGiven) {
    make_input("in/a.mkv", short_clip());
    make_input("out/a.mkv", video_clip());
    const std::string mine = read_file(path("out/a.mkv"));
    const Result refused = batch(proven_);
    EXPECT_TRUE(exits(refused, 2));
    EXPECT_TRUE(contains(refused.err, "give -y to replace it")) << refused.err;
    EXPECT_TRUE(read_file(path("out/a.mkv")) == mine);
    EXPECT_EQ(names_in(path("out")), Arguments{"a.mkv"});
    EXPECT_TRUE(exits(batch({"-vf", "box", "-y", "-o", "out/", "in"}), 0));
    EXPECT_FALSE(done_again(proven_));
}

TEST_F(CliReceipts, AnOutputChangedAfterwardsStays) {
    make_proven();
    std::string changed = read_file(path("out/a.mkv"));
    changed[changed.size() / 2] = static_cast<char>(changed[changed.size() / 2] ^ 1);
    write_file(path("out/a.mkv"), changed);
    EXPECT_FALSE(done_again(proven_, 2));
    EXPECT_TRUE(read_file(path("out/a.mkv")) == changed);
}

TEST_F(CliReceipts, DamageLeavesAReceiptAndIsNotTriedAgain) {
    const std::string whole = read_file(video_clip("video.mp4"));
    fs::create_directories(path("in"));
    write_file(path("in/a.mp4"), whole.substr(0, whole.size() * 3 / 4));
    const Arguments arguments = {"-vf", "box", "-n", "-o", "out/", "in"};
    const Result first = batch(arguments);
    const Json found = receipt("out/a.mp4");
    EXPECT_TRUE(found["retry"] == "never" || found["retry"] == "maybe");
    EXPECT_EQ(found["output"], nullptr);
    const auto before = states_in(path("out"));
    EXPECT_EQ(before.size(), 1U);
    const Result again = batch(arguments);
    EXPECT_EQ(again.exit_code, first.exit_code);
    if (found["retry"] == "never") {
        EXPECT_EQ(first.exit_code, 4);
        EXPECT_EQ(states_in(path("out")), before);
        EXPECT_TRUE(contains(again.err, "as an earlier run found")) << again.err;
    }
    write_file(path("in/a.mp4"), whole);
    EXPECT_TRUE(exits(batch(arguments), 0));
    EXPECT_EQ(receipt("out/a.mp4")["error"], nullptr);
}

// A file that another run or another version called damaged, or that was repaired without a trace
// in its size, its modification time and its beginning.
TEST_F(CliReceipts, AHealthyFileIsNotBlockedByAnOldVerdict) {
    const std::string whole = read_file(video_clip("video.mp4"));
    make_folder("in");
    const std::string input = path("in/a.mp4");
    const std::string kept = path("out/.a.mp4.weft.json");
    const Arguments arguments = {"-vf", "box", "-n", "-o", "out/", "in"};
    const std::vector<std::pair<const char*, std::function<std::string(std::string)>>> verdicts = {
        {"a change of attributes",
         [](std::string text) {
             const std::size_t at = text.find("\"reason\": \"") + 11;
             return text.replace(at, text.find("\",\n", at) - at,
                                 "a.mp4 changed while it was being read (its content or "
                                 "attributes were set)");
         }},
        {"another version of FFmpeg",
         [](std::string text) {
             const std::size_t at = text.find("\"ffmpeg\": \"") + 11;
             return text.replace(at, 1, "0");
         }},
        {"a repair", [](std::string text) { return text; }},
    };
    for (const auto& [name, forged] : verdicts) {
        fs::remove_all(path("out"));
        std::string broken = whole;
        broken.replace(whole.size() / 2, 20'000, 20'000, '\0');
        write_file(input, broken);
        const auto time = fs::last_write_time(input);
        ASSERT_TRUE(exits(batch(arguments), 4)) << name;
        EXPECT_TRUE(contains(batch(arguments).err, "as an earlier run found")) << name;
        const auto written = fs::last_write_time(kept);
        write_file(input, whole);
        fs::last_write_time(input, time);
        write_file(kept, with_checksum(forged(read_file(kept))));
        // A receipt that was written after the repair counts as newer than it.
        fs::last_write_time(kept, std::string_view(name) == "a repair"
                                      ? written
                                      : fs::file_time_type::clock::now());
        EXPECT_TRUE(exits(batch(arguments), 0)) << name;
        EXPECT_EQ(receipt("out/a.mp4")["error"], nullptr) << name;
    }
}

// It is replaced with -y alone.
TEST_F(CliReceipts, AForeignFileOfThatNameStays) {
    make_input("in/a.mkv", short_clip());
    for (const char* text : {"my notes", "{\n  \"schema\": 1,\n  \"type\": \"plan\"\n}\n"})
        for (const Arguments& mode : {Arguments{}, Arguments{"-n"}}) {
            make_folder("out");
            write_file(path("out/.a.mkv.weft.json"), text);
            Arguments arguments = {"-vf", "box", "-o", "out/", "in"};
            arguments.insert(arguments.end(), mode.begin(), mode.end());
            const Result refused = batch(arguments);
            EXPECT_TRUE(exits(refused, 2));
            EXPECT_TRUE(contains(refused.err, ".a.mkv.weft.json: has the name of a receipt"))
                << refused.err;
            EXPECT_EQ(read_file(path("out/.a.mkv.weft.json")), text);
            EXPECT_EQ(names_in(path("out")), Arguments{".a.mkv.weft.json"});
        }
    EXPECT_TRUE(exits(batch({"-vf", "box", "-y", "-o", "out/", "in"}), 0));
    EXPECT_EQ(receipt("out/a.mkv")["error"], nullptr);
}

// Several runs with other filters on one output: the last one has written both.
TEST_F(CliReceipts, OutputAndReceiptAreOfOneRun) {
    make_input("a.mkv", short_clip());
    for (int round = 0; round < 3; ++round) {
        std::vector<std::unique_ptr<Process>> runs;
        for (const char* stack : {"box", "sobel", "box=radius=2", "gaussian=sigma=1"}) {
            Command command = weft_command({"batch", "--receipts", "--gpu", "off", "-y", "-preset",
                                            "ultrafast", "-vf", stack, "-o", "out.mkv", "a.mkv"});
            command.folder = folder_.path();
            runs.push_back(std::make_unique<Process>(command));
        }
        for (const auto& process : runs) EXPECT_TRUE(exits(process->wait(), 0));
        EXPECT_EQ(receipt("out.mkv")["output"]["sha256"],
                  run({"sha256sum", path("out.mkv")}).out.substr(0, 64));
        EXPECT_EQ(names_in(folder_.path()), (Arguments{".out.mkv.weft.json", "a.mkv", "out.mkv"}));
    }
}

TEST_F(CliReceipts, KeptDamageIsInTheReceipt) {
    const std::string whole = read_file(video_clip());
    fs::create_directories(path("in"));
    write_file(path("in/a.mkv"), whole.substr(0, whole.size() * 3 / 4));
    const Arguments arguments = {"-vf", "box", "-n", "--keep-damaged", "-o", "out/", "in"};
    EXPECT_TRUE(exits(batch(arguments), 4));
    const Json found = receipt("out/a.mkv");
    EXPECT_EQ(found["retry"], "never");
    EXPECT_EQ(found["output"]["bytes"], fs::file_size(path("out/a.mkv")));
    EXPECT_EQ(found["frames"]["count"], frame_count(path("out/a.mkv")));
    EXPECT_NE(found["damage"]["reason"], "");
    EXPECT_FALSE(done_again(arguments, 4));
}

// Frames of segments that were taken over have the hashes of the run that made them.
TEST_F(CliReceipts, AResumedRunHasTheReceiptOfAnUndisturbedOne) {
    const std::string input = clip("receipts.mkv", picture_input(30, "160x90") + kFastVideo);
    const auto arguments = [&](const std::string& output) {
        return Arguments{"batch",  "--receipts", "-vf",        "gaussian=sigma=1",
                         "--gpu",  "off",        "--resume",   "-preset",
                         "medium", "-o",         path(output), input};
    };
    ASSERT_TRUE(exits(weft(arguments("whole.mkv")), 0));
    Process process(weft_command(arguments("out.mkv")));
    const std::string kept = path(".out.mkv.weft-resume");
    while (process.running() && (!fs::exists(kept) || fs::file_size(kept) < 200'000))
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    process.send(SIGKILL);
    process.wait();
    ASSERT_FALSE(fs::exists(path("out.mkv")));
    EXPECT_FALSE(has_receipt("out.mkv"));
    Arguments again = arguments("out.mkv");
    again.insert(again.end(), {"--json", path("report.json")});
    ASSERT_TRUE(exits(weft(again), 0));
    const Json report = parse_json(read_file(path("report.json")));
    EXPECT_GE(report["files"][0]["resume"]["frames_taken_over"], 250);
    Json resumed = lasting(receipt("out.mkv"));
    resumed["name"] = "whole.mkv";
    EXPECT_TRUE(resumed == lasting(receipt("whole.mkv")));
}

TEST_F(CliReceipts, PicturesAndSequencesHaveThem) {
    make_input("a.png", image_clip());
    ASSERT_TRUE(exits(batch({"-vf", "sobel", "-o", "b.png", "a.png"}), 0));
    EXPECT_EQ(receipt("b.png")["frames"]["count"], 1);
    EXPECT_EQ(receipt("b.png")["frames"]["lossless"], true);
    EXPECT_EQ(
        receipt("b.png")["hashes"][0],
        xxh128(raw_video(path("b.png"), receipt("b.png")["frames"]["pixel_format"])).substr(0, 16));
    const Arguments numbered = {"-vf", "sobel", "-n", "-o", "out/s_%03d.png", short_clip()};
    ASSERT_TRUE(exits(batch(numbered), 0));
    const Json receipt = this->receipt("out/s_%03d.png");
    EXPECT_EQ(receipt["frames"]["count"], 15);
    std::string all;
    for (int k = 1; k <= 15; ++k) all += read_file(path(fmt::format("out/s_{:03}.png", k)));
    EXPECT_EQ(receipt["output"]["bytes"], all.size());
    write_file(path("all"), all);
    EXPECT_EQ(receipt["output"]["sha256"], run({"sha256sum", path("all")}).out.substr(0, 64));
    const auto before = states_in(path("out"));
    EXPECT_TRUE(exits(batch(numbered), 0));
    EXPECT_EQ(states_in(path("out")), before);
    ASSERT_TRUE(exits(batch({"-vf", "box", "-o", "c.mkv", "out/s_%03d.png"}), 0));
    EXPECT_EQ(this->receipt("c.mkv")["input"]["path"], "out/s_%03d.png");
    EXPECT_EQ(this->receipt("c.mkv")["input"]["bytes"], all.size());
}

TEST_F(CliReceipts, PipesAndNothingHaveNone) {
    for (const Arguments& places :
         {Arguments{"-o", "null:", short_clip()}, Arguments{"-o", "-", "-f", "nut", short_clip()},
          Arguments{"-o", "out.mkv", "-"}}) {
        Arguments arguments = {"-vf", "box"};
        arguments.insert(arguments.end(), places.begin(), places.end());
        const Result result = batch(arguments);
        EXPECT_TRUE(exits(result, 2));
        EXPECT_TRUE(contains(result.err, "--receipts: ")) << result.err;
    }
}

// Nanoseconds since 1970 end in that year, in 64 bits.
TEST_F(CliReceipts, TimesAfter2262AreRefused) {
    make_input("in/a.mkv", short_clip());
    constexpr std::int64_t kYear2300 = 10'413'792'000;
    const auto set_time = [&](const std::string& name) {
        const timespec times[2] = {{.tv_sec = kYear2300, .tv_nsec = 0},
                                   {.tv_sec = kYear2300, .tv_nsec = 0}};
        struct stat info {};
        return utimensat(AT_FDCWD, path(name).c_str(), times, 0) == 0 &&
               stat(path(name).c_str(), &info) == 0 && info.st_mtim.tv_sec == kYear2300;
    };
    if (!set_time("in/a.mkv")) GTEST_SKIP() << "files here have no such times";
    const char* const why = "in/a.mkv: its modification time is after the year 2262";
    const Result receipts = batch(proven_);
    EXPECT_TRUE(exits(receipts, 2));
    EXPECT_TRUE(contains(receipts.err, why)) << receipts.err;
    EXPECT_FALSE(fs::exists(path("out/a.mkv")));
    Command command = weft_command({"batch", "-vf", "box", "-o", "out/", "in", "--plan", "a.plan"});
    command.folder = folder_.path();
    const Result plan = run(command);
    EXPECT_TRUE(exits(plan, 2));
    EXPECT_TRUE(contains(plan.err, why)) << plan.err;
    EXPECT_FALSE(fs::exists(path("a.plan")));
    // An output of such a time is not taken for the one that was written.
    make_input("in/a.mkv", short_clip());
    ASSERT_TRUE(exits(batch(proven_), 0));
    ASSERT_TRUE(set_time("out/a.mkv"));
    EXPECT_TRUE(
        contains(batch(proven_).err, "out/a.mkv: its modification time is after the year 2262"));
}

// The output stays: only its proof is missing, which is not passed over in silence.
TEST_F(CliReceipts, AReceiptThatCannotBeWrittenIsAnError) {
    make_input("in/a.mkv", short_clip());
    fs::create_directories(path("out/.a.mkv.weft.json"));
    const Result result = batch(proven_);
    EXPECT_TRUE(exits(result, 5));
    EXPECT_TRUE(contains(result.err, "a.mkv: complete, but has no receipt")) << result.err;
    EXPECT_EQ(frame_count(path("out/a.mkv")), 15);
}

// M14: several workers on one folder, one of them killed: every input has a receipt, every receipt
// of a good one an output.
TEST_F(CliReceipts, ManyWorkersLeaveOneReceiptPerFile) {
    const int count = long_tests() ? 1000 : 40;
    const std::string good = read_file(short_clip("short.mp4"));
    std::set<std::string> bad;
    fs::create_directories(path("in"));
    for (int k = 0; k < count; ++k) {
        const std::string name = fmt::format("{}.mp4", k);
        if (k % 10 == 3) bad.insert(name);
        write_file(path("in/" + name), k % 10 == 3 ? good.substr(0, good.size() / 2) : good);
    }
    const auto worker = [&] {
        return weft_command({"batch", "--receipts", "-n", "-vf", "box=radius=1", "--jobs", "2",
                             "--gpu", "off", "--progress", "none", "-o", path("out/"), path("in")});
    };
    Process first(worker());
    Process second(worker());
    Process killed(worker());
    std::this_thread::sleep_for(std::chrono::milliseconds(long_tests() ? 5000 : 500));
    killed.send(SIGKILL);
    killed.wait();
    for (Process* process : {&first, &second}) EXPECT_TRUE(exits_one_of(process->wait(), {0, 3}));
    EXPECT_TRUE(exits(run(worker()), 3));
    std::set<std::string> names;
    for (int k = 0; k < count; ++k) {
        const std::string name = fmt::format("{}.mp4", k);
        names.insert(fmt::format(".{}.weft.json", name));
        if (!bad.contains(name)) names.insert(name);
        const Json receipt = this->receipt("out/" + name);
        EXPECT_EQ(receipt["error"] == nullptr, !bad.contains(name)) << name;
        EXPECT_EQ(receipt["output"] == nullptr, bad.contains(name)) << name;
    }
    const std::vector<std::string> found = names_in(path("out"));
    EXPECT_EQ(std::set<std::string>(found.begin(), found.end()), names);
}

}  // namespace
}  // namespace weft::cli
