// `weft batch --run FILE --check`: files that fail, and the table of all files.
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/cli/cluster/plan_run.h"

namespace weft::cli {
namespace fs = std::filesystem;
namespace {

class CliPlanFailures : public PlanRunTest {
 protected:
    Result check(const Arguments& more = {}) const { return run(PlanRunTest::check(more)); }
    std::string tasks() const { return check({"-f", "slurm"}).out; }
    static std::string line_of(const Result& result, const std::string& name) {
        std::istringstream lines(result.out);
        for (std::string line; std::getline(lines, line);)
            if (contains(line, name)) return line;
        return "no line about " + name + " in: " + result.out;
    }
};

// The loop of docs/cluster.md, whose body runs the tasks that the check prints.
TEST_F(CliPlanFailures, TheRetryLoopEndsByItself) {
    write_file(path("in/empty.mp4"), "");
    write_file(path("in/text.mkv"), "no film");
    fs::copy_file(short_clip(), path("in/gone.mkv"));
    fs::copy_file(short_clip(), path("in/changed.mkv"));
    EXPECT_TRUE(exits(run(plan({"--shards", "4"})), 0));
    fs::remove(path("in/gone.mkv"));
    write_file(path("in/changed.mkv"), read_file(path("in/changed.mkv")) + "more");
    EXPECT_TRUE(exits(run(run_plan()), 3));
    const Result first = check();
    EXPECT_TRUE(exits(first, 3));
    EXPECT_TRUE(contains(line_of(first, "empty.mp4"), ": is empty (0 bytes) (attempt 1 of 3)"))
        << first.out;
    EXPECT_TRUE(contains(line_of(first, "gone.mkv"), "No such file or directory, although it"))
        << first.out;
    EXPECT_TRUE(contains(line_of(first, "changed.mkv"), "changed since the plan")) << first.out;
    EXPECT_TRUE(contains(first.out, "7 of 11 files done, 4 missing in 3 of 4")) << first.out;
    int rounds = 0;
    for (; rounds < 5 && tasks() != "\n"; ++rounds) {
        std::istringstream list(check({"-f", "index"}).out);
        for (int task = 0; list >> task;)
            (void)run(run_plan({"--shard", fmt::format("{}/4", task + 1)}));
    }
    EXPECT_EQ(rounds, 2);
    const Result last = check();
    EXPECT_TRUE(exits(last, 3));
    EXPECT_TRUE(contains(last.err, "4 of 11 files failed in each of 3 attempts")) << last.err;
    EXPECT_TRUE(contains(line_of(last, "empty.mp4"), ": is empty (0 bytes) (attempt 3 of 3)"))
        << last.out;
    EXPECT_EQ(last_line(last.out), "7 of 11 files done, 4 failed");
    const nlohmann::json state = parse_json(check({"-f", "json"}).out);
    EXPECT_EQ(state.at("counts").at("failed"), 4);
    EXPECT_EQ(state.at("failed").size(), 4U);
    const Result proof = run(weft_command({"prove", "--recursive", path("out")}));
    EXPECT_EQ(last_line(proof.out), "7 proven, 0 wrong, 4 not proven") << proof.out;
}

TEST_F(CliPlanFailures, AnInputThatComesBackIsFiltered) {
    fs::copy_file(short_clip(), path("in/gone.mkv"));
    EXPECT_TRUE(exits(run(plan()), 0));
    fs::rename(path("in/gone.mkv"), path("gone"));
    for (int attempt = 1; attempt <= 4; ++attempt) {
        EXPECT_TRUE(exits(run(run_plan()), 3));
        EXPECT_EQ(tasks(), attempt < 3 ? "0\n" : "\n") << attempt;
    }
    fs::rename(path("gone"), path("in/gone.mkv"));
    EXPECT_TRUE(exits(run(run_plan()), 0));
    EXPECT_EQ(check().out, "8 of 8 files done\n");
}

// Another plan for the same outputs begins to count again.
TEST_F(CliPlanFailures, ANewPlanIsANewAttempt) {
    fs::copy_file(short_clip(), path("in/changed.mkv"));
    EXPECT_TRUE(exits(run(plan()), 0));
    write_file(path("in/changed.mkv"), read_file(short_clip()) + "more");
    for (int attempt = 1; attempt <= 3; ++attempt) EXPECT_TRUE(exits(run(run_plan()), 3));
    EXPECT_EQ(tasks(), "\n");
    EXPECT_TRUE(exits(run(plan({"-y"})), 0));
    EXPECT_EQ(tasks(), "0\n");
}

TEST_F(CliPlanFailures, AForeignFileIsNotReplacedByTheReceiptOfAFailure) {
    make_folder("out");
    write_file(path("out/.0.ppm.weft.json"), "my notes");
    EXPECT_TRUE(exits(run(plan()), 0));
    EXPECT_TRUE(exits(run(run_plan()), 3));
    EXPECT_EQ(read_file(path("out/.0.ppm.weft.json")), "my notes");
}

// ---- tables ------------------------------------------------------------------------------------

TEST_F(CliPlanFailures, TheTableHasEveryFile) {
    const std::string hostile = "<b>\"a\", 'b' & c\n.ppm";
    write_file(path("in/" + hostile), read_file(path("in/0.ppm")));
    const std::string film = read_file(short_clip("short.mp4"));
    write_file(path("in/cut.mp4"), film.substr(0, film.size() * 3 / 4));
    EXPECT_TRUE(exits(run(plan({"--shards", "2"})), 0));
    EXPECT_TRUE(exits(run(run_plan()), 3));
    fs::remove(path("out/2.ppm"));
    const Result csv = check({"-f", "csv"});
    EXPECT_TRUE(exits(csv, 3));
    write_file(path("table.csv"), csv.out);
    write_file(path("table.html"), check({"-f", "html"}).out);
    Command judge;
    judge.folder = folder_.path();
    judge.argv = {"python3", "-c", R"(
import csv, html.parser, json, sys
class Page(html.parser.HTMLParser):
    rows, tags = [], set()
    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        if tag == "tr": self.rows.append([])
        if tag in ("td", "th"): self.rows[-1].append("")
    def handle_data(self, data):
        if self.rows and self.rows[-1] and data != "\n": self.rows[-1][-1] += data
page = Page()
page.feed(open("table.html").read())
rows = list(csv.reader(open("table.csv", newline="")))
assert rows == page.rows, (rows, page.rows)
assert not page.tags & {"b", "script", "img", "link"}, page.tags
print(json.dumps(rows))
)"};
    const Result rows = run(judge);
    const nlohmann::json table = parse_json(rows.out);
    ASSERT_EQ(table.size(), 10U) << rows.err;
    EXPECT_EQ(table[0],
              nlohmann::json({"file", "status", "frames", "seconds", "node", "speed", "cause"}));
    std::map<std::string, int> states;
    for (std::size_t k = 1; k < table.size(); ++k) {
        ++states[table[k][1]];
        const bool done = table[k][1] == "done";
        EXPECT_EQ(table[k][6].get<std::string>().empty(), done) << table[k];
        if (done) {
            EXPECT_GE(std::stoi(table[k][2].get<std::string>()), 1);
            EXPECT_GT(std::stod(table[k][5].get<std::string>()), 0);
            EXPECT_NE(table[k][4], "");
        }
    }
    EXPECT_EQ(states, (std::map<std::string, int>{{"damaged", 1}, {"done", 7}, {"missing", 1}}));
    EXPECT_TRUE(contains(rows.out, R"(<b>\"a\", 'b' & c\\n.ppm)")) << rows.out;
}

}  // namespace
}  // namespace weft::cli
