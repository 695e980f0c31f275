// weft bench: the program next to weft, its suite for any machine, and the message without it.
#include <algorithm>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"

namespace weft::cli {
namespace {

class CliBench : public CliTest {
 protected:
    void SetUp() override {
        CliTest::SetUp();
        if (!std::filesystem::exists(program_folder() / "weft-bench"))
            GTEST_SKIP() << "there is no weft-bench beside the program";
    }
    static std::filesystem::path program_folder() {
        return std::filesystem::canonical(weft_program()).parent_path();
    }
};

TEST_F(CliBench, TheSmokeSuiteRunsOnAnyMachine) {
    const Result result = weft({"bench", "--suite", "smoke", "--seconds", "0.001", "--json",
                                path("r.json"), "--csv", path("r.csv"), "--plot", path("r.svg")});
    ASSERT_TRUE(exits(result, 0));
    EXPECT_TRUE(contains(result.out, "u8 gray 3×3")) << result.out;
    const nlohmann::json report = nlohmann::json::parse(read_file(path("r.json")));
    int timed = 0;
    for (const nlohmann::json& row : report["rows"]) {
        if (row.contains("cold")) {
            EXPECT_GT(row["cold"]["median_us"].get<double>(), 0.0) << row;
            EXPECT_GE(row["cold"]["samples"].get<int>(), 3) << row;
            EXPECT_GE(row["cold"]["p95_us"], row["cold"]["median_us"]) << row;
        }
        EXPECT_FALSE(row.contains("wrong") && !row["peer"].get<bool>()) << row;
        if (row["kernel"] == "opencv_cpu" && row.contains("cold")) ++timed;
    }
    EXPECT_EQ(timed, 6) << "opencv_cpu takes every case of the suite";
    const std::string csv = read_file(path("r.csv"));
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(csv, '\n')), report["rows"].size() + 1);
    EXPECT_TRUE(contains(read_file(path("r.svg")), "<svg"));
}

// As in weft batch.
TEST_F(CliBench, JsonGoesToStandardOutputUnlessAFileIsNamed) {
    ASSERT_TRUE(exits(weft({"bench", "--suite", "smoke", "--seconds", "0.001", "--case", "3×3",
                            "--json", path("r.json")}),
                      0));
    const Result result = weft({"bench", "--from", path("r.json"), "--json"});
    ASSERT_TRUE(exits(result, 0));
    const nlohmann::json report = nlohmann::json::parse(result.out);
    const nlohmann::json file = nlohmann::json::parse(read_file(path("r.json")));
    EXPECT_EQ(report.at("date"), file.at("date"));
    EXPECT_EQ(report.at("rows").size(), file.at("rows").size());
    Command full;
    full.argv = {"sh", "-c", "exec \"$0\" bench --from \"$1\" --json >/dev/full", weft_program(),
                 path("r.json")};
    const Result refused = run(full);
    EXPECT_TRUE(exits(refused, 5));
    EXPECT_TRUE(contains(refused.err, "cannot write to standard output")) << refused.err;
}

// As in weft batch: results of an earlier run may be replaced, other files only with -y.
TEST_F(CliBench, ReplacesNothingButItsOwnReports) {
    const std::vector<std::string> measure = {"bench",  "--suite", "smoke",  "--seconds",   "0.001",
                                              "--case", "3×3",     "--json", path("r.json")};
    ASSERT_TRUE(exits(weft(measure), 0));
    ASSERT_TRUE(exits(weft(measure), 0));
    const std::vector<std::pair<std::string, std::string>> reports = {
        {"--json", "mine.json"}, {"--csv", "mine.csv"}, {"--plot", "mine.svg"}};
    for (const auto& [option, name] : reports) {
        const std::vector<std::string> show = {"bench", "--from", path("r.json"), option,
                                               path(name)};
        const std::string mine = "{\"schema\": 3}\n<svg width=\"1\"/>";
        write_file(path(name), mine);
        const Result refused = weft(show);
        EXPECT_TRUE(exits(refused, 2));
        EXPECT_TRUE(contains(refused.err, option + " " + path(name) + ": exists")) << refused.err;
        EXPECT_EQ(read_file(path(name)), mine);
        std::vector<std::string> forced = show;
        forced.emplace_back("-y");
        EXPECT_TRUE(exits(weft(forced), 0));
        EXPECT_NE(read_file(path(name)), mine);
        EXPECT_TRUE(exits(weft(show), 0)) << name << " is now its own";
    }
}

TEST_F(CliBench, AGpuSuiteWithoutAGpuGivesAMessage) {
    Command command = weft_command({"bench", "--suite", "image"});
    command.env["CUDA_VISIBLE_DEVICES"] = "";
    const Result result = run(command);
    EXPECT_EQ(result.exit_code, 77) << describe(result);
    EXPECT_TRUE(contains(result.err, "nothing to time")) << result.err;
}

TEST_F(CliBench, AnUnknownSuiteListsTheValidOnes) {
    const Result result = weft({"bench", "--suite", "images"});
    EXPECT_EQ(result.exit_code, 2) << describe(result);
    EXPECT_TRUE(contains(result.err, "image, separable")) << result.err;
}

// Its report would be empty.
TEST_F(CliBench, ACaseThatDoesNotExistIsAUsageError) {
    const Result result = weft({"bench", "--suite", "smoke", "--case", "nothing", "--json"});
    EXPECT_TRUE(exits(result, 2));
    EXPECT_TRUE(contains(result.err, "--case nothing: no case of the suite smoke")) << result.err;
    EXPECT_EQ(result.out, "");
}

TEST_F(CliBench, BadOptionsAreUsageErrors) {
    const Result several = weft({"bench", "--gpu", "0,1"});
    EXPECT_TRUE(exits(several, 2));
    EXPECT_TRUE(contains(several.err, "--gpu 0,1: expected the number of one GPU")) << several.err;
    EXPECT_TRUE(exits(weft({"bench", "--gpu", "all"}), 2));
    EXPECT_TRUE(exits(weft({"bench", "--samples", "many"}), 2));
    for (const char* wrong : {"--wrong", "wrong"}) {
        const Result result = weft({"bench", wrong});
        EXPECT_TRUE(exits(result, 2));
        EXPECT_TRUE(contains(result.err, std::string("takes no ") + wrong)) << result.err;
    }
    EXPECT_TRUE(exits(weft({"bench", "--help"}), 0));
}

TEST_F(CliBench, EverySuiteIsListedWithItsCases) {
    const Result result = weft({"bench", "--list"});
    ASSERT_TRUE(exits(result, 0));
    for (const char* suite : {"image:", "separable:", "depthwise:", "layers:", "sparse:", "bank:",
                              "limits:", "stack:", "all:", "smoke:"})
        EXPECT_TRUE(contains(result.out, suite)) << result.out;
}

TEST_F(CliBench, AMissingProgramGivesAMessage) {
    std::filesystem::copy_file(program_folder() / "weft", path("weft"));
    Command command = weft_command({"bench"});
    command.argv.front() = path("weft");
    command.env["LD_LIBRARY_PATH"] = (program_folder() / "../lib").string();
    const Result result = run(command);
    EXPECT_TRUE(exits(result, 1));
    for (const char* part : {"weft-bench", "./dev bench", "./dev package"})
        EXPECT_TRUE(contains(result.err, part)) << result.err;
}

}  // namespace
}  // namespace weft::cli
