// `weft compare`: kernels racing on the frames of a file.
#include <chrono>
#include <csignal>
#include <sstream>
#include <thread>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

using Json = nlohmann::json;

class CliCompare : public CliTest {
 protected:
    static Result compare(const Arguments& more, const Arguments& before = {}) {
        Arguments arguments = {"compare", "--gpu", "off"};
        arguments.insert(arguments.end(), before.begin(), before.end());
        arguments.insert(arguments.end(), more.begin(), more.end());
        return weft(arguments);
    }
    static Json report(const Arguments& more) {
        const Result result = compare(more, {"--json"});
        EXPECT_TRUE(exits(result, 0));
        return parse_json(result.out);
    }
    // Names of the CPU kernels in `weft list`.
    static std::vector<std::string> cpu_kernels() {
        std::vector<std::string> names;
        const Json list = parse_json(weft({"list", "kernels", "--json"}).out);
        for (const Json& row : list.at("kernels"))
            if (row.at("runs_on") == "cpu") names.push_back(row.at("name"));
        return names;
    }
};

TEST_F(CliCompare, ShowsEveryKernelOfTheCpu) {
    const Result result = compare({short_clip(), "-vf", "gaussian=sigma=2,sobel@weft"});
    EXPECT_TRUE(exits(result, 0));
    EXPECT_EQ(result.err, "");
    for (const char* part :
         {"320×180",       "yuv420p",          "CPU",       "15 frames", "step 0  gaussian",
          "step 1  sobel", "median",           "p95",       "GB/s",      "bound by",
          "of peak",       "speed-up",         "max error", "differing", "(empty launch)",
          "(copy)",        "(peak)",           "FLOP/s",    "reference", "baseline",
          "planned",       "the steady clock", "warm-up"})
        EXPECT_TRUE(contains(result.out, part)) << part << " is not in: " << result.out;
    for (const char* kernel : {"cpu_separable", "cpu_reuse", "cpu_direct", "opencv_cpu"})
        EXPECT_TRUE(contains(result.out, std::string("\n") + kernel)) << kernel;
}

TEST_F(CliCompare, SaysWhereAFilterDiffersFromFfmpegs) {
    const Result result = compare({short_clip(), "-vf", "gblur,gblur=2", "--frames", "2"});
    EXPECT_TRUE(exits(result, 0));
    EXPECT_TRUE(result.err.starts_with("weft: note: gblur: ")) << result.err;
    EXPECT_EQ(result.err.find("gblur", 20), std::string::npos) << "it is said twice";
}

TEST_F(CliCompare, NoEscapeCodesOffATerminal) {
    const Result result = compare({short_clip(), "-vf", "box"});
    EXPECT_FALSE(contains(result.out + result.err, "\x1b")) << result.out << result.err;
    EXPECT_FALSE(contains(result.out + result.err, "\r")) << result.out << result.err;
}

TEST_F(CliCompare, JsonHasEveryField) {
    const Json all = report({short_clip(), "-vf", "gaussian=sigma=2,frame_difference"});
    EXPECT_EQ(all.at("schema"), 1);
    for (const char* field : {"weft", "device", "input", "stack", "exit_code", "width", "height",
                              "pix_fmt", "frames", "media_seconds", "clock", "notes", "damage"})
        EXPECT_TRUE(all.contains(field)) << field;
    EXPECT_EQ(all.at("frames"), 15);
    EXPECT_EQ(all.at("clock"), "steady_clock");
    EXPECT_EQ(all.at("device").at("kind"), "cpu");
    ASSERT_EQ(all.at("steps").size(), 2U);
    const Json& step = all.at("steps").at(0);
    EXPECT_EQ(step.at("filter"), "gaussian");
    EXPECT_EQ(step.at("reference"), "opencv_cpu");
    EXPECT_EQ(step.at("baseline"), "opencv_cpu");
    EXPECT_EQ(step.at("exact"), false);
    EXPECT_EQ(step.at("bytes"), 2 * (320 * 180 + 2 * 160 * 90));
    EXPECT_EQ(step.at("empty_launch").at("samples"), 15);
    EXPECT_EQ(step.at("copy").at("samples"), 15);
    for (const char* rate :
         {"bytes_per_second", "operations_per_second", "half_operations_per_second"})
        EXPECT_GT(step.at("peak").at(rate), 0) << rate;
    EXPECT_GE(step.at("kernels").size(), 2U);
    for (const Json& kernel : step.at("kernels")) {
        for (const char* field : {"kernel",
                                  "planned",
                                  "why_not",
                                  "samples",
                                  "median_ms",
                                  "p95_ms",
                                  "p5_ms",
                                  "gigabytes_per_second",
                                  "fraction_of_limit",
                                  "speed_up",
                                  "max_error",
                                  "pixels",
                                  "pixels_differing",
                                  "bound_by",
                                  "fraction_of_bound",
                                  "fraction_of_peak",
                                  "operations",
                                  "launches",
                                  "registers",
                                  "occupancy",
                                  "why"})
            EXPECT_TRUE(kernel.contains(field)) << field;
        for (const char* number : {"fraction_of_bound", "fraction_of_peak", "operations"})
            EXPECT_GT(kernel.at(number), 0) << number;
        EXPECT_TRUE(contains(kernel.at("why"), "The planner ")) << kernel.at("why");
        EXPECT_EQ(kernel.at("samples"), 15);
        EXPECT_EQ(kernel.at("pixels"), 15 * (320 * 180 + 2 * 160 * 90));
        EXPECT_LE(kernel.at("max_error"), 1);
        EXPECT_LE(kernel.at("median_ms"), kernel.at("p95_ms"));
    }
    EXPECT_TRUE(all.at("steps").at(1).at("kernels").empty());
}

