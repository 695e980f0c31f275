// Containers, codecs, depth, images and sequences chosen by the output's name.
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* kIdentity = "convolve=matrix=1";

class CliOutput : public CliTest {
 protected:
    std::string filter(const std::string& input, const std::string& name,
                       const Arguments& more = {}) {
        Arguments arguments = {"batch", "-vf", kIdentity, "-o", path(name)};
        arguments.insert(arguments.end(), more.begin(), more.end());
        arguments.push_back(input);
        EXPECT_TRUE(exits(weft(arguments), 0)) << name;
        return path(name);
    }
};

TEST_F(CliOutput, DefaultCodecs) {
    const std::vector<std::pair<std::string, std::string>> table = {
        {"mp4", "h264"}, {"mkv", "h264"}, {"mov", "h264"}, {"webm", "vp9"}, {"gif", "gif"}};
    for (const auto& [extension, codec] : table) {
        const std::string output = filter(short_clip(), "out." + extension);
        EXPECT_EQ(video_field(output, "codec_name"), codec);
        EXPECT_EQ(frame_count(output), 15) << extension;
    }
    EXPECT_EQ(frame_count(filter(short_clip(), "out.avi")), 15);
    EXPECT_EQ(frame_count(filter(short_clip(), "OUT.MP4")), 15) << "extension in capitals";
}

// Black and white of video are 16 and 235, those of JPEG 0 and 255; compression costs a level or
// two.
TEST_F(CliOutput, JpegsOfVideoHaveFullRange) {
    for (const auto& [colour, want] : {std::pair{"black", 0}, {"white", 255}}) {
        const std::string video =
            clip(fmt::format("{}.mkv", colour),
                 fmt::format("-f lavfi -i color={}:s=64x48:r=5:d=0.2 -c:v libx264 -pix_fmt yuv420p",
                             colour));
        const std::string picture = raw_video(filter(video, fmt::format("{}.jpg", colour)), "gray");
        EXPECT_NEAR(static_cast<unsigned char>(picture.at(0)), want, 2) << colour;
    }
}

TEST_F(CliOutput, LosslessIsLosslessInEveryContainerThatSupportsIt) {
    const auto want = frame_hashes(short_clip(), "yuv420p");
    for (const char* name : {"o.mkv", "o.mov", "o.mp4", "o.avi", "o.webm", "o.nut"})
        EXPECT_EQ(frame_hashes(filter(short_clip(), name, {"--lossless"}), "yuv420p"), want)
            << name;
}

TEST_F(CliOutput, LosslessAtTenBitsAndInRgb) {
    for (const char* format : {"yuv420p10le", "yuv422p10le", "yuv444p10le"}) {
        const std::string source = clip(fmt::format("ten_{}.mkv", format),
                                        picture_input(0.2) + " -pix_fmt " + format + " -c:v ffv1");
        for (const char* name : {"o.mkv", "o.mp4", "o.webm"})
            EXPECT_EQ(frame_hashes(filter(source, name, {"--lossless", "-y"}), format),
                      frame_hashes(source, format))
                << name << ' ' << format;
    }
    const std::string rgb = clip("rgb.mkv", picture_input(0.2) + " -pix_fmt gbrp -c:v ffv1");
    for (const char* name : {"o.mkv", "o.mp4"}) {
        const std::string output = filter(rgb, name, {"--lossless", "-y"});
        EXPECT_EQ(frame_hashes(output, "gbrp"), frame_hashes(rgb, "gbrp")) << name;
    }
}

TEST_F(CliOutput, LosslessIsAnErrorInOtherContainers) {
    const Result result =
        weft({"batch", "-vf", kIdentity, "--lossless", "-o", path("o.gif"), short_clip()});
    EXPECT_TRUE(exits(result, 2));
    EXPECT_TRUE(contains(result.err, "mkv")) << "no container that can is named: " << result.err;
    EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>());
}

