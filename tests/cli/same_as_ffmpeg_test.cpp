// Integer matrices with divisor 1 match ffmpeg's `convolution` bit by bit wherever the matrix is
// inside the picture. They are asymmetric, so that a flip or a transposition shows.
#include <cstdint>

#include <fmt/format.h>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

constexpr int kWidth = 96;
constexpr int kHeight = 64;
constexpr int kFrames = 3;

struct Case {
    int size;
    std::string format;
};

// A different integer at each place; the sum is near 1, so that few pixels saturate.
std::string matrix(int size) {
    std::string text;
    int sum = 0;
    const int count = size * size;
    for (int i = 0; i + 1 < count; ++i) {
        const int value = (i * 7 + 3) % 5 - 2;
        sum += value;
        text += fmt::format("{} ", value);
    }
    return text + std::to_string(1 - sum);
}

struct Plane {
    int width;
    int height;
};

std::vector<Plane> planes(const std::string& format) {
    if (format == "gray") return {{kWidth, kHeight}};
    return {{kWidth, kHeight}, {kWidth / 2, kHeight / 2}, {kWidth / 2, kHeight / 2}};
}

class CliSameAsFfmpeg : public CliTest, public testing::WithParamInterface<Case> {};

TEST_P(CliSameAsFfmpeg, InTheInterior) {
    const auto& [size, format] = GetParam();
    const std::string source =
        clip("noise_" + format + ".mkv",
             fmt::format("-f lavfi -i testsrc2=s={}x{}:d=0.1:r=30,noise=alls=30:allf=t -pix_fmt {} "
                         "-c:v ffv1",
                         kWidth, kHeight, format));
    const std::string taps = matrix(size);
    EXPECT_TRUE(exits(weft({"batch", "-vf", "convolve=matrix='" + taps + "'", "--lossless", "-o",
                            path("out.mkv"), source}),
                      0));
    std::string theirs;
    for (int plane = 0; plane < 4; ++plane)
        theirs += fmt::format("{0}m={1}:{0}rdiv=1:{0}bias=0{2}", plane, taps, plane < 3 ? ":" : "");
    const std::string want = ffmpeg_text(
        source, "-vf 'convolution=" + theirs + "' -pix_fmt " + format + " -f rawvideo -");
    const std::string got = raw_video(path("out.mkv"), format);
    ASSERT_EQ(got.size(), want.size());
    const int margin = size / 2;
    std::size_t offset = 0;
    for (int frame = 0; frame < kFrames; ++frame)
        for (const Plane& plane : planes(format)) {
            for (int y = margin; y < plane.height - margin; ++y)
                for (int x = margin; x < plane.width - margin; ++x) {
                    const std::size_t at = offset + static_cast<std::size_t>(y * plane.width + x);
                    ASSERT_EQ(static_cast<std::uint8_t>(got[at]),
                              static_cast<std::uint8_t>(want[at]))
                        << "frame " << frame << ", plane of " << plane.width << " at " << x << ", "
                        << y;
                }
            offset += static_cast<std::size_t>(plane.width) * plane.height;
        }
    EXPECT_EQ(offset, got.size());
}

INSTANTIATE_TEST_SUITE_P(Matrices, CliSameAsFfmpeg,
                         testing::Values(Case{3, "gray"}, Case{5, "gray"}, Case{7, "gray"},
                                         Case{3, "yuv420p"}, Case{5, "yuv420p"},
                                         Case{7, "yuv420p"}),
                         [](const testing::TestParamInfo<Case>& tested) {
                             return fmt::format("{}_{}", tested.param.format, tested.param.size);
                         });

// Command lines pasted from ffmpeg.
class CliSameAsFfmpegText : public CliTest {};

TEST_F(CliSameAsFfmpegText, ConvolutionAsPasted) {
    const std::string stack =
        "convolution='-2 -1 0 -1 1 1 0 1 2:-2 -1 0 -1 1 1 0 1 2:-2 -1 0 -1 1 1 0 1 2:0 0 0 0 1 0 0 "
        "0 0:1:1:1:1:0:0:0:0'";
    EXPECT_TRUE(
        exits(weft({"batch", "-vf", stack, "--lossless", "-o", path("out.mkv"), short_clip()}), 0));
    EXPECT_EQ(frame_count(path("out.mkv")), 15);
}

TEST_F(CliSameAsFfmpegText, OtherFiltersAsPasted) {
    for (const char* stack :
         {"gblur=sigma=2", "gblur=2", "avgblur=3", "avgblur=sizeX=3:planes=1", "boxblur=2:1",
          "unsharp=5:5:1.0", "unsharp=luma_msize_x=7:luma_msize_y=7:luma_amount=2.5",
          "sobel=planes=1:scale=2:delta=1", "prewitt", "scharr=scale=2", "roberts", "kirsch",
          "tblend=all_mode=difference", "gblur=sigma=1,sobel"}) {
        EXPECT_TRUE(
            exits(weft({"batch", "-vf", stack, "-y", "-o", path("out.mkv"), short_clip()}), 0))
            << stack;
    }
}

}  // namespace
}  // namespace weft::cli
