// A batch's output: exit codes, lines, tables, JSON, pace. No files are touched.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/batch/batch_runner.h"
#include "app/batch/kept_results.h"
#include "app/cli/reports.h"
#include "app/cli/terminal/text_table.h"
#include "app/pipeline/progress_meter.h"
#include "app/pipeline/report/json_text.h"
#include "app/pipeline/result_text.h"

namespace weft {
namespace {

using testing::HasSubstr;

FileResult result(FileStatus status, Outcome outcome) {
    FileResult r;
    r.input = "in.mp4";
    r.output = "out/in.mp4";
    r.status = status;
    r.outcome = outcome;
    return r;
}

TEST(CliParseExit, OneFileGivesItsOwnCode) {
    for (Outcome outcome : {Outcome::failed, Outcome::usage, Outcome::not_written})
        EXPECT_EQ(batch_outcome({result(FileStatus::failed, outcome)}), outcome);
    EXPECT_EQ(batch_outcome({result(FileStatus::damaged, Outcome::damaged)}), Outcome::damaged);
    EXPECT_EQ(batch_outcome({result(FileStatus::skipped, Outcome::ok)}), Outcome::ok);
}

TEST(CliParseExit, SeveralFilesWithFailuresGiveThree) {
    const FileResult good = result(FileStatus::ok, Outcome::ok);
    const FileResult skipped = result(FileStatus::skipped, Outcome::ok);
    const FileResult bad = result(FileStatus::failed, Outcome::not_written);
    const FileResult damaged = result(FileStatus::damaged, Outcome::damaged);
    EXPECT_EQ(batch_outcome({good, skipped}), Outcome::ok);
    EXPECT_EQ(batch_outcome({good, bad}), Outcome::some_failed);
    EXPECT_EQ(batch_outcome({good, damaged, skipped}), Outcome::some_failed);
    EXPECT_EQ(batch_outcome({bad, bad}), Outcome::some_failed);
}

TEST(CliParseWords, LineOfAFile) {
    FileResult r = result(FileStatus::ok, Outcome::ok);
    r.frames_out = 300;
    r.damage.proven_by = "the index";
    r.written.streams = {{0, "video", "encoded libx264", ""},
                         {1, "audio", "copied", ""},
                         {2, "audio", "copied", ""},
                         {3, "subtitle", "converted mov_text to subrip", ""}};
    EXPECT_EQ(result_line(r),
              "in.mp4 -> out/in.mp4: 300 frames, 2 audio copied, 1 subtitle converted; nothing "
              "dropped; complete: proven by the index");
    r.frames_out = 1;
    r.written.streams = {{4, "data", "dropped", "no place for it"}};
    r.damage.proven_by.clear();
    EXPECT_EQ(result_line(r),
              "in.mp4 -> out/in.mp4: 1 frame; dropped data stream 4; completeness cannot be proven "
              "(no count, no index)");
    r.output = "null:";
    EXPECT_TRUE(result_line(r).starts_with("in.mp4 -> null: 1 frame; ")) << result_line(r);
    r.damage.reason = "byte 7 belongs to two samples";
    EXPECT_EQ(completeness_text(r.damage),
              "completeness cannot be proven (byte 7 belongs to two samples)");
}

// The segments of a run that nothing interrupted are not worth a word.
TEST(CliParseWords, SegmentsThatWereTakenOver) {
    FileResult r = result(FileStatus::ok, Outcome::ok);
    r.frames_out = 600;
    r.written.segments = SegmentCounts{.frames_taken_over = 0, .done = 3};
    EXPECT_TRUE(result_line(r).starts_with("in.mp4 -> out/in.mp4: 600 frames; ")) << result_line(r);
    r.written.segments->frames_taken_over = 200;
    EXPECT_TRUE(result_line(r).starts_with(
        "in.mp4 -> out/in.mp4: 600 frames (200 taken over, 3 segments done); "))
        << result_line(r);
}

TEST(CliParseWords, KernelTableMergesEqualSteps) {
    FileResult r = result(FileStatus::ok, Outcome::ok);
    StepReport step{"gaussian", "opencv_cpu", "", {}, 3, {}};
    step.frames.add(0.002);
    r.steps = {step};
    const std::string table = kernel_table({r, r});
    EXPECT_THAT(table, HasSubstr("0     gaussian  opencv_cpu"));
    EXPECT_THAT(table, HasSubstr("2.000 ms"));
    EXPECT_THAT(table, HasSubstr("4.0 ms"));
    EXPECT_EQ(kernel_table({result(FileStatus::failed, Outcome::failed)}), "");
}

TEST(CliParseWords, TheBusiestStageBoundsTheRun) {
    FileResult r = result(FileStatus::ok, Outcome::ok);
    r.utilisation = {{9.7, 0, 0.3}, {2, 7.5, 0.5}, {3.5, 6.5, 0}, 10};
    FileResult unfinished = result(FileStatus::failed, Outcome::failed);
    unfinished.utilisation.encode.busy = 100;
    EXPECT_EQ(bound_line({r, unfinished, r}),
              "bound by decode: busy 97 % of the time, encode 35 %, filter 20 %\n");
    EXPECT_EQ(bound_by({{1, 0, 0}, {1, 0, 0}, {2, 0, 0}, 3}), "encode");
    EXPECT_EQ(bound_line({unfinished}), "");
}

TEST(CliParseJson, UtilisationIsInShares) {
    FileResult r = result(FileStatus::ok, Outcome::ok);
    EXPECT_TRUE(result_json(r).at("utilisation").is_null());
    r.utilisation = {{9, 0, 1}, {2, 5, 3}, {4, 6, 0}, 10};
    const auto json = result_json(r).at("utilisation");
    EXPECT_EQ(json.at("bound_by"), "decode");
    EXPECT_EQ(json.at("filter").at("busy"), 0.2);
    EXPECT_EQ(json.at("filter").at("waited_for_input"), 0.5);
    EXPECT_EQ(json.at("filter").at("waited_for_room"), 0.3);
}

TEST(CliParseWords, TheClosingLineCounts) {
    FileResult good = result(FileStatus::ok, Outcome::ok);
    FileResult stopped = result(FileStatus::failed, Outcome::interrupted);
    stopped.error = "in.mp4: stopped before the end";
    FileResult bad = result(FileStatus::failed, Outcome::usage);
    bad.error = "-preset x: libx264 has slow\n  box\n  ^";
    FileResult cut = result(FileStatus::damaged, Outcome::damaged);
    cut.error = "in.mp4: damaged: cut";
    const std::vector<FileResult> results = {good, bad, cut, good, stopped, stopped, good};
    const auto tally_of = [](const std::vector<FileResult>& all) {
        BatchTally tally;
        for (const FileResult& one : all) count(one, tally);
        return tally;
    };
    BatchTally tally = tally_of(results);
    tally.seconds = 151;
    EXPECT_EQ(closing_text(tally, results),
              "3 done, 1 damaged, 1 failed, 2 not finished, in 2:31\n"
              "  in.mp4: -preset x: libx264 has slow\n"
              "  in.mp4: damaged: cut\n");
    EXPECT_EQ(closing_text(tally_of({good, good}), {good, good}), "2 done, in 0:00\n");
    const std::vector<FileResult> many(33, cut);
    const std::string text = closing_text(tally_of(many), many);
    EXPECT_EQ(std::ranges::count(text, '\n'), 22) << "20 reasons, the rest as a number";
    EXPECT_THAT(text, testing::EndsWith("  and 13 more\n"));
}

TEST(CliParseWords, Sizes) {
    EXPECT_EQ(size_text(0), "0 B");
    EXPECT_EQ(size_text(999), "999 B");
    EXPECT_EQ(size_text(1000), "1.0 kB");
    EXPECT_EQ(size_text(12'345), "12.3 kB");
    EXPECT_EQ(size_text(340'000), "340 kB");
    EXPECT_EQ(size_text(999'900), "1.0 MB");
    EXPECT_EQ(size_text(3.2e9), "3.2 GB");
    EXPECT_EQ(size_text(5e15), "5000 TB");
}

TEST(CliParseWords, TableColumnsAlignInAnyScript) {
    TextTable table({"a", "b"});
    table.add({"größe", "x"});
    EXPECT_EQ(table.text(), "a      b\ngröße  x\n");
}

TEST(CliParseJson, SchemaOfTheReport) {
    FileResult r = result(FileStatus::damaged, Outcome::damaged);
    r.input = "bad\xff.mp4";  // not UTF-8
    r.damage.damaged = true;
    r.damage.reason = "cut";
    r.damage.first_bad_seconds = 1.5;
    const auto json = nlohmann::json::parse(json_page(batch_json(
        {.devices = {{cpu_device()}, "no driver"}, .stack = "box", .outcome = Outcome::damaged},
        {r})));
    EXPECT_EQ(json.at("schema"), 1);
    EXPECT_EQ(json.at("stack"), "box");
    EXPECT_EQ(json.at("exit_code"), 4);
    EXPECT_EQ(json.at("device").at("kind"), "cpu");
    EXPECT_EQ(json.at("device").at("reason"), "no driver");
    const auto& file = json.at("files").at(0);
    EXPECT_EQ(file.at("status"), "damaged");
    EXPECT_EQ(file.at("damage").at("first_bad_seconds"), 1.5);
    EXPECT_TRUE(file.at("damage").at("first_bad_byte").is_null());
    for (const char* stage : {"decode", "upload", "kernels", "download", "encode"})
        for (const char* field : {"median_ms", "p95_ms", "total_ms"})
            EXPECT_TRUE(file.at("stages").at(stage).at(field).is_number()) << stage << field;
    r.damage.damaged = false;
    EXPECT_TRUE(result_json(r).at("damage").is_null());
}

TEST(CliParsePace, FractionAndRest) {
    ProgressMeter meter(4);
    meter.update(0, {50, 100, 2.0});
    const BatchPace pace = meter.pace(10);
    EXPECT_EQ(pace.frames, 50);
    EXPECT_DOUBLE_EQ(pace.fps, 5);
    EXPECT_DOUBLE_EQ(pace.speed, 0.2);
    EXPECT_DOUBLE_EQ(pace.fraction.value(), 0.125);
    EXPECT_DOUBLE_EQ(pace.eta_seconds.value(), 70);
    meter.finish(0);
    EXPECT_EQ(meter.pace(10).files_done, 1U);
    EXPECT_DOUBLE_EQ(meter.pace(10).fraction.value(), 0.25);
}

// The pace is unknown while frames are taken over, because reading is faster than filtering.
TEST(CliParsePace, FramesTakenOverDoNotCountAsWork) {
    ProgressMeter meter(1);
    meter.update(0, {40, 100, 4.0, 40});
    EXPECT_DOUBLE_EQ(meter.pace(2).fraction.value(), 0.4);
    EXPECT_DOUBLE_EQ(meter.pace(2).fps, 0);
    EXPECT_FALSE(meter.pace(2).eta_seconds.has_value());
    meter.update(0, {60, 100, 6.0, 40});
    EXPECT_EQ(meter.pace(10).frames, 60);
    EXPECT_DOUBLE_EQ(meter.pace(10).fps, 2);
    EXPECT_DOUBLE_EQ(meter.pace(10).speed, 0.2);
    EXPECT_DOUBLE_EQ(meter.pace(10).eta_seconds.value(), 20);
}

TEST(CliParsePace, UnknownLengthsGiveNoFraction) {
    ProgressMeter meter(1);
    meter.update(0, {50, 0, 2.0});
    EXPECT_FALSE(meter.pace(10).fraction.has_value());
    EXPECT_FALSE(meter.pace(10).eta_seconds.has_value());
    EXPECT_EQ(meter.pace(0).fps, 0);
}

TEST(CliParsePace, MoreFramesThanEstimatedIsNotMoreThanAll) {
    ProgressMeter meter(1);
    meter.update(0, {150, 100, 2.0});
    EXPECT_DOUBLE_EQ(meter.pace(1).fraction.value(), 1);
}

}  // namespace
}  // namespace weft