// No picture file of ours holds the YUV of a JPEG. A film format is no help to its owner.
TEST_F(CliOutput, LosslessPicturesOfYuvHaveAnAnswer) {
    const std::string photo = clip("photo.jpg", picture_input(1, "64x48") + " -frames:v 1");
    for (const char* name : {"o.jpg", "o.webp", "o.png"}) {
        const Result result =
            weft({"batch", "-vf", kIdentity, "--lossless", "-o", path(name), photo});
        EXPECT_TRUE(exits(result, 2)) << name;
        EXPECT_TRUE(contains(result.err, "nor can any other picture")) << result.err;
        EXPECT_TRUE(contains(result.err, "without --lossless, png")) << result.err;
    }
    const std::string rgb = clip("rgb.png", picture_input(1, "64x48") + " -frames:v 1");
    const Result named = weft({"batch", "-vf", kIdentity, "--lossless", "-o", path("o.jpg"), rgb});
    EXPECT_TRUE(contains(named.err, "png can (png)")) << named.err;
    EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>());
}

TEST_F(CliOutput, DepthAndChromaAreKept) {
    for (const char* format : {"yuv420p10le", "yuv422p", "yuv444p", "yuv422p10le"}) {
        const std::string source = clip(fmt::format("depth_{}.mkv", format),
                                        picture_input(0.2) + " -pix_fmt " + format + " -c:v ffv1");
        for (const char* name : {"d.mkv", "d.mp4", "d.webm"})
            EXPECT_EQ(video_field(filter(source, name, {"-y"}), "pix_fmt"), format) << name;
    }
}

TEST_F(CliOutput, LostDepthIsAWarningAndStrictAnError) {
    const std::string source =
        clip("twelve.mkv", picture_input(0.2) + " -pix_fmt yuv444p12le -c:v ffv1");
    const Result result =
        weft({"batch", "-vf", kIdentity, "-o", path("o.mp4"), "--json=" + path("r.json"), source});
    EXPECT_TRUE(exits(result, 0));
    EXPECT_NE(video_field(path("o.mp4"), "pix_fmt"), "yuv444p12le");
    EXPECT_FALSE(parse_json(read_file(path("r.json"))).at("files").at(0).at("warnings").empty());
    const Result strict =
        weft({"batch", "-vf", kIdentity, "--strict", "-o", path("s.mp4"), source});
    EXPECT_TRUE(exits_one_of(strict, {1, 2}));
    EXPECT_FALSE(fs::exists(path("s.mp4")));
}

TEST_F(CliOutput, OddSizesAreNotCropped) {
    // Without format=, testsrc2 rounds its own size to the chroma of yuv420p.
    const std::string source =
        clip("odd.mkv",
             "-f lavfi -i testsrc2=s=99x57:r=30:d=0.2,format=gbrp -pix_fmt yuv420p -c:v ffv1");
    ASSERT_EQ(video_field(source, "width"), "99");
    ASSERT_EQ(video_field(source, "height"), "57");
    for (const char* name : {"o.mkv", "o.mp4", "o.webm"}) {
        const std::string output = filter(source, name);
        EXPECT_EQ(video_field(output, "width"), "99") << name;
        EXPECT_EQ(video_field(output, "height"), "57") << name;
    }
    EXPECT_EQ(video_field(path("o.mp4"), "pix_fmt"), "yuv444p");
}

TEST_F(CliOutput, TinyPictures) {
    for (const char* size : {"1:1", "2:2", "1:9", "3:2"}) {
        const std::string source =
            clip(fmt::format("tiny_{}.png", size),
                 picture_input(1) + " -frames:v 1 -vf format=rgb24,crop=" + size);
        const Result result = weft({"batch", "-vf", "gaussian=sigma=3,sobel,box=radius=9", "-y",
                                    "-o", path("tiny.png"), source});
        EXPECT_TRUE(exits(result, 0)) << size;
        EXPECT_EQ(video_field(path("tiny.png"), "width"), video_field(source, "width"));
    }
}

