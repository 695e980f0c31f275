// R08 and R09: as many frames out as in, each at its own time, and streams in step, for every
// kind of clock in every container that keeps one.
#include <cmath>
#include <cstdlib>
#include <map>
#include <regex>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

struct Source {
    std::string name;
    std::string args;
};

const std::string& picture() {
    static const std::string input = picture_input(1.5);
    return input;
}

const std::vector<Source>& sources() {
    static const std::string vfr =
        " -vf select='not(eq(mod(n\\,7)\\,3))*not(between(n\\,20\\,30))' -fps_mode vfr";
    static const std::string audio = tone_input(1.5) + " -c:a aac";
    static const std::string b_frames = " -c:v libx264 -preset veryfast -bf 3 -b_strategy 0";
    static const std::vector<Source> all = {
        {"constant.mkv", picture() + audio + kFastVideo},
        {"constant.mp4", picture() + audio + kFastVideo},
        {"ntsc.mp4", "-f lavfi -i testsrc2=s=320x180:r=30000/1001:d=1.5" + audio + kFastVideo},
        {"vfr.mkv", picture() + vfr + kFastVideo},
        {"vfr.mp4", picture() + vfr + kFastVideo + " -video_track_timescale 90000"},
        {"vfr.nut", picture() + vfr + kFastVideo},
        {"b_frames.mkv", picture() + audio + b_frames},
        {"b_frames.mp4", picture() + audio + b_frames},
        {"b_frames.ts", picture() + audio + b_frames},
        {"vfr_b_frames.mp4", picture() + vfr + b_frames},
        {"edited.mp4", "-ss 0.7 -i @b_frames.mp4 -c copy"},
        {"edited.mov", "-ss 0.7 -i @b_frames.mp4 -c copy"},
        {"late_video.mkv",
         "-itsoffset 0.8 -i @constant.mp4 -i @constant.mp4 -map 0:v -map 1:a "
         "-c copy"},
        {"negative_audio.mkv", "-i @constant.mp4 -c copy -avoid_negative_ts disabled"},
        {"edited_with_audio.mp4", "-ss 0.7 -i @constant.mp4 -c copy"},
        {"late.ts", "-i @b_frames.mp4 -c copy -output_ts_offset 20"},
    };
    return all;
}

const Source& source(const std::string& name) {
    for (const Source& row : sources())
        if (row.name == name) return row;
    throw std::logic_error("no source " + name);
}

// Makes the clips that a recipe depends on, then the clip.
std::string make(const Source& row) {
    static const std::regex reference("@([a-z_.0-9]+)");
    for (std::sregex_iterator at(row.args.begin(), row.args.end(), reference), end; at != end; ++at)
        make(source((*at)[1]));
    return clip(row.name, row.args);
}

// Half the container's tick, in seconds: how far a time may move.
double tolerance(const std::string& container) {
    constexpr double kPrinted = 1.5e-6;  // ffprobe prints microseconds
    return (container == "mkv" ? 0.0005 : 0.0) + kPrinted;
}

std::vector<double> audio_times(const std::string& file) {
    const auto probed =
        test::ffprobe(file, "-select_streams a:0 -show_entries packet=pts_time -show_packets");
    std::vector<double> times;
    for (const auto& packet : probed.value("packets", nlohmann::json::array()))
        if (packet.contains("pts_time"))
            times.push_back(std::stod(packet.at("pts_time").get<std::string>()));
    return times;
}

struct Case {
    Source source;
    std::string container;
};

// Filters each case once for all tests of it.
std::string filtered(const Case& row, const std::string& input) {
    static std::map<std::string, Result> done;
    std::string output =
        (test::clip_dir() / ("filtered_" + row.source.name + "." + row.container)).string();
    if (!done.contains(output))
        done[output] = weft({"batch", "-vf", "box=radius=1", "-o", output, input});
    EXPECT_TRUE(exits(done[output], 0));
    return output;
}

class CliR08FrameCount : public CliTest, public testing::WithParamInterface<Case> {};
class CliR09Pts : public CliR08FrameCount {};

// NUT cannot store negative times: if a sound starts before zero, all streams move together.
double allowed_shift(const std::vector<double>& want, const std::vector<double>& got,
                     const std::vector<double>& sound, const std::string& container) {
    const bool may_shift = container == "nut" && !sound.empty() && sound.front() < 0;
    return may_shift && !want.empty() ? got.front() - want.front() : 0.0;
}

void expect_times(const std::vector<double>& want, const std::vector<double>& got, double shift,
                  double bound) {
    for (std::size_t i = 0; i < std::min(want.size(), got.size()); ++i)
        ASSERT_LE(std::abs(got[i] - shift - want[i]), bound)
            << "frame " << i << ": want " << want[i] << ", got " << got[i];
}

