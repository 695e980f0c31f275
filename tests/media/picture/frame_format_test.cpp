// Changes in mid-stream, and different spellings of the same format.
#include "app/media/picture/frame_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/media/demux/adts.h"
#include "app/media/read/stream_changes.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Tags {
    AVPixelFormat format = AV_PIX_FMT_YUV420P;
    int width = 720;
    int height = 576;
    AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
    AVColorSpace matrix = AVCOL_SPC_UNSPECIFIED;
    AVRational sample_aspect{0, 1};
    AVColorPrimaries primaries = AVCOL_PRI_UNSPECIFIED;
    bool interlaced = false;
};

AVFramePtr frame_with(const Tags& tags) {
    AVFramePtr frame = make_frame();
    frame->format = tags.format;
    frame->width = tags.width;
    frame->height = tags.height;
    frame->color_range = tags.range;
    frame->colorspace = tags.matrix;
    frame->sample_aspect_ratio = tags.sample_aspect;
    frame->color_primaries = tags.primaries;
    frame->interlaced_frame = tags.interlaced ? 1 : 0;
    return frame;
}

std::vector<std::string> changes(const Tags& from, const Tags& to) {
    std::vector<std::string> texts;
    for (const Difference& difference :
         differences(frame_format(*frame_with(from)), frame_format(*frame_with(to))))
        texts.push_back(change_text(difference));
    return texts;
}

TEST(MediaFrameFormat, DifferentSpellingsAreEqual) {
    const Tags plain;
    EXPECT_THAT(changes(plain, {.range = AVCOL_RANGE_MPEG}), IsEmpty());
    EXPECT_THAT(changes(plain, {.matrix = AVCOL_SPC_SMPTE170M}), IsEmpty());
    EXPECT_THAT(changes(plain, {.matrix = AVCOL_SPC_BT470BG}), IsEmpty()) << "BT.601 twice";
    EXPECT_THAT(changes(plain, {.sample_aspect = {1, 1}}), IsEmpty());
    EXPECT_THAT(changes(plain, {.primaries = AVCOL_PRI_BT709}), IsEmpty()) << "told late";
    EXPECT_THAT(changes({.range = AVCOL_RANGE_JPEG}, {.format = AV_PIX_FMT_YUVJ420P}), IsEmpty());
    EXPECT_THAT(changes({.width = 1920, .height = 1080},
                        {.width = 1920, .height = 1080, .matrix = AVCOL_SPC_BT709}),
                IsEmpty());
}

TEST(MediaFrameFormat, ChangesAreNamedWithBothValues) {
    const Tags plain;
    EXPECT_THAT(changes(plain, {.format = AV_PIX_FMT_YUVJ420P}),
                ElementsAre("the colour range changes from limited to full"));
    EXPECT_THAT(changes(plain, {.format = AV_PIX_FMT_YUV420P10, .matrix = AVCOL_SPC_BT709}),
                ElementsAre("the pixel format changes from yuv420p to yuv420p10le",
                            "the colour matrix changes from smpte170m to bt709"));
    EXPECT_THAT(changes({.sample_aspect = {64, 45}}, {.sample_aspect = {16, 15}}),
                ElementsAre("the display aspect changes from 16:9 to 4:3"));
    EXPECT_THAT(changes({.primaries = AVCOL_PRI_BT709}, {.primaries = AVCOL_PRI_BT2020}),
                ElementsAre("the set of colour primaries changes from bt709 to bt2020"));
    EXPECT_THAT(changes({.interlaced = true}, plain),
                ElementsAre("the scan changes from interlaced to progressive"));
}

// Anamorphic SD and HD have the same shape; if untagged, players guess different matrices.
TEST(MediaFrameFormat, AnotherSizeOfTheSameShapeKeepsTheAspect) {
    EXPECT_THAT(changes({.sample_aspect = {64, 45}}, {.width = 1920, .height = 1080}),
                ElementsAre("the size changes from 720x576 to 1920x1080",
                            "the colour matrix changes from smpte170m to bt709"));
}

TEST(MediaStreamChanges, AreBounded) {
    StreamChanges all;
    for (int k = 0; k < 250; ++k) {
        Frame frame{frame_with({.width = 16 + k % 2 * 16, .height = 16}), k};
        all.frame(frame, 0, {1, 25});
    }
    EXPECT_EQ(all.list().size(), StreamChanges::kMost);
    // 249 changes of size, each with a change of aspect.
    EXPECT_EQ(all.left_out(), 2 * 249 - 100);
    EXPECT_EQ(change_text(all.list().front()), "at 0.040 s the size changes from 16x16 to 32x16");
}

// A temporarily missing tag is not forgotten.
TEST(MediaStreamChanges, AreFoundAfterFramesWithoutTheTag) {
    StreamChanges all;
    std::int64_t pts = 0;
    for (const auto primaries : {AVCOL_PRI_BT709, AVCOL_PRI_UNSPECIFIED, AVCOL_PRI_BT2020,
                                 AVCOL_PRI_UNSPECIFIED, AVCOL_PRI_BT2020}) {
        Frame frame{frame_with({.primaries = primaries}), pts++};
        all.frame(frame, 0, {1, 25});
    }
    ASSERT_EQ(all.list().size(), 1);
    EXPECT_EQ(change_text(all.list().front()),
              "at 0.080 s the set of colour primaries changes from bt709 to bt2020");
}

// 44100 Hz is index 4, 48000 Hz 3; mono 1, stereo 2, 7.1 is 7 (ISO/IEC 13818-7, tables 35 and 42).
TEST(MediaAdts, ReadsRateAndChannels) {
    using Packet = std::vector<std::uint8_t>;
    EXPECT_EQ(read_adts(Packet{0xFF, 0xF1, 0x50, 0x40, 0, 0, 0}), (AdtsHeader{44100, 1}));
    EXPECT_EQ(read_adts(Packet{0xFF, 0xF9, 0x4C, 0x80, 0, 0, 0}), (AdtsHeader{48000, 2}));
    EXPECT_EQ(read_adts(Packet{0xFF, 0xF1, 0x4D, 0xC0, 0, 0, 0}), (AdtsHeader{48000, 8}));
    EXPECT_EQ(read_adts(Packet{0xFF, 0xF1, 0x7C, 0x80, 0, 0, 0}), std::nullopt) << "rate 15";
    EXPECT_EQ(read_adts(Packet{0xFF, 0xE1, 0x50, 0x40, 0, 0, 0}), std::nullopt) << "no header";
    EXPECT_EQ(read_adts(Packet{0xFF, 0xF1, 0x50}), std::nullopt) << "too short";
}

}  // namespace
}  // namespace weft
