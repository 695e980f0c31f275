// Help, version and what a first-time user types.
#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

class CliHelp : public CliTest {};

TEST_F(CliHelp, BatchHelpNamesEveryOption) {
    const Result result = weft({"batch", "--help"});
    EXPECT_TRUE(exits(result, 0));
    EXPECT_EQ(result.err, "");
    for (const char* option :
         {"-vf",        "--preset",       "-o",        "-f",         "--recursive", "-y",
          "-n",         "--gpu",          "--jobs",    "-ss",        "-t",          "-to",
          "--kernel",   "--dry-run",      "--explain", "--progress", "--json",      "--lossless",
          "--strict",   "--keep-damaged", "--verify",  "-c:v",       "-c:a",        "-crf",
          "-b:v",       "-preset",        "-pix_fmt",  "-an",        "-sn",         "--max-pixels",
          "--max-side", "--resume"})
        EXPECT_TRUE(contains(result.out, option)) << option << " is not in the help";
    EXPECT_TRUE(contains(result.out, "weft batch -vf")) << "no example";
}

TEST_F(CliHelp, HelpOfEveryCommandGoesToStandardOutput) {
    for (const Arguments& arguments :
         {Arguments{"--help"}, Arguments{"-h"}, Arguments{"batch", "-h"},
          Arguments{"bench", "--help"}, Arguments{"clean", "-h"}, Arguments{"compare", "-h"},
          Arguments{"info", "--help"}, Arguments{"list", "--help"}, Arguments{"view", "--help"},
          Arguments{"batch", "-vf", "box", "--help"}}) {
        const Result result = weft(arguments);
        EXPECT_TRUE(exits(result, 0)) << testing::PrintToString(arguments);
        EXPECT_TRUE(contains(result.out, "weft")) << testing::PrintToString(arguments);
    }
}

TEST_F(CliHelp, TheFirstPageNamesTheCommands) {
    const Result result = weft({"--help"});
    for (const char* command : {"batch", "bench", "clean", "compare", "info", "list", "view"})
        EXPECT_TRUE(contains(result.out, command)) << result.out;
}

TEST_F(CliHelp, Version) {
    const Result result = weft({"--version"});
    EXPECT_TRUE(exits(result, 0));
    EXPECT_TRUE(contains(result.out, "0.1.0")) << result.out;
}

// A list that a user pipes into a file has no colour codes.
TEST_F(CliHelp, NoEscapeCodesOffATerminal) {
    for (const Arguments& arguments :
         {Arguments{"list", "filters"}, Arguments{"batch", "--help"},
          Arguments{"batch", "-vf", "gausian", "-o", path("o.mkv"), "in.mkv"}}) {
        const Result result = weft(arguments);
        EXPECT_FALSE(contains(result.out + result.err, "\x1b")) << result.out << result.err;
    }
}

TEST_F(CliHelp, NearMissesAreSuggested) {
    EXPECT_TRUE(contains(weft({"bach"}).err, "batch"));
    EXPECT_TRUE(contains(weft({"batch", "--recursiv"}).err, "--recursive"));
    EXPECT_TRUE(contains(weft({"list", "filter"}).err + weft({"list", "filter"}).out, "filters"));
}

}  // namespace
}  // namespace weft::cli