TEST_F(CliCompare, WritesAReportFileAndTheTable) {
    const Result result =
        compare({short_clip(), "-vf", "box", "--frames", "2", "--json", path("r.json")});
    EXPECT_TRUE(exits(result, 0));
    EXPECT_TRUE(contains(result.out, "step 0  box")) << result.out;
    EXPECT_EQ(parse_json(read_file(path("r.json"))).at("frames"), 2);
}

TEST_F(CliCompare, StopsAfterFrames) {
    const Json all = report({video_clip(), "-vf", "box", "--frames", "7"});
    EXPECT_EQ(all.at("frames"), 7);
    EXPECT_EQ(all.at("steps").at(0).at("kernels").at(0).at("samples"), 7);
}

TEST_F(CliCompare, TakesARangeLikeBatch) {
    EXPECT_EQ(report({video_clip(), "-vf", "box", "-ss", "0.5", "-t", "0.5"}).at("frames"), 15);
    EXPECT_EQ(report({video_clip(), "-vf", "box", "-to", "0.5"}).at("frames"), 15);
    EXPECT_TRUE(exits(compare({video_clip(), "-vf", "box", "-ss", "1", "-to", "1"}), 2));
}

TEST_F(CliCompare, AStillPictureIsFilteredRepeatedly) {
    EXPECT_EQ(report({image_clip(), "-vf", "sobel"}).at("frames"), 50);
    EXPECT_EQ(report({image_clip(), "-vf", "sobel", "--frames", "3"}).at("frames"), 3);
}

TEST_F(CliCompare, TakesPresetsAndPipes) {
    EXPECT_TRUE(exits(compare({"--preset", "edges", "--frames", "2", short_clip()}), 0));
    Command command = weft_command({"compare", "--gpu", "off", "-vf", "box", "-"});
    command.input = short_clip();
    const Result result = run(command);
    EXPECT_TRUE(exits(result, 0));
    EXPECT_TRUE(contains(result.out, "15 frames")) << result.out;
}

// A kernel that cannot run is listed with its reason; the reference is measured all the same.
TEST_F(CliCompare, ReportsWhyAKernelCannotRun) {
    const Json all =
        report({short_clip(), "-vf", "box", "--kernels", "direct,direct", "--frames", "2"});
    const Json& kernels = all.at("steps").at(0).at("kernels");
    ASSERT_EQ(kernels.size(), 2U);
    EXPECT_EQ(kernels.at(0).at("kernel"), "direct");
    EXPECT_NE(kernels.at(0).at("why_not"), "");
    EXPECT_TRUE(kernels.at(0).at("median_ms").is_null());
    EXPECT_TRUE(kernels.at(0).at("speed_up").is_null());
    EXPECT_EQ(kernels.at(1).at("kernel"), "opencv_cpu");
    EXPECT_EQ(kernels.at(1).at("samples"), 2);
    const Result text =
        compare({short_clip(), "-vf", "box", "--kernels", "direct", "--frames", "2"});
    EXPECT_TRUE(contains(text.out, kernels.at(0).at("why_not").get<std::string>())) << text.out;
}

