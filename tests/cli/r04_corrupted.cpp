// R04: changed bytes in the middle. If ffmpeg's decoder reports an error or delivers other than the
// expected frames, the run ends with exit 4; if every picture is unchanged, with 0.
#include <random>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

constexpr int kFrames = 60;
constexpr std::size_t kFirstByte = 2000;  // the header stays whole

struct Case {
    std::string extension;
    int bytes;
};

std::string mutated(std::string bytes, int count, unsigned seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < count; ++i)
        bytes[kFirstByte + random() % (bytes.size() - kFirstByte)] = static_cast<char>(random());
    return bytes;
}

// The result of a strict check with ffmpeg's decoder.
struct Truth {
    int frames = 0;
    bool complaints = false;
    bool same_pictures = false;
};

Truth look(const std::string& damaged, const std::string& original) {
    Truth truth;
    const Result result = run(
        {"ffmpeg", "-nostdin", "-v", "error", "-i", damaged, "-map", "0:v:0", "-f", "null", "-"});
    truth.complaints = !result.err.empty() || result.exit_code != 0;
    truth.frames = frame_count(damaged);
    if (truth.frames == kFrames)
        truth.same_pictures = frame_hashes(damaged, "yuv420p") == frame_hashes(original, "yuv420p");
    return truth;
}

class CliR04Corrupted : public CliTest, public testing::WithParamInterface<Case> {
 protected:
    Result filter(const std::string& input, const Arguments& more = {}) {
        Arguments arguments = {
            "batch", "-vf", "box=radius=1",      "--lossless",
            "-y",    "-o",  path("out/out.mkv"), "--json=" + path("report.json")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        arguments.push_back(input);
        return weft(arguments);
    }
    void check_damaged(const std::string& input, const Truth& truth) {
        const Result refused = filter(input);
        EXPECT_TRUE(exits_one_of(refused, truth.frames > 0 ? std::vector{4} : std::vector{1, 4}));
        EXPECT_TRUE(contains(refused.err, input)) << "no file name: " << refused.err;
        EXPECT_EQ(names_in(path("out")), std::vector<std::string>());
        const auto report = parse_json(read_file(path("report.json")));
        const auto& file = report.at("files").at(0);
        EXPECT_EQ(file.value("exit_code", 0), refused.exit_code);
        EXPECT_EQ(file.value("status", ""), refused.exit_code == 4 ? "damaged" : "failed");
        if (refused.exit_code == 4) {
            EXPECT_TRUE(file.at("damage").is_object()) << file.dump();
        }
    }
    void check_kept(const std::string& input, const Truth& truth) {
        if (truth.frames == 0) return;
        EXPECT_TRUE(exits(filter(input, {"--keep-damaged"}), 4));
        EXPECT_GE(frame_count(path("out/out.mkv")), truth.frames);
    }
};

TEST_P(CliR04Corrupted, ExitCodeMatchesTheDamage) {
    make_folder("out");
    const auto [extension, bytes] = GetParam();
    const std::string source = video_clip("video." + extension);
    const int rounds = long_tests() ? 20 : 2;
    for (int round = 0; round < rounds; ++round) {
        SCOPED_TRACE(fmt::format("{} bytes of {}, round {}", bytes, source, round));
        const std::string input = path(fmt::format("damaged{}.{}", round, extension));
        write_file(input, mutated(read_file(source), bytes, 1000U * bytes + round));
        const Truth truth = look(input, source);
        if (truth.complaints || truth.frames != kFrames) {
            check_damaged(input, truth);
            check_kept(input, truth);
        } else if (truth.same_pictures) {
            EXPECT_TRUE(exits(filter(input), 0)) << "a false alarm: every picture is as it was";
        } else {
            EXPECT_TRUE(exits_one_of(filter(input), {0, 4}));
        }
        std::filesystem::remove(path("out/out.mkv"));
    }
}

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const char* extension : {"mkv", "mp4", "ts"})
        for (int bytes : {1, 10, 100, 2000}) all.push_back({extension, bytes});
    return all;
}

INSTANTIATE_TEST_SUITE_P(Bytes, CliR04Corrupted, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<Case>& tested) {
                             return fmt::format("{}_{}", tested.param.extension,
                                                tested.param.bytes);
                         });

