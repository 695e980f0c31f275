#include "app/viewer/play/frame_facts.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/viewer/play/frame_source.h"
#include "tests/media/read/reader_recipes.h"
#include "tests/support/clips.h"

extern "C" {
#include <libavutil/display.h>
}

namespace weft::test {
namespace {

std::string text(const std::vector<Fact>& facts) {
    std::string lines;
    for (const Fact& fact : facts) lines += fact.name + ": " + fact.value + "\n";
    return lines;
}

// "" without such a fact.
std::string value(const std::vector<Fact>& facts, const std::string& name) {
    const auto found = std::find_if(facts.begin(), facts.end(),
                                    [&](const Fact& fact) { return fact.name == name; });
    return found == facts.end() ? "" : found->value;
}

Frame gray_frame() {
    Frame frame;
    frame.av = make_frame();
    frame.av->format = AV_PIX_FMT_GRAY8;
    frame.av->width = frame.av->height = 2;
    return frame;
}

Frame colour_frame(AVPixelFormat format, int height) {
    Frame frame = gray_frame();
    frame.av->format = format;
    frame.av->height = height;
    return frame;
}

template <class T>
T& add(AVFrame& frame, AVFrameSideDataType type) {
    return *reinterpret_cast<T*>(av_frame_new_side_data(&frame, type, sizeof(T))->data);
}

std::vector<Fact> side_data(const Frame& frame, const SideData& stream = {}) {
    MediaInfo media;
    media.side_data = stream;
    return frame_facts(frame, media).side_data;
}

TEST(ViewerFrameFacts, ColourTagsHaveFfprobesNames) {
    Frame frame = colour_frame(AV_PIX_FMT_YUV420P10, 4);
    frame.av->color_range = AVCOL_RANGE_MPEG;
    frame.av->colorspace = AVCOL_SPC_BT2020_NCL;
    frame.av->color_primaries = AVCOL_PRI_BT2020;
    frame.av->color_trc = AVCOL_TRC_SMPTE2084;
    frame.av->sample_aspect_ratio = {16, 11};
    EXPECT_EQ(text(frame_facts(frame, {}).colour),
              "Range: limited (tv)\nMatrix: bt2020nc\nPrimaries: bt2020\nTransfer: smpte2084\n"
              "Pixel aspect: 16:11\n"
              "Shown as: PQ tone-mapped to SDR (BT.2390), peak 1000 cd/m²\n");
}

TEST(ViewerFrameFacts, UnknownTagsNameTheChoice) {
    const auto facts_of = [](AVPixelFormat format, int height) {
        return frame_facts(colour_frame(format, height), {}).colour;
    };
    EXPECT_EQ(value(facts_of(AV_PIX_FMT_YUV420P, 576), "Range"), "unknown, shown as limited");
    EXPECT_EQ(value(facts_of(AV_PIX_FMT_YUV420P, 576), "Matrix"), "unknown, shown as BT.601");
    EXPECT_EQ(value(facts_of(AV_PIX_FMT_YUV420P, 720), "Matrix"), "unknown, shown as BT.709");
    EXPECT_EQ(value(facts_of(AV_PIX_FMT_RGB24, 720), "Range"), "unknown, shown as full");
    EXPECT_EQ(value(facts_of(AV_PIX_FMT_RGB24, 720), "Matrix"), "none, the samples are RGB");
    for (const char* const name : {"Primaries", "Transfer"})
        EXPECT_EQ(value(facts_of(AV_PIX_FMT_RGB24, 720), name), "unknown, shown as the screen's");
    EXPECT_EQ(value(facts_of(AV_PIX_FMT_RGB24, 720), "Pixel aspect"), "unknown, shown as 1:1");
}

TEST(ViewerFrameFacts, HdrOfTheFrameOrElseOfTheStream) {
    EXPECT_TRUE(side_data(gray_frame()).empty());
    SideData stream;
    stream.light = AVContentLightMetadata{1000, 400};
    EXPECT_EQ(text(side_data(gray_frame(), stream)), "MaxCLL: 1000 cd/m²\nMaxFALL: 400 cd/m²\n");
    const Frame frame = gray_frame();
    add<AVContentLightMetadata>(*frame.av, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL) = {2000, 300};
    auto& display =
        add<AVMasteringDisplayMetadata>(*frame.av, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA);
    display = {.display_primaries = {{{34000, 50000}, {16000, 50000}},
                                     {{13250, 50000}, {34500, 50000}},
                                     {{7500, 50000}, {3000, 50000}}},
               .white_point = {{15635, 50000}, {16450, 50000}},
               .min_luminance = {50, 10000},
               .max_luminance = {10000000, 10000},
               .has_primaries = 1,
               .has_luminance = 1};
    EXPECT_EQ(text(side_data(frame, stream)),
              "Mastering luminance: 0.005 to 1000 cd/m²\nMastering red: 0.68, 0.32\n"
              "Mastering green: 0.265, 0.69\nMastering blue: 0.15, 0.06\n"
              "Mastering white: 0.3127, 0.329\nMaxCLL: 2000 cd/m²\nMaxFALL: 300 cd/m²\n");
    display.max_luminance.den = 0;
    EXPECT_EQ(value(side_data(frame), "Mastering luminance"), "0.005 to 0 cd/m²");
    display.has_luminance = 0;  // as a PNG's cHRM arrives
    EXPECT_EQ(value(side_data(frame), "Mastering red"), "");
}

TEST(ViewerFrameFacts, DynamicHdrCaptionsStereoAndRotation) {
    const Frame frame = gray_frame();
    av_frame_new_side_data(frame.av.get(), AV_FRAME_DATA_DYNAMIC_HDR_PLUS, 1);
    av_frame_new_side_data(frame.av.get(), AV_FRAME_DATA_DOVI_METADATA, 1);
    av_frame_new_side_data(frame.av.get(), AV_FRAME_DATA_A53_CC, 3);
    av_frame_new_side_data(frame.av.get(), AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, 1);  // too short
    av_stereo3d_create_side_data(frame.av.get())->type = AV_STEREO3D_SIDEBYSIDE;
    struct Matrix {
        std::int32_t entries[9];
    };
    av_display_rotation_set(add<Matrix>(*frame.av, AV_FRAME_DATA_DISPLAYMATRIX).entries, 90);
    SideData stream;
    EXPECT_EQ(text(side_data(frame, stream)),
              "Dolby Vision: present\nHDR10+: present\nRotation: 90° clockwise\n"
              "Stereo 3D: side by side\nClosed captions: present\n");
    stream.dolby_vision.emplace();
    stream.dolby_vision->dv_profile = 8;
    stream.dolby_vision->dv_level = 6;
    stream.rotation_degrees = 180;
    EXPECT_EQ(value(side_data(frame, stream), "Dolby Vision"), "profile 8, level 6");
    EXPECT_EQ(value(side_data(frame, stream), "Rotation"), "180° clockwise");
    // Captions and HDR10+ of the first frame are no facts of the others.
    stream.closed_captions = stream.hdr10_plus = true;
    EXPECT_EQ(value(side_data(gray_frame(), stream), "Closed captions"), "");
    EXPECT_EQ(value(side_data(gray_frame(), stream), "HDR10+"), "");
}

class ViewerFrameFactsOfClips : public ClipTest {};

// ffprobe decodes the same file: type, key flag and timestamp of each frame, also after a seek.
TEST_F(ViewerFrameFactsOfClips, TypesAndTimesAreFfprobes) {
    const auto file = recipe("plain.mp4");
    const auto probed = ffprobe(file, "-select_streams v -show_frames").at("frames");
    FrameSource source(file.string());
    const MediaInfo media = media_info(source.reader(), file.string());
    std::map<std::int64_t, std::pair<std::string, std::string>> want;
    for (const auto& frame : probed) {
        const std::string type = frame.at("pict_type");
        const std::int64_t pts = frame.at("pts");
        want[pts] = {frame.at("key_frame") == 1 ? type + ", key frame" : type,
                     std::to_string(pts) + " × 1/15360 s"};
    }
    std::size_t count = 0;
    for (const std::int64_t from :
         {source.first_pts(), probed.at(40).at("pts").get<std::int64_t>()}) {
        if (from != source.first_pts()) source.seek(from);
        for (std::optional<Frame> frame; (frame = source.next()); ++count) {
            const std::vector<Fact> facts = frame_facts(*frame, media).frame;
            EXPECT_EQ(value(facts, "Picture type"), want.at(frame->pts).first) << frame->pts;
            EXPECT_EQ(value(facts, "PTS"), want.at(frame->pts).second);
            EXPECT_EQ(value(facts, "Fields"), "");
        }
    }
    EXPECT_GE(count, probed.size() + 20);
}

TEST_F(ViewerFrameFactsOfClips, FieldsOfInterlacedVideo) {
    const auto file = recipe("interlaced.ts");
    FrameSource source(file.string());
    const MediaInfo media = media_info(source.reader(), file.string());
    EXPECT_EQ(value(frame_facts(*source.next(), media).frame, "Fields"), "top field first");
}

TEST_F(ViewerFrameFactsOfClips, PicturesHaveNeitherTypeNorTimestamp) {
    const auto file = recipe("still.png");
    FrameSource source(file.string());
    const MediaInfo media = media_info(source.reader(), file.string());
    const std::vector<Fact> facts = frame_facts(*source.next(), media).frame;
    EXPECT_EQ(text(facts), "");
    EXPECT_EQ(codec_text(media), "PNG");
    MediaInfo photo;
    photo.video_codec = "mjpeg";
    EXPECT_EQ(codec_text(photo), "mjpeg");
    photo.still = true;
    EXPECT_EQ(codec_text(photo), "JPEG");
}

}  // namespace
}  // namespace weft::test
