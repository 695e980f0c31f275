// One film over several tasks: `--plan --split`, `--run --join` (M13).
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>
#include <thread>

#include <fmt/format.h>

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
    void make_whole(const Arguments& more = {}) {
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
        EXPECT_TRUE(exits(run(weft(arguments)), 0));
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
    void expect_whole() const {
        EXPECT_TRUE(read_file(path("out/" + name_)) == read_file(path("whole/" + name_)))
            << "other bytes";
        EXPECT_EQ(names_in(path("out")),
                  (std::vector<std::string>{"." + name_ + ".weft.json", name_}));
        EXPECT_EQ(run(run_plan({"--check"})).exit_code, 0);
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

// Each kill leaves a part that the next run of its task finishes, or begins.
TEST_F(CliSplit, TasksAndJoinsMayBeKilledAtAnyTime) {
    take_long_film();
    make_whole();
    std::minstd_rand random(7);
    const int kills = long_tests() ? 20 : 2;
    for (const int parts : {2, 3, 7, 16}) {
        SCOPED_TRACE(parts);
        make_plan(parts);
        for (int k = 0; k < kills; ++k) {
            const int shard = 1 + static_cast<int>(random() % static_cast<unsigned>(parts));
            const std::chrono::milliseconds delay(random() % 800);
            Process killed(k % 4 == 3 ? run_plan({"--join"}) : task(shard, parts));
            std::this_thread::sleep_for(delay);
            killed.send(SIGKILL);
            killed.wait();
        }
        if (!fs::exists(path("out/" + name_))) run_all_parts(parts);
        Process join(run_plan({"--join"}));
        std::this_thread::sleep_for(std::chrono::milliseconds(random() % 300));
        join.send(SIGKILL);
        join.wait();
        EXPECT_TRUE(exits(run(run_plan({"--join"})), 0));
        EXPECT_EQ(run(run_plan({"--check"})).exit_code, 0);
        EXPECT_TRUE(read_file(path("out/" + name_)) == read_file(path("whole/" + name_)));
    }
}

// Each has another reason for which a part could differ from the same frames of the whole.
TEST_F(CliSplit, OtherTimesGopsDepthsStreamsAndFiltersInTime) {
    const std::string film = picture_input(25, "64x48");
    write_file(test::clip_dir() / "cli_split.srt", "1\n00:00:02,000 --> 00:00:04,000\nweft\n");
    write_file(test::clip_dir() / "cli_split.txt",
               ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=3\nEND=9\ntitle=one\n");
    struct Case {
        std::string name;
        std::string clip;
        std::string stack = "gaussian=sigma=1";
        Arguments more = {};
    };
    const Case cases[] = {
        {"uneven.mkv",
         clip("split_uneven.mkv",
              film + " -vf select='not(eq(mod(n\\,7)\\,3))' -fps_mode vfr" + kFastVideo)},
        {"open.mkv", clip("split_open.mkv", film + " -c:v mpeg2video -g 12 -bf 2 -flags -cgop")},
        {"edit.mp4", clip("split_edit.mp4", film + kFastVideo + " -bf 2 -output_ts_offset 1")},
        {"time.mkv", clip("split_plain.mkv", film + kFastVideo),
         "temporal_average,frame_difference"},
        {"deep.mkv",
         clip("split_deep.mkv", film + " -c:v libx264 -preset ultrafast -pix_fmt yuv420p10le")},
        {"streams.mkv",
         clip("split_streams.mkv", film + tone_input(25) +
                                       " -i @split.srt -i @split.txt -map 0 -map 1 -map 2 "
                                       "-map_metadata 3" +
                                       kFastVideo + " -c:a aac -c:s srt")},
        {"part.mkv",
         clip("split_plain.mkv", film + kFastVideo),
         "sobel",
         {"-ss", "1.5", "-t", "20"}},
    };
    for (const Case& tried : cases) {
        SCOPED_TRACE(tried.name);
        stack_ = tried.stack;
        take(tried.clip, tried.name);
        make_whole(tried.more);
        make_plan(3, tried.more);
        {
            Process killed(task(2, 3));
            std::this_thread::sleep_for(std::chrono::milliseconds(150));
            killed.send(SIGKILL);
            killed.wait();
        }
        run_all_parts(3);
        EXPECT_TRUE(exits(run(run_plan({"--join"})), 0));
        expect_whole();
    }
}

TEST_F(CliSplit, CheckListsPartsAndWhatIsToJoin) {
    take_long_film();
    make_plan(3);
    EXPECT_TRUE(exits(run(task(2, 3)), 0));
    const Result missing = run(run_plan({"--check"}));
    EXPECT_TRUE(exits(missing, 3));
    EXPECT_TRUE(contains(missing.out, "0 of 3 files done, 1 parts to join, 2 missing in 2 of 3"))
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
    EXPECT_TRUE(contains(made.err, "3 parts are finished: --join joins them")) << made.err;
    EXPECT_EQ(run(run_plan({"--check", "-f", "slurm"})).out, "\n");
    EXPECT_TRUE(exits(run(run_plan({"--join"})), 0));
    EXPECT_EQ(run(run_plan({"--check"})).out, "3 of 3 files done\n");
    EXPECT_EQ(frame_count(path("out/film.mp4")), kFrames);
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
        {good.substr(0, good.size() / 2), "frames come before it"},  // without its last segments
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
    const Result checked = run(run_plan({"--check"}));
    EXPECT_TRUE(contains(checked.out, "0 of 2 files done, 2 damaged")) << checked.out;
}

TEST_F(CliSplit, PartsThatAKilledJoinHasLeftAreRemoved) {
    take_long_film();
    make_plan(2);
    run_all_parts(2);
    const std::string part = path("out/.film.mp4.weft-part-1");
    const std::string bytes = read_file(part);
    EXPECT_TRUE(exits(run(run_plan({"--join"})), 0));
    write_file(part, bytes);
    EXPECT_EQ(run(run_plan({"--check"})).out, "2 of 2 files done\n");
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
