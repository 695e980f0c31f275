// M06: an engine runs an interrupted task again on a machine with a GPU, or without one.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace fs = std::filesystem;
namespace {

constexpr int kSegment = 250;  // frames
constexpr int kFrames = 3000;

// The devices of the task before and after.
struct Devices {
    const char* first;
    const char* then;
};
constexpr Devices kDevices[] = {{"require", "off"}, {"off", "require"}};

class GpuRequeue : public CliTest {
 protected:
    void SetUp() override {
        CliTest::SetUp();
        skip_without_gpu();
        if (IsSkipped()) return;
        make_folder("in");
        fs::copy_file(clip("requeue.mkv", picture_input(kFrames / 30.0, "160x90") + kFastVideo),
                      path("in/film.mkv"));
    }
    Command batch(const std::string& gpu, const Arguments& more) const {
        Arguments arguments = {"batch", "--gpu", gpu, "--progress=none"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return weft_command(arguments);
    }
    Arguments film(const std::string& stack, const std::string& folder) const {
        return {"-vf",
                stack,
                "-threads",
                "2",
                "-preset",
                "medium",
                "-o",
                path(folder + "/film.mkv"),
                path("in/film.mkv")};
    }
    Command whole_run(const std::string& gpu, const std::string& stack, const std::string& folder,
                      const Arguments& more = {}) const {
        Arguments arguments = film(stack, folder);
        arguments.push_back("--resume");
        arguments.insert(arguments.end(), more.begin(), more.end());
        return batch(gpu, arguments);
    }
    // The bytes of an undisturbed run.
    std::string whole(const std::string& gpu, const std::string& stack) {
        fs::remove_all(path("whole"));
        make_folder("whole");
        EXPECT_TRUE(exits(run(whole_run(gpu, stack, "whole")), 0));
        return read_file(path("whole/film.mkv"));
    }
    void clear() {
        fs::remove_all(path("out"));
        make_folder("out");
    }
    // The finished segments of an unfinished film or part.
    std::size_t bytes_kept() const {
        std::size_t bytes = 0;
        std::error_code error;
        for (const std::string& name : names_in(path("out")))
            if (name.starts_with(".film.mkv.weft-"))
                if (const auto size = fs::file_size(path("out/" + name), error); !error)
                    bytes += size;
        return bytes;
    }
    // Kills a run once it has kept that many bytes.
    void kill_at(const Command& command, std::size_t bytes) const {
        Process process(command);
        while (process.running() && bytes_kept() < bytes)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        process.send(SIGKILL);
        EXPECT_EQ(process.wait().signal, SIGKILL) << "it ended before";
        EXPECT_GE(bytes_kept(), bytes);
    }
    // Runs to the end and returns the file's entry in the report.
    nlohmann::json finish(Command command) const {
        command.argv.insert(command.argv.end(), {"--json", path("report.json")});
        EXPECT_TRUE(exits(run(command), 0));
        const auto report = parse_json(read_file(path("report.json")));
        fs::remove(path("report.json"));
        return report.at("files").at(0);
    }
    static void expect_continued(const nlohmann::json& file, bool continued) {
        const int frames = file.at("resume").at("frames_taken_over").get<int>();
        if (continued)
            EXPECT_GE(frames, kSegment) << file;
        else
            EXPECT_EQ(frames, 0) << file;
        const std::string note = "frames of an interrupted run are not used (device: then ";
        EXPECT_EQ(contains(file.dump(), note), !continued) << file;
    }
};

struct Row {
    const char* stack;
    bool exact;  // the same bits on all devices
};
constexpr Row kRows[] = {
    {"sobel", true}, {"convolve=matrix='1 2 1; 2 4 2; 1 2 1'", true}, {"gaussian=sigma=2", false}};

TEST_F(GpuRequeue, AResumedRunContinuesWhereAllDevicesAgreeAndElseBeginsAgain) {
    for (const Row& row : kRows)
        for (const Devices& devices : kDevices) {
            SCOPED_TRACE(
                fmt::format("{}: --gpu {}, then {}", row.stack, devices.first, devices.then));
            const std::string undisturbed = whole(devices.then, row.stack);
            clear();
            kill_at(whole_run(devices.first, row.stack, "out"), undisturbed.size() / 3);
            expect_continued(finish(whole_run(devices.then, row.stack, "out")), row.exact);
            EXPECT_TRUE(read_file(path("out/film.mkv")) == undisturbed) << "other bytes";
        }
}

TEST_F(GpuRequeue, APartOfASplitFilmDoesTheSame) {
    for (const Row& row : kRows)
        for (const Devices& devices : kDevices) {
            SCOPED_TRACE(
                fmt::format("{}: --gpu {}, then {}", row.stack, devices.first, devices.then));
            const std::string undisturbed = whole(devices.then, row.stack);
            clear();
            Arguments plan = film(row.stack, "out");
            plan.insert(plan.end(), {"-y", "--plan", path("film.plan"), "--split", "2"});
            EXPECT_TRUE(exits(run(batch("off", plan)), 0));
            const auto task = [&](const char* gpu, const Arguments& more) {
                Arguments arguments = {"--run", path("film.plan")};
                arguments.insert(arguments.end(), more.begin(), more.end());
                return batch(gpu, arguments);
            };
            const Arguments first = {"--shard", "1/2"};
            const Arguments second = {"--shard", "2/2"};
            kill_at(task(devices.first, first), undisturbed.size() / 4);
            expect_continued(finish(task(devices.then, first)), row.exact);
            EXPECT_TRUE(exits(run(task(devices.then, second)), 0));
            EXPECT_TRUE(exits(run(task(devices.then, {"--join"})), 0));
            EXPECT_TRUE(read_file(path("out/film.mkv")) == undisturbed) << "other bytes";
        }
}

}  // namespace
}  // namespace weft::cli
