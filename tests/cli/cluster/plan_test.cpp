// `weft batch --plan` and `--run`: a batch that is checked once and runs in shards.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <sys/stat.h>
#include <thread>

#include <fmt/format.h>

#include "tests/cli/cluster/picture_tree.h"
#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace fs = std::filesystem;
namespace {

class CliPlanRun : public PictureTreeTest {
 protected:
    static constexpr int kFiles = 7;

    void SetUp() override {
        CliTest::SetUp();
        make_pictures(kFiles - 1);
        fs::copy_file(short_clip(), path("in/film.mkv"));
    }
    Command plan(const Arguments& more = {}) const {
        Arguments arguments = {"batch",      "-vf",      "box",    "--recursive",     "-o",
                               path("out/"), path("in"), "--plan", path("films.plan")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return weft_command(arguments);
    }
    Command run_plan(const Arguments& more = {}) const {
        Arguments arguments = {"batch", "--gpu", "off", "--run", path("films.plan")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return weft_command(arguments);
    }
    int outputs() const {
        int count = 0;
        if (fs::exists(path("out")))
            for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path("out")))
                if (entry.is_regular_file() && !is_hidden(entry.path())) ++count;
        return count;
    }
    static bool is_hidden(const fs::path& file) {
        return file.filename().string().starts_with('.');
    }
    // The lines of the plan as JSON.
    std::vector<nlohmann::json> lines() const {
        std::vector<nlohmann::json> all;
        std::istringstream text(read_file(path("films.plan")));
        for (std::string line; std::getline(text, line);) all.push_back(parse_json(line));
        return all;
    }
    // The inputs of a report that failed, with their sentences.
    std::map<std::string, std::string> failures(const std::string& report) const {
        std::map<std::string, std::string> failed;
        const nlohmann::json page = parse_json(read_file(report));
        for (const auto& file : page.at("files"))
            if (file.at("status") != "ok" && file.at("status") != "skipped")
                failed[fs::path(file.at("input").get<std::string>()).filename()] = file.at("error");
        return failed;
    }
};

TEST_F(CliPlanRun, HoldsEveryFileAndFiltersNothing) {
    const Result result = run(plan({"--shards", "3", "-crf", "30", "-an"}));
    EXPECT_TRUE(exits(result, 0));
    EXPECT_TRUE(contains(result.err, "7 files")) << result.err;
    EXPECT_TRUE(contains(result.err, "in 3 shards")) << result.err;
    EXPECT_FALSE(fs::exists(path("out")));
    const std::vector<nlohmann::json> all = lines();
    ASSERT_EQ(all.size(), 2U + kFiles);
    EXPECT_EQ(all[0].at("weft_plan"), 1);
    EXPECT_EQ(all[1].at("stack"), "box");
    EXPECT_EQ(all[1].at("options"), nlohmann::json({{"--crf", "30"}, {"--no-audio", ""}}));
    std::set<int> shards;
    for (int k = 0; k < kFiles; ++k) {
        const nlohmann::json& file = all[static_cast<std::size_t>(k + 2)];
        shards.insert(file.at("shard").get<int>());
        const std::string input = file.at("input");
        EXPECT_EQ(file.at("bytes").get<std::uintmax_t>(), fs::file_size(path(input)));
        if (input == "in/film.mkv") {
            EXPECT_NEAR(file.at("seconds").get<double>(), 0.5, 0.02);
        }
    }
    EXPECT_EQ(shards, (std::set<int>{1, 2, 3}));
}

TEST_F(CliPlanRun, FitsItsSchema) {
    const std::string schema = fs::path(WEFT_ASSETS).parent_path() / "docs/plan.schema.json";
    if (!fs::exists(schema)) GTEST_SKIP() << "the sources are not here: " << schema;
    if (run({"python3", "-c", "import jsonschema"}).exit_code != 0)
        GTEST_SKIP() << "python3-jsonschema is not installed";
    write_file(path("in/Z\xff.ppm"), read_file(path("in/0.ppm")));
    EXPECT_TRUE(exits(run(plan({"--shards", "3", "-crf", "30"})), 0));
    const Result checked =
        run({"python3", "-c",
             "import json, sys, jsonschema\n"
             "check = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))\n"
             "lines = [json.loads(line) for line in open(sys.argv[2])]\n"
             "for line in lines: check.validate(line)\n"
             "for name, value in (('input', '/etc/a'), ('output', 'a/../b'), ('shard', 0),\n"
             "                    ('more', 1), ('modified', 'now')):\n"
             "    assert not check.is_valid({**lines[2], name: value}), name\n"
             "print(len(lines))",
             schema, path("films.plan")});
    EXPECT_EQ(checked.out, fmt::format("{}\n", kFiles + 3)) << checked.err;
}

TEST_F(CliPlanRun, ShardsFilterEveryFileOnce) {
    EXPECT_TRUE(exits(run(plan({"--shards", "3", "-crf", "30"})), 0));
    for (int index = 1; index <= 3; ++index) {
        const Result result = run(run_plan({"--shard", fmt::format("{}/3", index)}));
        EXPECT_TRUE(exits(result, 0));
        EXPECT_TRUE(contains(result.err, fmt::format("shard {} of 3: ", index))) << result.err;
        EXPECT_FALSE(contains(result.err, "skipped")) << result.err;
    }
    EXPECT_EQ(outputs(), kFiles);
    EXPECT_EQ(frame_count(path("out/film.mkv")), 15);
}

// M09: a plan knows its shards, so that retries, other orders and more tasks than files are safe.
TEST_F(CliPlanRun, AutoTakesTheNumberOfShardsFromThePlan) {
    EXPECT_TRUE(exits(run(plan({"--shards", "20"})), 0));
    for (int task = 19; task >= 0; --task) {
        Command command = run_plan({"--shard", "auto"});
        command.env = {{"SLURM_ARRAY_JOB_ID", "4711"},
                       {"SLURM_ARRAY_TASK_ID", std::to_string(task)},
                       {"SLURM_ARRAY_TASK_MIN", std::to_string(task / 10 * 10)},
                       {"SLURM_ARRAY_TASK_MAX", std::to_string(task / 10 * 10 + 9)},
                       {"SLURM_ARRAY_TASK_COUNT", "10"}};
        const Result result = run(command);
        EXPECT_TRUE(exits(result, 0));
        EXPECT_TRUE(contains(result.err, fmt::format("shard {} of 20 (Slurm", task + 1)))
            << result.err;
    }
    EXPECT_EQ(outputs(), kFiles);
    Command command = run_plan({"--shard", "auto"});
    command.env = {{"JOB_COMPLETION_INDEX", "19"}};
    EXPECT_TRUE(exits(run(command), 0));
    command.env = {{"JOB_COMPLETION_INDEX", "20"}};
    EXPECT_TRUE(exits(run(command), 2));
}

// The plan may be mounted elsewhere, and the tasks run in any folder.
TEST_F(CliPlanRun, IsRelativeToItsFolder) {
    EXPECT_TRUE(exits(run(plan()), 0));
    EXPECT_FALSE(contains(read_file(path("films.plan")), folder_.path().string()));
    make_folder("moved");
    for (const char* name : {"in", "films.plan"}) fs::rename(path(name), path("moved/") + name);
    Command command = weft_command({"batch", "--gpu", "off", "--run", "../films.plan"});
    command.folder = make_folder("moved/work");
    EXPECT_TRUE(exits(run(command), 0));
    EXPECT_EQ(names_in(path("moved/out/sub")).size(), 3U);
    EXPECT_TRUE(names_in(path("moved/work")).empty());
}

// M10
TEST_F(CliPlanRun, InputsThatChangedAreReportedOneByOne) {
    EXPECT_TRUE(exits(run(plan()), 0));
    write_file(path("in/0.ppm"), read_file(path("in/0.ppm")) + "more");
    fs::remove(path("in/2.ppm"));
    const auto time = fs::last_write_time(path("in/4.ppm"));
    fs::last_write_time(path("in/4.ppm"), time + std::chrono::nanoseconds(1000));
    EXPECT_TRUE(exits(run(run_plan({"--json", path("r.json")})), 3));
    const std::map<std::string, std::string> failed = failures(path("r.json"));
    ASSERT_EQ(failed.size(), 3U);
    EXPECT_TRUE(contains(failed.at("0.ppm"), "changed since the plan was made"))
        << failed.at("0.ppm");
    EXPECT_TRUE(contains(failed.at("0.ppm"), "bytes then")) << failed.at("0.ppm");
    EXPECT_TRUE(contains(failed.at("2.ppm"), "it was when the plan was made"))
        << failed.at("2.ppm");
    EXPECT_TRUE(contains(failed.at("4.ppm"), "written at another time")) << failed.at("4.ppm");
    EXPECT_EQ(outputs(), kFiles - 3);
    fs::remove(path("in/0.ppm"));
    EXPECT_TRUE(exits(run(plan({"-n", "-y"})), 2));
}

TEST_F(CliPlanRun, MistakesAreFoundWhenItIsMade) {
    struct Row {
        Arguments more;
        const char* says;
    };
    for (const Row& row : {
             Row{{"--shard", "1/3"}, "--shards N"},
             Row{{"--run", path("films.plan")}, "--plan writes a plan"},
             Row{{"--shards", "0"}, "--shards"},
             Row{{"--dry-run"}, "--dry-run"},
             Row{{"-c:v", "ffv1", "-crf", "20"}, "-crf"},
             Row{{"-c:v", "libvpx-vp9", "--strict"}, "libvpx-vp9"},
             Row{{"-"}, "standard input"},
             Row{{"-o", "/nowhere/out/"}, "more than once"},
         }) {
        const Result result = run(plan(row.more));
        EXPECT_TRUE(exits(result, 2));
        EXPECT_TRUE(contains(result.err, row.says)) << row.says << ": " << result.err;
        EXPECT_FALSE(fs::exists(path("films.plan")));
    }
    Command elsewhere = plan();
    elsewhere.argv.back() = path("in/films.plan");
    const Result result = run(elsewhere);
    EXPECT_TRUE(exits(result, 2));
    EXPECT_TRUE(contains(result.err, "not in the folder of the plan")) << result.err;
    EXPECT_FALSE(fs::exists(path("out")));
}

TEST_F(CliPlanRun, IsReplacedOnlyWithY) {
    EXPECT_TRUE(exits(run(plan()), 0));
    const std::string before = read_file(path("films.plan"));
    EXPECT_TRUE(exits(run(plan({"--shards", "2"})), 2));
    EXPECT_EQ(read_file(path("films.plan")), before);
    EXPECT_TRUE(exits(run(plan({"--shards", "2", "-y"})), 0));
    EXPECT_NE(read_file(path("films.plan")), before);
}

// A file that cannot be opened costs its own task only.
TEST_F(CliPlanRun, FilesThatCannotBeOpenedStayInThePlan) {
    write_file(path("in/bad.mkv"), "no video");
    const Result result = run(plan());
    EXPECT_TRUE(exits(result, 0));
    EXPECT_TRUE(contains(result.err, "1 of the files cannot be opened")) << result.err;
    EXPECT_TRUE(contains(result.err, "bad.mkv")) << result.err;
    EXPECT_TRUE(exits(run(run_plan()), 3));
    EXPECT_EQ(outputs(), kFiles);
}

TEST_F(CliPlanRun, WhatThePlanHoldsIsNotGivenAgain) {
    EXPECT_TRUE(exits(run(plan({"--shards", "2"})), 0));
    for (const Arguments& more :
         {Arguments{"-crf", "20"}, Arguments{"-vf", "sobel"}, Arguments{path("in")},
          Arguments{"-o", path("out/")}, Arguments{"--recursive"}, Arguments{"--lossless"}}) {
        const Result result = run(run_plan(more));
        EXPECT_TRUE(exits(result, 2));
        EXPECT_TRUE(contains(result.err, "make a new plan")) << result.err;
    }
    for (const char* shard : {"1/3", "3/2", "0/2", "auto/3"})
        EXPECT_TRUE(exits(run(run_plan({"--shard", shard})), 2)) << shard;
    EXPECT_FALSE(fs::exists(path("out")));
    // Hand-made plans store no options that write other files.
    std::string text = read_file(path("films.plan"));
    text.erase(0, text.find('\n') + 1);
    text.replace(text.find("\"options\":{"), 11, "\"options\":{\"--json\":\"/tmp/x\"");
    write_file(path("body"), text);
    const std::string hash = run({"sha256sum", path("body")}).out.substr(0, 64);
    write_file(path("films.plan"),
               fmt::format("{{\"weft_plan\":1,\"sha256\":\"{}\"}}\n{}", hash, text));
    const Result result = run(run_plan());
    EXPECT_TRUE(exits(result, 2));
    EXPECT_TRUE(contains(result.err, "--json, which plans do not store")) << result.err;
}

}  // namespace
}  // namespace weft::cli
