// R11: kernels that copy reproduce every sample bit by bit, in each pixel format.
#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

// A stack of two copies: 1×1, then 3×3 with a one in the centre.
constexpr const char* kCopies = "convolve=matrix=1,convolve=matrix='0 0 0; 0 1 0; 0 0 0'";

// An odd size tests planes whose chroma is rounded up.
constexpr const char* kPicture =
    "-f lavfi -i testsrc2=s=99x57:r=30:d=0.1,noise=alls=40:allf=t -sws_flags "
    "+accurate_rnd+full_chroma_int -pix_fmt ";

class CliR11Identity : public CliTest, public testing::WithParamInterface<std::string> {
 protected:
    void expect_same_frames(const std::string& source, const std::string& format) {
        const std::string output = path("out.mkv");
        EXPECT_TRUE(exits(weft({"batch", "-vf", kCopies, "--lossless", "-o", output, source}), 0));
        const std::vector<std::string> want = frame_hashes(source, format);
        ASSERT_EQ(want.size(), 3U);
        EXPECT_EQ(frame_hashes(output, format), want);
    }
};

TEST_P(CliR11Identity, NativeFormatIsUntouched) {
    const std::string& format = GetParam();
    const std::string source = clip("same_" + format + ".mkv", kPicture + format + " -c:v ffv1");
    ASSERT_EQ(video_field(source, "pix_fmt"), format);
    expect_same_frames(source, format);
    EXPECT_EQ(video_field(path("out.mkv"), "pix_fmt"), format);
}

// Formats that FFV1 stores unchanged.
INSTANTIATE_TEST_SUITE_P(
    Ffv1, CliR11Identity,
    testing::Values("gray", "gray10le", "gray12le", "gray16le", "yuv410p", "yuv411p", "yuv420p",
                    "yuv422p", "yuv440p", "yuv444p", "yuv420p9le", "yuv420p10le", "yuv422p10le",
                    "yuv444p10le", "yuv420p12le", "yuv422p12le", "yuv444p12le", "yuv420p14le",
                    "yuv420p16le", "yuv422p16le", "yuv444p16le", "yuva420p", "yuva422p", "yuva444p",
                    "yuva420p10le", "yuva444p16le", "bgr0", "bgra", "gbrp10le", "gbrp12le",
                    "gbrp16le", "gbrap12le"),
    [](const testing::TestParamInfo<std::string>& tested) { return tested.param; });

using CliR11IdentityConverted = CliR11Identity;

// Formats that FFV1 stores in another layout: the same samples come back.
TEST_P(CliR11IdentityConverted, SamplesAreTheSame) {
    const std::string& format = GetParam();
    const std::string source =
        clip("packed_" + format + ".nut",
             "-f lavfi -i testsrc2=s=100x58:r=30:d=0.1,noise=alls=40:allf=t -pix_fmt " + format +
                 " -c:v rawvideo");
    ASSERT_EQ(video_field(source, "pix_fmt"), format) << "NUT has no tag for it";
    expect_same_frames(source, format);
}

INSTANTIATE_TEST_SUITE_P(Packed, CliR11IdentityConverted,
                         testing::Values("nv12", "nv21", "rgb24", "bgr24", "rgba", "argb",
                                         "uyvy422", "yuyv422", "gbrp", "rgb48le", "rgba64le", "ya8",
                                         "gray10be"),
                         [](const testing::TestParamInfo<std::string>& tested) {
                             return tested.param;
                         });

class CliR11IdentitySmall : public CliTest, public testing::WithParamInterface<std::string> {};

// FFV1 cuts a picture into slices: at these sizes it silently lost some or all samples.
TEST_P(CliR11IdentitySmall, Ffv1KeepsEverySample) {
    const std::string& size = GetParam();
    for (const char* format : {"gray", "yuv411p", "yuv420p", "gbrp10le"}) {
        const std::string source =
            clip("small_" + size + format + ".nut",
                 "-f lavfi -i nullsrc=s=" + size + ":r=30:d=0.1,format=" + format +
                     ",noise=alls=90:allf=t+u -pix_fmt " + format + " -c:v ffv1 -level 1");
        const std::string output = path(format + std::string(".mkv"));
        EXPECT_TRUE(exits(weft({"batch", "-vf", kCopies, "--lossless", "-o", output, source}), 0));
        EXPECT_EQ(frame_hashes(output, format), frame_hashes(source, format)) << format;
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, CliR11IdentitySmall,
                         testing::Values("1x1", "1x9", "9x1", "64x2", "2x64", "3x3", "4x7", "13x9",
                                         "366x290"),
                         [](const testing::TestParamInfo<std::string>& tested) {
                             return tested.param;
                         });

class CliR11IdentityRaw : public CliTest {};

// Raw video has no tag for floating point: written unchanged, it is read back as rgb555le.
TEST_F(CliR11IdentityRaw, FloatingPointBecomesTheDeepestFormatWithATag) {
    const std::string source = clip("float.exr", std::string(kPicture) + "gbrpf32le -frames:v 1");
    ASSERT_EQ(video_field(source, "pix_fmt"), "gbrpf32le");
    const std::string output = path("raw.nut");
    const Result result = weft({"batch", "-vf", kCopies, "-c:v", "rawvideo", "-o", output, source});
    EXPECT_TRUE(exits(result, 0));
    EXPECT_TRUE(contains(result.err, "floating point becomes 16 bits")) << result.err;
    EXPECT_EQ(video_field(output, "pix_fmt"), "rgb48le");
    EXPECT_TRUE(exits(weft({"batch", "-vf", kCopies, "-c:v", "rawvideo", "-pix_fmt", "gbrpf32le",
                            "-o", path("refused.nut"), source}),
                      2));
}

class CliR11IdentityRange : public CliTest {};

// A format with the same samples to which ffmpeg's conversion involves no choice, such as colours
// of a palette, or dithering to one bit.
std::string comparable(const std::string& format) {
    if (format == "pal8") return "rgba";
    return format == "monob" ? "gray" : format;
}

TEST_F(CliR11IdentityRange, FullRangeStaysFull) {
    const std::string source = clip("full.mkv", std::string(kPicture) + "yuvj420p -c:v mjpeg");
    EXPECT_TRUE(
        exits(weft({"batch", "-vf", kCopies, "--lossless", "-o", path("out.mkv"), source}), 0));
    EXPECT_EQ(video_field(path("out.mkv"), "color_range"), "pc");
    EXPECT_EQ(frame_hashes(path("out.mkv"), "yuvj420p"), frame_hashes(source, "yuvj420p"));
}

TEST_F(CliR11IdentityRange, ImagesKeepEverySample) {
    for (const char* format :
         {"gray", "gray16be", "rgb24", "rgba", "rgb48be", "rgba64be", "ya8", "pal8", "monob"}) {
        const std::string name = std::string("image_") + format + ".png";
        const std::string source = clip(name, std::string(kPicture) + format + " -frames:v 1");
        EXPECT_TRUE(exits(weft({"batch", "-vf", kCopies, "-o", path(name), source}), 0)) << format;
        const std::string compare = comparable(format);
        EXPECT_EQ(frame_hashes(path(name), compare), frame_hashes(source, compare)) << format;
    }
}

}  // namespace
}  // namespace weft::cli
