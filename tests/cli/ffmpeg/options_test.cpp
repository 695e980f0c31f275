// Options of ffmpeg that reach the output: tags, parameters of encoders, the place of an index, and
// pipes. ffprobe is the judge.
#include <filesystem>
#include <optional>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

class CliFfmpegOptions : public CliTest {
 protected:
    Result filter(const Arguments& options, const std::string& output,
                  const std::string& input = short_clip()) {
        Arguments arguments = {"batch", "-vf", "convolve=matrix=1", "-y", "-o", output};
        arguments.insert(arguments.end(), options.begin(), options.end());
        arguments.push_back(input);
        return weft(arguments);
    }
    Result to_pipe(const Arguments& options, const std::string& output, const std::string& input) {
        Arguments arguments = {"batch", "-vf", "convolve=matrix=1", "-o", "-", input};
        arguments.insert(arguments.end(), options.begin(), options.end());
        Command command = weft_command(arguments);
        command.output = output;
        return run(command);
    }
};

TEST_F(CliFfmpegOptions, AddressesAreNoOutputs) {
    struct Row {
        const char* output;
        const char* remedy;
    };
    for (const auto& [output, remedy] : {Row{"s3://bucket/x.mp4", "aws s3 cp"},
                                         {"gs://bucket/", "gcloud storage cp"},
                                         {"https://example.invalid/x.mkv", "curl -T"},
                                         {"rtmp://example.invalid/live/key", "ffmpeg -re"},
                                         {"file:///tmp/x.mkv", "without file://"},
                                         {"S3://bucket/x_%03d.png", "outputs are local files"},
                                         {"hdfs://name/x.mkv", "outputs are local files"}}) {
        SCOPED_TRACE(output);
        for (const std::string more : {"--strict", "--dry-run"}) {
            Command command =
                weft_command({"batch", "-vf", "box", more, "-o", output, short_clip()});
            command.folder = folder_.path();
            const Result result = run(command);
            EXPECT_TRUE(exits(result, 2));
            EXPECT_TRUE(contains(result.err, remedy)) << result.err;
            EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>());
        }
    }
    Command report = weft_command(
        {"batch", "-vf", "box", "--json", "s3://bucket/r.json", "-o", "x.mkv", short_clip()});
    report.folder = folder_.path();
    EXPECT_TRUE(exits(run(report), 2));
    EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>());
    // A folder of that name exists.
    std::filesystem::create_directories(folder_.path() / "s3:");
    Command local = weft_command({"batch", "-vf", "box", "-o", "s3://x.mkv", short_clip()});
    local.folder = folder_.path();
    EXPECT_TRUE(exits(run(local), 0));
}

}  // namespace
}  // namespace weft::cli
