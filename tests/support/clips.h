// Clips that tests make with the ffmpeg program, and ffprobe's view of files. Everything is in one
// folder per process, removed at its end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json_fwd.hpp>

namespace weft::test {

using Bytes = std::vector<std::uint8_t>;

struct CommandResult {
    int exit_code = 0;  // 128 + signal number when killed by one
    std::string out;
    std::string err;
};

// Runs argv[0] (looked up in PATH) without a shell, feeds `input` to its stdin and waits.
// Throws std::runtime_error if it cannot be started.
CommandResult run_command(const std::vector<std::string>& argv, std::string_view input = {});

// Whether it runs and exits with 0; false also if it is not installed.
bool succeeds(const std::vector<std::string>& argv);

// Splits at blanks; 'single quotes' keep blanks. "-vf 'drawbox=x=1 y'" gives two words.
std::vector<std::string> split_words(std::string_view text);

// This process's folder for clips, outputs and everything else that a test writes.
const std::filesystem::path& clip_dir();

// Empty if ffmpeg and ffprobe are in PATH, else why tests that need them are skipped.
std::string why_no_ffmpeg();

// Tests of this class are skipped, with the reason, where the programs are missing.
class ClipTest : public testing::Test {
 protected:
    void SetUp() override {
        if (const std::string reason = why_no_ffmpeg(); !reason.empty()) GTEST_SKIP() << reason;
    }
};

// The file clip_dir()/name, made once per process by `ffmpeg ARGS clip_dir()/name`. Arguments that
// begin with "@" name clips made before: "-i @base.mp4". Throws with ffmpeg's stderr.
//     make_clip("base.mp4", "-f lavfi -i testsrc2=s=320x180:r=30:d=2 -c:v libx264")
std::filesystem::path make_clip(const std::string& name, std::string_view args);

// The file clip_dir()/name.ts: two transport streams of one second, joined end to end, each made by
// ffmpeg with its arguments.
std::filesystem::path make_joined_clip(const std::string& name, const std::string& first,
                                       const std::string& second);

// `ffprobe -of json ARGS file`, parsed.
nlohmann::json ffprobe(const std::filesystem::path& file, std::string_view args);

// Frames of the first video stream that is not an attached picture, as ffprobe decodes them.
std::int64_t count_frames(const std::filesystem::path& file);

Bytes read_bytes(const std::filesystem::path& file);
std::filesystem::path write_bytes(const std::string& name, const Bytes& bytes);  // in clip_dir()

}  // namespace weft::test
