#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/command_line.h"
#include "app/media/libav/error.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::vector<KnownOption> kKnown = {{"--vf"},
                                         {"--output"},
                                         {"--start"},
                                         {"--end"},
                                         {"--duration"},
                                         {"--crf"},
                                         {"--video-codec"},
                                         {"--audio-codec"},
                                         {"--bit-rate"},
                                         {"--encoder-preset"},
                                         {"--preset"},
                                         {"--pixel-format"},
                                         {"--threads"},
                                         {"--format"},
                                         {"--json"},
                                         {"--jobs"},
                                         {"--overwrite", false},
                                         {"--skip-existing", false},
                                         {"--no-audio", false},
                                         {"--no-subtitles", false},
                                         {"--help", false},
                                         {"--lossless", false}};

SplitArguments split(const std::vector<std::string>& arguments) {
    return split_arguments(arguments, kKnown);
}

std::string error_of(const std::vector<std::string>& arguments) {
    try {
        split(arguments);
        return "";
    } catch (const Error& error) {
        EXPECT_EQ(error.outcome(), Outcome::usage);
        return error.what();
    }
}

struct WordRow {
    std::vector<std::string> typed;
    std::string option;
};

TEST(CliParseArguments, WordsWithFfmpegsMeaning) {
    for (const auto& [typed, option] : {
             WordRow{{"-vf", "gblur"}, "--vf=gblur"},
             WordRow{{"-ss", "5"}, "--start=5"},
             WordRow{{"-t", "5"}, "--duration=5"},
             WordRow{{"-to", "5"}, "--end=5"},
             WordRow{{"-y"}, "--overwrite"},
             WordRow{{"-n"}, "--skip-existing"},
             WordRow{{"-an"}, "--no-audio"},
             WordRow{{"-sn"}, "--no-subtitles"},
             WordRow{{"-c:v", "ffv1"}, "--video-codec=ffv1"},
             WordRow{{"-c:a", "copy"}, "--audio-codec=copy"},
             WordRow{{"-crf", "20"}, "--crf=20"},
             WordRow{{"-b:v", "4M"}, "--bit-rate=4M"},
             WordRow{{"-preset", "slow"}, "--encoder-preset=slow"},
             WordRow{{"--preset", "edges"}, "--preset=edges"},
             WordRow{{"-pix_fmt", "gray"}, "--pixel-format=gray"},
             WordRow{{"-threads", "3"}, "--threads=3"},
             WordRow{{"-f", "nut"}, "--format=nut"},
             WordRow{{"-o", "-"}, "--output=-"},
             WordRow{{"--output=x"}, "--output=x"},
             WordRow{{"--jobs", "4"}, "--jobs=4"},
             WordRow{{"-h"}, "--help"},
         }) {
        const SplitArguments got = split(typed);
        EXPECT_THAT(got.options, ElementsAre(option));
        EXPECT_THAT(got.inputs, IsEmpty()) << option;
    }
}

TEST(CliParseArguments, ValuesAreTakenWhateverTheyLookLike) {
    EXPECT_THAT(split({"-vf", "[x]"}).options, ElementsAre("--vf=[x]"));
    EXPECT_THAT(split({"-vf", "a=b:c='d'"}).options, ElementsAre("--vf=a=b:c='d'"));
    EXPECT_THAT(split({"-ss", "-5"}).options, ElementsAre("--start=-5"));
    EXPECT_THAT(split({"--vf=-x"}).options, ElementsAre("--vf=-x"));
}

TEST(CliParseArguments, InputsKeepTheirOrder) {
    const SplitArguments got = split({"a", "-y", "-", "-vf", "box", "b", "--", "-c", "--vf", "--"});
    EXPECT_THAT(got.options, ElementsAre("--overwrite", "--vf=box"));
    EXPECT_THAT(got.inputs, ElementsAre("a", "-", "b", "-c", "--vf", "--"));
}

TEST(CliParseArguments, PastedLinesOfFfmpegWork) {
    const SplitArguments got = split({"-hide_banner", "-nostdin", "-y", "-i", "a", "-i", "-", "b"});
    EXPECT_THAT(got.options, ElementsAre("--overwrite"));
    EXPECT_THAT(got.inputs, ElementsAre("a", "-", "b"));
    EXPECT_THAT(error_of({"-i"}), HasSubstr("-i needs a value"));
}

TEST(CliParseArguments, JsonTakesOnlyAJsonName) {
    EXPECT_THAT(split({"--json", "in.mp4"}).options, ElementsAre("--json=-"));
    EXPECT_THAT(split({"--json", "in.mp4"}).inputs, ElementsAre("in.mp4"));
    EXPECT_THAT(split({"--json", "r.json", "in.mp4"}).options, ElementsAre("--json=r.json"));
    EXPECT_THAT(split({"--json=r.txt"}).options, ElementsAre("--json=r.txt"));
    EXPECT_THAT(split({"a", "--json"}).options, ElementsAre("--json=-"));
    EXPECT_THROW((void)split({"--json", "r.txt", "in.mp4"}), Error);
}

