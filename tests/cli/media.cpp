#include "tests/cli/media.h"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace weft::cli {

using Json = nlohmann::json;

std::string clip(const std::string& name, const std::string& args) {
    static const std::regex reference("(^| )@");
    return test::make_clip("cli_" + name, std::regex_replace(args, reference, "$1@cli_")).string();
}

std::string picture_input(double seconds, const std::string& size) {
    return fmt::format("-f lavfi -i testsrc2=s={}:r=30:d={}", size, seconds);
}

std::string tone_input(double seconds, int hertz) {
    return fmt::format(" -f lavfi -i sine=f={}:d={}", hertz, seconds);
}

std::string short_clip(const std::string& name) {
    return clip(name, picture_input(0.5) + kFastVideo);
}

std::string video_clip(const std::string& name) {
    return clip(name, picture_input(2) + kFastVideo);
}

std::string video_and_audio_clip(const std::string& name) {
    return clip(name, picture_input(2) + tone_input(2) + " -c:a aac" + kFastVideo);
}

std::string image_clip(const std::string& name) {
    return clip(name, picture_input(1, "64x48") + " -frames:v 1 -update 1");
}

std::string media_script(const std::string& name) {
    return std::string(WEFT_MEDIA_TESTS) + "/" + name;
}

std::string product_clips() {
    static const std::string folder = [] {
        std::string name = (test::clip_dir() / "cli_product").string();
        Command command;
        command.argv = {"python3", media_script("product_clips.py"), name, "--each",
                        long_tests() ? "1" : "30"};
        command.hang_guard = std::chrono::minutes(30);
        const Result made = run(command);
        if (made.exit_code != 0) throw std::runtime_error("no product clips: " + made.err);
        return name;
    }();
    return folder;
}

std::string ffmpeg_text(const std::string& path, const std::string& args) {
    std::vector<std::string> argv = {"ffmpeg", "-nostdin", "-v", "error", "-i", "file:" + path};
    for (std::string& word : test::split_words(args)) argv.push_back(std::move(word));
    test::CommandResult result = test::run_command(argv);
    if (result.exit_code != 0) throw std::runtime_error("ffmpeg, " + path + ": " + result.err);
    return std::move(result.out);
}

std::vector<double> frame_times(const std::string& path) {
    const Json probed = test::ffprobe(path, "-select_streams v:0 -show_entries frame=pts_time");
    std::vector<double> times;
    for (const Json& frame : probed.value("frames", Json::array()))
        if (frame.contains("pts_time"))
            times.push_back(std::stod(frame.at("pts_time").get<std::string>()));
    std::sort(times.begin(), times.end());
    return times;
}

int frame_count(const std::string& path) {
    const Json probed = test::ffprobe(
        path, "-count_frames -select_streams v:0 -show_entries stream=nb_read_frames");
    const Json streams = probed.value("streams", Json::array());
    const std::string count = streams.empty() ? "" : streams.at(0).value("nb_read_frames", "");
    return std::atoi(count.c_str());
}

std::vector<std::string> frame_hashes(const std::string& path, const std::string& pixel_format) {
    std::istringstream lines(
        ffmpeg_text(path, "-map 0:v:0 -fps_mode passthrough -pix_fmt " + pixel_format +
                              " -sws_flags +accurate_rnd+full_chroma_int -f framemd5 -"));
    std::vector<std::string> hashes;
    for (std::string line; std::getline(lines, line);)
        if (!line.empty() && line[0] != '#') hashes.push_back(line.substr(line.rfind(' ') + 1));
    return hashes;
}

std::string packet_hash(const std::string& path, const std::string& map) {
    return ffmpeg_text(path, "-map " + map + " -c copy -f streamhash -hash md5 -");
}

std::string raw_video(const std::string& path, const std::string& pixel_format) {
    return ffmpeg_text(
        path, "-map 0:v:0 -fps_mode passthrough -pix_fmt " + pixel_format + " -f rawvideo -");
}

std::string video_field(const std::string& path, const std::string& name) {
    const Json probed = test::ffprobe(path, "-select_streams v:0 -show_streams");
    const Json streams = probed.value("streams", Json::array());
    if (streams.empty() || !streams.at(0).contains(name)) return "";
    const Json& value = streams.at(0)[name];
    return value.is_string() ? value.get<std::string>() : value.dump();
}

Json probe(const std::string& path) {
    return test::ffprobe(path, "-show_streams -show_chapters -show_format");
}

Command BatchTest::batch(const Arguments& more) {
    Arguments arguments = {"batch", "-vf", "box=radius=1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Command command = weft_command(arguments);
    command.folder = folder_.path();
    return command;
}

void BatchTest::make_inputs() {
    make_folder("in");
    make_folder("out");
    for (const char* name : {"in/good1.mkv", "in/good2.mkv"})
        std::filesystem::copy_file(short_clip(), path(name));
    write_file(path("in/bad.mkv"), "no video");
    write_file(path("out/good2.mkv"), "old");
}

std::vector<std::string> claims_in(const std::string& folder) {
    std::vector<std::string> names = names_in(folder);
    std::erase_if(names, [&](const std::string& name) {
        return !name.ends_with(".claim") || read_file(folder + "/" + name).empty();
    });
    return names;
}

void let_memory_run_out(const std::string& folder, const std::string& mebibytes) {
    constexpr std::size_t kDigits = 12;
    for (const std::string& name : claims_in(folder)) {
        std::string text = read_file(folder + "/" + name);
        ASSERT_GE(text.size(), 4 * kDigits);
        const auto set = [&](std::size_t number, const std::string& value) {
            text.replace(number * kDigits, kDigits, fmt::format("{:<{}}", value, kDigits));
        };
        for (const std::size_t count : {0, 1}) set(count, "-1");
        if (!mebibytes.empty()) set(2, mebibytes);
        write_file(folder + "/" + name, text);
    }
}

int gpu_count() {
    const Json machine = parse_json(weft({"list", "devices", "--json"}).out);
    return static_cast<int>(std::ranges::count(
        machine.at("devices"), Json("cuda"), [](const Json& device) { return device.at("kind"); }));
}

void skip_without_gpu() {
    if (gpu_count() > 0) return;
    const Json machine = parse_json(weft({"list", "devices", "--json"}).out);
    GTEST_SKIP() << "no GPU: " << machine.at("why_no_gpu").get<std::string>();
}

Json parse_json(const std::string& text) {
    Json parsed = Json::parse(text, nullptr, false);
    EXPECT_FALSE(parsed.is_discarded()) << "no JSON: " << text;
    return parsed.is_discarded() ? Json() : parsed;
}

}  // namespace weft::cli
