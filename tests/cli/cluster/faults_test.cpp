// Plans on machines and file systems that lack something: memory, rename, a disk that keeps bytes.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <set>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/cli/cluster/plan_run.h"
#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace fs = std::filesystem;
namespace {

using Names = std::set<std::string>;

class CliPlanFaults : public PlanRunTest {
 protected:
    void SetUp() override {
        CliTest::SetUp();  // NOLINT(bugprone-parent-virtual-call): PlanRunTest makes inputs
        make_folder("in");
        make_folder("out");
    }
    void take(const std::string& clip, const std::string& name) const {
        fs::copy_file(clip, path("in/" + name), fs::copy_options::overwrite_existing);
    }
    Command plan(Arguments more = {}) const {
        more.push_back("-y");
        return PlanRunTest::plan(more);
    }
    // Also those whose names begin with a dot.
    Names names_of_outputs() const {
        const std::vector<std::string> names = names_in(path("out"));
        return {names.begin(), names.end()};
    }
    // Plans one film and kills the run of the plan.
    void kill_at_work() const {
        take(clip("memory.mkv", picture_input(2, "1280x720") + kFastVideo), "film.mkv");
        EXPECT_TRUE(exits(run(plan()), 0));
        Process process(run_plan());
        while (process.running() && claims_in(path("out")).empty())
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        process.send(SIGKILL);
        EXPECT_EQ(process.wait().signal, SIGKILL);
        ASSERT_EQ(claims_in(path("out")).size(), 1U);
    }
    void expect_all_done(const Arguments& more = {}) const {
        EXPECT_TRUE(exits(run(run_plan(more)), 0));
        EXPECT_TRUE(exits(run(run_plan({"--check"})), 0));
        Names names;
        for (const std::string& name : names_in(path("in"))) {
            names.insert(name);
            names.insert(fmt::format(".{}.weft.json", name));
        }
        EXPECT_EQ(names_of_outputs(), names);
    }
};

// ---- M11: a memory limit -----------------------------------------------------------------------

// A control group that limits memory, of version 2 or 1.
class MemoryGroup {
 public:
    MemoryGroup() {
        const std::string name = fmt::format("weft-test-{}", getpid());
        for (const auto& [root, file] :
             {std::pair{"/sys/fs/cgroup", "memory.max"},
              std::pair{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"}}) {
            folder_ = fs::path(root) / name;
            std::error_code error;
            if (!fs::create_directory(folder_, error) || error) continue;
            limit_ = folder_ / file;
            if (fs::exists(limit_)) return;
            fs::remove(folder_, error);
        }
        limit_.clear();
    }
    ~MemoryGroup() {
        if (!limit_.empty()) rmdir(folder_.c_str());
    }
    MemoryGroup(const MemoryGroup&) = delete;
    MemoryGroup& operator=(const MemoryGroup&) = delete;

    bool usable() const { return !limit_.empty(); }
    void set(int mebibytes) const { write_file(limit_, fmt::format("{}M", mebibytes)); }
    Command inside(Command command) const {
        const std::string enter = "echo $$ >" + (folder_ / "cgroup.procs").string();
        const Arguments prefix = {"sh", "-c", enter + " && exec \"$@\"", "sh"};
        command.argv.insert(command.argv.begin(), prefix.begin(), prefix.end());
        return command;
    }

 private:
    fs::path folder_;
    fs::path limit_;
};

// Engines end a task that takes more memory than its share by SIGKILL, at any moment.
TEST_F(CliPlanFaults, ATaskWithoutMemoryLeavesNothingHalfWritten) {
    if (kSanitized) GTEST_SKIP() << "sanitizers take more memory";
    const MemoryGroup group;
    if (!group.usable()) GTEST_SKIP() << "no control group can be made here";
    take(clip("memory.mkv", picture_input(2, "1280x720") + kFastVideo), "film.mkv");
    EXPECT_TRUE(exits(run(plan()), 0));
    int killed = 0;
    for (int mebibytes = 16; mebibytes < 1024; mebibytes += mebibytes / 4) {
        SCOPED_TRACE(mebibytes);
        group.set(mebibytes);
        const Result result = run(group.inside(run_plan()));
        if (result.shell_code() == 0) break;
        EXPECT_TRUE(result.signal == SIGKILL || result.exit_code == 1) << describe(result);
        killed += result.signal == SIGKILL ? 1 : 0;
        // Where the limit is too low for the encoder, weft refuses the file, with a receipt.
        for (const std::string& name : names_of_outputs()) {
            const bool receipt = name.ends_with(".weft.json");
            EXPECT_TRUE(receipt || name.ends_with(".partial") || name.ends_with(".claim")) << name;
            if (!receipt) continue;
            const auto json = parse_json(read_file(path("out/" + name)));
            EXPECT_TRUE(contains(json.at("error").get<std::string>(), "of memory")) << json;
            EXPECT_EQ(json.at("retry"), "maybe");
        }
        EXPECT_EQ(run(run_plan({"--check"})).exit_code, 3);
    }
    EXPECT_GE(killed, 1);
    expect_all_done();
}

TEST_F(CliPlanFaults, AFileThatRanOutOfMemoryIsTriedAgainWithMore) {
    kill_at_work();
    let_memory_run_out(path("out"));
    const Result same = run(run_plan());
    EXPECT_TRUE(exits(same, 1));
    EXPECT_TRUE(contains(same.err, "killed by the system when memory ran out")) << same.err;
    let_memory_run_out(path("out"), "1");
    expect_all_done();
}

// Another task of the node runs out of its own memory.
TEST_F(CliPlanFaults, ANeighbourThatRanOutOfMemoryProvesNothing) {
    const MemoryGroup group;
    if (!group.usable()) GTEST_SKIP() << "no control group can be made here";
    kill_at_work();
    group.set(16);
    Command neighbour;
    neighbour.argv = {"sh", "-c", "x=1; while :; do x=$x$x; done"};
    EXPECT_EQ(run(group.inside(neighbour)).signal, SIGKILL);
    expect_all_done();
}

// ---- M12: poor file systems --------------------------------------------------------------------

class CliPlanPoorFileSystem : public CliPlanFaults {
 protected:
    void SetUp() override {
        CliPlanFaults::SetUp();
        if (weft::cli::run({"strace", "-f", "-qq", "-o", "/dev/null", "true"}).exit_code != 0)
            GTEST_SKIP() << "strace cannot be used here";
    }
    static Command with_fault(Command command, const std::string& fault) {
        const Arguments strace = {"strace",         "-f", "-qq", "-o", "/dev/null", "-e",
                                  "inject=" + fault};
        command.argv.insert(command.argv.begin(), strace.begin(), strace.end());
        return command;
    }
    static Command without_rename(const Command& command, const char* error) {
        return with_fault(
            command, fmt::format("?rename,?renameat,?renameat2,?link,?linkat:error={}", error));
    }
};

constexpr const char* kErrors[] = {"EPERM", "EOPNOTSUPP", "ENOSYS", "EXDEV"};

TEST_F(CliPlanPoorFileSystem, APlanIsNotWrittenWithoutRename) {
    take(short_clip(), "film.mkv");
    for (const char* error : kErrors) {
        const Result result = run(without_rename(plan(), error));
        EXPECT_TRUE(exits(result, 5)) << error;
        EXPECT_TRUE(contains(result.err, "cannot rename files")) << result.err;
        EXPECT_EQ(names_in(folder_.path()), (std::vector<std::string>{"in", "out"})) << error;
    }
}

TEST_F(CliPlanPoorFileSystem, NothingIsFilteredWithoutRename) {
    take(short_clip(), "film.mkv");
    EXPECT_TRUE(exits(run(plan()), 0));
    for (const Arguments& more : {Arguments{}, Arguments{"--resume"}})
        for (const char* error : kErrors) {
            const Result result = run(without_rename(run_plan(more), error));
            EXPECT_TRUE(exits(result, 5)) << error;
            EXPECT_TRUE(contains(result.err, "cannot rename files")) << result.err;
            EXPECT_EQ(names_of_outputs(), Names()) << error;
            EXPECT_EQ(run(run_plan({"--check"})).exit_code, 3);
        }
    expect_all_done();
}

// A part has no output to try a rename with.
TEST_F(CliPlanPoorFileSystem, NoPartIsFilteredWithoutRename) {
    take(clip("faults.mkv", picture_input(20, "48x32") + kFastVideo), "film.mkv");
    EXPECT_TRUE(exits(run(plan({"--split", "2", "--shards", "2"})), 0));
    for (const char* error : kErrors) {
        const Result result = run(without_rename(run_plan({"--shard", "2/2"}), error));
        EXPECT_TRUE(exits(result, 5)) << error;
        EXPECT_TRUE(contains(result.err, "cannot rename files")) << result.err;
        EXPECT_EQ(names_of_outputs(), Names()) << error;
    }
    EXPECT_TRUE(exits(run(run_plan()), 0));
    const Result join = run(without_rename(run_plan({"--join"}), "ENOSYS"));
    EXPECT_TRUE(exits(join, 5));
    EXPECT_TRUE(contains(join.err, "cannot rename files")) << join.err;
    EXPECT_FALSE(names_of_outputs().contains("film.mkv"));
    expect_all_done({"--join"});
}

// A disk that fails at the end of the work. Each call in turn: the output's, the folder's, the
// receipt's.
TEST_F(CliPlanPoorFileSystem, BytesThatDoNotReachTheDiskAreNotDone) {
    take(image_clip("small.ppm"), "0.ppm");
    EXPECT_TRUE(exits(run(plan()), 0));
    expect_all_done();
    const std::string good = read_file(path("out/0.ppm"));
    int failed = 0;
    for (int call = 1; call <= 8; ++call) {
        SCOPED_TRACE(call);
        fs::remove_all(path("out"));
        make_folder("out");
        const Result result =
            run(with_fault(run_plan(), fmt::format("fsync:error=EIO:when={}", call)));
        failed += result.exit_code == 0 ? 0 : 1;
        EXPECT_TRUE(exits_one_of(result, {0, 5}));
        const Names found = names_of_outputs();
        EXPECT_TRUE(std::ranges::includes(Names{"0.ppm", ".0.ppm.weft.json"}, found));
        if (found.contains("0.ppm")) {
            EXPECT_EQ(read_file(path("out/0.ppm")), good);
        }
        if (result.exit_code == 0) {
            EXPECT_TRUE(exits(run(run_plan({"--check"})), 0));
        }
        expect_all_done();
    }
    EXPECT_GE(failed, 3);
}

}  // namespace
}  // namespace weft::cli
