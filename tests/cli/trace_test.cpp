// The timeline of `weft batch --trace`.
#include <algorithm>
#include <map>
#include <set>
#include <sys/mount.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

using Json = nlohmann::json;

struct Event {
    std::string name;
    double begin, end;  // microseconds
    int frame;          // -1: no frame
};

// The rows of a timeline by "file row", named as in its metadata.
std::map<std::string, std::vector<Event>> rows_of(const Json& timeline) {
    std::map<std::pair<int, int>, std::string> names;
    std::map<std::string, std::vector<Event>> rows;
    for (const Json& event : timeline.at("traceEvents")) {
        const std::pair place{event.at("pid").get<int>(), event.at("tid").get<int>()};
        if (event.at("name") == "thread_name")
            names[place] = std::to_string(place.first) + " " + event.at("args").value("name", "");
        if (event.at("ph") != "X") continue;
        const double begin = event.at("ts");
        const int frame = event.contains("args") ? event.at("args").at("frame").get<int>() : -1;
        rows[names.at(place)].push_back(
            {event.at("name"), begin, begin + event.at("dur").get<double>(), frame});
    }
    return rows;
}

std::vector<int> frames_of(const std::vector<Event>& row, const std::string& name) {
    std::vector<int> frames;
    for (const Event& event : row)
        if (event.name == name) frames.push_back(event.frame);
    return frames;
}

std::vector<int> first_numbers(int count) {
    std::vector<int> numbers;
    for (int k = 0; k < count; ++k) numbers.push_back(k);
    return numbers;
}

bool overlap(const Event& a, const Event& b) {
    return a.begin < b.end && b.begin < a.end;
}

class CliTrace : public CliTest {
 protected:
    // The rows of a run on the CPU with these last arguments.
    std::map<std::string, std::vector<Event>> trace(const Arguments& more, int code = 0) {
        Arguments arguments = {"batch",   "-vf",         "gaussian=sigma=4,sobel", "--gpu", "off",
                               "--trace", path("t.json")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        EXPECT_TRUE(exits(weft(arguments), code));
        return rows_of(parse_json(read_file(path("t.json"))));
    }
};

TEST_F(CliTrace, HasEveryFrameInEveryStage) {
    auto rows = trace({"-o", path("out.mkv"), video_and_audio_clip()});
    const std::vector<int> all = first_numbers(60);
    for (const auto& [row, name] : {std::pair{"1 decode", "decode"},
                                    {"1 filter", "submit"},
                                    {"1 filter", "finish"},
                                    {"1 encode", "encode"}})
        EXPECT_EQ(frames_of(rows[row], name), all) << row << " " << name;
    EXPECT_EQ(frames_of(rows["1 encode"], "finish"), std::vector{-1}) << "of the output";
    std::map<std::string, std::vector<int>> steps;
    for (const Event& event : rows["1 kernels"]) steps[event.name].push_back(event.frame);
    ASSERT_EQ(steps.size(), 2U);
    for (const auto& [name, frames] : steps) EXPECT_EQ(frames, all) << name;
    EXPECT_TRUE(steps.begin()->first.starts_with("gaussian (")) << steps.begin()->first;
}

TEST_F(CliTrace, EventsOfARowDoNotOverlap) {
    for (auto& [name, row] : trace({"-o", path("out.mkv"), video_and_audio_clip()})) {
        std::ranges::sort(row, {}, &Event::begin);
        for (std::size_t k = 1; k < row.size(); ++k)
            EXPECT_GE(row[k].begin, row[k - 1].end - 0.002) << name << " " << row[k].name;
        for (const Event& event : row) EXPECT_GE(event.end, event.begin) << name;
    }
}

// A frame passes through the stages in order, while other frames are in other stages.
TEST_F(CliTrace, StagesOverlap) {
    auto rows = trace(
        {"-o", path("out.mkv"), clip("large.mkv", picture_input(2, "1280x720") + kFastVideo)});
    const auto& decoded = rows["1 decode"];
    const auto& encoded = rows["1 encode"];
    const auto frame_of = [](const std::vector<Event>& row, const char* name, int frame) {
        return *std::ranges::find_if(
            row, [&](const Event& event) { return event.name == name && event.frame == frame; });
    };
    for (int frame = 0; frame < 60; ++frame) {
        const Event submit = frame_of(rows["1 filter"], "submit", frame);
        EXPECT_LE(frame_of(decoded, "decode", frame).end, submit.begin) << frame;
        EXPECT_LE(submit.end, frame_of(encoded, "encode", frame).begin) << frame;
    }
    const bool side_by_side = std::ranges::any_of(rows["1 filter"], [&](const Event& filter) {
        return filter.name == "submit" && std::ranges::any_of(encoded, [&](const Event& encode) {
                   return encode.name == "encode" && encode.frame < filter.frame &&
                          overlap(encode, filter);
               });
    });
    EXPECT_TRUE(side_by_side);
}

TEST_F(CliTrace, FilesAreProcessesAndFieldsRows) {
    const auto rows = trace({"--fields", "split", "-o", path("out/"), video_clip(), short_clip()});
    std::set<std::string> names;
    for (const auto& [name, row] : rows) names.insert(name);
    for (const char* file : {"1 ", "2 "})
        for (const char* row :
             {"decode", "filter", "field 0: kernels", "field 1: kernels", "encode"})
            EXPECT_TRUE(names.contains(std::string(file) + row)) << file << row;
}

TEST_F(CliTrace, FailedRunsWriteATrace) {
    write_file(path("garbage.mkv"), "no video");
    EXPECT_TRUE(trace({"-o", path("out.mkv"), path("garbage.mkv")}, 1).empty());
}

TEST_F(CliTrace, NeverReplacesAVideo) {
    const std::string input = path("in.json");
    const std::string bytes = read_file(short_clip());
    write_file(input, bytes);
    struct Row {
        std::string trace;
        const char* says;
    };
    for (const Row& row :
         {Row{input, "would replace"},
          {path("../" + folder_.path().filename().string() + "/in.json"), "would replace"},
          {path("out.mkv"), "would replace"},
          {path("report.json"), "would both write"},
          {"-", "must go to a file"}}) {
        const Result result = weft({"batch", "-vf", "box", "--trace", row.trace,
                                    "--json=" + path("report.json"), "-o", path("out.mkv"), input});
        EXPECT_TRUE(exits(result, 2)) << row.trace;
        EXPECT_TRUE(contains(result.err, row.says)) << result.err;
        EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>{"in.json"});
    }
    EXPECT_EQ(read_file(input), bytes);
}

TEST_F(CliTrace, TheReportIsNotLostWithTheTrace) {
    const std::string disk = make_folder("disk");
    if (mount("none", disk.c_str(), "tmpfs", 0, "size=4k,nr_inodes=1") != 0)
        GTEST_SKIP() << "a tmpfs cannot be mounted here";
    const Result result =
        weft({"batch", "-vf", "box", "--trace", disk + "/t.json", "--json=" + path("report.json"),
              "-o", path("out.mkv"), short_clip()});
    umount2(disk.c_str(), MNT_DETACH);
    EXPECT_TRUE(exits(result, 5));
    EXPECT_TRUE(contains(last_line(result.err), "t.json")) << result.err;
    const auto report = parse_json(read_file(path("report.json")));
    EXPECT_EQ(report.at("exit_code"), 5);
    EXPECT_EQ(report.at("files").at(0).at("exit_code"), 0);
    EXPECT_TRUE(contains(report.at("notes").dump(), "t.json")) << report.at("notes");
}

}  // namespace
}  // namespace weft::cli
