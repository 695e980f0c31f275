// R03: a file that lost its end is never filtered with exit 0, unless every frame is still there;
// the message names the byte and the time; --keep-damaged saves every decodable frame.
#include <filesystem>
#include <regex>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace fs = std::filesystem;
namespace {

struct Source {
    std::string name;
    std::string args;
};

const std::vector<Source>& sources() {
    static const std::vector<Source> all = {
        {"cut.mkv", picture_input(2) + kFastVideo},
        {"cut_audio.mkv", picture_input(2) + tone_input(2) + " -c:a aac" + kFastVideo},
        {"cut_index_last.mp4", picture_input(2) + kFastVideo},
        {"cut_index_first.mp4", picture_input(2) + kFastVideo + " -movflags +faststart"},
        {"cut.ts", picture_input(2) + kFastVideo},
        {"cut.webm", picture_input(2) + " -c:v libvpx -deadline realtime -cpu-used 8 -g 15"},
        {"cut.avi", picture_input(2) + " -c:v mpeg4 -g 15"},
        {"cut.nut", picture_input(2) + kFastVideo},
        {"cut.gif", picture_input(1, "64x48")},
    };
    return all;
}

class CliR03Truncated : public CliTest, public testing::WithParamInterface<Source> {
 protected:
    // The first `size` bytes of the source under its own extension.
    std::string cut(const std::string& source, std::size_t size) {
        std::string name = path("cut" + fs::path(source).extension().string());
        write_file(name, read_file(source).substr(0, size));
        return name;
    }
    Result filter(const std::string& input, const Arguments& more = {}) {
        Arguments arguments = {"batch", "-vf", "gaussian=sigma=1", "--lossless",
                               "-y",    "-o",  path("out/out.mkv")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        arguments.push_back(input);
        return weft(arguments);
    }
    void check_cut(const std::string& input, int frames, int whole) {
        const Result plain = filter(input);
        if (plain.exit_code == 0) {
            EXPECT_EQ(frames, whole) << "exit 0, but frames are missing";
            EXPECT_EQ(frame_count(path("out/out.mkv")), whole);
            fs::remove(path("out/out.mkv"));
            return;
        }
        EXPECT_TRUE(exits_one_of(plain, {1, 4}));
        EXPECT_TRUE(contains(plain.err, input)) << "no file name: " << plain.err;
        if (frames > 0) check_message(plain.err);  // else there is no time to name
        EXPECT_EQ(names_in(path("out")), std::vector<std::string>());
        check_kept(input, frames, whole);
    }
    void check_message(const std::string& text) {
        const std::string line = last_line(text);
        EXPECT_TRUE(std::regex_search(line, std::regex("byte [0-9]"))) << "no byte: " << text;
        EXPECT_TRUE(std::regex_search(line, std::regex("[0-9]\\.?[0-9]* ?s|[0-9]:[0-9]")))
            << "no time: " << text;
    }
    void check_kept(const std::string& input, int frames, int whole) {
        const Result kept = filter(input, {"--keep-damaged"});
        EXPECT_TRUE(exits_one_of(kept, {1, 4}));
        if (frames == 0) return;
        EXPECT_TRUE(exits(kept, 4)) << frames << " frames can be decoded";
        const int saved = frame_count(path("out/out.mkv"));
        EXPECT_GE(saved, frames) << "decodable frames were lost";
        EXPECT_LE(saved, whole);
        fs::remove(path("out/out.mkv"));
    }
};

TEST_P(CliR03Truncated, NeverSuccessWithoutAllFrames) {
    make_folder("out");
    const std::string source = clip(GetParam().name, GetParam().args);
    const std::size_t size = read_file(source).size();
    const int whole = frame_count(source);
    ASSERT_GT(whole, 0);
    const bool all = long_tests();
    for (int percent : {1, 5, 25, 50, 75, 90, 96, 99})
        for (int step = 0; step < (all ? 4 : 1); ++step) {
            SCOPED_TRACE(testing::Message() << "cut at " << percent + step << " % of " << source);
            const std::string input = cut(source, size * (percent + step) / 100);
            check_cut(input, frame_count(input), whole);
        }
}

// The last byte and the last few: the boundary between whole and cut.
TEST_P(CliR03Truncated, LastBytes) {
    make_folder("out");
    const std::string source = clip(GetParam().name, GetParam().args);
    const std::size_t size = read_file(source).size();
    const int whole = frame_count(source);
    for (std::size_t lost : {1U, 200U}) {
        SCOPED_TRACE(testing::Message() << lost << " bytes lost of " << source);
        const std::string input = cut(source, size - lost);
        check_cut(input, frame_count(input), whole);
    }
}

std::string test_name(const testing::TestParamInfo<Source>& info) {
    return std::regex_replace(info.param.name, std::regex("[^A-Za-z0-9]"), "_");
}

INSTANTIATE_TEST_SUITE_P(Formats, CliR03Truncated, testing::ValuesIn(sources()), test_name);

class CliR03TruncatedCorpus : public CliTest {};

// The long form: some 480 files of every codec and container, each cut at 1 to 99 %.
TEST_F(CliR03TruncatedCorpus, NeverSuccessWithoutAllFrames) {
    const bool everything = long_tests();
    Command command;
    command.hang_guard = std::chrono::hours(4);
    command.argv = {"python3", media_script("cuts.py"), "--weft",       weft_program(),
                    "--step",  everything ? "1" : "25", product_clips()};
    if (everything) {
        const std::string odd = path("odd");
        ASSERT_EQ(run({"python3", media_script("conformance_clips.py"), odd}).exit_code, 0);
        command.argv.push_back(odd);
    }
    const Result result = run(command);
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

class CliR03TruncatedImage : public CliR03Truncated {};

// An image has no frames to count: it is refused for its missing pixels, and nothing is written.
TEST_P(CliR03TruncatedImage, Refused) {
    make_folder("out");
    const std::string source = clip(GetParam().name, picture_input(1) + " -frames:v 1 -update 1");
    const std::string bytes = read_file(source);
    for (int percent : {1, 10, 50, 90, 98}) {
        SCOPED_TRACE(testing::Message() << "cut at " << percent << " % of " << source);
        const std::string input = cut(source, bytes.size() * percent / 100);
        const Result result =
            weft({"batch", "-vf", "gaussian=sigma=1", "-o", path("out/out.png"), input});
        EXPECT_TRUE(exits_one_of(result, {1, 4}));
        EXPECT_TRUE(contains(result.err, "cut")) << "no file name: " << result.err;
        EXPECT_EQ(names_in(path("out")), std::vector<std::string>());
    }
}

INSTANTIATE_TEST_SUITE_P(Formats, CliR03TruncatedImage,
                         testing::Values(Source{"cut.png", ""}, Source{"cut.jpg", ""},
                                         Source{"cut.bmp", ""}, Source{"cut.tiff", ""},
                                         Source{"cut.exr", ""}, Source{"cut.qoi", ""},
                                         Source{"cut.jls", ""}, Source{"cut.sun", ""},
                                         Source{"cut.webp", ""}, Source{"cut.tga", ""},
                                         Source{"cut.pcx", ""}, Source{"cut.sgi", ""},
                                         Source{"cut.dpx", ""}, Source{"cut.ppm", ""},
                                         Source{"cut.pam", ""}, Source{"cut.jp2", ""}),
                         test_name);

}  // namespace
}  // namespace weft::cli
