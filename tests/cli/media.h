// Reads clips and outputs with the ffmpeg and ffprobe programs, the second opinion. Clips are made
// once per process by tests/support/clips.h; the usual ones are named here.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tests/cli/harness.h"
#include "tests/support/clips.h"

namespace weft::cli {

// make_clip() as text, with "cli_" before the name and before each "@name" in `args`, because all
// layers share one folder. `args` are ffmpeg's without the name of the output.
std::string clip(const std::string& name, const std::string& args);
// Ends of ffmpeg command lines: fast H.264 with a key frame every half second, so that damage costs
// a few frames rather than all later ones.
inline constexpr const char* kFastVideo =
    " -c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 15 -threads 2";
// "-f lavfi -i testsrc2=…": 320×180 at 30/s.
std::string picture_input(double seconds, const std::string& size = "320x180");
std::string tone_input(double seconds, int hertz = 440);

// Half a second (15 frames) and two seconds (60 frames) of H.264 without audio; the extension of
// `name` chooses the container.
std::string short_clip(const std::string& name = "short.mkv");
std::string video_clip(const std::string& name = "video.mkv");
// Two seconds of H.264 and an AAC tone.
std::string video_and_audio_clip(const std::string& name = "av.mkv");
// One picture of 64×48; the extension chooses the format.
std::string image_clip(const std::string& name = "image.png");

// The path of a script of tests/media.
std::string media_script(const std::string& name);
// The folder with the clips of product_clips.py, made once per process: all of them, some 400, in
// the long form of the tests, else 17.
std::string product_clips();

// `ffmpeg -i PATH ARGS`: its standard output. Throws with its messages if it fails.
std::string ffmpeg_text(const std::string& path, const std::string& args);

// Presentation times in seconds of the decoded frames of the first video stream, sorted.
std::vector<double> frame_times(const std::string& path);
// The number of decodable pictures in the first video stream, possibly 0.
int frame_count(const std::string& path);
// A hash of each decoded picture of the first video stream, converted to `pixel_format`.
std::vector<std::string> frame_hashes(const std::string& path, const std::string& pixel_format);
// Hash of the packets of the streams chosen by ffmpeg's `map` ("0:a:0"), copied bit by bit.
std::string packet_hash(const std::string& path, const std::string& map);
// Decoded samples of the first video stream, as `pixel_format`.
std::string raw_video(const std::string& path, const std::string& pixel_format);
// A field of the first video stream as text, "" if missing: video_field(p, "pix_fmt").
std::string video_field(const std::string& path, const std::string& name);
// Everything that ffprobe reports about streams, chapters and the format.
nlohmann::json probe(const std::string& path);

// The names of the claims in the folder that have their text, which follows their creation.
std::vector<std::string> claims_in(const std::string& folder);
// Changes them as if the system had killed another process for its memory since then, and the runs
// had had so many MiB of it; empty: as many as they had.
void let_memory_run_out(const std::string& folder, const std::string& mebibytes = "");

// The number of GPUs that the program finds here.
int gpu_count();
// Skips the running test, with the program's reason, if it finds none: the last call of SetUp() in
// suites that need one, which are named Gpu….
void skip_without_gpu();

// The folder of a batch of two healthy files and a damaged one.
class BatchTest : public CliTest {
 protected:
    // Runs in the test's folder, so that names are as a user types them.
    Command batch(const Arguments& more);
    // good1.mkv, good2.mkv and bad.mkv in "in", and an output of good2.mkv in "out".
    void make_inputs();
};

// The JSON in `text`; if it is invalid, a failure that shows the text, and null.
nlohmann::json parse_json(const std::string& text);

}  // namespace weft::cli
