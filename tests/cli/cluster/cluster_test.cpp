// Runs below a batch engine: the limits of its control groups, large folders, shards.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/cli/cluster/picture_tree.h"
#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace fs = std::filesystem;
namespace {

class CliCluster : public CliTest {
 protected:
    static bool has_strace() {
        return run({"strace", "-f", "-qq", "-o", "/dev/null", "true"}).exit_code == 0;
    }
    // Runs `command`, with `prefix` before it, and counts the traced lines that match `pattern`.
    std::ptrdiff_t count_calls(const Command& command, const Arguments& prefix,
                               const std::string& calls, const std::string& pattern) const {
        const std::string log = path("trace");
        Command traced = command;
        Arguments argv = {"strace", "-f", "-qq", "-o", log, "-e", "trace=" + calls};
        argv.insert(argv.begin(), prefix.begin(), prefix.end());
        traced.argv.insert(traced.argv.begin(), argv.begin(), argv.end());
        EXPECT_TRUE(exits(run(traced), 0));
        const std::string text = read_file(log);
        const std::regex regex(pattern);
        return std::distance(std::sregex_iterator(text.begin(), text.end(), regex), {});
    }
};

// ---- the limits of the engine ------------------------------------------------------------------

// A prefix for commands that see a tree of control groups with these files in its root.
Arguments with_groups(const fs::path& groups, const std::map<std::string, std::string>& files) {
    fs::create_directories(groups);
    write_file(groups / "cgroup.controllers", "cpu memory\n");
    for (const auto& [name, text] : files) write_file(groups / name, text);
    const std::string mount = "mount --bind " + groups.string() + " /sys/fs/cgroup && exec \"$@\"";
    return {"unshare", "--map-root-user", "--mount", "sh", "-c", mount, "sh"};
}

bool works(Arguments prefix) {
    prefix.emplace_back("true");
    return run(prefix).exit_code == 0;
}

// M11. Decoder, filter, encoder and the check of the output: none starts threads for the other
// cores.
TEST_F(CliCluster, AQuotaOfOneCoreStartsThreadsForOneCore) {
    const Arguments quota = with_groups(path("groups"), {{"cpu.max", "100000 100000\n"}});
    if (!has_strace() || !works(quota))
        GTEST_SKIP() << "strace or mount namespaces cannot be used here";
    const std::string input = clip("quota.mkv", picture_input(1, "1280x720") + kFastVideo);
    const auto threads = [&](const Arguments& prefix, const std::string& codec,
                             const Arguments& more = {}) {
        Arguments words = {"batch", "-vf", "gaussian=sigma=4", "--gpu",  "off", "-y",
                           "-c:v",  codec, "--verify",         "decode", "-o",  path("out.mkv"),
                           input};
        words.insert(words.end(), more.begin(), more.end());
        return count_calls(weft_command(words), prefix, "clone,clone3", "clone3?\\(.*CLONE_THREAD");
    };
    for (const char* codec : {"libx264", "ffv1"})
        EXPECT_EQ(threads(quota, codec), threads({"taskset", "-c", "0"}, codec)) << codec;
    // SVT-AV1 starts threads of its own for all cores, without a look at its affinity.
    EXPECT_LT(threads(quota, "libsvtav1"), threads({}, "libsvtav1"));
    const std::ptrdiff_t one = threads(quota, "libx264");
    EXPECT_EQ(threads({}, "libx264", {"--cpus", "1"}), one);
    EXPECT_EQ(threads({"env", "SLURM_CPUS_PER_TASK=1"}, "libx264"), one);
    EXPECT_GT(threads(quota, "libx264", {"--cpus", "4"}), one);
}

// The number of cores decides how the work is done, and nothing else.
TEST_F(CliCluster, CpusChangeNoFrameAndNoReceipt) {
    const std::string input = short_clip();
    const Arguments words = {"batch", "-vf", "gaussian=sigma=4", "--gpu",
                             "off",   "-n",  "--receipts",       "-threads",
                             "2",     "-o",  path("out.mkv"),    input};
    std::set<std::string> outputs;
    for (const char* cpus : {"1", "2", "7"}) {
        fs::remove(path("out.mkv"));
        fs::remove(path(".out.mkv.weft.json"));
        Arguments first = words;
        first.insert(first.end(), {"--cpus", cpus});
        EXPECT_TRUE(exits(run(weft_command(first)), 0));
        outputs.insert(read_file(path("out.mkv")));
        EXPECT_TRUE(contains(run(weft_command(words)).err, "its receipt proves")) << cpus;
        EXPECT_TRUE(exits(run(weft_command({"prove", "--cpus", cpus, path("out.mkv")})), 0));
    }
    EXPECT_EQ(outputs.size(), 1U);
    for (const char* wrong : {"0", "-1", "x"}) {
        Arguments refused = words;
        refused.insert(refused.end(), {"--cpus", wrong});
        EXPECT_TRUE(exits(run(weft_command(refused)), 2)) << wrong;
    }
}

// M11. A file counts as one GiB; 1060 MiB are free here, and the kernel can drop one more of cache.
TEST_F(CliCluster, AMemoryLimitMeansFewerFilesAtOnce) {
    const std::string used = std::to_string(std::size_t{1500} << 20);
    const Arguments limit =
        with_groups(path("groups"), {{"memory.max", std::to_string(std::size_t{2560} << 20)},
                                     {"memory.current", used},
                                     {"memory.stat", "anon 7\ninactive_file 1048576\n"}});
    if (!works(limit)) GTEST_SKIP() << "mount namespaces cannot be used here";
    const std::string picture = read_file(image_clip("small.ppm"));
    make_folder("in");
    for (int k = 0; k < 4; ++k) write_file(path(fmt::format("in/{}.ppm", k)), picture);
    const auto jobs = [&](const Arguments& prefix) {
        Command command = weft_command({"batch", "-vf", "box", "--gpu", "off", "-y", "--json",
                                        path("r.json"), "-o", path("out/"), path("in")});
        command.argv.insert(command.argv.begin(), prefix.begin(), prefix.end());
        EXPECT_TRUE(exits(run(command), 0));
        return parse_json(read_file(path("r.json"))).at("jobs").get<int>();
    };
    if (jobs({}) < 2) GTEST_SKIP() << "this machine has one core or little memory";
    EXPECT_EQ(jobs(limit), 1);
}

// Listing the folder again for each output would read 400 times 400 entries.
TEST_F(CliCluster, AFolderIsListedOncePerRun) {
    if (!has_strace()) GTEST_SKIP() << "strace cannot be used here";
    const std::string picture = read_file(image_clip("small.ppm"));
    make_folder("out");
    const auto lists = [&](int files) {
        const std::string folder = make_folder(fmt::format("in{}", files));
        for (int k = 0; k < files; ++k) write_file(fmt::format("{}/{}.ppm", folder, k), picture);
        const Command command =
            weft_command({"batch", "-vf", "box", "--gpu", "off", "-y", "-o", path("out/"), folder});
        return count_calls(command, {}, "getdents64", "getdents64\\(");
    };
    EXPECT_EQ(lists(400), lists(4));
}

// ---- shards ------------------------------------------------------------------------------------

using Variables = std::map<std::string, std::optional<std::string>>;

Variables slurm_task(int task, int count) {
    return {{"SLURM_ARRAY_JOB_ID", "4711"},
            {"SLURM_ARRAY_TASK_ID", std::to_string(task)},
            {"SLURM_ARRAY_TASK_MIN", "0"},
            {"SLURM_ARRAY_TASK_MAX", std::to_string(count - 1)},
            {"SLURM_ARRAY_TASK_COUNT", std::to_string(count)}};
}

class CliShard : public PictureTreeTest {
 protected:
    static constexpr int kFiles = 7;

