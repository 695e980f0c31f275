// Wherever reading starts, the frames are those of a linear decode.
#include "app/viewer/play/frame_source.h"

#include <algorithm>
#include <memory>
#include <random>

#include <gtest/gtest.h>

#include "app/viewer/play/decode_head.h"
#include "tests/media/read/reader_recipes.h"
#include "tests/support/clips.h"
#include "tests/viewer/play/player_support.h"

namespace weft::test {
namespace {

class ViewerFrameSource : public ClipTest, public testing::WithParamInterface<const char*> {};

// Reads on after a seek, which lands at or before the frame, and expects every frame from there.
void expect_same_from(FrameSource& source, const std::vector<KnownFrame>& frames,
                      std::size_t wanted, std::size_t count) {
    std::optional<Frame> frame = source.next();
    ASSERT_TRUE(frame);
    ASSERT_LE(frame->pts, frames[wanted].pts);
    const auto at = std::find_if(frames.begin(), frames.end(),
                                 [&](const KnownFrame& known) { return known.pts >= frame->pts; });
    for (auto known = at; known != frames.end() &&
                          known - frames.begin() <= static_cast<std::ptrdiff_t>(wanted + count);
         ++known, frame = source.next()) {
        ASSERT_TRUE(frame) << "the end, at " << known->seconds;
        ASSERT_EQ(frame->pts, known->pts);
        ASSERT_EQ(frame_hash(*frame->av), known->hash) << "at " << known->seconds;
    }
}

TEST_P(ViewerFrameSource, SeeksReachEveryFrame) {
    av_log_set_level(AV_LOG_QUIET);
    const auto file = recipe(GetParam());
    const auto frames = linear_frames(file);
    FrameSource source(file.string());
    std::mt19937 random(3);
    for (int i = 0; i < 8; ++i) {
        const std::size_t number = i == 0 ? frames.size() - 1 : random() % frames.size();
        source.seek(frames[number].pts);
        ASSERT_NO_FATAL_FAILURE(expect_same_from(source, frames, number, 3))
            << "sought frame " << number;
    }
}

INSTANTIATE_TEST_SUITE_P(Files, ViewerFrameSource,
                         testing::Values("plain.mp4", "faststart.mp4", "fragments.mp4", "plain.mkv",
                                         "plain.ts", "opengop.ts", "opengop.mkv", "opengop.mp4",
                                         "cra.mkv", "mpeg2.mkv", "opengopcut.ts", "refresh.ts",
                                         "mpeg4.avi", "mjpeg.avi", "vp8hidden.webm", "vp9.webm",
                                         "vp9hidden.webm", "vp9alpha.webm", "av1.mkv", "hevc.mkv",
                                         "h264.nut", "ffv1.nut", "anim.gif", "delays.gif",
                                         "mpeg2.mpg", "drops.mkv", "vfr.mp4", "edited.mp4",
                                         "edited.mov", "flash.flv", "raw.y4m", "raw.hevc",
                                         "longaudio.mp4", "twovideos.mkv", "cover.mp4", "live.mkv"),
                         [](const auto& row) {
                             std::string name = row.param;
                             std::replace(name.begin(), name.end(), '.', '_');
                             return name;
                         });

class ViewerDecodeHead : public ClipTest {};

// Every frame of this file is a key frame.
TEST_F(ViewerDecodeHead, DecodesOnToTheNextFrameAndSeeksBeyondIt) {
    using Move = DecodeHead::Move;
    const auto file = recipe("mjpeg.avi");
    const auto frames = linear_frames(file);
    DecodeHead head(std::make_unique<FrameSource>(file.string()));
    (void)head.passed(head.decode());
    ASSERT_EQ(head.decoded(), frames[0].pts);
    const std::optional<std::int64_t> follower = frames[1].pts;
    EXPECT_EQ(head.toward({frames[1].pts, false}, follower), Move::decode);
    EXPECT_EQ(head.toward({frames[1].pts, false}, std::nullopt), Move::seek) << "it may be far";
    EXPECT_EQ(head.toward({frames[10].pts, false}, follower), Move::seek);
    EXPECT_EQ(head.toward({frames[0].pts, false}, follower), Move::seek) << "it is behind";
}

}  // namespace
}  // namespace weft::test
