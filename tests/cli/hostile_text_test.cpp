// Names, tags and option words that try to control the terminal or to pass for other lines.
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

// ESC sequences, BEL, carriage return, newline, DEL, a C1 control, a bidirectional override and a
// byte that is not UTF-8.
const std::string kHostile = "e\x1b[31m\x1b]0;t\x07\rFAKE\nFAKE\x7f\xc2\x9b\xe2\x80\xae\xff";

// The first character that must not reach a terminal, as hexadecimal text; "" if none.
std::string unsafe_character(const std::string& text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto byte = static_cast<unsigned char>(text[at]);
        const bool control = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F;
        const bool c1 =
            byte == 0xC2 && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xA0;
        const bool override_mark = text.compare(at, 3, "\xe2\x80\xae") == 0;
        if (control || c1 || override_mark || byte == 0xFF)
            return fmt::format("{:02x} at {}", byte, at);
    }
    return "";
}

class CliHostileText : public CliTest {
 protected:
    void expect_safe(const Result& result) {
        for (const std::string& text : {result.out, result.err}) {
            EXPECT_EQ(unsafe_character(text), "") << text;
            EXPECT_FALSE(contains("\n" + text, "\nFAKE")) << "a line of its own:\n" << text;
        }
        EXPECT_NE(result.out + result.err, "");
        EXPECT_EQ(result.signal, 0);
    }
    // Runs with every "HOSTILE" and "NAME" replaced by the hostile text and the hostile file.
    Result run_with(Arguments arguments) {
        for (std::string& argument : arguments) {
            if (argument == "NAME") argument = name_;
            const std::size_t at = argument.find("HOSTILE");
            if (at != std::string::npos) argument.replace(at, 7, kHostile);
        }
        Command command = weft_command(arguments);
        command.folder = folder_.path();
        command.env["XDG_CONFIG_HOME"] = path("config");
        command.env["DISPLAY"] = std::nullopt;
        return run(command);
    }

    std::string name_ = kHostile + ".mkv";
};

TEST_F(CliHostileText, NoCommandPrintsAFileNameUnescaped) {
    fs::copy(short_clip(), path(name_));
    fs::copy(short_clip(), path("plain.mkv"));
    write_file(path(kHostile + "bad.mkv"), "no video");
    const std::vector<Arguments> table = {
        {"batch", "-vf", "box", "-o", "HOSTILE.mp4", "NAME"},
        {"batch", "-vf", "box", "-o", "HOSTILE.mp4", "NAME"},  // exists
        {"batch", "-vf", "box", "-n", "-o", "HOSTILE.mp4", "NAME"},
        {"batch", "-vf", "box", "-o", "HOSTILEfolder/", "NAME", "plain.mkv", "HOSTILEbad.mkv"},
        {"batch", "-vf", "box", "-o", "null:", "--progress=json", "NAME", "plain.mkv"},
        {"batch", "-vf", "box", "-o", "null:", "--progress=none", "NAME", "HOSTILEbad.mkv"},
        {"batch", "-vf", "box", "-o", "null:", "--json", "NAME"},
        {"batch", "-vf", "box", "-o", "null:", "--explain", "NAME"},
        {"batch", "-vf", "box", "-o", "x.mkv", "--dry-run", "--explain", "NAME"},
        {"batch", "-vf", "box", "-o", "x.mkv", "--dry-run", "--json", "NAME"},
        {"batch", "-vf", "box", "-o", "x.mkv", "HOSTILEmissing"},
        {"batch", "-vf", "box", "-o", "x.mkv", "HOSTILEbad.mkv"},
        {"batch", "-vf", "box", "-o", "null:", "--resume", "NAME"},
        {"compare", "-vf", "box", "-t", "0.1", "NAME"},
        {"compare", "-vf", "box", "-t", "0.1", "--json", "NAME"},
        {"compare", "-vf", "box", "HOSTILEmissing"},
        {"info", "NAME"},
        {"info", "--json", "NAME"},
        {"info", "HOSTILEmissing"},
        {"info", "HOSTILEbad.mkv"},
    };
    for (const Arguments& arguments : table) {
        SCOPED_TRACE(testing::PrintToString(arguments));
        expect_safe(run_with(arguments));
    }
}

TEST_F(CliHostileText, NoCommandPrintsAnOptionUnescaped) {
    fs::copy(short_clip(), path("in.mkv"));
    std::vector<Arguments> table = {
        {"HOSTILE"},
        {"help", "HOSTILE"},
        {"list", "HOSTILE"},
        {"--HOSTILE"},
        {"list", "filters", "HOSTILE"},
        {"list", "kernels", "HOSTILE"},
        {"info", "-HOSTILE"},
        {"list", "devices", "HOSTILE"},
        {"list", "presets", "HOSTILE"},
        {"view", "--window-size", "HOSTILE"},
    };
    for (const char* option :
         {"-vf",    "--preset", "--kernel", "--gpu",      "-ss",        "-t",       "-c:v",
          "-c:a",   "-f",       "-crf",     "-b:v",       "-preset",    "-pix_fmt", "-hwaccel",
          "--jobs", "--fields", "--verify", "--loglevel", "--max-side", "--HOSTILE"})
        table.push_back({"batch", "-vf", "box", "-o", "o.mkv", "in.mkv", option, "HOSTILE"});
    for (const char* stack : {"box=HOSTILE", "box=radius=HOSTILE", "box=HOSTILE=1",
                              "convolve=file=HOSTILE", "convolve=matrix='HOSTILE'"})
        table.push_back({"batch", "-o", "o.mkv", "in.mkv", "-vf", stack});
    for (const Arguments& arguments : table) {
        SCOPED_TRACE(testing::PrintToString(arguments));
        expect_safe(run_with(arguments));
    }
}

