// Facts that the Reader reports about a source in addition to its frames.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/media/demux/video_stream.h"
#include "tests/media/read/reader_recipes.h"
#include "tests/media/read/reader_support.h"

extern "C" {
#include <libavutil/display.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/pixdesc.h>
}

namespace weft::test {
namespace {

Reader open(const std::string& name) {
    av_log_set_level(AV_LOG_QUIET);
    ReaderOptions options;
    options.path = recipe(name).string();
    return Reader(options);
}

bool has_note(const Reader& reader, const std::string& part) {
    for (const std::string& note : reader.notes())
        if (note.find(part) != std::string::npos) return true;
    return false;
}

class MediaReaderFacts : public ClipTest {};

TEST_F(MediaReaderFacts, FirstFrameStaysWithoutItsPixels) {
    Reader reader = open("plain.mkv");
    const std::int64_t pts = reader.first_frame().pts;
    EXPECT_NE(reader.first_frame().av->data[0], nullptr);
    EXPECT_NEAR(static_cast<double>(reader.estimated_frames()), 60, 1);
    MediaItem item = reader.next();
    while (!std::holds_alternative<Frame>(item)) item = reader.next();
    EXPECT_EQ(std::get<Frame>(item).pts, pts);
    EXPECT_NE(std::get<Frame>(item).av->data[0], nullptr);
    EXPECT_EQ(reader.first_frame().pts, pts);
    EXPECT_EQ(reader.first_frame().av->width, 320);
    EXPECT_EQ(reader.first_frame().av->data[0], nullptr);
}

TEST_F(MediaReaderFacts, ReportsFramesHiddenByAnEditList) {
    constexpr const char* kHidden = "frames are left out because the file's edit list hides them";
    EXPECT_TRUE(has_note(open("edited.mp4"), kHidden));
    EXPECT_FALSE(has_note(open("plain.mp4"), kHidden));
    EXPECT_FALSE(has_note(open("fragments.mp4"), kHidden));
}

// ffmpeg's DNxHD encoder writes BT.709 into the frames, whatever the container states.
TEST_F(MediaReaderFacts, NotesColorsThatContradictTheContainer) {
    av_log_set_level(AV_LOG_QUIET);
    ReaderOptions options;
    for (const auto& [matrix, conflict] : {std::pair{"bt470bg", true}, std::pair{"bt709", false}}) {
        options.path = make_clip(fmt::format("{}.mxf", matrix),
                                 fmt::format("-f lavfi -i testsrc2=s=256x144:r=25:d=0.2 -pix_fmt "
                                             "yuv422p -vf setparams=colorspace={} -colorspace {} "
                                             "-c:v dnxhd -profile:v dnxhr_hq",
                                             matrix, matrix))
                           .string();
        EXPECT_EQ(has_note(Reader(options),
                           "the container states the matrix bt470bg, but the frames "
                           "state bt709, which is kept"),
                  conflict)
            << matrix;
    }
}

TEST_F(MediaReaderFacts, EndStaysTheEnd) {
    Reader reader = open("still.png");
    EXPECT_TRUE(std::holds_alternative<Frame>(reader.next()));
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(std::holds_alternative<EndOfInput>(reader.next()));
}

TEST_F(MediaReaderFacts, Rotation) {
    EXPECT_EQ(open("plain.mp4").rotation_degrees(), 0);
    // ffprobe reports "rotation": -90 where a player turns clockwise by 90 degrees.
    Reader turned = open("rotated.mp4");
    const nlohmann::json probed =
        ffprobe(recipe("rotated.mp4"), "-select_streams v -show_entries stream_side_data=rotation");
    const int rotation = probed["streams"][0]["side_data_list"][0]["rotation"].get<int>();
    EXPECT_EQ(turned.rotation_degrees(), (360 - rotation) % 360);
}

TEST(MediaReaderTurn, OfDisplayMatrices) {
    for (int degrees : {0, 90, 180, 270}) {
        std::int32_t matrix[9];
        av_display_rotation_set(matrix, degrees);
        EXPECT_EQ(display_turn_of(matrix).degrees, degrees);
        EXPECT_FALSE(display_turn_of(matrix).mirrored);
        EXPECT_FALSE(display_turn_of(matrix).slanted);
        av_display_matrix_flip(matrix, 1, 0);
        EXPECT_TRUE(display_turn_of(matrix).mirrored);
    }
    std::int32_t matrix[9];
    av_display_rotation_set(matrix, 100);
    EXPECT_EQ(display_turn_of(matrix).degrees, 90);
    EXPECT_TRUE(display_turn_of(matrix).slanted);
}

TEST_F(MediaReaderFacts, InterlacingAndStills) {
    EXPECT_TRUE(open("interlaced.ts").interlaced());
    EXPECT_TRUE(open("interlaced.mp4").interlaced());
    EXPECT_FALSE(open("plain.mp4").interlaced());
    const Reader adam7 = open("adam7.png");
    EXPECT_EQ(read_bytes(recipe("adam7.png"))[28], 1);  // the header's interlace method
    EXPECT_FALSE(adam7.interlaced());
    EXPECT_EQ(adam7.first_frame().av->interlaced_frame, 0);
    for (const char* still : {"still.png", "still.jpg", "still.bmp", "still.tiff", "still.webp",
                              "still.tga", "still.exr"})
        EXPECT_TRUE(open(still).is_still_image()) << still;
    for (const char* moving : {"anim.gif", "anim.apng", "plain.mp4"})
        EXPECT_FALSE(open(moving).is_still_image()) << moving;
}

TEST_F(MediaReaderFacts, FiltersOneVideoAndCopiesTheOther) {
    // The first stream is the default, though small.
    Reader reader = open("twovideos.mkv");
    EXPECT_EQ(reader.video_stream().index, 0);
    EXPECT_EQ(reader.first_frame().av->width, 160);
    ReadResult got = read_all(recipe("twovideos.mkv"));
    EXPECT_EQ(got.pts.size(), 60U);
    EXPECT_EQ(got.packets[1], 60);
    // Without a default stream, the larger one is filtered.
    EXPECT_EQ(open("nodefault.mkv").video_stream().index, 1);
}

TEST_F(MediaReaderFacts, CoversAreNotVideo) {
    Reader reader = open("cover.mp4");
    EXPECT_EQ(reader.first_frame().av->width, 320);
    EXPECT_EQ(reader.video_stream().codecpar->codec_id, AV_CODEC_ID_H264);
    ReadResult got = read_all(recipe("cover.mp4"));
    EXPECT_EQ(got.packets[2], 1);
}

TEST_F(MediaReaderFacts, AlphaOfVp8AndVp9) {
    for (const char* name : {"vp8alpha.webm", "vp9alpha.webm"}) {
        Reader reader = open(name);
        EXPECT_EQ(reader.first_frame().format(), AV_PIX_FMT_YUVA420P) << name;
        EXPECT_TRUE(has_note(reader, "libvpx")) << name;
    }
}

TEST_F(MediaReaderFacts, ConversionsAreNoted) {
    struct Row {
        const char* file;
        AVPixelFormat format;
        const char* note;
    };
    for (const Row& row :
         {Row{"yuyv.avi", AV_PIX_FMT_YUV422P, "yuyv422"},
          Row{"still16.png", AV_PIX_FMT_RGB48LE, "rgb48be"},
          Row{"palette.png", AV_PIX_FMT_RGB24, "pal8"}, Row{"mono.png", AV_PIX_FMT_GRAY8, "mono"},
          Row{"hevc10.mp4", AV_PIX_FMT_YUV420P10LE, ""}, Row{"444.mkv", AV_PIX_FMT_YUV444P, ""},
          Row{"gray8.mkv", AV_PIX_FMT_GRAY8, ""}, Row{"still.exr", AV_PIX_FMT_GBRPF32LE, ""}}) {
        Reader reader = open(row.file);
        EXPECT_STREQ(av_get_pix_fmt_name(reader.first_frame().format()),
                     av_get_pix_fmt_name(row.format))
            << row.file;
        EXPECT_EQ(has_note(reader, "without loss"), *row.note != '\0') << row.file;
        EXPECT_TRUE(has_note(reader, row.note) || *row.note == '\0') << row.file;
    }
}

TEST_F(MediaReaderFacts, ShapeAndColour) {
    const AVRational sar = open("anamorphic.mp4").first_frame().av->sample_aspect_ratio;
    EXPECT_EQ(av_cmp_q(sar, {4, 3}), 0);
    Reader hdr = open("sidedata.mkv");
    EXPECT_EQ(hdr.first_frame().av->color_trc, AVCOL_TRC_SMPTE2084);
    EXPECT_EQ(frame_info(*hdr.first_frame().av, 0).matrix, ColorMatrix::bt2020);
}

// Light levels from an mp4's stream, written by a Writer that has none in packets.
TEST_F(MediaReaderFacts, HdrOfTheStreamReachesTheFirstFrame) {
    const std::filesystem::path file =
        make_clip("light.mkv",
                  "-i @plain.mkv -c:v libx265 -preset ultrafast -pix_fmt yuv420p10le -an "
                  "-x265-params log-level=error:max-cll=1000,400:master-display=G(13250,34500)"
                  "B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)");
    ReaderOptions options;
    options.path = file.string();
    Reader reader(options);
    const AVFrame& first = *reader.first_frame().av;
    const AVFrameSideData* light =
        av_frame_get_side_data(&first, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL);
    ASSERT_NE(light, nullptr);
    EXPECT_EQ(reinterpret_cast<const AVContentLightMetadata*>(light->data)->MaxCLL, 1000U);
    EXPECT_NE(av_frame_get_side_data(&first, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA), nullptr);
}

// Matroska cannot store negative times, yet 15 frames before zero come back with theirs.
TEST_F(MediaReaderFacts, NegativeStart) {
    recipe("plain.mkv");
    const ReadResult got = read_all(make_clip(
        "negative.mkv", "-itsoffset -0.5 -i @plain.mkv -c copy -avoid_negative_ts disabled"));
    ASSERT_EQ(got.pts.size(), 60U);
    EXPECT_FALSE(got.damage.damaged) << got.damage.reason;
    for (std::size_t i = 1; i < got.seconds.size(); ++i)
        EXPECT_NEAR(got.seconds[i] - got.seconds[i - 1], 1 / 30.0, 0.0011) << "frame " << i;
    EXPECT_LT(got.seconds.front(), -0.4);
}

}  // namespace
}  // namespace weft::test
