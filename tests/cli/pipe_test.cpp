// Standard input and output as files.
#include <chrono>
#include <filesystem>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

class CliPipe : public CliTest {
 protected:
    // `source`: read by name instead of from standard input.
    Result through(const std::string& input, const std::string& format, const std::string& output,
                   const std::string& source = "-") {
        Command command = weft_command(
            {"batch", "-vf", "convolve=matrix=1", "--lossless", "-f", format, "-o", "-", source});
        command.input = input;
        command.output = path(output);
        return run(command);
    }
};

// A descriptor that is closed at the start has the lowest free number: the first file that the
// program opens must not get it.
class CliClosedDescriptors : public CliTest {
 protected:
    // `closed` is the shell's: "<&- 2>&-".
    static Result with(const std::string& closed, const Arguments& words) {
        Command command = weft_command(words);
        command.argv.insert(command.argv.begin(), {"bash", "-c", "exec \"$0\" \"$@\" " + closed});
        command.hang_guard = std::chrono::seconds(120);
        return run(command);
    }
    const Arguments closed_{"<&-",      ">&-",      "2>&-",        "<&- >&-",
                            "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"};
};

TEST_F(CliClosedDescriptors, FilesAreFilteredAsUsual) {
    const std::string want = path("want.mkv");
    ASSERT_TRUE(exits(weft({"batch", "-vf", "box", "-c:v", "ffv1", "-o", want, short_clip()}), 0));
    for (const std::string& closed : closed_) {
        const Result result = with(closed, {"batch", "-vf", "box", "-c:v", "ffv1", "-y", "-o",
                                            path("out.mkv"), short_clip()});
        EXPECT_EQ(result.exit_code, 0) << closed << describe(result);
        EXPECT_TRUE(read_file(path("out.mkv")) == read_file(want)) << closed;
    }
}

TEST_F(CliClosedDescriptors, InputsEndInAnError) {
    for (const std::string& closed : closed_) {
        if (!contains(closed, "<&-")) continue;
        for (const std::string name : {"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}) {
            SCOPED_TRACE(name + closed);
            const Result result = with(closed, {"batch", "-vf", "box", "-o", path("o.mkv"), name});
            EXPECT_EQ(result.exit_code, 1) << describe(result);
            if (contains(closed, "2>&-")) continue;
            EXPECT_TRUE(exits(result, 1));
            EXPECT_TRUE(name != "-" || contains(result.err, "standard input: is closed"))
                << result.err;
        }
    }
    // Numbers that are the program's own files by now.
    for (const char* name : {"/dev/fd/3", "/dev/fd/4", "/proc/self/fd/5"})
        EXPECT_TRUE(exits(with("<&-", {"batch", "-vf", "box", "-o", path("o.mkv"), name}), 1));
    EXPECT_TRUE(
        exits(with("<&-", {"batch", "-vf", "box", "-o", path("o/"), "--input-list", "-"}), 1));
    EXPECT_TRUE(exits(with("<&-", {"info", "-"}), 1));
    EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>());
}

