// R29: several runs with -n on one folder, on one machine and on two, one of which is killed: every
// good file has its whole output, every bad one is reported, and no other files are left.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace fs = std::filesystem;
namespace {

constexpr int kFrames = 15;

class CliR29ManyWorkers : public CliTest {
 protected:
    // Every tenth file is cut off.
    void make_inputs(int count) {
        make_folder("in");
        make_folder("out");
        const std::string good = read_file(short_clip("short.mp4"));
        for (int k = 0; k < count; ++k) {
            const bool cut = k % 10 == 3;
            const std::string name = fmt::format("{}{}.mp4", cut ? "bad" : "good", k);
            write_file(path("in/" + name), cut ? good.substr(0, good.size() / 2) : good);
            (cut ? bad_ : good_).insert(name);
        }
    }
    Command worker(const std::string& name) const {
        return weft_command({"batch", "-vf", "box=radius=1", "-n", "--jobs", "2", "--gpu", "off",
                             "--json=" + path(name + ".json"), "-o", path("out/"), path("in")});
    }
    // The same on a simulated second machine: a mount namespace with its own boot id.
    Command worker_elsewhere(const std::string& name) const {
        Command command = worker(name);
        Arguments argv = elsewhere();
        argv.insert(argv.end(), command.argv.begin(), command.argv.end());
        command.argv = argv;
        return command;
    }
    // A prefix for commands; `unshare` needs user namespaces, which not every system allows.
    Arguments elsewhere() const {
        const std::string boot_id = path("boot_id");
        if (!fs::exists(boot_id)) write_file(boot_id, "0f0f0f0f-1111-2222-3333-444444444444\n");
        return {"unshare",
                "--map-root-user",
                "--mount",
                "sh",
                "-c",
                "mount --bind " + boot_id + " /proc/sys/kernel/random/boot_id && exec \"$@\"",
                "sh"};
    }
    bool has_elsewhere() const {
        Arguments argv = elsewhere();
        argv.emplace_back("true");
        return run(argv).exit_code == 0;
    }

    // Waits for workers that must not fail, and checks their reports.
    void check_workers(const std::vector<std::pair<Process*, std::string>>& workers) {
        for (const auto& [worker, name] : workers) {
            const int code = worker->wait().exit_code;
            EXPECT_TRUE(code == 3 || code == 0) << name << ": " << code;
            for (const std::string& failed : failed_in(name))
                EXPECT_TRUE(bad_.contains(failed)) << name << " calls " << failed << " failed";
        }
    }
    // Finishes the work of a killed worker and checks all outputs.
    void check_after(const Command& last) {
        EXPECT_TRUE(exits(run(last), 3)) << "what the killed one left is done now";
        EXPECT_EQ(failed_in("last"), bad_);
        const std::vector<std::string> names = names_in(path("out"));
        EXPECT_EQ(std::set<std::string>(names.begin(), names.end()), good_);
        for (const std::string& name : good_)
            EXPECT_EQ(frame_count(path("out/" + name)), kFrames) << name;
    }
    // Three runs share a folder and one of them is killed; a fourth one finishes its work. All but
    // the first run on another machine if there are two.
    void run_workers(bool on_two_machines) {
        const auto other = [&](const std::string& name) {
            return on_two_machines ? worker_elsewhere(name) : worker(name);
        };
        make_inputs(long_tests() ? 1000 : 30);
        Process first(worker("first"));
        Process second(other("second"));
        Process killed(other("killed"));
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        killed.send(SIGKILL);
        killed.wait();
        check_workers({{&first, "first"}, {&second, "second"}});
        check_after(other("last"));
    }

    // The files that a report lists as failed. A file held by another worker is skipped.
    std::set<std::string> failed_in(const std::string& name) const {
        const auto report = parse_json(read_file(path(name + ".json")));
        std::set<std::string> failed;
        for (const auto& file : report.at("files"))
            if (file.at("exit_code") == 1 || file.at("exit_code") == 4)
                failed.insert(fs::path(file.at("input").get<std::string>()).filename().string());
        EXPECT_EQ(report.at("files").size(), good_.size() + bad_.size());
        return failed;
    }

    std::set<std::string> good_;
    std::set<std::string> bad_;
};

TEST_F(CliR29ManyWorkers, EveryGoodFileIsWrittenAndEveryBadOneReported) {
    run_workers(false);
}

// Only its own machine removes the leftovers of a killed worker.
TEST_F(CliR29ManyWorkers, TwoMachinesShareAFolder) {
    if (!has_elsewhere()) GTEST_SKIP() << "no mount namespaces to simulate a second machine";
    run_workers(true);
}

}  // namespace
}  // namespace weft::cli