// Every extension, as output and as input. The writer's tests cover the samples of all formats.
TEST_F(CliOutput, ImagesInAndOut) {
    for (const char* ending : {"png", "jpg", "jpeg", "bmp", "tif", "tiff", "webp", "jxl", "tga",
                               "ppm", "pgm", "pnm", "pam"}) {
        const std::string output = filter(image_clip(), fmt::format("i.{}", ending));
        const std::string again = filter(output, fmt::format("again.{}", ending));
        EXPECT_EQ(video_field(again, "width"), "64") << ending;
        EXPECT_EQ(video_field(again, "height"), "48") << ending;
    }
    for (const char* exact : {"png", "bmp", "tiff", "tga", "ppm", "pnm", "pam"})
        EXPECT_EQ(frame_hashes(path(fmt::format("again.{}", exact)), "rgb24"),
                  frame_hashes(image_clip(), "rgb24"))
            << exact;
}

// "VP8L" or "VP8 ", after RIFF, the size and WEBP; or VP8X and further chunks.
bool is_lossless_webp(const std::string& file) {
    return contains(read_file(file).substr(0, 200), "VP8L");
}

TEST_F(CliOutput, ALosslessWebpStaysLossless) {
    const std::string input = picture_input(1, "64x48") + " -frames:v 1 -c:v libwebp -lossless ";
    const std::string exact = clip("exact.webp", input + "1");
    const std::string lossy = clip("lossy.webp", input + "0");
    ASSERT_TRUE(is_lossless_webp(exact));
    ASSERT_FALSE(is_lossless_webp(lossy));
    EXPECT_TRUE(is_lossless_webp(filter(exact, "same.webp")));
    EXPECT_EQ(frame_hashes(path("same.webp"), "bgra"), frame_hashes(exact, "bgra"));
    EXPECT_FALSE(is_lossless_webp(filter(lossy, "lossy.webp")));
    EXPECT_FALSE(is_lossless_webp(filter(image_clip(), "from_png.webp")));
    EXPECT_FALSE(is_lossless_webp(filter(exact, "asked.webp", {"-pix_fmt", "yuv420p"})));
}

TEST_F(CliOutput, ImagesKeepSixteenBits) {
    const std::string colour =
        clip("deep.png", picture_input(1, "64x48") + " -frames:v 1 -pix_fmt rgb48be");
    const std::string gray =
        clip("deep_gray.png", picture_input(1, "64x48") + " -frames:v 1 -pix_fmt gray16be");
    for (const char* ending : {"png", "tiff", "jxl", "ppm", "pnm", "pam"})
        EXPECT_EQ(
            frame_hashes(filter(colour, fmt::format("c.{}", ending), {"--lossless"}), "rgb48le"),
            frame_hashes(colour, "rgb48le"))
            << ending;
    for (const char* ending : {"png", "tiff", "jxl", "pgm", "pnm", "pam"})
        EXPECT_EQ(
            frame_hashes(filter(gray, fmt::format("g.{}", ending), {"--lossless"}), "gray16le"),
            frame_hashes(gray, "gray16le"))
            << ending;
}

TEST_F(CliOutput, TransparencyOfAnImageIsKept) {
    const std::string source =
        clip("alpha.png",
             "-f lavfi -i testsrc2=s=64x48,format=rgba,colorchannelmixer=aa=0.4 "
             "-frames:v 1");
    const std::string output = filter(source, "alpha_out.png");
    EXPECT_EQ(video_field(output, "pix_fmt"), "rgba");
    EXPECT_EQ(frame_hashes(output, "rgba"), frame_hashes(source, "rgba"));
}

