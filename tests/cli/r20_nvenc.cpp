// R20: an unavailable GPU encoder is reported before anything is encoded, with an alternative;
// nothing is written, and software does not step in unasked.
#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

class CliR20Nvenc : public CliTest {
 protected:
    // Hides the driver's devices from this run, if there is a driver.
    Result filter(const Arguments& more, const Arguments& inputs) {
        Arguments arguments = {"batch", "-vf", "gaussian=sigma=1", "-o", path("out/")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        arguments.insert(arguments.end(), inputs.begin(), inputs.end());
        Command command = weft_command(arguments);
        command.env["CUDA_VISIBLE_DEVICES"] = "";
        return run(command);
    }
    bool nothing_written() const {
        return names_in(folder_.path()).empty() || names_in(folder_.path() / "out").empty();
    }
};

TEST_F(CliR20Nvenc, AMissingGpuGivesAMessage) {
    for (const auto& [encoder, instead] :
         {std::pair{"h264_nvenc", "libx264"}, {"hevc_nvenc", "libx265"}}) {
        const Result result = filter({"-c:v", encoder}, {short_clip()});
        EXPECT_TRUE(exits(result, 6));
        const std::string line = last_line(result.err);
        EXPECT_TRUE(line.starts_with(std::string("weft: error: ") + encoder + ": ")) << line;
        EXPECT_TRUE(line.ends_with(std::string("; use -c:v ") + instead)) << line;
        EXPECT_FALSE(contains(result.err, " @ 0x")) << "FFmpeg's own words: " << result.err;
        EXPECT_TRUE(nothing_written());
    }
}

TEST_F(CliR20Nvenc, EachFileOfABatchReportsIt) {
    const Result result =
        filter({"-c:v", "h264_nvenc"}, {short_clip("a.mkv"), short_clip("b.mkv")});
    EXPECT_TRUE(exits(result, 3));
    EXPECT_TRUE(contains(result.err, "use -c:v libx264")) << result.err;
    EXPECT_TRUE(nothing_written());
}

// These errors are found without any GPU.
TEST_F(CliR20Nvenc, UnsupportedOptionsAreUsageErrors) {
    struct Row {
        Arguments more;
        const char* says;
    };
    const std::vector<Row> rows = {
        {{"-crf", "0"}, "-crf 0: h264_nvenc takes 1 to 51"},
        {{"-crf", "52"}, "-crf 52: h264_nvenc takes 1 to 51"},
        {{"-preset", "veryfast"}, "h264_nvenc has p1, p2"},
        {{"--lossless"}, "--lossless: h264_nvenc has no lossless mode known to us"},
        {{"-pix_fmt", "cuda"},
         "-pix_fmt cuda: h264_nvenc does not take cuda; h264_nvenc takes yuv420p"},
        {{"-f", "webm"}, "-c:v h264_nvenc: webm cannot hold video of h264_nvenc"},
    };
    for (const Row& row : rows) {
        Arguments more = {"-c:v", "h264_nvenc"};
        more.insert(more.end(), row.more.begin(), row.more.end());
        const Result result = filter(more, {short_clip()});
        EXPECT_TRUE(exits(result, 2));
        EXPECT_TRUE(contains(result.err, row.says)) << result.err;
        EXPECT_TRUE(nothing_written());
    }
}

class CliR20NvencSessions : public FailingCallsTest {
 protected:
    Result filter(const Arguments& inputs) const {
        Arguments arguments = {"batch", "-vf",        "box",    "-c:v", "h264_nvenc",
                               "-o",    path("out/"), "--jobs", "3"};
        arguments.insert(arguments.end(), inputs.begin(), inputs.end());
        Command command = command_with_failing_calls(arguments);
        command.env["WEFT_NO_SESSION"] = "1";
        return run(command);
    }
};

constexpr const char* kNoSession =
    "h264_nvenc: the GPU has no free encoder session or no free memory; use -c:v libx264";

TEST_F(CliR20NvencSessions, ALoneFileFails) {
    const Result result = filter({short_clip()});
    EXPECT_TRUE(exits(result, 6));
    EXPECT_EQ(last_line(result.err), std::string("weft: error: ") + kNoSession);
    EXPECT_TRUE(names_in(folder_.path() / "out").empty());
}

// They wait for each other, then give up: other programs hold the sessions.
TEST_F(CliR20NvencSessions, EachFileOfABatchFails) {
    const Result result = filter({short_clip("a.mkv"), short_clip("b.mkv"), short_clip("c.mkv")});
    EXPECT_TRUE(exits(result, 3));
    EXPECT_EQ(places_of(result.err, std::string("error: ") + kNoSession).size(), 3U) << result.err;
    EXPECT_TRUE(names_in(folder_.path() / "out").empty());
}

}  // namespace
}  // namespace weft::cli
