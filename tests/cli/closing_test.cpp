// The end of a batch of several files: the closing line and the reasons of failures.
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

class CliClosing : public BatchTest {};

TEST_F(CliClosing, CountsAndReasons) {
    make_inputs();
    const std::string bytes = read_file(video_clip());
    write_file(path("in/cut.mkv"), bytes.substr(0, bytes.size() / 2));
    const Result result = run(batch({"-n", "-o", "out/", "in", "none.mkv", "--json=r.json"}));
    EXPECT_TRUE(exits(result, 3));
    const std::size_t closing = result.err.find("\n1 done, 1 skipped, 1 damaged, 2 failed, in 0:");
    ASSERT_NE(closing, std::string::npos) << result.err;
    for (const char* reason : {"\n  in/bad.mkv: ", "\n  in/cut.mkv: damaged: ", "\n  none.mkv: "})
        EXPECT_TRUE(contains(result.err.substr(closing), reason)) << reason << result.err;
    EXPECT_TRUE(contains(last_line(result.err), "3 of 5 files failed")) << result.err;
    const nlohmann::json report = parse_json(read_file(path("r.json")));
    EXPECT_EQ(report.at("counts"),
              (nlohmann::json{
                  {"done", 1}, {"skipped", 1}, {"damaged", 1}, {"failed", 2}, {"stopped", 0}}));
    EXPECT_GT(report.at("wall_seconds"), 0);
}

TEST_F(CliClosing, WithoutFailures) {
    make_inputs();
    const Result result = run(batch({"-n", "-o", "out/", "in/good1.mkv", "in/good2.mkv"}));
    EXPECT_TRUE(exits(result, 0));
    EXPECT_TRUE(contains(last_line(result.err), "1 done, 1 skipped, in 0:")) << result.err;
}

// One file has its own line, and errors are all that a quiet run prints.
TEST_F(CliClosing, NotForOneFileOrQuietRuns) {
    make_inputs();
    const Result one = run(batch({"-y", "-o", "out/", "in/good1.mkv"}));
    EXPECT_TRUE(exits(one, 0));
    EXPECT_FALSE(contains(one.err, " done")) << one.err;
    const Result quiet = run(batch({"-y", "-v", "error", "-o", "out/", "in"}));
    EXPECT_TRUE(exits(quiet, 3));
    EXPECT_FALSE(contains(quiet.err, " done")) << quiet.err;
}

TEST_F(CliClosing, EventsEndWithTheCounts) {
    make_inputs();
    const Result result = run(batch({"-n", "--progress=json", "-o", "out/", "in"}));
    EXPECT_TRUE(exits(result, 3));
    const std::size_t at = result.err.find(R"({"event":"end")");
    ASSERT_NE(at, std::string::npos) << result.err;
    const auto end = parse_json(result.err.substr(at, result.err.find('\n', at) - at));
    EXPECT_EQ(end.at("counts").at("done"), 1);
    EXPECT_EQ(end.at("counts").at("failed"), 1);
    EXPECT_EQ(end.at("counts").at("skipped"), 1);
}

}  // namespace
}  // namespace weft::cli
