// Help, version and the command lines of first-time users.
#include <sstream>
#include <string>

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

// weft prove once hid its --json, with which an example of its own page begins.
TEST_F(CliHelp, ExamplesUseOptionsThatTheirPageExplains) {
    for (const std::string command : {"batch", "clean", "compare", "info", "list", "motion",
                                      "prove", "track", "tune", "view"}) {
        const std::string page = weft({command, "--help"}).out;
        const std::size_t end = page.find("Examples:");
        ASSERT_NE(end, std::string::npos) << command;
        std::istringstream examples(page.substr(end));
        for (std::string line; std::getline(examples, line);) {
            if (!line.starts_with("  weft " + command)) continue;
            std::istringstream words(line);
            for (std::string word; words >> word;) {
                if (!word.starts_with("--")) continue;
                EXPECT_TRUE(contains(page.substr(0, end), "  " + word)) << line;
            }
        }
    }
}

TEST_F(CliHelp, HelpOfEveryCommandGoesToStandardOutput) {
    for (const Arguments& arguments :
         {Arguments{"--help"}, Arguments{"-h"}, Arguments{"batch", "-h"},
          Arguments{"bench", "--help"}, Arguments{"clean", "-h"}, Arguments{"compare", "-h"},
          Arguments{"info", "--help"}, Arguments{"list", "--help"}, Arguments{"motion", "-h"},
          Arguments{"prove", "--help"}, Arguments{"track", "--help"}, Arguments{"tune", "--help"},
          Arguments{"view", "--help"}, Arguments{"batch", "-vf", "box", "--help"}}) {
        const Result result = weft(arguments);
        EXPECT_TRUE(exits(result, 0)) << testing::PrintToString(arguments);
        EXPECT_TRUE(contains(result.out, "weft")) << testing::PrintToString(arguments);
    }
}

TEST_F(CliHelp, TheFirstPageNamesTheCommands) {
    const Result result = weft({"--help"});
    for (const char* command : {"batch", "bench", "clean", "compare", "info", "list", "motion",
                                "prove", "track", "tune", "view"})
        EXPECT_TRUE(contains(result.out, command)) << result.out;
}

TEST_F(CliHelp, Version) {
    const Result result = weft({"--version"});
    EXPECT_TRUE(exits(result, 0));
    EXPECT_TRUE(contains(result.out, "0.1.0")) << result.out;
}

// Lists piped into a file have no colour codes.
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
    for (const Arguments& far : {Arguments{"batch", "-map", "0"}, Arguments{"batch", "-k"},
                                 Arguments{"batch", "-vf", "foo", "-o", "x.mkv", "i"}})
        EXPECT_FALSE(contains(weft(far).err, "did you mean")) << weft(far).err;
    EXPECT_TRUE(contains(weft({"list", "filter"}).err + weft({"list", "filter"}).out, "filters"));
}

// The first word, the exit code and a part of the last line of standard error.
struct FirstWords {
    Arguments arguments;
    int code;
    const char* said;
};

TEST_F(CliHelp, AFirstWordIsACommandAFileOrAnOption) {
    const std::vector<FirstWords> table = {
        {{}, 2, "neither DISPLAY nor WAYLAND_DISPLAY is set"},
        {{"nosuch.mp4"}, 1, "nosuch.mp4: no such file"},
        {{"folder/nosuch"}, 1, "folder/nosuch: no such file"},
        {{"bach"}, 2, "there is no command bach: did you mean 'batch'?"},
        {{"--bogus"}, 2, "unknown option --bogus"},
        {{"-ss", "abc", "nosuch.mp4"}, 2, "-ss abc"},
        {{"-framerate", "abc", "f_%d.png"}, 2, "-framerate abc: expected frames per second"},
        {{"--", "nosuch.mp4"}, 1, "nosuch.mp4: no such file"},
        {{"view", "nosuch.mp4", "none"}, 1, "nosuch.mp4: no such file"},
        {{"--", short_clip()}, 1, "weft batch filters files without one"},
        {{"-o", "x.mp4", "nosuch.mp4"},
         2,
         "-o is an option of weft batch, weft track, not of this command"},
        {{"info", "-vf", "box"},
         2,
         "-vf is an option of weft batch, weft compare, weft tune, weft view"},
        {{"help", "bach"}, 2, "did you mean 'batch'?"},
    };
    for (const auto& [arguments, code, said] : table) {
        SCOPED_TRACE(testing::PrintToString(arguments));
        Command command = weft_command(arguments);
        command.env["DISPLAY"] = command.env["WAYLAND_DISPLAY"] = std::nullopt;
        const Result result = run(command);
        if (contains(result.err, "this build has no window")) continue;
        EXPECT_TRUE(exits(result, code));
        EXPECT_TRUE(contains(last_line(result.err), said)) << result.err;
    }
}

TEST_F(CliHelp, WithoutArgumentsAndDisplayTheUsageIsShown) {
    Command command = weft_command({});
    command.env["DISPLAY"] = command.env["WAYLAND_DISPLAY"] = std::nullopt;
    const Result result = run(command);
    EXPECT_TRUE(exits(result, 2));
    EXPECT_TRUE(contains(result.err, "Usage: weft COMMAND")) << result.err;
    EXPECT_EQ(result.out, "");
}

// Two dashes end the options: the file is opened, and only the display is missing.
TEST_F(CliHelp, TwoDashesEndTheOptions) {
    Command command = weft_command({"--", short_clip()});
    command.env["DISPLAY"] = command.env["WAYLAND_DISPLAY"] = std::nullopt;
    const Result result = run(command);
    EXPECT_TRUE(exits(result, 1));
    EXPECT_FALSE(contains(result.err, "there is no command")) << result.err;
}

}  // namespace
}  // namespace weft::cli
