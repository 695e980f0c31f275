// Several nodes that share the folder of a plan, and nodes that die.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "tests/cli/cluster/plan_run.h"

namespace weft::cli {
namespace fs = std::filesystem;
namespace {

// A node: a process with its own boot id and its own view of the test's folder through FUSE, where
// `flock` holds on this node alone, and sizes and missing names are remembered for 20 seconds.
class CliPlanNodes : public PlanRunTest {
 protected:
    void SetUp() override {
        PlanRunTest::SetUp();
        fs::create_directories(ids());
        Command probe;
        probe.argv = {"true"};
        const Result result = run(on_node(probe, 'a'));
        if (result.exit_code != 0)
            GTEST_SKIP() << "no FUSE, bindfs or namespaces here: " << result.err;
    }
    void TearDown() override {
        fs::remove_all(ids());
        PlanRunTest::TearDown();
    }
    fs::path ids() const { return folder_.path().string() + ".ids"; }
    // The process is the first of a process namespace, so that its file system ends with it.
    Command on_node(Command command, char node) const {
        const fs::path id = ids() / std::string(1, node);
        write_file(id,
                   fmt::format("{0}{0}{0}{0}-1111-2222-3333-444444444444\n", std::string(2, node)));
        const std::string mount = fmt::format(
            "mount --bind {} /proc/sys/kernel/random/boot_id && bindfs --no-allow-other -o "
            "attr_timeout=20,entry_timeout=20,negative_timeout=20 {} {} && exec \"$@\"",
            id.string(), folder_.path().string(), folder_.path().string());
        Arguments argv = {"unshare",      "--mount", "--pid", "--fork", "--kill-child",
                          "--mount-proc", "sh",      "-c",    mount,    "sh"};
        argv.insert(argv.end(), command.argv.begin(), command.argv.end());
        command.argv = argv;
        return command;
    }
    // Every output is whole and proven, and nothing else is left, after `weft clean` would have
    // removed the files of dead nodes.
    // libfuse renames a file that is removed while it is open; bindfs, which is killed with its
    // node, may not live to remove it.
    void expect_all_done() const {
        const Result checked = run(check());
        EXPECT_TRUE(exits(checked, 0)) << checked.out;
        EXPECT_EQ(outputs(), kFiles);
        EXPECT_EQ(frame_count(path("out/film.mkv")), 15);
        for (const auto& [file, state] : states())
            if (is_hidden(file)) {
                EXPECT_TRUE(file.ends_with(".weft.json") || file.ends_with(".partial") ||
                            file.ends_with(".claim") ||
                            file.find(".fuse_hidden") != std::string::npos)
                    << file;
            }
    }
};

// M01
TEST_F(CliPlanNodes, WithLocksOfTheirOwnShareAFolder) {
    EXPECT_TRUE(exits(run(plan({"--shards", "2"})), 0));
    Process one(on_node(run_plan({"--shard", "1/2"}), 'a'));
    Process two(on_node(run_plan({"--shard", "2/2"}), 'b'));
    EXPECT_TRUE(exits(one.wait(), 0));
    EXPECT_TRUE(exits(two.wait(), 0));
    expect_all_done();
    for (const auto& [file, state] : states()) EXPECT_FALSE(file.ends_with(".partial")) << file;
}

// M02: Kubernetes may run two pods of one index.
TEST_F(CliPlanNodes, TwoTasksOfOneIndexAtOnce) {
    for (const Arguments& more : {Arguments{}, Arguments{"--resume"}}) {
        fs::remove_all(path("out"));
        EXPECT_TRUE(exits(run(plan({"-y"})), 0));
        Process one(on_node(run_plan(more), 'a'));
        Process two(on_node(run_plan(more), 'b'));
        EXPECT_TRUE(exits(one.wait(), 0));
        EXPECT_TRUE(exits(two.wait(), 0));
        expect_all_done();
    }
}

// M03: the second node has other locks, and may not know the names that the first one left.
TEST_F(CliPlanNodes, AnotherNodeTakesOverFromADeadOne) {
    fs::remove(path("in/film.mkv"));
    fs::copy_file(clip("nodes.mkv", picture_input(30, "160x90") + kFastVideo), path("in/film.mkv"));
    EXPECT_TRUE(exits(run(plan({"-preset", "medium"})), 0));
    {
        Process dead(on_node(run_plan({"--resume", "--jobs", "1"}), 'a'));
        const fs::path kept = path("out/.film.mkv.weft-resume");
        std::error_code error;
        for (int k = 0; k < 6000 && dead.running(); ++k) {
            if (const auto bytes = fs::file_size(kept, error); !error && bytes > 50'000) break;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        dead.send(SIGKILL);
        dead.wait();
    }
    EXPECT_TRUE(exits(run(on_node(run_plan({"--resume"}), 'b')), 0));
    EXPECT_TRUE(exits(run(check()), 0));
    EXPECT_EQ(frame_count(path("out/film.mkv")), 900);
    EXPECT_FALSE(fs::exists(path("out/.film.mkv.weft-resume")));
}

// M07: the node looked when nothing was there, and still remembers that.
TEST_F(CliPlanNodes, StaleNamesAndSizesLoseNothing) {
    EXPECT_TRUE(exits(run(plan()), 0));
    make_folder("out");
    const std::string go = (ids() / "go").string();
    Command both = run_plan();
    const Arguments argv = {"sh",
                            "-c",
                            "\"$@\" --check; touch " + go + ".looked; while [ ! -e " + go +
                                " ]; do sleep 0.05; done; exec \"$@\"",
                            "sh",
                            weft_program(),
                            "batch",
                            "--gpu",
                            "off",
                            "--run",
                            path("films.plan")};
    both.argv = argv;
    Process node(on_node(both, 'a'));
    for (int k = 0; k < 3000 && !fs::exists(go + ".looked"); ++k)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_TRUE(exits(run(run_plan()), 0));
    write_file(go, "");
    EXPECT_TRUE(exits(node.wait(), 0));
    expect_all_done();
}

}  // namespace
}  // namespace weft::cli
