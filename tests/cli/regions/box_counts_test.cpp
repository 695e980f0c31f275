// The frames with and without a box that the report of a run counts, against counts of the lines of
// the file.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

constexpr int kFrames = 600;  // several segments of a resumable run

// Frames from 1, as in the file. Object 3 leaves the picture in frame 200.
struct Object {
    std::set<int> boxes;
    int left_at = kFrames + 1;
};

std::map<int, Object> objects() {
    std::map<int, Object> all;
    for (int frame = 10; frame <= 400; frame += 3) all[1].boxes.insert(frame);
    for (int frame = 100; frame <= 150; ++frame) all[2].boxes.insert(frame);
    all[3] = {{180}, 200};
    for (int frame = 50; frame <= kFrames; frame += 50) all[-1].boxes.insert(frame);
    return all;
}

std::string boxes_text() {
    std::string text;
    for (const auto& [id, object] : objects()) {
        for (const int frame : object.boxes) text += fmt::format("{},{},4,5,12,9\n", frame, id);
        if (object.left_at <= kFrames) text += fmt::format("{},{},0,0,0,0\n", object.left_at, id);
    }
    return text;
}

// Whether a box is given to the frame by gap=interpolate or gap=hold.
bool is_held(int id, const Object& object, int frame, const std::string& gap) {
    if (object.boxes.contains(frame) || frame < *object.boxes.begin() || gap == "off") return false;
    if (object.left_at <= kFrames) return frame < object.left_at;
    if (gap == "hold") return true;
    return id >= 0 && frame <= *object.boxes.rbegin();
}

// The report of a run over the frames from `first` to `last`.
std::vector<std::string> expected(int first, int last, const std::string& gap) {
    std::vector<std::string> all;
    for (const auto& [id, object] : objects()) {
        int own = 0, held = 0, none = 0;
        for (int frame = first; frame <= last; ++frame)
            ++(object.boxes.contains(frame) ? own : is_held(id, object, frame, gap) ? held : none);
        all.push_back(fmt::format(
            "fill: {}: {} of {} frames have a box of their own{}, {} have none",
            id < 0 ? "boxes without an id" : fmt::format("box {}", id), own, last - first + 1,
            gap == "off" ? "" : fmt::format(", {} have one by gap={}", held, gap), none));
    }
    return all;
}

class CliBoxCounts : public CliTest {
 protected:
    void SetUp() override {
        CliTest::SetUp();
        write_file(path("objects.txt"), boxes_text());
    }

    static std::string film() {
        return clip("box_counts.mkv", picture_input(kFrames / 30.0, "160x90") + kFastVideo);
    }

    std::string stack(const std::string& gap) const {
        return fmt::format("fill=boxes={}:gap={}", path("objects.txt"), gap);
    }

    // The notes of a run on the boxes.
    std::vector<std::string> notes(Arguments arguments) {
        arguments.insert(arguments.begin(), "batch");
        arguments.insert(arguments.end(), {"--json", path("report.json")});
        const Result result = weft(arguments);
        EXPECT_TRUE(exits(result, 0)) << result.err;
        std::vector<std::string> found;
        const auto report = nlohmann::json::parse(read_file(path("report.json")));
        for (const std::string note : report.at("files").at(0).at("notes"))
            if (note.starts_with("fill: ")) found.push_back(note);
        return found;
    }
};

TEST_F(CliBoxCounts, AreThoseOfTheRun) {
    for (const char* const gap : {"interpolate", "hold", "off"}) {
        SCOPED_TRACE(gap);
        const Arguments run = {film(), "-vf", stack(gap), "-y", "-o", path("out.mkv")};
        EXPECT_EQ(notes(run), expected(1, kFrames, gap));
        Arguments part = run;
        part.insert(part.end(), {"-ss", "4", "-t", "5"});
        EXPECT_EQ(notes(part), expected(121, 270, gap));
    }
}

// A killed run, and one that takes over the frames of its finished segments.
TEST_F(CliBoxCounts, AreThoseOfTheWholeAfterAKill) {
    const Arguments arguments = {film(), "-vf",      stack("hold"), "-preset",
                                 "slow", "--resume", "-o",          path("out.mkv")};
    const std::vector<std::string> all = expected(1, kFrames, "hold");
    EXPECT_EQ(notes(arguments), all);
    const auto whole = std::filesystem::file_size(path("out.mkv"));
    std::filesystem::remove(path("out.mkv"));

    // Of 600 frames, more than the 250 of the first segment are then written.
    const auto written = [&] {
        std::error_code error;
        const auto size = std::filesystem::file_size(path(".out.mkv.weft-resume"), error);
        return !error && size > whole * 6 / 10;
    };
    Arguments killed = arguments;
    killed.insert(killed.begin(), "batch");
    Process process(weft_command(killed));
    while (process.running() && !written())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    process.send(SIGKILL);
    ASSERT_EQ(process.wait().signal, SIGKILL) << "it had ended";
    EXPECT_EQ(notes(arguments), all);
    const auto report = nlohmann::json::parse(read_file(path("report.json")));
    EXPECT_GE(report.at("files").at(0).at("resume").at("frames_taken_over").get<int>(), 250);
}

// A dry run has read no frames: it states where the boxes are in the file.
TEST_F(CliBoxCounts, ADryRunStatesThoseOfTheFile) {
    const Result result =
        weft({"batch", film(), "-vf", stack("hold"), "-o", path("out.mkv"), "--dry-run"});
    ASSERT_TRUE(exits(result, 0)) << result.err;
    EXPECT_TRUE(contains(result.out, std::string("box 2: frames 100 to 150, 0 of them without")))
        << result.out;
}

}  // namespace
}  // namespace weft::cli