TEST_F(CliClosedDescriptors, OutputsEndInAnError) {
    for (const std::string& closed : closed_) {
        if (!contains(" " + closed, " >&-")) continue;
        for (const std::string name : {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
            SCOPED_TRACE(name + closed);
            const Result result =
                with(closed, {"batch", "-vf", "box", "-y", "-f", "nut", "-o", name, short_clip()});
            EXPECT_TRUE(result.exit_code == 5 || result.exit_code == 2) << describe(result);
            if (contains(closed, "2>&-")) continue;
            EXPECT_TRUE(exits_one_of(result, {2, 5}));
            EXPECT_TRUE(name != "-" || contains(result.err, "redirect it")) << result.err;
        }
        EXPECT_EQ(with(closed, {"list", "filters"}).exit_code, 5);
    }
}

TEST_F(CliPipe, AFullDeviceIsNotAFullDisk) {
    Command command = weft_command({"batch", "-vf", "box", "-f", "nut", "-o", "-", short_clip()});
    command.output = "/dev/full";
    const Result result = run(command);
    EXPECT_TRUE(exits(result, 5));
    EXPECT_TRUE(contains(result.err, "standard output")) << result.err;
    EXPECT_FALSE(contains(result.err, "MB free")) << result.err;
}

TEST_F(CliPipe, NutInAndOutKeepsEverything) {
    const std::string source = video_and_audio_clip("av.nut");
    EXPECT_TRUE(exits(through(source, "nut", "out.nut"), 0));
    EXPECT_EQ(frame_hashes(path("out.nut"), "yuv420p"), frame_hashes(source, "yuv420p"));
    EXPECT_EQ(frame_times(path("out.nut")), frame_times(source));
    EXPECT_EQ(packet_hash(path("out.nut"), "0:a:0"), packet_hash(source, "0:a:0"));
}

TEST_F(CliPipe, MatroskaInAndOut) {
    const std::string source = video_and_audio_clip();
    EXPECT_TRUE(exits(through(source, "matroska", "out.mkv"), 0));
    EXPECT_EQ(frame_hashes(path("out.mkv"), "yuv420p"), frame_hashes(source, "yuv420p"));
    EXPECT_EQ(frame_times(path("out.mkv")), frame_times(source));
}

TEST_F(CliPipe, Y4m) {
    const std::string source = short_clip();
    EXPECT_TRUE(exits(through(source, "y4m", "out.y4m"), 0));
    EXPECT_EQ(frame_hashes(path("out.y4m"), "yuv420p"), frame_hashes(source, "yuv420p"));
}

// Readers of raw video are given the size and the format, so the warning has them.
TEST_F(CliPipe, RawVideoHasTheBytesOfFfmpeg) {
    const std::string depth =
        clip("raw_ten.mkv", picture_input(0.2, "99x57") + " -pix_fmt yuv422p10le -c:v ffv1");
    for (const std::string& source : {short_clip(), depth}) {
        std::filesystem::remove(path("out.yuv"));
        ASSERT_EQ(run({"ffmpeg", "-v", "error", "-y", "-i", source, "-an", "-f", "rawvideo",
                       path("want.yuv")})
                      .exit_code,
                  0);
        const Result piped = through(source, "rawvideo", "out.yuv", source);
        EXPECT_TRUE(exits(piped, 0));
        EXPECT_TRUE(contains(piped.err, "-pixel_format " + video_field(source, "pix_fmt")))
            << piped.err;
        EXPECT_TRUE(read_file(path("out.yuv")) == read_file(path("want.yuv"))) << source;
        EXPECT_TRUE(exits(weft({"batch", "-vf", "convolve=matrix=1", "--lossless", "-y", "-f",
                                "rawvideo", "-o", path("file.yuv"), source}),
                          0));
        EXPECT_TRUE(read_file(path("file.yuv")) == read_file(path("want.yuv"))) << source;
    }
    EXPECT_TRUE(exits(weft({"batch", "-vf", "box", "--strict", "-f", "rawvideo", "-o",
                            path("strict.yuv"), short_clip()}),
                      2));
}

TEST_F(CliPipe, AFileToStandardOutput) {
    Command command = weft_command({"batch", "-vf", "box", "-f", "nut", "-o", "-", short_clip()});
    command.output = path("out.nut");
    EXPECT_TRUE(exits(run(command), 0));
    EXPECT_EQ(frame_count(path("out.nut")), 15);
}

TEST_F(CliPipe, StandardInputToAFile) {
    Command command = weft_command({"batch", "-vf", "box", "-o", path("out.mp4"), "-"});
    command.input = short_clip("short.nut");
    EXPECT_TRUE(exits(run(command), 0));
    EXPECT_EQ(frame_count(path("out.mp4")), 15);
}

// A real pipe, which cannot seek.
TEST_F(CliPipe, BetweenTwoFfmpegs) {
    const std::string script =
        "ffmpeg -v error -i \"$1\" -c copy -f nut - | \"$0\" batch -vf box -f nut -o - - | "
        "ffmpeg -v error -i - -c copy \"$2\"; exit ${PIPESTATUS[1]}";
    const Result result =
        run({"bash", "-c", script, weft_program(), video_and_audio_clip(), path("out.mkv")});
    EXPECT_EQ(result.exit_code, 0) << describe(result);
    EXPECT_EQ(frame_count(path("out.mkv")), 60);
    EXPECT_EQ(packet_hash(path("out.mkv"), "0:a:0"), packet_hash(video_and_audio_clip(), "0:a:0"));
}

// Pictures that libav reads by size from a file, but whose end it must find in a pipe.
TEST_F(CliPipe, PicturesThroughARealPipe) {
    const std::string script = "cat \"$1\" | \"$0\" batch -y -vf box -o \"$2\" -";
    const auto piped = [&](const std::string& source) {
        return run({"bash", "-c", script, weft_program(), source, path("out.png")});
    };
    for (const char* name : {"image.png", "image.jpg", "image.bmp", "image.webp"}) {
        EXPECT_TRUE(exits(piped(image_clip(name)), 0)) << name;
        EXPECT_EQ(frame_count(path("out.png")), 1) << name;
    }
    const Result refused = piped(image_clip("image.tiff"));
    EXPECT_TRUE(exits(refused, 1));
    EXPECT_TRUE(contains(refused.err, "only from a file")) << refused.err;
}

// Healthy, but a pipe cannot seek back: no damage.
TEST_F(CliPipe, AnMp4WithItsIndexAtTheEndIsNotDamaged) {
    const std::string script = "cat \"$1\" | \"$0\" batch -vf box -o \"$2\" -";
    const Result refused =
        run({"bash", "-c", script, weft_program(), video_clip("video.mp4"), path("out.mkv")});
    EXPECT_TRUE(exits(refused, 1));
    EXPECT_TRUE(contains(refused.err, "only from a file")) << refused.err;
}

// A cut pipe is damaged input, though no length was known.
TEST_F(CliPipe, ACutPipeIsDamaged) {
    const std::string bytes = read_file(video_clip());
    write_file(path("cut.mkv"), bytes.substr(0, bytes.size() / 2));
    Command command = weft_command({"batch", "-vf", "box", "-o", path("out.mkv"), "-"});
    command.input = path("cut.mkv");
    EXPECT_TRUE(exits(run(command), 4));
    EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>{"cut.mkv"});
}

TEST_F(CliPipe, OnlyTheVideoGoesToStandardOutput) {
    const Result result =
        weft({"batch", "-vf", "box", "-f", "nut", "-o", "-", "--progress=json", short_clip()});
    EXPECT_TRUE(exits(result, 0));
    EXPECT_EQ(result.out.rfind("nut/multimedia container", 0), 0U);
}

TEST_F(CliPipe, TwoInputsToStandardOutputAreRefused) {
    EXPECT_TRUE(exits(
        weft({"batch", "-vf", "box", "-f", "nut", "-o", "-", short_clip(), video_clip()}), 2));
}

}  // namespace
}  // namespace weft::cli
