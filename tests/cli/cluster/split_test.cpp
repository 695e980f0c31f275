// One film over several tasks: `--plan --split`, `--run --join` (M13).
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <numeric>
#include <random>
#include <regex>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace fs = std::filesystem;
namespace {

constexpr int kFrames = 4100;  // 17 segments

class CliSplit : public CliTest {
 protected:
    void SetUp() override {
        CliTest::SetUp();
        make_folder("in");
        make_folder("whole");
    }
    void take(const std::string& clip, const std::string& name) {
        name_ = name;
        fs::copy_file(clip, path("in/" + name), fs::copy_options::overwrite_existing);
    }
    // One that has enough segments for 16 tasks.
    void take_long_film() {
        take(clip("split.mp4", picture_input(kFrames / 30.0, "48x32") + tone_input(kFrames / 30.0) +
                                   kFastVideo + " -c:a aac -b:a 32k"),
             "film.mp4");
    }
    Command weft(const Arguments& more) const {
        Arguments arguments = {"batch", "--gpu", "off"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return weft_command(arguments);
    }
    // The undisturbed run that the joined file must equal.
    Command whole_command(const Arguments& more) const {
        Arguments arguments = {"-vf",
                               stack_,
                               "--resume",
                               "-y",
                               "-threads",
                               "2",
                               "-o",
                               path("whole/" + name_),
                               path("in/" + name_)};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return weft(arguments);
    }
    void make_whole(const Arguments& more = {}) const {
        EXPECT_TRUE(exits(run(whole_command(more)), 0));
    }
    void make_plan(int parts, const Arguments& more = {}) {
        fs::remove_all(path("out"));
        make_folder("out");
        Arguments arguments = {"-vf",
                               stack_,
                               "-y",
                               "-threads",
                               "2",
                               "-o",
                               path("out/" + name_),
                               path("in/" + name_),
                               "--plan",
                               path("film.plan"),
                               "--split",
                               std::to_string(parts)};
        arguments.insert(arguments.end(), more.begin(), more.end());
        EXPECT_TRUE(exits(run(weft(arguments)), 0));
    }
    Command run_plan(const Arguments& more = {}) const {
        Arguments arguments = {"--run", path("film.plan")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return weft(arguments);
    }
    Command task(int shard, int shards) const {
        return run_plan({"--resume", "--shard", fmt::format("{}/{}", shard, shards)});
    }
    void run_all_parts(int shards) const {
        for (int shard = shards; shard >= 1; --shard)
            EXPECT_TRUE(exits(run(task(shard, shards)), 0));
    }
    int shard_of(int part) const {
        std::istringstream plan(read_file(path("film.plan")));
        for (std::string line; std::getline(plan, line);)
            if (const nlohmann::json file = parse_json(line); file.value("part", 0) == part)
                return file.at("shard").get<int>();
        return 0;
    }
    // By the calls in a trace of strace.
    static std::int64_t bytes_read(const std::string& trace, const std::string& file) {
        std::int64_t bytes = 0;
        std::istringstream calls(read_file(trace));
        for (std::string line; std::getline(calls, line);)
            if (contains(line, file) && line.rfind("= ") != std::string::npos)
                bytes += std::max(0L, std::atol(line.c_str() + line.rfind("= ") + 2));
        return bytes;
    }
    void expect_whole() const {
        EXPECT_TRUE(read_file(path("out/" + name_)) == read_file(path("whole/" + name_)))
            << "other bytes";
        EXPECT_EQ(names_in(path("out")),
                  (std::vector<std::string>{"." + name_ + ".weft.json", name_}));
        EXPECT_EQ(run(run_plan({"--check"})).exit_code, 0);
    }

    // Kills tasks, and joins once all tasks have ended, at random moments until `kills` of them
    // have died, for each number of parts. A film that is joined before is begun again.
    void kill_and_join(int kills, const std::vector<int>& numbers_of_parts,
                       const Arguments& more = {}) {
        const auto begin = std::chrono::steady_clock::now();
        make_whole(more);
        const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - begin;
        std::minstd_rand random(7);
        for (const int parts : numbers_of_parts) {
            SCOPED_TRACE(parts);
            std::vector<int> open = begin_film(parts, more);
            for (int killed = 0; killed < kills && !HasFailure();) {
                const std::size_t k = open.empty() ? 0 : random() % open.size();
                const auto longest = whole * (open.empty() ? 1 : 0.2 + 1.0 / parts);
                const auto delay = longest * (random() % 1000) / 1000;
                Process process(open.empty() ? run_plan({"--join"}) : task(open[k], parts));
                std::this_thread::sleep_for(delay);
                process.send(SIGKILL);
                const Result result = process.wait();
                if (result.signal == SIGKILL) {
                    ++killed;
                    continue;
                }
                EXPECT_TRUE(exits(result, 0));
                if (open.empty()) {
                    expect_whole();
                    open = begin_film(parts, more);
                } else {
                    open.erase(open.begin() + static_cast<std::ptrdiff_t>(k));
                }
            }
            for (const int shard : open) EXPECT_TRUE(exits(run(task(shard, parts)), 0));
            EXPECT_TRUE(exits(run(run_plan({"--join"})), 0));
            expect_whole();
        }
    }
    // Returns the shards to run.
    std::vector<int> begin_film(int parts, const Arguments& more) {
        make_plan(parts, more);
        std::vector<int> shards(static_cast<std::size_t>(parts));
        std::iota(shards.begin(), shards.end(), 1);
        return shards;
    }

    std::string stack_ = "gaussian=sigma=1";
    std::string name_;
};

TEST_F(CliSplit, TheJoinedFileHasTheBytesOfAnUndisturbedRun) {
    take_long_film();
    make_whole();
    for (const int parts : {1, 2, 3, 7, 16}) {
        SCOPED_TRACE(parts);
        make_plan(parts);
        run_all_parts(parts);
        EXPECT_EQ(fs::exists(path("out/" + name_)), parts == 1);
        EXPECT_TRUE(exits(run(run_plan({"--join"})), 0));
        expect_whole();
    }
}

// Some inputs, each with another reason for which a part could differ from the same frames of the
// whole.
struct Film {
    std::string name;
    std::string clip;
    std::string stack = "gaussian=sigma=1";
    Arguments more = {};
    bool has_keys = true;  // closed for certain: tasks begin there
};

std::vector<Film> films(int seconds) {
    const auto made = [seconds](const std::string& name, const std::string& more) {
        return clip(fmt::format("split{}_{}", seconds, name),
                    picture_input(seconds, "64x48") + more);
    };
    write_file(test::clip_dir() / "cli_split.srt", "1\n00:00:02,000 --> 00:00:04,000\nweft\n");
    write_file(test::clip_dir() / "cli_split.txt",
               ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=3\nEND=9\ntitle=one\n");
    const std::string plain = made("plain.mkv", kFastVideo);
    return {
        {"uneven.mkv", made("uneven.mkv", std::string(" -vf select='not(eq(mod(n\\,7)\\,3))' "
                                                      "-fps_mode vfr") +
                                              kFastVideo)},
        {"open.mkv",
         made("open.mkv", " -c:v mpeg2video -g 12 -bf 2 -flags -cgop"),
         "gaussian=sigma=1",
         {},
         false},
        {"open264.mov",
         made("open264.mov",
              " -c:v libx264 -preset veryfast -g 20 -bf 3 "
              "-x264-params open-gop=1 -pix_fmt yuv420p"),
         "gaussian=sigma=1",
         {},
         false},
        {"edit.mp4", made("edit.mp4", std::string(kFastVideo) + " -bf 2 -output_ts_offset 1")},
        {"time.mkv", plain, "temporal_average,frame_difference"},
        {"deep.mkv",
         made("deep.mkv", " -c:v libx264 -preset ultrafast -g 15 -pix_fmt yuv420p10le")},
        {"streams.mkv", made("streams.mkv", tone_input(seconds) +
                                                " -i @split.srt -i @split.txt -map 0 -map 1 -map 2 "
                                                "-map_metadata 3" +
                                                kFastVideo + " -c:a aac -c:s srt")},
        {"part.mkv", plain, "sobel", {"-ss", "1.5", "-t", fmt::format("{}", seconds - 5)}},
    };
}

// Each kill leaves a part that the next run of its task finishes, or begins.
TEST_F(CliSplit, TasksAndJoinsMayBeKilledAtAnyTime) {
    take_long_film();
    kill_and_join(long_tests() ? 20 : 2, {1, 2, 3, 7, 16});
}

TEST_F(CliSplit, TasksOfOddFilmsMayBeKilledAtAnyTime) {
    if (!long_tests()) GTEST_SKIP() << "800 runs that are killed: with --long only";
    for (const Film& film : films(kFrames / 25)) {
        SCOPED_TRACE(film.name);
        stack_ = film.stack;
        take(film.clip, film.name);
        kill_and_join(20, {1, 2, 3, 7, 16}, film.more);
    }
}

TEST_F(CliSplit, OtherTimesGopsDepthsStreamsAndFiltersInTime) {
    for (const Film& film : films(25)) {
        SCOPED_TRACE(film.name);
        stack_ = film.stack;
        take(film.clip, film.name);
        make_whole(film.more);
        make_plan(3, film.more);
        EXPECT_EQ(contains(read_file(path("film.plan")), "key_frame"), film.has_keys);
        run_all_parts(3);
        EXPECT_TRUE(exits(run(run_plan({"--join"})), 0));
        expect_whole();
    }
}

// Tasks begin at a key frame before their part.
TEST_F(CliSplit, ATaskReadsItsPartOfTheFilm) {
    const std::string trace = path("trace");
    if (run({"strace", "-qq", "-o", trace, "true"}).exit_code != 0)
        GTEST_SKIP() << "strace cannot be used here";
    take(clip("split_noise.mkv", picture_input(kFrames / 30.0, "96x64") +
                                     " -vf noise=alls=60:allf=t" + kFastVideo + " -crf 5"),
         "film.mkv");
    make_plan(16);
    Command middle = task(shard_of(8), 16);
    const Arguments strace = {"strace", "-f", "-qq", "-y", "-e", "trace=read,pread64", "-o", trace};
    middle.argv.insert(middle.argv.begin(), strace.begin(), strace.end());
    const Result made = run(middle);
    EXPECT_TRUE(exits(made, 0));
    EXPECT_TRUE(contains(made.err, "decoding starts at frame")) << made.err;
    EXPECT_TRUE(fs::exists(path("out/.film.mkv.weft-part-8")));
    const auto size = static_cast<std::int64_t>(fs::file_size(path("in/film.mkv")));
    const std::int64_t bytes = bytes_read(trace, "in/film.mkv");
    EXPECT_GT(bytes, size / 16);
    EXPECT_LT(bytes, size / 4);
}

TEST_F(CliSplit, CheckListsPartsAndWhatIsToJoin) {
    take_long_film();
    make_plan(3);
    EXPECT_TRUE(exits(run(task(2, 3)), 0));
    const Result missing = run(run_plan({"--check"}));
    EXPECT_TRUE(exits(missing, 3));
    EXPECT_TRUE(
        contains(missing.out, "0 of 3 files and parts done, 1 part to join, 2 missing in 2 of 3"))
        << missing.out;
    EXPECT_TRUE(contains(missing.out, "in/film.mp4, part 1 of 3: the output does not exist yet\n"))
        << missing.out;
    EXPECT_EQ(run(run_plan({"--check", "-f", "slurm"})).out, "0,2\n");
    const Result early = run(run_plan({"--join"}));
    EXPECT_TRUE(exits(early, 1));
    EXPECT_TRUE(contains(early.err, "part 1 of 3 is not finished")) << early.err;
    // A task that runs again does nothing.
    const Result again = run(task(2, 3));
    EXPECT_TRUE(exits(again, 0));
    EXPECT_TRUE(contains(again.err, "1 skipped") || contains(again.err, "is finished"))
        << again.err;
    run_all_parts(3);
    const Result made = run(run_plan({"--check"}));
    EXPECT_TRUE(exits(made, 3));
    EXPECT_TRUE(contains(made.err, "3 parts are finished; use --join to join them")) << made.err;
    EXPECT_EQ(run(run_plan({"--check", "-f", "slurm"})).out, "\n");
    EXPECT_TRUE(exits(run(run_plan({"--join"})), 0));
    EXPECT_EQ(run(run_plan({"--check"})).out, "3 of 3 files and parts done\n");
    EXPECT_EQ(frame_count(path("out/film.mp4")), kFrames);
}

TEST_F(CliSplit, CheckCountsTheFramesOfUnfinishedParts) {
    take_long_film();
    make_plan(2, {"-preset", "veryslow"});
    Process killed(task(shard_of(1), 2));
    while (killed.running() && !contains(run(run_plan({"--check"})).out, "frames are finished"))
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    killed.send(SIGKILL);
    ASSERT_EQ(killed.wait().signal, SIGKILL) << "the film is too short for this test";
    const std::string text = run(run_plan({"--check"})).out;
    std::smatch frames;
    ASSERT_TRUE(std::regex_search(text, frames,
                                  std::regex("part 1 of 2: the output does not exist "
                                             "yet; ([0-9]+) frames are finished")))
        << text;
    EXPECT_EQ(std::stoi(frames[1]) % 250, 0);
    const Result again = run(task(shard_of(1), 2));
    EXPECT_TRUE(contains(again.err, fmt::format("({} taken over", frames[1].str()))) << again.err;
}

TEST_F(CliSplit, AFilmFarAboveTheMeanIsNamed) {
    take_long_film();
    for (int k = 0; k < 3; ++k) fs::copy_file(short_clip(), path(fmt::format("in/{}.mkv", k)));
    const auto note = [&](const Arguments& more) {
        Arguments words = {"-vf",        stack_,     "-y",     "-o",
                           path("out/"), path("in"), "--plan", path("film.plan")};
        words.insert(words.end(), more.begin(), more.end());
        const Result result = run(weft(words));
        EXPECT_TRUE(exits(result, 0));
        return result.err;
    };
    const std::string hint =
        "in/film.mp4 alone takes 2.8 times as long as the mean of the shards: with --split 3 "
        "several";
    EXPECT_TRUE(contains(note({"--shards", "4"}), hint)) << note({"--shards", "4"});
    EXPECT_FALSE(contains(note({"--shards", "1"}), hint));
    EXPECT_FALSE(contains(note({"--shards", "4", "--split", "4"}), hint));
}

// Headers that promise too few or too many frames.
TEST_F(CliSplit, AWrongNumberOfFramesInTheHeadersLosesNothing) {
    take_long_film();
    make_whole();
    make_plan(3);
    std::string plan = read_file(path("film.plan"));
    const std::vector<std::string> lines = [&] {
        std::vector<std::string> all;
        std::istringstream text(plan);
        for (std::string line; std::getline(text, line);) all.push_back(line);
        return all;
    }();
    ASSERT_EQ(lines.size(), 5U);
    for (const auto& [middle, end] : {std::pair{250, 500}, std::pair{4000, 8000}}) {
        fs::remove_all(path("out"));
        std::string body = lines[1] + "\n";
        for (int k = 0; k < 3; ++k) {
            auto part = nlohmann::ordered_json::parse(lines[static_cast<std::size_t>(2 + k)]);
            part["first_frame"] = k == 0 ? 0 : k == 1 ? middle : end;
            if (k < 2) part["end_frame"] = k == 0 ? middle : end;
            part.erase("key_frame");
            part.erase("key_pts");
            body += part.dump() + "\n";
        }
        write_file(path("body"), body);
        const std::string sum = run({"sha256sum", path("body")}).out.substr(0, 64);
        write_file(path("film.plan"),
                   fmt::format("{{\"weft_plan\":1,\"sha256\":\"{}\"}}\n{}", sum, body));
        run_all_parts(3);
        EXPECT_TRUE(exits(run(run_plan({"--join"})), 0));
        expect_whole();
    }
}

TEST_F(CliSplit, PartsThatDoNotFitAreNotJoined) {
    take_long_film();
    const std::string part = path("out/.film.mp4.weft-part-2");
    stack_ = "gaussian=sigma=2";
    make_plan(3);
    run_all_parts(3);
    const std::string of_another_stack = read_file(part);
    stack_ = "gaussian=sigma=1";
    make_plan(3);
    run_all_parts(3);
    const std::string good = read_file(part);
    const std::pair<std::string, const char*> wrong[] = {
        {of_another_stack, "differs from the first part: stack: then gaussian=sigma=1"},
        {read_file(path("out/.film.mp4.weft-part-3")), "it is not this part of this plan"},
        {"", "it is not this part of this plan"}};
    for (const auto& [bytes, why] : wrong) {
        write_file(part, bytes);
        const Result refused = run(run_plan({"--join"}));
        EXPECT_TRUE(exits(refused, 1));
        EXPECT_TRUE(contains(refused.err, why)) << refused.err;
        EXPECT_TRUE(contains(refused.err, "remove it and run its shard again")) << refused.err;
        EXPECT_FALSE(fs::exists(path("out/film.mp4")));
    }
    fs::remove(part);
    run_all_parts(3);
    EXPECT_TRUE(read_file(part) == good);
    EXPECT_TRUE(exits(run(run_plan({"--join"})), 0));
    EXPECT_EQ(frame_count(path("out/film.mp4")), kFrames);
}

// Damage may be detected by mistake: the parts stay until the output is in place.
TEST_F(CliSplit, FramesAfterALostSegmentAreFilteredAgain) {
    take_long_film();
    make_whole();
    make_plan(3);
    run_all_parts(3);
    const std::string part = path("out/.film.mp4.weft-part-2");
    const std::string good = read_file(part);
    write_file(part, good.substr(0, good.size() / 2));
    const Result joined = run(run_plan({"--join"}));
    EXPECT_TRUE(exits(joined, 0));
    EXPECT_TRUE(contains(joined.err, "are filtered again")) << joined.err;
    expect_whole();
}

// The bytes of an MKV file whose packet of this number, which has one slice, is none any more.
std::string without_slice(const std::string& file, std::size_t number) {
    const nlohmann::json packet =
        test::ffprobe(file, "-select_streams v:0 -show_packets").at("packets").at(number);
    const std::size_t at = std::stoul(packet.at("pos").get<std::string>());
    const std::size_t size = std::stoul(packet.at("size").get<std::string>());
    std::string bytes = read_file(file);
    bytes.at(bytes.find(big_endian(size - 4, 4), at) + 4) = 12;  // a unit of filler data
    return bytes;
}

// The tasks count the packets before their key frame, but some of these make no frame.
TEST_F(CliSplit, FramesLostInTheFilmMoveTheLaterParts) {
    name_ = "film.mkv";
    const std::string whole = clip("split_lost.mkv", picture_input(60, "48x32") + kFastVideo);
    write_file(path("in/film.mkv"), without_slice(whole, 700));
    const Arguments keep = {"--keep-damaged"};
    EXPECT_TRUE(exits(run(whole_command(keep)), 4));
    make_plan(3, keep);
    EXPECT_TRUE(contains(read_file(path("film.plan")), "key_frame"));
    run_all_parts(3);
    const Result joined = run(run_plan({"--join"}));
    EXPECT_TRUE(exits(joined, 4));
    EXPECT_TRUE(contains(joined.err, "are filtered again")) << joined.err;
    EXPECT_TRUE(read_file(path("out/" + name_)) == read_file(path("whole/" + name_)));
}

TEST_F(CliSplit, AJoinOfADamagedInputKeepsTheParts) {
    name_ = "film.mkv";
    const std::string whole =
        read_file(clip("split_cut.mkv", picture_input(40, "48x32") + kFastVideo));
    write_file(path("in/film.mkv"), whole.substr(0, whole.size() * 9 / 10));
    make_plan(2);
    run_all_parts(2);
    EXPECT_TRUE(exits(run(run_plan({"--join"})), 4));
    EXPECT_FALSE(fs::exists(path("out/film.mkv")));
    for (const char* part : {"1", "2"})
        EXPECT_TRUE(fs::exists(path("out/.film.mkv.weft-part-") + part)) << part;
    EXPECT_FALSE(fs::exists(path("out/.film.mkv.weft-resume"))) << "a copy of the parts";
    const Result checked = run(run_plan({"--check"}));
    EXPECT_TRUE(contains(checked.out, "0 of 2 files and parts done, 2 damaged")) << checked.out;
}

TEST_F(CliSplit, PartsThatAKilledJoinHasLeftAreRemoved) {
    take_long_film();
    make_plan(2);
    run_all_parts(2);
    const std::string part = path("out/.film.mp4.weft-part-1");
    const std::string bytes = read_file(part);
    EXPECT_TRUE(exits(run(run_plan({"--join"})), 0));
    write_file(part, bytes);
    EXPECT_EQ(run(run_plan({"--check"})).out, "2 of 2 files and parts done\n");
    EXPECT_TRUE(exits(run(run_plan({"--join"})), 0));
    EXPECT_FALSE(fs::exists(part));
}

TEST_F(CliSplit, OnlyVideosWithSegmentsAreSplit) {
    take(short_clip("short.mp4"), "film.mp4");
    make_plan(4);
    const std::string plan = read_file(path("film.plan"));
    EXPECT_FALSE(contains(plan, "\"part\"")) << plan;
    EXPECT_TRUE(exits(run(run_plan()), 0));
    const Result join = run(run_plan({"--join"}));
    EXPECT_TRUE(exits(join, 0));
    EXPECT_EQ(frame_count(path("out/film.mp4")), 15);
    for (const Arguments& wrong : {Arguments{"--join", "--check"}, Arguments{"--split", "2"}})
        EXPECT_TRUE(exits(run(run_plan(wrong)), 2));
}

}  // namespace
}  // namespace weft::cli
