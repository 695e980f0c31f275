// `weft batch --run --try`: what a plan will cost, and what it does to the pictures.
#include <cstddef>
#include <filesystem>
#include <string>

#include "tests/cli/cluster/plan_run.h"
#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace fs = std::filesystem;
namespace {

class CliPlanTrial : public PlanRunTest {};

TEST_F(CliPlanTrial, EstimatesTheWholePlan) {
    EXPECT_TRUE(exits(run(plan({"--shards", "3"})), 0));
    const Result trial = run(run_plan({"--try", "3"}));
    EXPECT_TRUE(exits(trial, 0));
    EXPECT_TRUE(contains(trial.err, "trial: 3 files, ")) << trial.err;
    EXPECT_TRUE(contains(trial.err, " on a machine like this one; their outputs have "))
        << trial.err;
    EXPECT_EQ(outputs(), 3);
    EXPECT_TRUE(fs::exists(path("out/film.mkv"))) << "the largest file";
    EXPECT_TRUE(contains(run(run_plan({"--check"})).out, "3 of 7 files done"));
    EXPECT_TRUE(contains(run(run_plan({"--try", "1"})).err, "nothing can be estimated"));
    EXPECT_TRUE(contains(run(run_plan({"--try", "99"})).err, "trial: 4 files, "));
    EXPECT_EQ(outputs(), kFiles);
    for (const Arguments& more : {Arguments{"--check"}, Arguments{"--shard", "1/3"}}) {
        Arguments words = {"--try", "2"};
        words.insert(words.end(), more.begin(), more.end());
        EXPECT_TRUE(exits(run(run_plan(words)), 2));
    }
    EXPECT_TRUE(exits(run(plan({"-y", "--try", "2"})), 2));
}

// Columns of RGB rows of `width` pixels.
std::string columns(const std::string& rgb, std::size_t width, std::size_t begin,
                    std::size_t count) {
    std::string cut;
    for (std::size_t row = 0; row < rgb.size(); row += 3 * width)
        cut += rgb.substr(row + 3 * begin, 3 * count);
    return cut;
}

// Every frame of the film differs, so that a filter that changes nothing proves the same instant.
TEST_F(CliPlanTrial, ShowsEachFileBeforeAndAfter) {
    struct Case {
        const char* start;
        const char* sheet;
        const char* rows;
        std::size_t height;
    };
    fs::remove_all(path("in/sub"));
    for (const char* picture : {"in/2.ppm", "in/4.ppm"}) fs::remove(path(picture));
    for (const auto& [start, sheet, rows, height] :
         {Case{"0", "films-try.png", "in/0.ppm, in/film.mkv at 0:00.267", 8 + 48 + 8 + 180 + 8},
          Case{"0.1", "films-try-2.png", "in/film.mkv at 0:00.200", 8 + 180 + 8}}) {
        EXPECT_TRUE(exits(
            weft({"batch", "-y", "-vf", "convolve=matrix='0 0 0; 0 1 0; 0 0 0'", "--lossless",
                  "-ss", start, "-o", path("out/"), path("in"), "--plan", path("films.plan")}),
            0));
        const Result trial = run(run_plan({"--try", "2", "-y"}));
        EXPECT_TRUE(exits(trial, 0));
        const std::string text =
            sheet +
            std::string(" shows files before (left) and after (right), from top to bottom: ");
        EXPECT_TRUE(contains(trial.err, text + rows)) << trial.err;
        const std::string rgb = raw_video(path(sheet), "rgb24");
        ASSERT_EQ(rgb.size(), 3 * 984 * height);
        const std::string before = columns(rgb, 984, 8, 480);
        EXPECT_TRUE(before == columns(rgb, 984, 496, 480)) << start;
        EXPECT_NE(before.find_first_not_of(before[0]), std::string::npos);
        fs::remove(path("in/0.ppm"));
    }
}

}  // namespace
}  // namespace weft::cli
