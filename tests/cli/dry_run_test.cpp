// Checks of outputs before the work, for `weft batch --dry-run`.
#include <filesystem>
#include <regex>
#include <sys/mount.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;

class CliDryRun : public CliTest {
 protected:
    static Result dry_run(const Arguments& more) {
        Arguments arguments = {"batch", "--dry-run", "-vf", "box"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return weft(arguments);
    }
    static Json plan(Arguments more) {
        more.emplace_back("--json");
        const Result result = dry_run(more);
        EXPECT_TRUE(exits(result, 0));
        return parse_json(result.out);
    }
};

// The plan of a dry run is the result of the run.
TEST_F(CliDryRun, CodecsContainerAndStreamsAreThoseOfTheRun) {
    const std::string subtitles = path("in.mkv");
    write_file(path("a.srt"), "1\n00:00:00,000 --> 00:00:01,000\nword\n");
    ASSERT_EQ(run({"ffmpeg", "-v", "error", "-i", video_and_audio_clip(), "-i", path("a.srt"),
                   "-map", "0", "-map", "1", "-c", "copy", subtitles})
                  .exit_code,
              0);
    for (const std::string name : {"o.mkv", "o.webm", "o.avi", "o.mp4", "o.y4m"}) {
        SCOPED_TRACE(name);
        const Json written = plan({"-o", path(name), subtitles}).at("plan").at(0).at("written");
        ASSERT_TRUE(exits(weft({"batch", "-vf", "box", "-o", path(name), subtitles, "--json",
                                path(name + ".json")}),
                          0));
        const Json file = parse_json(read_file(path(name + ".json"))).at("files").at(0);
        for (const char* field : {"video_codec", "pixel_format", "streams"})
            EXPECT_EQ(written.at(field), file.at(field)) << field;
    }
}

TEST_F(CliDryRun, TextNamesTheStreams) {
    const Result result = dry_run({"-o", path("o.webm"), video_and_audio_clip()});
    EXPECT_TRUE(exits(result, 0));
    for (const char* part : {"output  webm, libvpx-vp9 yuv420p, ", "stream 0  video  encoded",
                             "stream 1  audio  converted aac to "})
        EXPECT_TRUE(contains(result.out, part)) << part << " is not in " << result.out;
    EXPECT_TRUE(std::regex_search(
        result.out, std::regex(": writable, [0-9.]+ [kMGT]?B free, about [0-9.]+ [kM]?B")))
        << result.out;
    EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>());
}

TEST_F(CliDryRun, TheStackIsShownAsTypedAndWithEveryValue) {
    const auto shown = [&](const Arguments& stack) {
        Arguments arguments = {"batch", "--dry-run", "-o", path("o.mkv"), short_clip()};
        arguments.insert(arguments.end(), stack.begin(), stack.end());
        return weft(arguments).out;
    };
    const std::string typed = shown({"-vf", "gaussian=2.0, sobel@weft"});
    const std::string means =
        "means: gaussian=sigma=2:steps=1:planes=all:sigmaV=-1:radius=0:border=reflect101:"
        "border_value=0,sobel@weft=planes=luma:scale=1:delta=0:direction=both:border=reflect101:"
        "border_value=0\n";
    EXPECT_TRUE(typed.starts_with("stack: gaussian=2.0, sobel@weft\n" + means)) << typed;
    write_file(path("p.toml"), "stack = 'gaussian=sigma=2,sobel'\n");
    const std::string preset = shown({"--preset", path("p.toml")});
    EXPECT_TRUE(preset.starts_with("stack: gaussian,sobel@weft\n" + means)) << preset;
}

// Encoders are opened as well.
TEST_F(CliDryRun, FindsTheErrorsOfEncoders) {
    for (const Arguments& bad : {Arguments{"-crf", "60"}, Arguments{"-preset", "nosuch"},
                                 Arguments{"-c:v", "libx264", "-b:v", "much"}}) {
        Arguments arguments = {"-o", path("o.mkv"), short_clip()};
        arguments.insert(arguments.begin(), bad.begin(), bad.end());
        EXPECT_TRUE(exits(dry_run(arguments), 2)) << testing::PrintToString(bad);
    }
}