TEST_P(CliR08FrameCount, AsManyOutAsIn) {
    const std::string input = make(GetParam().source);
    EXPECT_EQ(frame_count(filtered(GetParam(), input)), frame_count(input));
}

TEST_P(CliR09Pts, EachFrameAtItsOwnTimeAndInStepWithTheSound) {
    const std::string input = make(GetParam().source);
    const std::string output = filtered(GetParam(), input);
    const std::vector<double> want = frame_times(input);
    const std::vector<double> got = frame_times(output);
    ASSERT_EQ(got.size(), want.size());
    const std::vector<double> sound = audio_times(input);
    const std::vector<double> sound_out = audio_times(output);
    const double shift = allowed_shift(want, got, sound, GetParam().container);
    expect_times(want, got, shift, tolerance(GetParam().container));
    ASSERT_EQ(sound_out.size(), sound.size());
    expect_times(sound, sound_out, shift, 0.0011);
}

class CliR09PtsOfEncoders : public CliTest {};

// Those that get frame numbers and those that get times.
TEST_F(CliR09PtsOfEncoders, EachFrameAtItsOwnTime) {
    const std::string input = make(source("vfr.mp4"));
    const std::vector<double> want = frame_times(input);
    for (const char* encoder :
         {"libx264", "libx265", "libsvtav1", "libvpx-vp9", "mpeg4", "mjpeg", "ffv1", "libtheora"})
        for (const std::string container : {"mkv", "nut"}) {
            SCOPED_TRACE(encoder + (" in " + container));
            const std::string output = path("out." + container);
            const Result result =
                weft({"batch", "-vf", "box", "-c:v", encoder, "-y", "-o", output, input});
            if (contains(result.err, "cannot hold video of")) continue;
            ASSERT_TRUE(exits(result, 0));
            const std::vector<double> got = frame_times(output);
            ASSERT_EQ(got.size(), want.size());
            expect_times(want, got, 0, tolerance(container));
        }
}

std::vector<Case> cases() {
    std::vector<Case> all;
    const bool everything = long_tests();
    for (const Source& row : sources())
        for (const char* container : {"mkv", "mp4", "mov", "nut"}) {
            const bool also_copies_mpegts_audio = row.name.find(".ts") != std::string::npos;
            const bool rare = std::string(container) == "mov" && !also_copies_mpegts_audio;
            if (everything || !rare || row.name.find("edited") == 0 || row.name.find("vfr.") == 0)
                all.push_back({row, container});
        }
    return all;
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
    return std::regex_replace(info.param.source.name, std::regex("\\."), "_") + "_to_" +
           info.param.container;
}

INSTANTIATE_TEST_SUITE_P(Clocks, CliR08FrameCount, testing::ValuesIn(cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Clocks, CliR09Pts, testing::ValuesIn(cases()), case_name);

class CliR08Corpus : public CliTest {};

// Also R09: into four containers, each frame at its own time.
TEST_F(CliR08Corpus, EveryFrameAtItsOwnTime) {
    const bool everything = long_tests();
    Command command;
    command.argv = {
        "python3", media_script("frame_times.py"), product_clips(), "--weft", weft_program(),
        "--least", everything ? "380" : "10"};
    command.hang_guard = std::chrono::hours(2);
    const Result result = run(command);
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

class CliR08 : public CliTest {};

// The filter with its default parameters, and with a value for those that have none.
std::string step_of(const std::string& name, const nlohmann::json& params,
                    const std::string& bank) {
    for (const nlohmann::json& param : params) {
        if (!param.at("default").get<std::string>().empty()) continue;
        if (param.at("name") == "matrix") return name + "=matrix='0 1 0 1 -4 1 0 1 0'";
        if (param.at("name") == "file") return name + "=file=" + bank;
    }
    return name;
}

TEST_F(CliR08, EveryFilterGivesOneFrameForOne) {
    const std::string bank = path("bank.txt");
    write_file(bank, "1 0 -1 | 1; 0; -1");
    const nlohmann::json filters =
        parse_json(weft({"list", "filters", "--json"}).out).at("filters");
    ASSERT_GE(filters.size(), 22U);
    for (const nlohmann::json& filter : filters) {
        std::vector<std::string> names = filter.at("aliases");
        names.push_back(filter.at("name"));
        for (const std::string& name : names) {
            SCOPED_TRACE(name);
            const std::string output = path(name + ".mkv");
            const std::string step = step_of(name, filter.at("params"), bank);
            EXPECT_TRUE(exits(weft({"batch", "-vf", step, "-o", output, short_clip()}), 0));
            EXPECT_EQ(frame_count(output), 15);
        }
    }
}

}  // namespace
}  // namespace weft::cli