TEST_F(CliOutput, AlphaOfVp9IsDecodedAndKept) {
    const std::string source =
        clip("alpha.webm",
             "-f lavfi -i testsrc2=s=64x48:d=0.3,format=yuva420p,colorchannelmixer=aa=0.4 "
             "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -auto-alt-ref 0");
    const std::string output = filter(source, "alpha_out.mkv", {"--lossless"});
    EXPECT_EQ(video_field(output, "pix_fmt"), "yuva420p");
}

TEST_F(CliOutput, ImageSequenceOut) {
    filter(short_clip(), "frames/f_%03d.png", {});
    const auto names = names_in(path("frames"));
    ASSERT_EQ(names.size(), 15U);
    EXPECT_EQ(names.front(), "f_001.png") << "ffmpeg counts from 1";
    EXPECT_EQ(names.back(), "f_015.png");
}

TEST_F(CliOutput, ImageSequenceIn) {
    make_folder("in");
    ASSERT_EQ(run({"ffmpeg", "-v", "error", "-i", short_clip(), path("in/f_%03d.png")}).exit_code,
              0);
    const std::string output = filter(path("in/f_%03d.png"), "out.mkv", {"--lossless"});
    EXPECT_EQ(frame_count(output), 15);
    EXPECT_EQ(frame_hashes(output, "rgb24"), frame_hashes(path("in/f_%03d.png"), "rgb24"));
    filter(path("in/f_%03d.png"), "again_%03d.png");
    EXPECT_TRUE(fs::exists(path("again_015.png")));
    fs::remove(path("in/f_007.png"));  // a gap ends the sequence: not silently
    const Result gap =
        weft({"batch", "-vf", kIdentity, "-o", path("gap.mkv"), path("in/f_%03d.png")});
    EXPECT_TRUE(gap.exit_code != 0 || contains(gap.err, "7")) << describe(gap);
}

TEST_F(CliOutput, AVideoIntoOneImageIsRefused) {
    const Result result = weft({"batch", "-vf", kIdentity, "-o", path("one.png"), short_clip()});
    EXPECT_TRUE(exits_one_of(result, {1, 2})) << "14 frames would be lost";
    EXPECT_FALSE(fs::exists(path("one.png")));
}

TEST_F(CliOutput, AnimatedGif) {
    const std::string source = clip("moving.gif", picture_input(0.5, "64x48") + " -r 10");
    EXPECT_EQ(frame_count(filter(source, "out.gif")), frame_count(source));
    EXPECT_EQ(frame_count(filter(source, "out.mkv")), frame_count(source));
    EXPECT_EQ(frame_times(path("out.mkv")), frame_times(source));
}

TEST_F(CliOutput, CodecThatTheContainerDoesNotSupport) {
    const Result result =
        weft({"batch", "-vf", kIdentity, "-c:v", "libx264", "-o", path("o.webm"), short_clip()});
    EXPECT_TRUE(exits(result, 2));
    EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>());
}

