// `weft batch --plan` and `--run`: a batch that is checked once and runs in shards.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/cli/cluster/plan_run.h"
#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace fs = std::filesystem;
namespace {

class CliPlanRun : public PlanRunTest {};

TEST_F(CliPlanRun, HoldsEveryFileAndFiltersNothing) {
    const Result result = run(plan({"--shards", "3", "-crf", "30", "-an"}));
    EXPECT_TRUE(exits(result, 0));
    EXPECT_TRUE(contains(result.err, "7 files")) << result.err;
    EXPECT_TRUE(contains(result.err, "in 3 shards")) << result.err;
    EXPECT_FALSE(fs::exists(path("out")));
    const std::vector<nlohmann::json> all = lines();
    ASSERT_EQ(all.size(), 2U + kFiles);
    EXPECT_EQ(all[0].at("weft_plan"), 1);
    EXPECT_EQ(all[1].at("stack"),
              "box=radius=2:radius_y=0:power=1:planes=all:width=0:height=0:border=reflect101:"
              "border_value=0");
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
    const Result one = weft({"batch", "-vf", "box", "-o", path("one.mkv"), path("in/film.mkv"),
                             "--plan", path("one.plan")});
    EXPECT_TRUE(contains(one.err, ": 1 file, 0:01 of video, in 1 shard;")) << one.err;
}

// The plan, its inputs and its boxes are moved together.
TEST_F(CliPlanRun, ReadsTheFilesOfItsStackNextToIt) {
    write_file(path("plate.boxes"), "1,1,2,1,5,4,1,-1,-1,-1\n");
    const std::string stack = "fill=white:gap=hold:boxes=" + path("plate.boxes");
    const auto outputs_in = [&](const std::string& folder) {
        std::map<std::string, std::string> bytes;
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path(folder)))
            if (entry.path().extension() == ".ppm" || entry.path().extension() == ".mkv")
                bytes[fs::relative(entry.path(), path(folder))] = read_file(entry.path());
        return bytes;
    };
    EXPECT_TRUE(exits(weft({"batch", "--gpu", "off", "-vf", stack, "--recursive", "-o",
                            path("direct/"), path("in")}),
                      0));
    EXPECT_TRUE(exits(weft({"batch", "-vf", stack, "--recursive", "-o", path("out/"), path("in"),
                            "--plan", path("films.plan")}),
                      0));
    fs::create_directory(path("moved"));
    for (const char* name : {"in", "films.plan", "plate.boxes"})
        fs::rename(path(name), path("moved") + "/" + name);
    const Arguments arguments = {"batch", "--gpu", "off", "--run", path("moved/films.plan")};
    EXPECT_TRUE(exits(weft(arguments), 0));
    EXPECT_TRUE(outputs_in("moved/out") == outputs_in("direct"));
    EXPECT_EQ(outputs_in("direct").size(), kFiles);
    write_file(path("moved/plate.boxes"), "1,1,2,1,5,3,1,-1,-1,-1\n");
    const Result changed = weft(arguments);
    EXPECT_FALSE(exits(changed, 0));
    EXPECT_TRUE(contains(changed.err, "plate.boxes: has changed since")) << changed.err;
    fs::remove(path("moved/plate.boxes"));
    EXPECT_TRUE(contains(weft(arguments).err, "plate.boxes")) << "a file that is missing is named";
}

// A schema of docs/, or nothing where its test must be skipped.
std::string schema_path(const std::string& name) {
    const fs::path path = fs::path(WEFT_ASSETS).parent_path() / "docs" / name;
    const bool usable =
        fs::exists(path) && run({"python3", "-c", "import jsonschema"}).exit_code == 0;
    return usable ? path.string() : "";
}
constexpr const char* kNoSchema =
    "python3-jsonschema is not installed, or the sources are not here";

TEST_F(CliPlanRun, FitsItsSchema) {
    const std::string schema = schema_path("plan.schema.json");
    if (schema.empty()) GTEST_SKIP() << kNoSchema;
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
    EXPECT_EQ(names_in(path("moved/out/sub")).size(), 2U * 3);
    EXPECT_TRUE(names_in(path("moved/work")).empty());
}

