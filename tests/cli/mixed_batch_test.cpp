// Encoder options: in batches of videos and pictures, and out of the encoder's range.
#include <filesystem>
#include <sstream>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

class CliMixedBatch : public CliTest {
 protected:
    Result batch(const Arguments& more) {
        Arguments arguments = {"batch", "-vf", "box", "-y", "--json", path("report.json")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return weft(arguments);
    }
    nlohmann::json report() const { return parse_json(read_file(path("report.json"))); }
};

int times_in(const std::string& text, const std::string& part) {
    int times = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++times;
    return times;
}

struct Row {
    Arguments options;
    const char* note;  // the options left out for the pictures; null: none
};

TEST_F(CliMixedBatch, AnOptionAppliesWhereItHasAMeaning) {
    const std::vector<Row> table = {
        {{"-crf", "30"}, "png (-crf), jpg (-crf)"},
        {{"-preset", "slow"}, "png (-preset), jpg (-preset)"},
        {{"-c:v", "libx264"}, "png (-c:v), jpg (-c:v)"},
        {{"-c:v", "h264", "-crf", "30", "-preset", "fast"},
         "png (-c:v, -crf, -preset), jpg (-c:v, -crf, -preset)"},
        {{"--lossless"}, "jpg (--lossless)"},
        {{}, nullptr},
    };
    for (const auto& [options, note] : table) {
        SCOPED_TRACE(testing::PrintToString(options));
        Arguments arguments = options;
        arguments.insert(arguments.end(), {"-o", path("out/"), short_clip(), image_clip(),
                                           image_clip("image.jpg"), image_clip("other.png")});
        const Result result = batch(arguments);
        EXPECT_TRUE(exits(result, 0));
        EXPECT_EQ(times_in(result.err, "cannot use these options"), note == nullptr ? 0 : 1)
            << result.err;
        if (note == nullptr) continue;
        EXPECT_TRUE(contains(result.err, note)) << result.err;
        EXPECT_TRUE(contains(report().at("notes").dump(), note));
    }
}

// Nor do the libraries of encoders add lines of their own.
TEST_F(CliMixedBatch, EveryLineOnStandardErrorIsOurs) {
    const char* const script =
        "import pathlib, random, sys; sys.path.insert(0, sys.argv[1]); import mixed_pictures; "
        "pathlib.Path(sys.argv[2]).write_bytes(mixed_pictures.colour_profile(random.Random(1)))";
    const Result made =
        run({"python3", "-c", script,
             fs::path(media_script("mixed_pictures.py")).parent_path().string(), path("p.icc")});
    ASSERT_TRUE(exits(made, 0));
    fs::copy(image_clip("image.jpg"), path("photo.jpg"));
    if (run({"exiftool", "-q", "-icc_profile<=" + path("p.icc"), path("photo.jpg")}).exit_code != 0)
        GTEST_SKIP() << "exiftool is not installed";
    for (const char* name : {"o.jxl", "o.png", "o.webp", "o.tiff", "o.jpg"}) {
        const Result result =
            weft({"batch", "-vf", "box", "--progress=json", "-o", path(name), path("photo.jpg")});
        EXPECT_TRUE(exits(result, 0)) << name;
        std::istringstream lines(result.err);
        for (std::string line; std::getline(lines, line);)
            EXPECT_TRUE(line.starts_with('{')) << name << ": " << line;
    }
}

// The video is encoded as it would be alone.
TEST_F(CliMixedBatch, TheVideoStillGetsTheOption) {
    // Without a number of threads, x264 gives the same video only by chance.
    ASSERT_TRUE(
        exits(batch({"-crf", "40", "-threads", "2", "-o", path("alone/"), short_clip()}), 0));
    ASSERT_TRUE(exits(
        batch({"-crf", "40", "-threads", "2", "-o", path("mixed/"), short_clip(), image_clip()}),
        0));
    EXPECT_EQ(frame_hashes(path("alone/cli_short.mkv"), "yuv420p"),
              frame_hashes(path("mixed/cli_short.mkv"), "yuv420p"));
}

TEST_F(CliMixedBatch, AnOptionThatNoOutputCanUseIsAnError) {
    EXPECT_TRUE(exits(batch({"-crf", "30", "-o", path("a.png"), image_clip()}), 2));
    EXPECT_TRUE(
        exits(batch({"-crf", "30", "-o", path("b/"), image_clip(), image_clip("image.jpg")}), 3));
    EXPECT_TRUE(exits(
        batch({"-crf", "30", "--strict", "-o", path("c/"), video_clip("video.mp4"), image_clip()}),
        3));
}

struct BadQuality {
    const char* crf;
    const char* encoder;
    const char* said;
};

TEST_F(CliMixedBatch, AQualityOutOfTheEncodersRangeIsRefused) {
    const std::vector<BadQuality> table = {
        {"52", "libx264", "libx264 takes 0 to 51"},
        {"60", "libx265", "libx265 takes 0 to 51"},
        {"99", "libx264", "expected a number from 0 (best) to 51"},
        {"64", "libvpx-vp9", "or 63"},
        {"abc", "libx264", "-crf abc: expected a number from 0"},
        {"nan", "libx264", "-crf nan: expected a number from 0"},
        {"-1", "libx264", "-crf -1: expected a number from 0"},
        {"18x", "libx264", "-crf 18x: expected a number from 0"},
    };
    for (const auto& [crf, encoder, said] : table) {
        SCOPED_TRACE(testing::Message() << encoder << " -crf " << crf);
        const Result result =
            batch({"-crf", crf, "-c:v", encoder, "-o", path("o.mkv"), short_clip()});
        EXPECT_TRUE(exits(result, 2));
        EXPECT_TRUE(contains(result.err, said)) << result.err;
        EXPECT_FALSE(fs::exists(path("o.mkv")));
    }
    EXPECT_TRUE(exits(batch({"-crf", "51", "-o", path("o.mkv"), short_clip()}), 0));
}

// No refusal uses the wording of the option parser.
TEST_F(CliMixedBatch, BadValuesAreRefusedInOurWords) {
    const std::vector<std::pair<Arguments, std::string>> table = {
        {{"--jobs", "two"}, "--jobs: 'two' is not a whole number from 1 to 1024"},
        {{"--max-side", "0"}, "--max-side: '0' is not a whole number from 1 to"},
        {{"-hwaccel", "gpu"}, "-hwaccel: 'gpu' is not one of auto, cuda, none"},
        {{"--verify", "x"}, "--verify: 'x' is not one of packets, decode"},
        {{"-loglevel", "loud"}, "-loglevel: 'loud' is not one of quiet"},
        {{"-b:v", "much"}, "-b:v much: expected bits per second, such as 4M"},
        {{"-b:v", "4M5"}, "-b:v 4M5: expected bits per second"},
        {{"-b:v", "-5"}, "-b:v -5: expected bits per second"},
        {{"-b:v", "inf"}, "-b:v inf: expected bits per second"},
        {{"-c:v", "copy"}, "filtered video cannot be copied"},
        {{"-o", path("p.mkv")}, "-o is given more than once"},
    };
    for (const auto& [options, said] : table) {
        Arguments arguments = options;
        arguments.insert(arguments.end(), {"-o", path("o.mkv"), short_clip()});
        const Result result = batch(arguments);
        EXPECT_TRUE(exits(result, 2));
        EXPECT_TRUE(contains(result.err, said)) << result.err;
    }
}

}  // namespace
}  // namespace weft::cli
