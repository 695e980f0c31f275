#include <ranges>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/batch/batch_arguments.h"
#include "app/media/libav/error.h"

namespace weft {
namespace {

using testing::HasSubstr;

BatchOptions parse(const std::vector<std::string>& arguments) {
    return *parse_batch(arguments);
}

// The minimal arguments of a batch, plus `more`.
std::vector<std::string> with(std::vector<std::string> more) {
    std::vector<std::string> all = {"-vf", "box", "-o", "out.mp4", "in.mp4"};
    all.insert(all.begin(), more.begin(), more.end());
    return all;
}

std::string error_of(const std::vector<std::string>& arguments) {
    try {
        parse_batch(arguments);
        return "";
    } catch (const Error& error) {
        EXPECT_EQ(error.outcome(), Outcome::usage);
        return error.what();
    }
}

// The bytes of a plan depend neither on the version that made it nor on the order of the words.
TEST(CliParseBatch, PlansStoreOptionsInOneOrder) {
    const std::vector<PlanOption> stored = {{"--kernel", "direct"},
                                            {"--fields", "split"},
                                            {"--exact", ""},
                                            {"--format", "mkv"},
                                            {"--start", "1"},
                                            {"--duration", "2"},
                                            {"--end", "9"},
                                            {"--framerate", "9"},
                                            {"--no-audio", ""},
                                            {"--no-subtitles", ""},
                                            {"--video-codec", "ffv1"},
                                            {"--audio-codec", "copy"},
                                            {"--crf", "9"},
                                            {"--bit-rate", "4M"},
                                            {"--encoder-preset", "slow"},
                                            {"--pixel-format", "gray"},
                                            {"--threads", "2"},
                                            {"--lossless", ""},
                                            {"--strict", ""},
                                            {"--hwaccel", "none"},
                                            {"--keep-damaged", ""},
                                            {"--on-change", "scale"},
                                            {"--verify", "decode"},
                                            {"--max-pixels", "9"},
                                            {"--max-side", "9"}};
    std::vector<std::string> words = {"--plan=a.plan"};
    for (const auto& [name, value] : std::views::reverse(stored))
        words.push_back(value.empty() ? name : fmt::format("{}={}", name, value));
    EXPECT_EQ(parse(with(words)).planned_options, stored);
}

TEST(CliParseBatch, Defaults) {
    const BatchOptions options = parse(with({}));
    EXPECT_EQ(options.inputs, std::vector<std::string>{"in.mp4"});
    EXPECT_EQ(options.output, "out.mp4");
    EXPECT_EQ(options.stack.stack, "box");
    EXPECT_FALSE(options.jobs.has_value());
    EXPECT_EQ(options.gpu.mode, GpuMode::automatic);
    EXPECT_EQ(options.job.writer.overwrite, Overwrite::refuse);
    EXPECT_FALSE(options.job.writer.verify.has_value());
    EXPECT_FALSE(options.job.writer.crf.has_value());
    EXPECT_FALSE(options.json.has_value());
    EXPECT_TRUE(options.job.reader.audio && options.job.reader.subtitles);
    EXPECT_EQ(options.job.reader.limits.max_pixels, 256LL << 20);
    EXPECT_EQ(options.job.reader.limits.max_side, 65535);
}

TEST(CliParseBatch, EveryOptionArrives) {
    const BatchOptions options = parse(with({"-c:v",        "libx264",    "-c:a",
                                             "aac",         "-crf",       "0",
                                             "-b:v",        "4M",         "-preset",
                                             "slow",        "-pix_fmt",   "yuv444p",
                                             "-f",          "matroska",   "-ss",
                                             "1",           "-t",         "2",
                                             "-an",         "-sn",        "-y",
                                             "--jobs",      "3",          "--gpu",
                                             "1",           "--kernel",   "opencv_cpu",
                                             "--lossless",  "--strict",   "--keep-damaged",
                                             "--verify",    "decode",     "--max-pixels",
                                             "1000",        "--max-side", "99",
                                             "--json",      "r.json",     "--progress=json",
                                             "--recursive", "--dry-run",  "--on-change",
                                             "scale",       "--resume"}));
    EXPECT_EQ(options.job.writer.video_codec, "libx264");
    EXPECT_EQ(options.job.writer.audio_codec, "aac");
    EXPECT_EQ(options.job.writer.crf, 0);
    EXPECT_EQ(options.job.writer.bit_rate, "4M");
    EXPECT_EQ(options.job.writer.preset, "slow");
    EXPECT_EQ(options.job.writer.pixel_format, "yuv444p");
    EXPECT_EQ(options.job.writer.format, "matroska");
    EXPECT_EQ(options.job.reader.start_us, 1'000'000);
    EXPECT_EQ(options.job.reader.end_us, 3'000'000);
    EXPECT_FALSE(options.job.reader.audio || options.job.reader.subtitles);
    EXPECT_EQ(options.job.writer.overwrite, Overwrite::replace);
    EXPECT_EQ(options.jobs, 3);
    EXPECT_EQ(options.gpu.ordinals, std::vector{1});
    EXPECT_EQ(options.job.forced.every_step, "opencv_cpu");
    EXPECT_TRUE(options.job.writer.lossless && options.job.writer.strict &&
                options.job.keep_damaged);
    EXPECT_EQ(options.job.writer.verify, Verify::decode);
    EXPECT_EQ(options.job.reader.limits.max_pixels, 1000);
    EXPECT_EQ(options.job.reader.limits.max_side, 99);
    EXPECT_EQ(options.json, "r.json");
    EXPECT_EQ(options.progress, ProgressMode::json);
    EXPECT_TRUE(options.recursive && options.dry_run && options.resume);
    EXPECT_EQ(options.job.on_change, OnChange::scale);
}

TEST(CliParseBatch, ListsOfFiles) {
    const BatchOptions options =
        parse({"-vf", "box", "-o", "x/", "--input-list", "all.txt", "--failed-list", "failed.txt"});
    EXPECT_EQ(options.input_list, "all.txt");
    EXPECT_EQ(options.failed_list, "failed.txt");
    EXPECT_TRUE(options.inputs.empty());
}

TEST(CliParseBatch, LogLevelsOfFfmpegSilenceProgress) {
    EXPECT_EQ(parse(with({"-v", "error"})).progress, ProgressMode::none);
    EXPECT_EQ(parse(with({"-loglevel", "warning"})).progress, ProgressMode::automatic);
    EXPECT_EQ(parse(with({"-v", "quiet", "--progress=json"})).progress, ProgressMode::json);
    EXPECT_THAT(error_of(with({"-v", "loud"})), HasSubstr("loud"));
}

TEST(CliParseBatch, LastOneWins) {
    EXPECT_EQ(parse(with({"-crf", "10", "-crf", "20"})).job.writer.crf, 20);
}

TEST(CliParseBatch, HelpNeedsNothingElse) {
    EXPECT_FALSE(parse_batch(std::vector<std::string>{"--help"}).has_value());
    EXPECT_FALSE(parse_batch(std::vector<std::string>{"in.mp4", "-h"}).has_value());
    EXPECT_THAT(batch_help(), HasSubstr("-c:v CODEC"));
    EXPECT_THAT(batch_help(), HasSubstr("Examples:"));
}

TEST(CliParseBatch, MissingAndConflictingOptions) {
    EXPECT_THAT(error_of({"-vf", "box", "-o", "x.mp4"}), HasSubstr("no input"));
    EXPECT_THAT(error_of({"-vf", "box", "in.mp4"}), HasSubstr("no output"));
    EXPECT_THAT(error_of({"-o", "x.mp4", "in.mp4"}), HasSubstr("nothing to do"));
    EXPECT_THAT(error_of(with({"--preset", "edges"})), HasSubstr("are mutually exclusive"));
    EXPECT_THAT(error_of(with({"-y", "-n"})), HasSubstr("are mutually exclusive"));
    EXPECT_THAT(error_of({"-vf", "box", "-o", "-", "--json", "in.mp4"}),
                HasSubstr("standard output"));
    EXPECT_THAT(error_of(with({"--failed-list", "-"})), HasSubstr("must go to a file"));
    EXPECT_THAT(error_of(with({"--input-list", "-", "-"})), HasSubstr("standard input"));
}

TEST(CliParseBatch, BadValuesNameTheOption) {
    EXPECT_THAT(error_of(with({"-crf", "abc"})), HasSubstr("-crf"));
    EXPECT_THAT(error_of(with({"-crf", "nan"})), HasSubstr("-crf"));
    EXPECT_THAT(error_of(with({"-crf", "-1"})), HasSubstr("-crf"));
    EXPECT_THAT(error_of(with({"--jobs", "0"})), HasSubstr("--jobs"));
    EXPECT_THAT(error_of(with({"--jobs", "two"})), HasSubstr("--jobs"));
    EXPECT_THAT(error_of(with({"--gpu", "maybe"})), HasSubstr("--gpu"));
    EXPECT_THAT(error_of(with({"--verify", "all"})), HasSubstr("--verify"));
    EXPECT_THAT(error_of(with({"--on-change", "split"})), HasSubstr("--on-change"));
    EXPECT_THAT(error_of(with({"--progress", "bar"})), HasSubstr("--progress"));
    EXPECT_THAT(error_of(with({"--max-pixels", "-5"})), HasSubstr("--max-pixels"));
    EXPECT_THAT(error_of(with({"-ss", "-5"})), HasSubstr("-ss"));
    EXPECT_THAT(error_of(with({"--kernel", "fast"})), HasSubstr("opencv_cpu"));
    EXPECT_THAT(error_of(with({"-c:v", "libx265x"})), HasSubstr("libx265"));
    EXPECT_THAT(error_of(with({"-c:v", "aac"})), HasSubstr("no such video encoder"));
    EXPECT_THAT(error_of(with({"-c:a", "libx264"})), HasSubstr("no such audio encoder"));
    EXPECT_THAT(error_of(with({"-pix_fmt", "yuv420"})), HasSubstr("yuv420p"));
    EXPECT_THAT(error_of(with({"-o", "b.mp4"})), HasSubstr("-o"));
}

}  // namespace
}  // namespace weft