TEST_F(CliDryRun, EstimatesTheSize) {
    // Uncompressed: 15 frames of 320×180 in 4:2:0.
    const Json raw = plan({"-c:v", "rawvideo", "-o", path("o.nut"), short_clip()});
    EXPECT_EQ(raw.at("plan").at(0).at("written").at("bytes_estimated"), 15 * 320 * 180 * 3 / 2);
    // Two seconds at 4 Mbit/s and no other stream: a megabyte.
    const Json rate = plan({"-b:v", "4M", "-o", path("o.mkv"), video_clip()});
    EXPECT_NEAR(rate.at("plan").at(0).at("written").at("bytes_estimated").get<double>(), 1e6, 5e4);
    // Half a second is a quarter of the input.
    const auto size = static_cast<double>(fs::file_size(video_clip()));
    const Json guess = plan({"-t", "0.5", "-o", path("o.mkv"), video_clip()});
    EXPECT_NEAR(guess.at("plan").at(0).at("written").at("bytes_estimated").get<double>(), size / 4,
                size / 40);
    EXPECT_EQ(guess.at("places").at(0).at("needed_bytes"),
              guess.at("plan").at(0).at("written").at("bytes_estimated"));
    EXPECT_TRUE(plan({"-o", "null:", short_clip()}).at("plan").at(0).at("written").is_null());
}

TEST_F(CliDryRun, ChecksTheRights) {
    const std::string folder = make_folder("closed");
    fs::permissions(folder, fs::perms(0555));
    fs::permissions(test::clip_dir(), fs::perms(0755));
    write_file(path("file"), "");
    for (const std::string& output : {folder + "/o.mkv", folder + "/new/o.mkv"}) {
        Command command =
            weft_command({"batch", "--dry-run", "-vf", "box", "-o", output, short_clip()});
        if (geteuid() == 0) command.user = 65534;
        const Result result = run(command);
        if (result.exit_code == 127) GTEST_SKIP() << "another user cannot run the program here";
        EXPECT_TRUE(exits(result, 5)) << output;
        EXPECT_TRUE(contains(last_line(result.err), output + ": cannot be written")) << result.err;
    }
    EXPECT_TRUE(exits(dry_run({"-o", path("file/o.mkv"), short_clip()}), 5));
    EXPECT_TRUE(exits(dry_run({"-o", path("new/deep/o.mkv"), short_clip()}), 0));
    EXPECT_FALSE(fs::exists(path("new")));
}

TEST_F(CliDryRun, WarnsIfTheDiskIsTooSmall) {
    const std::string disk = make_folder("disk");
    if (mount("none", disk.c_str(), "tmpfs", 0, "size=64k") != 0)
        GTEST_SKIP() << "a tmpfs cannot be mounted here";
    const Result small = dry_run({"-b:v", "100k", "-o", disk + "/o.mkv", short_clip()});
    const Result large = dry_run({"-b:v", "4M", "-o", disk + "/o.mkv", video_clip()});
    umount2(disk.c_str(), MNT_DETACH);
    EXPECT_TRUE(exits(small, 0));
    EXPECT_FALSE(contains(small.out, "may not fit")) << small.out;
    EXPECT_TRUE(exits(large, 0));
    EXPECT_TRUE(contains(large.out, "may not fit")) << large.out;
}

// An output that exists is neither planned nor refused.
TEST_F(CliDryRun, SkippedFiles) {
    write_file(path("short.mkv"), "old");
    const Result result = dry_run({"-n", "-o", path("short.mkv"), short_clip()});
    EXPECT_TRUE(exits(result, 0));
    EXPECT_TRUE(contains(result.out, "skipped: the output exists")) << result.out;
}

}  // namespace
}  // namespace weft::cli