TEST(CliParseArguments, UnknownWordsAreRefusedWithTheNearest) {
    EXPECT_THAT(error_of({"-vg", "x"}), HasSubstr("-vf"));
    EXPECT_THAT(error_of({"--outptu", "x"}), HasSubstr("--output"));
    EXPECT_THAT(error_of({"--loss-less"}), HasSubstr("--lossless"));
    EXPECT_THAT(error_of({"-cv", "x264"}), HasSubstr("unknown option -cv"));
    EXPECT_THAT(error_of({"-yn"}), HasSubstr("unknown option -yn"));
    EXPECT_THAT(error_of({"-x"}), HasSubstr("unknown option -x"));
    EXPECT_THAT(error_of({"-5"}), HasSubstr("unknown option -5"));
    EXPECT_THAT(error_of({"--start-time=4"}), HasSubstr("unknown option --start-time"));
}

TEST(CliParseArguments, MissingAndSuperfluousValues) {
    EXPECT_THAT(error_of({"-vf"}), HasSubstr("-vf needs a value"));
    EXPECT_THAT(error_of({"-vf", "-o", "x"}), HasSubstr("-vf needs a value"));
    EXPECT_THAT(error_of({"-o", "--", "x"}), HasSubstr("-o needs a value"));
    EXPECT_THAT(error_of({"-vf", ""}), HasSubstr("-vf needs a value"));
    EXPECT_THAT(error_of({"--vf="}), HasSubstr("needs a value"));
    EXPECT_THAT(error_of({"--lossless=yes"}), HasSubstr("takes no value"));
}

TEST(CliParseArguments, MessagesUseTheWordsThatUsersType) {
    EXPECT_EQ(typed_form("--video-codec"), "-c:v");
    EXPECT_EQ(typed_form("--jobs"), "--jobs");
}

struct Parsed {
    std::string output, level;
    std::int64_t frames = 0;
    std::optional<int> jobs;
    bool overwrite = false;
};

// The inputs, or the message of the error.
std::string parse(const std::vector<std::string>& arguments, Parsed& parsed) {
    CommandLine line("weft test INPUT", "Tests.", "Examples:\n  weft test a");
    OptionGroup group = line.group("Options");
    group.add_text("--output", "FILE", parsed.output, "Write to FILE").once = true;
    group.add_flag("--overwrite", parsed.overwrite, "Replace FILE");
    OptionGroup other = line.group("A group with a long option");
    other.add_number("--frames", parsed.frames, 1, 200, "Number of frames");
    other.add_number("--jobs", parsed.jobs, 1, 16, "Number of jobs");
    other.add_choice("--loglevel", "a placeholder of some width|info|debug", parsed.level,
                     {"info", "debug"}, "Verbosity");
    bool help_requested = false;
    try {
        const std::vector<std::string> inputs = line.parse(arguments, help_requested);
        return help_requested ? line.help() : fmt::format("{}", fmt::join(inputs, " "));
    } catch (const Error& error) {
        return error.what();
    }
}

TEST(CliCommandLine, TheHelpPageShowsEveryGroupInTwoColumns) {
    Parsed parsed;
    EXPECT_EQ(parse({"-y", "-h"}, parsed), R"(Tests.

Usage: weft test INPUT

Options:
  -h                        Show this page
  -o FILE                   Write to FILE
  -y                        Replace FILE

A group with a long option:
  --frames N                Number of frames
  --jobs N                  Number of jobs
  -loglevel a placeholder of some width|info|debug
                            Verbosity

Examples:
  weft test a
)");
    EXPECT_FALSE(parsed.overwrite);
}

TEST(CliCommandLine, TheLastValueCounts) {
    Parsed parsed;
    EXPECT_EQ(parse({"a", "--frames", "7", "-y", "--jobs=2", "-o", "x=y", "--frames", "010", "b"},
                    parsed),
              "a b");
    EXPECT_EQ(parsed.frames, 10);
    EXPECT_EQ(parsed.jobs, 2);
    EXPECT_EQ(parsed.output, "x=y");
    EXPECT_TRUE(parsed.overwrite);
}

TEST(CliCommandLine, WrongValuesAreRefusedInTheWordsThatUsersType) {
    Parsed parsed;
    EXPECT_THAT(parse({"--frames", "7x"}, parsed), HasSubstr("--frames: '7x'"));
    EXPECT_THAT(parse({"--frames", "201"}, parsed), HasSubstr("from 1 to 200"));
    EXPECT_THAT(parse({"--jobs", "0", "--jobs", "1"}, parsed), HasSubstr("--jobs: '0'"));
    EXPECT_THAT(parse({"-v", "loud"}, parsed), HasSubstr("-loglevel: 'loud' is not one of"));
    EXPECT_THAT(parse({"-o", "x", "-o", "x"}, parsed), HasSubstr("-o is given more than once"));
}

}  // namespace
}  // namespace weft
