// R07: size, format and tags that change in mid-stream: an error with a remedy, or every picture in
// the first one's format, and each change in the report with its time.
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

constexpr const char* kPlain = "-pix_fmt yuv420p";
constexpr const char* kSize = "320x192";
constexpr int kFrames = 30;  // per half

struct Half {
    std::string name;
    std::string video = kPlain;
    std::string size = kSize;
    int sample_rate = 44100;
};

struct Case {
    std::string name;
    Half first, second;
    std::string what, from, to;                          // the change, as reported
    enum class Without { fails, warns, notes } without;  // --on-change scale
};

using Without = Case::Without;
const Half kFirst{"plain"};
const std::vector<Case> kCases = {
    {"SizeUp", kFirst, {"up", kPlain, "640x384"}, "size", kSize, "640x384", Without::fails},
    {"SizeDown", kFirst, {"down", kPlain, "160x96"}, "size", kSize, "160x96", Without::fails},
    {"Chroma",
     kFirst,
     {"chroma", "-pix_fmt yuv422p"},
     "pixel format",
     "yuv420p",
     "yuv422p",
     Without::fails},
    {"Depth",
     kFirst,
     {"depth", "-pix_fmt yuv420p10le"},
     "pixel format",
     "yuv420p",
     "yuv420p10le",
     Without::fails},
    {"Range",
     kFirst,
     {"range", "-pix_fmt yuvj420p"},
     "colour range",
     "limited",
     "full",
     Without::fails},
    {"Aspect",
     kFirst,
     {"aspect", "-pix_fmt yuv420p -vf setsar=4/3"},
     "display aspect",
     "5:3",
     "20:9",
     Without::warns},
    {"Scan",
     {"interlaced", "-pix_fmt yuv420p -vf setfield=tff -flags +ildct+ilme"},
     {"plain2"},
     "scan",
     "interlaced",
     "progressive",
     Without::notes},
};

// Half a file: one second of picture and tone; the second half begins at the end of the first.
std::string half(const Half& half, bool second) {
    const std::string offset =
        second ? " -output_ts_offset 1.1 -mpegts_flags initial_discontinuity" : "";
    return clip(fmt::format("r07_{}{}.ts", half.name, second ? "_later" : ""),
                picture_input(1, half.size) + tone_input(1) +
                    fmt::format(" -c:v libx264 -preset ultrafast -g 15 -bf 2 -threads 2 {} "
                                "-c:a aac -ar {}{}",
                                half.video, half.sample_rate, offset));
}

class CliR07MidStream : public CliTest {
 protected:
    std::string joined(const Half& first, const Half& second) const {
        std::string file = path("joined.ts");
        write_file(file, read_file(half(first, false)) + read_file(half(second, true)));
        return file;
    }
    // Copies every sample and stores it exactly.
    Arguments copying(const std::string& input, Arguments more) const {
        Arguments words = {"batch", "-vf", "convolve=matrix=1", "--gpu", gpu_, "--lossless",
                           "-y",    "-o",  path("out.mkv")};
        words.insert(words.end(), more.begin(), more.end());
        words.push_back(input);
        return words;
    }

    std::string gpu_ = "off";
};

class CliR07Pair : public CliR07MidStream, public testing::WithParamInterface<Case> {
 protected:
    void expect_failure_or_report() const;
    void expect_first_format() const;
};

class GpuR07Pair : public CliR07Pair {
 protected:
    void SetUp() override {
        CliR07Pair::SetUp();
        gpu_ = "require";
        skip_without_gpu();
    }
};

std::string change_text(const Case& row) {
    return fmt::format("the {} changes from {} to {}", row.what, row.from, row.to);
}

double time_of_second_half(const std::string& file) {
    return frame_times(file).at(kFrames);
}

void expect_change(const std::string& report, const Case& row, double seconds) {
    const auto file = parse_json(report).at("files").at(0);
    EXPECT_EQ(file.at("frames_out"), 2 * kFrames);
    const auto& changes = file.at("changes");
    bool found = false;
    for (const auto& change : changes)
        if (change.at("what") == row.what) {
            found = true;
            EXPECT_EQ(change.at("from"), row.from);
            EXPECT_EQ(change.at("to"), row.to);
            EXPECT_NEAR(change.at("seconds").get<double>(), seconds, 1e-3);
        }
    EXPECT_TRUE(found) << changes;
    EXPECT_EQ(changes.size(), 1U) << changes;
}