// -framerate, for inputs that store no times, as in ffmpeg.
class CliFrameRate : public CliTest {
 protected:
    // Twelve numbered pictures, and the same as one stream.
    void make_pictures() {
        make_folder("in");
        ASSERT_EQ(run({"ffmpeg", "-v", "error", "-i", short_clip(), "-frames:v", "12",
                       path("in/f_%03d.png")})
                      .exit_code,
                  0);
    }
    Result batch(const Arguments& more) {
        Arguments arguments = {"batch", "-vf", "box", "-y"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return weft(arguments);
    }
};

// Frame n is shown at n / rate, in every notation that ffmpeg takes.
TEST_F(CliFrameRate, OfNumberedPictures) {
    make_pictures();
    const std::vector<std::pair<std::string, double>> rates = {{"", 25},
                                                               {"10", 10},
                                                               {"12.5", 12.5},
                                                               {"30000/1001", 30000.0 / 1001},
                                                               {"ntsc", 30000.0 / 1001},
                                                               {"0.5", 0.5}};
    for (const auto& [text, rate] : rates) {
        SCOPED_TRACE(text);
        Arguments arguments = {"-o", path("o.nut"), path("in/f_%03d.png")};
        if (!text.empty()) arguments.insert(arguments.begin(), {"-framerate", text});
        ASSERT_TRUE(exits(batch(arguments), 0));
        const std::vector<double> times = frame_times(path("o.nut"));
        ASSERT_EQ(times.size(), 12U);
        for (std::size_t i = 0; i < times.size(); ++i)
            EXPECT_NEAR(times[i], static_cast<double>(i) / rate, 1e-6) << i;
    }
}

TEST_F(CliFrameRate, OfPicturesFromAPipeAndRawStreams) {
    make_pictures();
    std::string pictures;
    for (const std::string& name : names_in(path("in"))) pictures += read_file(path("in/" + name));
    write_file(path("pictures"), pictures);
    // H.264 states a rate, which ffmpeg prefers, too.
    ASSERT_EQ(run({"ffmpeg", "-v", "error", "-i", short_clip(), path("raw.mjpeg")}).exit_code, 0);
    Command piped =
        weft_command({"batch", "-vf", "box", "-framerate", "5", "-o", path("p.nut"), "-"});
    piped.input = path("pictures");
    ASSERT_TRUE(exits(run(piped), 0));
    EXPECT_NEAR(frame_times(path("p.nut")).at(11), 11.0 / 5, 1e-6);
    ASSERT_TRUE(exits(batch({"-framerate", "5", "-o", path("r.nut"), path("raw.mjpeg")}), 0));
    EXPECT_NEAR(frame_times(path("r.nut")).at(14), 14.0 / 5, 1e-6);
}

// Plans and receipts store it: otherwise a run of the plan took 25 frames per second, and prove
// called the output wrong.
TEST_F(CliFrameRate, OfPlansAndReceipts) {
    const std::string input = path("raw.mjpeg");
    const std::string film = path("out/raw.mkv");
    ASSERT_EQ(run({"ffmpeg", "-v", "error", "-i", short_clip(), input}).exit_code, 0);
    make_folder("out");
    ASSERT_TRUE(
        exits(batch({"-framerate", "5", "-o", path("out/"), "--plan", path("p.plan"), input}), 0));
    ASSERT_TRUE(exits(weft({"batch", "--run", path("p.plan")}), 0));
    EXPECT_NEAR(frame_times(film).at(14), 14.0 / 5, 1e-3);
    EXPECT_TRUE(exits(weft({"prove", path("out/")}), 0));
    ASSERT_TRUE(exits(weft({"batch", "-vf", "box", "-n", "--receipts", "-framerate", "10", "-o",
                            path("out/"), input}),
                      0));
    EXPECT_NEAR(frame_times(film).at(14), 14.0 / 10, 1e-3);
}

TEST_F(CliFrameRate, AFileWithTimesKeepsThem) {
    const Result result = batch({"-framerate", "10", "-o", path("o.mkv"), short_clip()});
    EXPECT_TRUE(exits(result, 2));
    EXPECT_TRUE(contains(result.err, "-framerate is for numbered pictures")) << result.err;
    EXPECT_FALSE(std::filesystem::exists(path("o.mkv")));
}

TEST_F(CliFrameRate, BadValuesAreNamed) {
    for (const char* wrong : {"abc", "0", "-5", "1/0", "1e9", "25fps", "nan", "inf", "0.0001"}) {
        const Result result = batch({"-framerate", wrong, "-o", path("o.nut"), path("f_%d.png")});
        EXPECT_TRUE(exits(result, 2)) << wrong;
        EXPECT_TRUE(contains(result.err, std::string("-framerate ") + wrong + ": expected"))
            << result.err;
    }
    EXPECT_TRUE(exits(batch({"-framerate", "-o", path("o.nut"), path("f_%d.png")}), 2));
}

}  // namespace
}  // namespace weft::cli