    void SetUp() override {
        CliTest::SetUp();
        if (IsSkipped()) return;
        make_pictures(kFiles);
    }
    // Without -n and -y a file that is filtered twice is an error.
    Command batch(const std::string& shard, const Arguments& more = {}) const {
        Arguments arguments = {"batch",       "-vf", "box",        "--gpu",   "off",
                               "--recursive", "-o",  path("out/"), path("in")};
        if (!shard.empty()) arguments.insert(arguments.end(), {"--shard", shard});
        arguments.insert(arguments.end(), more.begin(), more.end());
        return weft_command(arguments);
    }
    Result batch_in(const Variables& variables, const std::string& shard,
                    const Arguments& more = {}) const {
        Command command = batch(shard, more);
        command.env = variables;
        return run(command);
    }
    int outputs() const {
        int count = 0;
        for (const char* folder : {"out", "out/sub"})
            for (const std::string& name : names_in(path(folder)))
                count += name.ends_with(".ppm") ? 1 : 0;
        return count;
    }
};

TEST_F(CliShard, ShardsFilterEveryFileOnce) {
    for (int index = 1; index <= 3; ++index) {
        const Result result = run(batch(fmt::format("{}/3", index)));
        EXPECT_TRUE(exits(result, 0));
        EXPECT_TRUE(contains(result.err, fmt::format("shard {} of 3: ", index))) << result.err;
    }
    EXPECT_EQ(outputs(), kFiles);
}

// More shards than files, some of which are empty and need no GPU.
TEST_F(CliShard, AnEmptyShardIsNoFailure) {
    int empty = 0;
    for (int task = 0; task < 20; ++task) {
        const Result result =
            batch_in(slurm_task(task, 20), "auto", {"--json", path("r.json"), "-y"});
        EXPECT_TRUE(exits(result, 0));
        EXPECT_TRUE(contains(result.err, fmt::format("shard {} of 20 (Slurm array 4711, task {}): ",
                                                     task + 1, task)))
            << result.err;
        const auto report = parse_json(read_file(path("r.json")));
        if (!report.at("files").empty()) continue;
        ++empty;
        EXPECT_TRUE(contains(result.err, "no files, so there is nothing to do")) << result.err;
        EXPECT_EQ(report.at("exit_code"), 0);
        EXPECT_TRUE(report.at("device").is_null());
        EXPECT_TRUE(contains(report.at("notes").dump(), "no files")) << report.at("notes");
        const std::string shard = fmt::format("{}/20", task + 1);
        EXPECT_TRUE(exits(run(batch(shard, {"--gpu", "require"})), 0)) << shard;
        EXPECT_TRUE(exits(run(batch(shard, {"--dry-run"})), 0)) << shard;
    }
    EXPECT_GE(empty, 20 - kFiles);
    EXPECT_EQ(outputs(), kFiles);
}

TEST_F(CliShard, WithoutTheOptionVariablesMeanNothing) {
    Variables variables = slurm_task(0, 20);
    variables["WEFT_SHARD"] = "1/20";
    const Result result = batch_in(variables, "");
    EXPECT_TRUE(exits(result, 0));
    EXPECT_FALSE(contains(result.err, "shard")) << result.err;
    EXPECT_EQ(outputs(), kFiles);
}

TEST_F(CliShard, MistakesAreRefusedBeforeWork) {
    for (const char* shard : {"0/3", "4/3", "1/0", "slurm", "auto/0", ""})
        EXPECT_TRUE(exits(run(batch("1/1", {"--shard", shard})), 2)) << shard;
    Variables none = slurm_task(0, 1);
    for (auto& [name, value] : none) value.reset();
    EXPECT_TRUE(exits(batch_in(none, "auto"), 2));
    // Every task finds the two inputs for sub/1.ppm's output, not only the one that has them.
    make_folder("other");
    fs::copy(path("in/sub"), path("other/sub"), fs::copy_options::recursive);
    for (int index = 1; index <= 3; ++index)
        EXPECT_TRUE(exits(run(batch(fmt::format("{}/3", index), {path("other")})), 2)) << index;
    EXPECT_EQ(outputs(), 0);
}

// -crf fits the videos only; the task without videos must not refuse it.
TEST_F(CliShard, OptionsFitTheWholeBatch) {
    fs::copy_file(short_clip(), path("in/film.mkv"));
    for (int index = 1; index <= 5; ++index)
        EXPECT_TRUE(exits(run(batch(fmt::format("{}/5", index), {"-crf", "30", "--resume"})), 0))
            << index;
    EXPECT_EQ(outputs(), kFiles);
    EXPECT_EQ(frame_count(path("out/film.mkv")), 15);
}

// ---- the examples and the page about them ------------------------------------------------------

class CliClusterExamples : public CliShard {
 protected:
    void SetUp() override {
        CliShard::SetUp();
        if (!fs::exists(root_)) GTEST_SKIP() << "the sources are not here: " << root_;
    }
    void make_plan(int shards) const {
        EXPECT_TRUE(
            exits(weft({"batch", "-vf", "box", "--recursive", "-o", path("out/"), path("in"),
                        "--plan", path("films.plan"), "--shards", std::to_string(shards)}),
                  0));
    }
    fs::path root_ = fs::path(WEFT_ASSETS).parent_path();
};

// The text that `pattern` captures in `text`.
std::string captured(const std::string& text, const char* pattern) {
    std::smatch match;
    return std::regex_search(text, match, std::regex(pattern)) ? match[1].str() : "";
}

TEST_F(CliClusterExamples, TheSlurmScriptFiltersEveryFileOnce) {
    const std::string script = root_ / "assets/cluster/slurm.sh";
    EXPECT_EQ(run({"bash", "-n", script}).exit_code, 0);
    if (run({"shellcheck", "--version"}).exit_code == 0) {
        EXPECT_EQ(run({"shellcheck", script}).out, "");
    }
    const std::string tasks = captured(read_file(script), "\n#SBATCH --array=0-([0-9]+)");
    fs::copy_file(short_clip(), path("in/film.mkv"));
    make_plan(std::stoi("0" + tasks) + 1);
    Command command;
    command.argv = {"bash", script, path("films.plan")};
    const std::string folder = fs::path(weft_program()).parent_path().string();
    int filtered = 0;
    for (int task = 0; task < 100; ++task) {
        command.env = slurm_task(task, 100);
        command.env["PATH"] = folder + ":" + std::getenv("PATH");
        const Result result = run(command);
        EXPECT_TRUE(exits(result, 0));
        EXPECT_FALSE(contains(result.err, "skipped")) << result.err;
        filtered += contains(result.err, "nothing to do") ? 0 : 1;
    }
    EXPECT_EQ(filtered, kFiles + 1);
    EXPECT_EQ(outputs(), kFiles);
    EXPECT_EQ(frame_count(path("out/film.mkv")), 15);
    // A sparse retry: Slurm describes it as an array of two tasks.
    fs::remove(path("out/film.mkv"));
    for (int task = 0; task < 100 && !fs::exists(path("out/film.mkv")); ++task) {
        command.env = slurm_task(task, 2);
        command.env["PATH"] = folder + ":" + std::getenv("PATH");
        EXPECT_TRUE(exits(run(command), 0));
    }
    EXPECT_EQ(frame_count(path("out/film.mkv")), 15);
    command.argv.pop_back();
    EXPECT_EQ(run(command).exit_code, 2) << "a wrong call must not be tried again";
}

// Runs the command of the manifest as Kubernetes does, with the volume in the test's folder.
TEST_F(CliClusterExamples, TheKubernetesManifestFiltersEveryFileOnce) {
    const std::string manifest = read_file(root_ / "assets/cluster/kubernetes.yaml");
    const std::string completions = captured(manifest, "\n  completions: ([0-9]+)\n");
    const std::string list = captured(manifest, "\n          args:\n((?:            - .*\n)+)");
    Arguments arguments;
    std::istringstream lines(list);
    for (std::string dash, word; lines >> dash >> word;) {
        if (word.starts_with("/data/")) word = path(word.substr(6));
        arguments.push_back(word);
    }
    fs::copy_file(short_clip(), path("in/film.mkv"));
    make_plan(std::stoi("0" + completions));
    for (int task = 0; task < std::stoi("0" + completions); ++task) {
        Command command = weft_command(arguments);
        command.env["JOB_COMPLETION_INDEX"] = std::to_string(task);
        EXPECT_TRUE(exits(run(command), 0)) << task;
    }
    EXPECT_EQ(outputs(), kFiles);
    EXPECT_EQ(frame_count(path("out/film.mkv")), 15);
}

TEST_F(CliClusterExamples, TheKubernetesManifestIsAnIndexedJob) {
    const Result parsed = run({"python3", "-c",
                               "import json, sys, yaml; print(json.dumps(yaml.safe_load(open("
                               "sys.argv[1]))))",
                               root_ / "assets/cluster/kubernetes.yaml"});
    if (parsed.exit_code != 0) GTEST_SKIP() << "python3-yaml is not installed";
    const nlohmann::json job = parse_json(parsed.out);
    EXPECT_EQ(job.at("kind"), "Job");
    const nlohmann::json& spec = job.at("spec");
    EXPECT_EQ(spec.at("completionMode"), "Indexed");
    EXPECT_EQ(spec.at("podReplacementPolicy"), "Failed");
    const nlohmann::json& rule = spec.at("podFailurePolicy").at("rules").at(0);
    EXPECT_EQ(rule.at("action"), "FailIndex");
    EXPECT_EQ(rule.at("onExitCodes").at("values"), nlohmann::json({2, 4}));
    const nlohmann::json& pod = spec.at("template").at("spec");
    EXPECT_EQ(pod.at("restartPolicy"), "Never") << "pod failure policies need it";
    EXPECT_EQ(pod.at("containers").at(0).at("name"), rule.at("onExitCodes").at("containerName"));
}

// The receipt is stored last, so that a target that has one is complete.
TEST_F(CliClusterExamples, TheStagingScriptStoresTheReceiptLast) {
    const std::string script = root_ / "assets/cluster/stage.sh";
    if (run({"shellcheck", "--version"}).exit_code == 0) {
        EXPECT_EQ(run({"shellcheck", script}).out, "");
    }
    make_folder("store");
    make_folder("tmp");
    fs::copy_file(short_clip(), path("store/a.mkv"));
    const std::string film = read_file(short_clip("short.mp4"));
    write_file(path("store/cut.mp4"), film.substr(0, film.size() * 3 / 4));
    // A store that logs what it gets, and is full or changes bytes if told so.
    write_file(path("copy.sh"),
               "case $2 in */store/*) echo \"${2##*/}\" >>log ;; esac\n"
               "[ ! -e full ] || exit 1\n"
               "[ ! -e rotten ] || case $2 in */store/*) echo x >\"$2\"; exit 0 ;; esac\n"
               "exec cp \"$1\" \"$2\"\n");
    Command command;
    command.folder = folder_.path();
    command.env["COPY"] = "sh " + path("copy.sh");
    command.env["TMPDIR"] = path("tmp");
    command.env["PATH"] =
        fs::path(weft_program()).parent_path().string() + ":" + std::getenv("PATH");
    const auto stage = [&](const std::string& name, const std::string& target) {
        command.argv = {
            "bash",  script, path("store/" + name), path("store/" + target), "-vf", "sobel",
            "--gpu", "off"};
        return run(command);
    };
    EXPECT_EQ(stage("a.mkv", "b.mkv").exit_code, 0);
    EXPECT_EQ(read_file(path("log")), "b.mkv\n.b.mkv.weft.json\n");
    EXPECT_EQ(frame_count(path("store/b.mkv")), 15);
    EXPECT_TRUE(contains(stage("a.mkv", "b.mkv").err, "b.mkv: has a receipt, so it is done"));
    EXPECT_EQ(read_file(path("log")), "b.mkv\n.b.mkv.weft.json\n");
    make_folder("fetched");
    fs::copy(path("store/b.mkv"), path("fetched"));
    fs::copy(path("store/.b.mkv.weft.json"), path("fetched"));
    EXPECT_TRUE(exits(run(weft_command({"prove", "--inputs", path("store"), path("fetched")})), 0));
    EXPECT_EQ(stage("cut.mp4", "c.mkv").exit_code, 4);
    EXPECT_EQ(read_file(path("log")), "b.mkv\n.b.mkv.weft.json\n.c.mkv.weft.json\n");
    EXPECT_TRUE(contains(stage("cut.mp4", "c.mkv").err, "an earlier run found"));
    EXPECT_EQ(stage("cut.mp4", "c.mkv").exit_code, 4);
    EXPECT_EQ(stage("none.mkv", "d.mkv").exit_code, 1);
    for (const char* fault : {"full", "rotten"}) {
        write_file(path(fault), "");
        EXPECT_EQ(stage("a.mkv", "d.mkv").exit_code, 1) << fault;
        fs::remove(path(fault));
    }
    EXPECT_FALSE(fs::exists(path("store/.d.mkv.weft.json")));
    EXPECT_EQ(stage("a.mkv", "d.mkv").exit_code, 0);
    EXPECT_EQ(run({"bash", script, "a.mkv"}).exit_code, 2);
    EXPECT_TRUE(names_in(path("tmp")).empty());
}

// The codes in the first column of a table that begins with "| code |".
std::set<std::string> codes_in(const fs::path& page) {
    std::string text = read_file(page);
    text.erase(0, text.find("| code |"));
    text.erase(std::min(text.find("\n\n"), text.size()));
    const std::regex regex("\\n\\| ([0-9, ]+) \\|");
    std::set<std::string> codes;
    for (std::sregex_iterator row(text.begin(), text.end(), regex), end; row != end; ++row) {
        const std::string cell = (*row)[1];
        const std::regex number("[0-9]+");
        for (std::sregex_iterator code(cell.begin(), cell.end(), number); code != end; ++code)
            codes.insert(code->str());
    }
    return codes;
}

TEST_F(CliClusterExamples, TheTableOfRetriesHasEveryExitCode) {
    const std::set<std::string> codes = codes_in(root_ / "docs/manual.md");
    EXPECT_GE(codes.size(), 9U);
    const std::set<std::string> rows = codes_in(root_ / "docs/cluster.md");
    for (const std::string& code : codes) EXPECT_TRUE(rows.contains(code)) << code;
}

}  // namespace
}  // namespace weft::cli