TEST_F(CliCompare, ExplainsThePlannersChoice) {
    const Result result = compare({short_clip(), "-vf", "sobel", "--frames", "2", "--explain"});
    EXPECT_TRUE(contains(result.out, "plane 0: cpu_reuse convolves 320×180 u8, 3×3 taps"))
        << result.out;
    EXPECT_TRUE(contains(result.out, "step 0  cpu_reuse: ")) << result.out;
    EXPECT_TRUE(contains(result.out, "The planner chose it: ")) << result.out;
    EXPECT_TRUE(contains(result.out, "The planner passed it over: ")) << result.out;
}

TEST_F(CliCompare, BadArgumentsAreUsageErrors) {
    struct Row {
        Arguments arguments;
        const char* says;
    };
    const std::string file = short_clip();
    for (const Row& row : {
             Row{{}, "no input"},
             Row{{file}, "-vf STACK"},
             Row{{file, "-vf", "box", "--preset", "edges"}, "are mutually exclusive"},
             Row{{file, file, "-vf", "box"}, "one file"},
             Row{{file, "-vf", "gausian"}, "gaussian"},
             Row{{file, "-vf", "box", "--kernels", "opencv_cp"}, "did you mean 'opencv_cpu'"},
             Row{{file, "-vf", "box", "--kernels", "opencv_cpu,,direct"}, "choose from"},
             Row{{file, "-vf", "box", "--baseline", "fastest"}, "choose from"},
             Row{{file, "-vf", "box", "--frames", "0"}, "--frames"},
             Row{{file, "-vf", "box", "--frames", "many"}, "--frames"},
             Row{{file, "-vf", "box", "--json=" + file}, "would replace"},
             Row{{file, "-vf", "box", "-o", "x.mkv"}, "-o is an option of weft batch"},
             Row{{file, "-vf", "box", "-k"}, "unknown option"},
         }) {
        const Result result = compare(row.arguments);
        EXPECT_TRUE(exits(result, 2)) << testing::PrintToString(row.arguments);
        EXPECT_TRUE(contains(result.err, row.says)) << row.says << ": " << result.err;
        EXPECT_EQ(result.out, "");
    }
    // The error for an unknown name lists all names.
    for (const std::string& name : cpu_kernels())
        EXPECT_TRUE(contains(compare({file, "-vf", "box", "--kernels", "none"}).err, name));
}

TEST_F(CliCompare, FailsLikeBatch) {
    EXPECT_TRUE(exits_one_of(compare({path("none.mkv"), "-vf", "box"}), {1, 2}));
    write_file(path("garbage.mkv"), "no video");
    EXPECT_TRUE(exits(compare({path("garbage.mkv"), "-vf", "box"}), 1));
    std::string bytes = read_file(video_clip());
    bytes.resize(bytes.size() / 2);
    write_file(path("cut.mkv"), bytes);
    const Result cut = compare({path("cut.mkv"), "-vf", "box"});
    EXPECT_TRUE(exits(cut, 4));
    EXPECT_TRUE(contains(cut.out, "step 0  box")) << "what was measured is lost: " << cut.out;
    EXPECT_TRUE(exits(weft({"compare", "--gpu", "99", short_clip(), "-vf", "box"}), 6));
}

// The result of a run that received the signal after it had installed its handler. On a machine
// under load the program may start later: then the signal ends it, and the next one gets more time.
Result signalled(const Command& command, int signal) {
    auto delay = std::chrono::milliseconds(500);
    while (true) {
        Process process(command);
        std::this_thread::sleep_for(delay);
        process.send(signal);
        Result result = process.wait();
        if (result.signal == 0 || delay > std::chrono::minutes(1)) return result;
        delay *= 2;
    }
}

// An interrupted run prints its results so far.
TEST_F(CliCompare, ASignalPrintsTheResultsSoFar) {
    const std::string endless = clip("endless.mkv", picture_input(60, "640x360") + kFastVideo);
    const Command command = weft_command(
        {"compare", "--gpu", "off", "-vf", "gaussian=sigma=3,motion=length=31", endless});
    for (const auto& [signal, code] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}}) {
        const Result result = signalled(command, signal);
        EXPECT_TRUE(exits(result, code));
        EXPECT_TRUE(contains(result.out, "step 1  motion")) << result.out;
        EXPECT_TRUE(contains(last_line(result.err), "stopped by a signal")) << result.err;
    }
}

}  // namespace
}  // namespace weft::cli
