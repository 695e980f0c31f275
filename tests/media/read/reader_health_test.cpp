// Healthy files, odd ones above all: every frame at its own time, and no false alarm.
#include <gtest/gtest.h>

#include "tests/media/read/reader_recipes.h"
#include "tests/media/read/reader_support.h"

namespace weft::test {
namespace {

class MediaReaderHealth : public ClipTest, public testing::WithParamInterface<const char*> {};

// ffprobe's best_effort_timestamp is the reference: same frames, same times, none flagged.
TEST_P(MediaReaderHealth, SameFramesAsFfprobe) {
    const std::filesystem::path file = recipe(GetParam());
    const ReadResult got = read_all(file);
    EXPECT_EQ(got.outcome, Outcome::ok) << got.error;
    EXPECT_FALSE(got.damage.damaged) << got.damage.reason;
    EXPECT_EQ(static_cast<std::int64_t>(got.pts.size()), count_frames(file));
    const std::vector<std::int64_t> probed = probed_pts(file);
    ASSERT_EQ(got.pts.size(), probed.size());
    for (std::size_t i = 0; i < probed.size(); ++i) {
        if (probed[i] != AV_NOPTS_VALUE) {
            EXPECT_EQ(got.pts[i], probed[i]) << "frame " << i;
        }
        if (i > 0) {
            EXPECT_LT(got.pts[i - 1], got.pts[i]) << "frame " << i;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Files, MediaReaderHealth,
    testing::Values("plain.mp4", "faststart.mp4", "fragments.mp4", "plain.mov", "plain.mkv",
                    "plain.ts", "mpeg4.avi", "mjpeg.avi", "h264.avi", "yuyv.avi", "vp8.webm",
                    "vp8hidden.webm", "vp9.webm", "vp9hidden.webm", "vp8alpha.webm",
                    "vp9alpha.webm", "ffv1.nut", "h264.nut", "late.nut", "jpeg2000.mxf", "anim.gif",
                    "delays.gif", "anim.apng", "still.png", "still16.png", "palette.png",
                    "mono.png", "still.jpg", "still.bmp", "still.tiff", "still.webp", "still.tga",
                    "still.exr", "mpeg2.mpg", "interlaced.ts", "interlaced.mp4", "raw.h264",
                    "raw.hevc", "raw.ivf", "raw.y4m", "raw.mjpeg", "theora.ogv", "flash.flv",
                    "sound.flv", "windows.wmv", "late.wmv", "longaudio.wmv", "tape.dv",
                    "prores.mov", "hevc.mkv", "hevc10.mp4", "444.mkv", "gray8.mkv", "av1.mkv",
                    "opengop.ts", "opengopcut.ts", "refresh.ts", "edited.mp4", "edited.mov",
                    "rotated.mp4", "drops.mkv", "vfr.mp4", "longaudio.mp4", "twovideos.mkv",
                    "cover.mp4", "chapters.mkv", "live.mkv", "anamorphic.mp4"),
    [](const auto& row) { return test_name(row.param); });

}  // namespace
}  // namespace weft::test