class CliR04CorruptedMutants : public CliTest {};

// Also R01: no crash, no hang, little memory, and no frames lost with exit 0 if the container can
// prove its number of frames.
TEST_F(CliR04CorruptedMutants, NothingIsLostSilently) {
    const bool everything = long_tests();
    Command command;
    command.hang_guard = std::chrono::hours(4);
    command.argv = {"python3", media_script("mutate.py"),   "--weft", weft_program(),
                    "--count", everything ? "10000" : "200"};
    const Result result = run(command);
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

// One changed field per file, judged by the packets of all streams.
TEST_F(CliR04CorruptedMutants, NoFieldHidesAPacket) {
    Command command;
    command.hang_guard = std::chrono::hours(4);
    command.argv = {"python3", media_script("fieldwise.py"),  "--weft", weft_program(),
                    "--count", long_tests() ? "20000" : "210"};
    const Result result = run(command);
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

class CliR04CorruptedHealthy : public CliTest, public testing::WithParamInterface<std::string> {};

// Files that look broken to a naive count but are not: a false alarm is a defect.
TEST_P(CliR04CorruptedHealthy, NoFalseAlarm) {
    const std::string base = video_and_audio_clip("healthy.mp4");
    std::string args = GetParam();
    const std::string name = args.substr(0, args.find(' '));
    args.erase(0, args.find(' ') + 1);
    const std::string input = clip(name, args);
    const Result result = weft({"batch", "-vf", "box=radius=1", "-o", path("out.mkv"), input});
    EXPECT_TRUE(exits(result, 0)) << args;
    EXPECT_EQ(frame_count(path("out.mkv")), frame_count(input)) << args;
}

INSTANTIATE_TEST_SUITE_P(
    Odd, CliR04CorruptedHealthy,
    testing::Values(
        "edit_list.mp4 -ss 0.7 -i @healthy.mp4 -c copy",
        "edit_list_to.mp4 -ss 0.7 -i @healthy.mp4 -t 0.9 -c copy",
        "open_gop_start.ts -ss 0.4 -i @healthy.mp4 -c copy -copyinkf",
        "audio_longer.mkv -f lavfi -i testsrc2=s=320x180:r=30:d=1 -f lavfi -i sine=d=3 -c:a aac "
        "-c:v libx264 -preset ultrafast",
        "vfr_ok.mkv -f lavfi -i testsrc2=s=320x180:r=30:d=2 -vf select=not(mod(n\\,3)) -fps_mode "
        "vfr -c:v libx264 -preset ultrafast",
        "gap.mkv -f lavfi -i testsrc2=s=320x180:r=30:d=3 -vf select=not(between(n\\,20\\,70)) "
        "-fps_mode vfr -c:v libx264 -preset ultrafast",
        "late_start.mkv -itsoffset 1.5 -i @healthy.mp4 -i @healthy.mp4 -map 0:v -map 1:a -c copy",
        "fragmented.mp4 -i @healthy.mp4 -c copy -movflags frag_keyframe+empty_moov",
        "one_frame.mkv -f lavfi -i testsrc2=s=320x180 -frames:v 1 -c:v libx264",
        "live.mkv -i @healthy.mp4 -c copy -live 1", "raw.h264 -i @healthy.mp4 -c copy -an",
        "raw.y4m -i @healthy.mp4 -an -t 0.3",
        "reordered.mp4 -f lavfi -i testsrc2=s=320x180:r=30:d=1 -c:v libx264 -bf 3 -b_strategy 0",
        "mpeg2.mpg -f lavfi -i testsrc2=s=320x180:r=30:d=1 -c:v mpeg2video -bf 2",
        "interlaced.ts -f lavfi -i testsrc2=s=320x192:r=25:d=1 -c:v mpeg2video -flags +ildct+ilme"),
    [](const testing::TestParamInfo<std::string>& tested) {
        return tested.param.substr(0, tested.param.find('.')) + "_" +
               tested.param.substr(tested.param.find('.') + 1,
                                   tested.param.find(' ') - tested.param.find('.') - 1);
    });

}  // namespace
}  // namespace weft::cli