TEST_F(CliHostileText, NoCommandPrintsATagUnescaped) {
    // Without the newline and the byte that is not UTF-8, which Matroska cannot store.
    const std::string tag = "e\x1b[31m\x1b]0;t\x07\rFAKE\x7f\xc2\x9b\xe2\x80\xae";
    ASSERT_EQ(run({"ffmpeg", "-v", "error", "-i", video_and_audio_clip(), "-c", "copy", "-metadata",
                   "title=" + tag, "-metadata:s:a", "language=" + tag, "-metadata", tag + "=x",
                   path("tagged.mkv")})
                  .exit_code,
              0);
    const std::vector<Arguments> table = {
        {"info", "tagged.mkv"},
        {"info", "--json", "tagged.mkv"},
        {"batch", "-vf", "box", "-o", "o.mp4", "tagged.mkv"},
        {"batch", "-vf", "box", "-o", "o.avi", "--json", "tagged.mkv"},
        {"batch", "-vf", "box", "-o", "d.avi", "--dry-run", "tagged.mkv"},
    };
    for (const Arguments& arguments : table) {
        SCOPED_TRACE(testing::PrintToString(arguments));
        expect_safe(run_with(arguments));
    }
}

TEST_F(CliHostileText, NoCommandPrintsAPresetUnescaped) {
    fs::create_directories(path("config/warpweft/presets"));
    write_file(path("config/warpweft/presets/evil.toml"),
               "name = \"evil\"\ndescription = "
               "\"e\\u001b[31m\\u0007\\rFAKE\\nFAKE\\u007f\\u009b\\u202e\"\nstack = \"box\"\n");
    write_file(path("config/warpweft/presets/" + kHostile + ".toml"), "\x1b[31m\nFAKE\n");
    for (const Arguments& arguments :
         {Arguments{"list", "presets"}, Arguments{"list", "presets", "--json"},
          Arguments{"list", "presets", "evil"}, Arguments{"list", "presets", kHostile},
          Arguments{"complete", "batch", "--preset", ""}}) {
        SCOPED_TRACE(testing::PrintToString(arguments));
        expect_safe(run_with(arguments));
    }
    EXPECT_TRUE(contains(run_with({"list", "presets"}).out, "\\x1b[31m"));
}

std::string decoded(const std::string& text) {
    std::string bytes;
    for (std::size_t at = 0; at < text.size(); ++at)
        if (text[at] == '%') {
            bytes += static_cast<char>(std::stoi(text.substr(at + 1, 2), nullptr, 16));
            at += 2;
        } else
            bytes += text[at];
    return bytes;
}

TEST_F(CliHostileText, JsonKeepsNamesThatAreNotUtf8Apart) {
    const std::vector<std::string> names = {"\xfe.mkv", "\xff %.mkv", "\xc3\xa4.mkv"};
    Arguments arguments = {"batch",
                           "-vf",
                           "box",
                           "-o",
                           "null:",
                           "--progress=json",
                           "--json=" + path("r.json"),
                           "--trace=" + path("t.json")};
    for (const std::string& name : names) {
        fs::copy(short_clip(), path(name));
        arguments.push_back(name);
    }
    EXPECT_TRUE(exits(run_with(arguments), 0));
    const auto files = parse_json(read_file(path("r.json"))).at("files");
    std::set<std::string> shown;
    ASSERT_EQ(files.size(), names.size());
    for (std::size_t k = 0; k < names.size(); ++k) {
        const auto& file = files.at(k);
        shown.insert(file.at("input").get<std::string>());
        const bool utf8 = k == 2;
        EXPECT_EQ(file.contains("input_bytes"), !utf8) << file.dump(1);
        if (utf8)
            EXPECT_EQ(file.at("input"), names[k]);
        else
            EXPECT_EQ(decoded(file.at("input_bytes")), names[k]);
    }
    EXPECT_EQ(shown.size(), names.size());
    EXPECT_TRUE(contains(read_file(path("t.json")), R"(\\xfe.mkv)"));
}

// The progress line of a terminal.
TEST_F(CliHostileText, ProgressOnATerminalEscapesNames) {
    if (run({"script", "--version"}).exit_code != 0) GTEST_SKIP() << "no script (bsdutils)";
    fs::copy(video_clip(), path(name_));
    Command command;
    command.argv = {"script", "-qec", weft_program() + " batch -vf box -o null: *.mkv",
                    "/dev/null"};
    command.folder = folder_.path();
    command.env["TERM"] = "xterm";
    const Result result = run(command);
    EXPECT_EQ(result.exit_code, 0) << result.out;
    EXPECT_TRUE(contains(result.out, "frames  ")) << result.out;
    for (const char* part : {"\x1b]0;", "\x1b[31m", "\x07", "\rFAKE", "\nFAKE", "\xff"})
        EXPECT_FALSE(contains(result.out, part)) << result.out;
}

}  // namespace
}  // namespace weft::cli