// A read-only mount has the inputs; outputs and plan are elsewhere.
TEST_F(CliPlanRun, InputsMayBeAnywhere) {
    make_folder("scratch");
    const Arguments words = {"batch", "-vf",      "box",    "--recursive", "-o",
                             "out/",  path("in"), "--plan", "films.plan"};
    Command planning = weft_command(words);
    planning.folder = path("scratch");
    EXPECT_TRUE(exits(run(planning), 0));
    const std::string text = read_file(path("scratch/films.plan"));
    EXPECT_TRUE(contains(text, fmt::format("\"inputs\":\"{}\"", path("in")))) << text;
    EXPECT_TRUE(contains(text, "{\"input\":\"sub/1.ppm\",\"output\":\"out/sub/1.ppm\"")) << text;
    Command task = weft_command({"batch", "--gpu", "off", "--run", path("scratch/films.plan")});
    const std::string mount = fmt::format(
        "mount --bind {0} {0} && mount -o remount,bind,ro {0} && exec \"$@\"", path("in"));
    Arguments prefix = {"unshare", "--map-root-user", "--mount", "sh", "-c", mount, "sh"};
    Arguments trial = prefix;
    trial.insert(trial.end(), {"touch", path("in/new")});
    EXPECT_NE(run(trial).exit_code, 0);
    trial.back() = path("out.new");
    if (run(trial).exit_code == 0)
        task.argv.insert(task.argv.begin(), prefix.begin(), prefix.end());
    EXPECT_TRUE(exits(run(task), 0));
    fs::rename(path("scratch"), path("moved"));
    const std::string moved = path("moved/films.plan");
    EXPECT_EQ(run(weft_command({"batch", "--run", moved, "--check"})).out, "7 of 7 files done\n");
    EXPECT_TRUE(exits(run(weft_command({"prove", "--recursive", path("moved/out")})), 0));
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
    EXPECT_TRUE(contains(failed.at("2.ppm"), "it could be opened when the plan was made"))
        << failed.at("2.ppm");
    EXPECT_TRUE(contains(failed.at("4.ppm"), "its modification time differs"))
        << failed.at("4.ppm");
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

TEST_F(CliPlanRun, AnOlderDefinitionIsRefused) {
    Command command = plan();
    std::ranges::replace(command.argv, "box", "gaussian=sigma=2");
    EXPECT_TRUE(exits(run(command), 0));
    std::string text = read_file(path("films.plan"));
    text.erase(0, text.find('\n') + 1);
    const std::string number = ",\"definition\":2";
    ASSERT_NE(text.find(number), std::string::npos) << text;
    text.erase(text.find(number), number.size());
    write_file(path("body"), text);
    const std::string hash = run({"sha256sum", path("body")}).out.substr(0, 64);
    write_file(path("films.plan"),
               fmt::format("{{\"weft_plan\":1,\"sha256\":\"{}\"}}\n{}", hash, text));
    for (const Arguments& more : {Arguments{}, Arguments{"--check"}}) {
        const Result result = run(run_plan(more));
        EXPECT_TRUE(exits(result, 2));
        EXPECT_TRUE(contains(result.err,
                             "films.plan: was made with definition 1 of its filters, and this "
                             "version of weft has definition 2, which gives other pictures: make a "
                             "new plan"))
            << result.err;
    }
    EXPECT_FALSE(fs::exists(path("out")));
}

// ---- receipts ----------------------------------------------------------------------------------

class CliPlanCheck : public PlanRunTest {};

TEST_F(CliPlanCheck, ListsWhatLacksAReceipt) {
    EXPECT_TRUE(exits(run(plan({"--shards", "3"})), 0));
    const Result nothing = run(check());
    EXPECT_TRUE(exits(nothing, 3));
    EXPECT_TRUE(contains(nothing.out, "film.mkv: the output does not exist yet\n")) << nothing.out;
    EXPECT_TRUE(contains(nothing.out, "0 of 7 files done, 7 missing in 3 of 3 shards"))
        << nothing.out;
    EXPECT_TRUE(exits(run(run_plan({"--shard", "2/3"})), 0));
    EXPECT_EQ(run(check({"-f", "slurm"})).out, "0,2\n");
    EXPECT_EQ(run(check({"-f", "index"})).out, "0\n2\n");
    const auto state = parse_json(run(check({"-f", "json"})).out);
    EXPECT_EQ(state.at("open_shards"), nlohmann::json({1, 3}));
    EXPECT_EQ(state.at("plan"), lines()[0].at("sha256"));
    EXPECT_EQ(
        state.at("counts").at("done").get<int>() + state.at("counts").at("missing").get<int>(),
        kFiles);
    EXPECT_EQ(state.at("missing").size(), state.at("counts").at("missing"));
    EXPECT_EQ(parse_json(run(check({"--json"})).out).at("counts"), state.at("counts"));
    EXPECT_TRUE(exits(run(run_plan()), 0));
    const Result all = run(check());
    EXPECT_TRUE(exits(all, 0));
    EXPECT_EQ(all.out, "7 of 7 files done\n");
    EXPECT_EQ(run(check({"-f", "slurm"})).out, "\n");
    EXPECT_EQ(run(check({"-f", "index"})).out, "");
    EXPECT_EQ(parse_json(run(check({"-f", "json"})).out).at("frames"), 6 + 15);
    for (const Arguments& more : {Arguments{"-f", "mkv"}, Arguments{"-crf", "20"}})
        EXPECT_TRUE(exits(run(check(more)), 2));
}

TEST_F(CliPlanCheck, FitsItsSchema) {
    const std::string schema = schema_path("plan-check.schema.json");
    if (schema.empty()) GTEST_SKIP() << kNoSchema;
    EXPECT_TRUE(exits(run(plan({"--shards", "3"})), 0));
    EXPECT_TRUE(exits(run(run_plan({"--shard", "2/3"})), 0));
    write_file(path("state.json"), run(check({"-f", "json"})).out);
    const Result checked =
        run({"python3", "-c",
             "import json, sys, jsonschema\n"
             "check = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))\n"
             "state = json.load(open(sys.argv[2]))\n"
             "check.validate(state)\n"
             "for name, value in (('plan', 'a'), ('more', 1), ('open_shards', [0])):\n"
             "    assert not check.is_valid({**state, name: value}), name\n"
             "print(len(state['missing']) > 0)",
             schema, path("state.json")});
    EXPECT_EQ(checked.out, "True\n") << checked.err;
}

// M05
TEST_F(CliPlanCheck, ARequeuedShardRewritesNothing) {
    EXPECT_TRUE(exits(run(plan()), 0));
    EXPECT_TRUE(exits(run(run_plan()), 0));
    const std::map<std::string, std::string> before = states();
    EXPECT_GE(before.size(), 2U * kFiles);
    EXPECT_TRUE(exits(run(run_plan({"--resume"})), 0));
    EXPECT_EQ(states(), before);
}

TEST_F(CliPlanCheck, WhatHasChangedIsMissing) {
    EXPECT_TRUE(exits(run(plan()), 0));
    EXPECT_TRUE(exits(run(run_plan()), 0));
    write_file(path("out/0.ppm"), read_file(path("out/0.ppm")) + "more");
    fs::remove(path("out/2.ppm"));
    write_file(path("out/sub/.1.ppm.weft.json"), "{}");
    fs::last_write_time(path("out/4.ppm"),
                        fs::last_write_time(path("out/4.ppm")) + std::chrono::seconds(5));
    const Result result = run(check());
    EXPECT_TRUE(exits(result, 3));
    EXPECT_TRUE(contains(result.out, "4 of 7 files done, 3 missing")) << result.out;
    EXPECT_TRUE(contains(result.out, "in/0.ppm: the output had")) << result.out;
    EXPECT_TRUE(contains(result.out, "in/2.ppm: the output is missing")) << result.out;
    EXPECT_TRUE(contains(result.out, "in/sub/1.ppm: ")) << result.out;
    // The same bytes with another time are the same output.
    EXPECT_FALSE(contains(result.out, "in/4.ppm")) << result.out;
    // A plan for other outputs has none of them.
    EXPECT_TRUE(exits(run(plan({"-y", "-an"})), 0));
    EXPECT_TRUE(contains(run(check()).out, "0 of 7 files done")) << run(check()).out;
}

// As after a crash between an output and its receipt.
TEST_F(CliPlanCheck, AnOutputThatNothingProvesIsMissing) {
    EXPECT_TRUE(exits(run(plan()), 0));
    EXPECT_TRUE(exits(run(run_plan()), 0));
    EXPECT_TRUE(fs::remove(path("out/.2.ppm.weft.json")));
    EXPECT_TRUE(contains(run(check()).out,
                         "in/2.ppm: the output exists, but nothing proves that it is complete: run "
                         "its shard again, which compares it with a new one\n"));
    EXPECT_TRUE(exits(run(run_plan()), 0));
    EXPECT_EQ(run(check()).out, "7 of 7 files done\n");
}

// Another attempt would end the same way, so that no array should make one.
TEST_F(CliPlanCheck, DamagedInputsAreNotMissing) {
    const std::string film = read_file(short_clip("short.mp4"));
    write_file(path("in/cut.mp4"), film.substr(0, film.size() * 3 / 4));
    EXPECT_TRUE(exits(run(plan()), 0));
    EXPECT_TRUE(exits(run(run_plan()), 3));
    const Result result = run(check());
    EXPECT_TRUE(exits(result, 0));
    EXPECT_TRUE(contains(result.out, "cut.mp4: ")) << result.out;
    EXPECT_TRUE(contains(result.out, "7 of 8 files done, 1 damaged or not decodable\n"))
        << result.out;
    EXPECT_EQ(run(check({"-f", "slurm"})).out, "\n");
}

TEST_F(CliPlanCheck, WatchEndsWithTheLastFile) {
    EXPECT_TRUE(exits(run(plan({"--shards", "2"})), 0));
    Process watch(check({"--watch"}));
    Process json(check({"--watch", "--json"}));
    for (const char* shard : {"1/2", "2/2"})
        EXPECT_TRUE(exits(run(run_plan({"--shard", shard})), 0));
    const Result result = watch.wait();
    EXPECT_TRUE(exits(result, 0));
    EXPECT_TRUE(contains(last_line(result.err), "7 of 7 files done, 21 frames")) << result.err;
    const std::string lines = json.wait().out;
    EXPECT_EQ(parse_json(last_line(lines)).at("counts").at("done"), kFiles) << lines;
}

TEST_F(CliPlanCheck, WatchStopsAtASignal) {
    EXPECT_TRUE(exits(run(plan()), 0));
    Process watch(check({"--watch", "--json"}));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    watch.send(SIGINT);
    EXPECT_EQ(watch.wait().shell_code(), 130);
}

// M08: receipts of nodes whose clocks differ by two hours.
TEST_F(CliPlanCheck, ClocksThatDifferByHoursLoseNothing) {
    const char* library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";
    if (kSanitized) GTEST_SKIP() << "sanitizers must be loaded first";
    if (!fs::exists(library)) GTEST_SKIP() << "libfaketime is not installed";
    const auto at = [&](Command command, const char* time) {
        command.env["LD_PRELOAD"] = library;
        command.env["FAKETIME"] = time;
        command.env["DONT_FAKE_MONOTONIC"] = "1";
        command.env["NO_FAKE_STAT"] = "1";  // only the clock is wrong, not the files
        return run(command);
    };
    EXPECT_TRUE(exits(at(plan({"--shards", "2"}), "+1h"), 0));
    EXPECT_TRUE(exits(at(run_plan({"--shard", "1/2"}), "+1h"), 0));
    EXPECT_TRUE(exits(at(run_plan({"--shard", "2/2"}), "-1h"), 0));
    for (const char* time : {"-1h", "+0", "+1h"}) {
        const Result result = at(check({"--watch", "--json"}), time);
        EXPECT_TRUE(exits(result, 0));
        const auto state = parse_json(last_line(result.out));
        EXPECT_EQ(state.at("counts").at("done"), kFiles) << time;
        const auto& rate = state.at("frames_per_second");
        EXPECT_TRUE(rate.is_null() || rate.get<double>() >= 0) << rate;
    }
    const std::map<std::string, std::string> before = states();
    EXPECT_TRUE(exits(at(run_plan(), "-1h"), 0));
    EXPECT_EQ(states(), before);
}

// M04: from no time at all to the half minute that Slurm gives.
TEST_F(CliPlanCheck, PreemptedRunsAreFinishedByTheNext) {
    fs::remove(path("in/film.mkv"));
    fs::copy_file(clip("nodes.mkv", picture_input(30, "160x90") + kFastVideo), path("in/film.mkv"));
    EXPECT_TRUE(exits(run(plan({"-preset", "medium"})), 0));
    for (const int grace_ms : {0, 100, 30'000}) {
        fs::remove_all(path("out"));
        Process task(run_plan({"--resume", "--jobs", "1"}));
        std::error_code error;
        for (int k = 0; k < 6000 && task.running(); ++k) {
            if (fs::file_size(path("out/.film.mkv.weft-resume"), error) > 50'000 && !error) break;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        task.send(SIGTERM);
        for (int k = 0; k < grace_ms / 10 && task.running(); ++k)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        task.send(SIGKILL);
        task.wait();
        EXPECT_TRUE(exits(run(run_plan({"--resume"})), 0));
        EXPECT_TRUE(exits(run(check()), 0));
        EXPECT_EQ(frame_count(path("out/film.mkv")), 900);
    }
}

}  // namespace
}  // namespace weft::cli