void CliR07Pair::expect_failure_or_report() const {
    const Case& row = GetParam();
    const std::string input = joined(row.first, row.second);
    const double seconds = time_of_second_half(input);
    const Result result = weft(copying(input, {"--json", path("report.json")}));
    if (row.without == Without::fails) {
        EXPECT_TRUE(exits(result, 1));
        EXPECT_TRUE(contains(result.err, fmt::format("at {:.3f} s: ", seconds))) << result.err;
        EXPECT_TRUE(contains(result.err, change_text(row))) << result.err;
        EXPECT_TRUE(contains(result.err, "--on-change scale")) << result.err;
        EXPECT_FALSE(std::filesystem::exists(path("out.mkv")));
        return;
    }
    EXPECT_TRUE(exits(result, 0));
    EXPECT_TRUE(contains(result.err, change_text(row))) << result.err;
    EXPECT_EQ(contains(result.err, "throughout"), row.without == Without::warns) << result.err;
    expect_change(read_file(path("report.json")), row, seconds);
    EXPECT_EQ(frame_count(path("out.mkv")), 2 * kFrames);
    // Nothing proves that a transport stream is complete, so --strict refuses it, too.
    const Result strict = weft(copying(input, {"--strict"}));
    EXPECT_TRUE(exits(strict, 2));
    EXPECT_EQ(contains(strict.err, "completeness"), row.without != Without::warns) << strict.err;
}

TEST_P(CliR07Pair, FailsOrIsReportedByDefault) {
    expect_failure_or_report();
}

TEST_P(GpuR07Pair, FailsOrIsReportedByDefault) {
    expect_failure_or_report();
}

// Mean difference of the last pictures' samples, against ffmpeg's scaler.
double difference_at_end(const std::string& output, const std::string& second) {
    const std::string got = raw_video(output, "yuv420p");
    const std::string want =
        raw_video(second, "yuv420p -vf scale=320:192:out_range=tv:flags=bicubic,setsar=1");
    const std::size_t size = 320 * 192 * 3 / 2;
    EXPECT_EQ(got.size(), 2 * kFrames * size);
    EXPECT_EQ(want.size(), kFrames * size);
    if (got.size() < size || want.size() < size) return 255;
    double sum = 0;
    for (std::size_t k = 1; k <= size; ++k)
        sum += std::abs(static_cast<unsigned char>(got[got.size() - k]) -
                        static_cast<unsigned char>(want[want.size() - k]));
    return sum / static_cast<double>(size);
}

void CliR07Pair::expect_first_format() const {
    const Case& row = GetParam();
    const std::string input = joined(row.first, row.second);
    const Result result =
        weft(copying(input, {"--on-change", "scale", "--json", path("report.json")}));
    EXPECT_TRUE(exits(result, 0));
    EXPECT_TRUE(contains(result.err, change_text(row))) << result.err;
    expect_change(read_file(path("report.json")), row, time_of_second_half(input));
    EXPECT_EQ(video_field(path("out.mkv"), "pix_fmt"), "yuv420p");
    EXPECT_EQ(video_field(path("out.mkv"), "width"), "320");
    EXPECT_EQ(frame_times(path("out.mkv")).size(), 2U * kFrames);
    // Unconverted, full range is off by eight, another size by far more.
    EXPECT_LT(difference_at_end(path("out.mkv"), half(row.second, true)), 1.5);
}

TEST_P(CliR07Pair, AllPicturesComeInTheFirstOnesFormat) {
    expect_first_format();
}

TEST_P(GpuR07Pair, AllPicturesComeInTheFirstOnesFormat) {
    expect_first_format();
}

INSTANTIATE_TEST_SUITE_P(Pairs, CliR07Pair, testing::ValuesIn(kCases),
                         [](const auto& pair) { return pair.param.name; });
INSTANTIATE_TEST_SUITE_P(Pairs, GpuR07Pair, testing::ValuesIn(kCases),
                         [](const auto& pair) { return pair.param.name; });

std::size_t sound_samples(const std::string& file) {
    return ffmpeg_text(file, "-map 0:a -ac 1 -f s16le -").size() / 2;
}

// Matroska stores the rate of AAC once; NUT leaves it to each packet.
TEST_F(CliR07MidStream, ChangingAudioIsCopiedOnlyIfItsPacketsCarryTheChange) {
    const std::string input = joined(kFirst, {"rate", kPlain, kSize, 48000});
    for (const char* policy : {"fail", "scale"}) {
        const Result refused = weft(copying(input, {"--on-change", policy}));
        EXPECT_TRUE(exits(refused, 1));
        EXPECT_TRUE(contains(refused.err, "changes from 44100 Hz and 1 channels to 48000 Hz and 1"))
            << refused.err;
        EXPECT_TRUE(contains(refused.err, "-c:a aac")) << refused.err;
        EXPECT_FALSE(std::filesystem::exists(path("out.mkv")));
    }
    const Result encoded = weft(copying(input, {"-c:a", "aac"}));
    EXPECT_TRUE(exits(encoded, 0));
    EXPECT_TRUE(contains(encoded.err, "the sample rate changes from 44100 Hz to 48000 Hz"))
        << encoded.err;
    EXPECT_NEAR(static_cast<double>(sound_samples(path("out.mkv"))), 2.1 * 44100, 0.1 * 44100);
    EXPECT_TRUE(exits(weft({"batch", "-vf", "box", "-o", path("out.nut"), input}), 0));
    EXPECT_TRUE(exits(weft(copying(input, {"-an"})), 0));
}

}  // namespace
}  // namespace weft::cli
