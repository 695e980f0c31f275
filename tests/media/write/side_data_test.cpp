// Side data of frames is in the encoder's stream, or named as lost.
#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/media/write/writer_support.h"

extern "C" {
#include <libavutil/stereo3d.h>
}

namespace weft {
namespace {

namespace fs = std::filesystem;
using namespace test;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class MediaSideData : public ClipTest {};

constexpr int kPictures = 3;

// Three closed captions of CEA-708 in the form of ATSC A/53: one valid pair of bytes each.
const Bytes kCaptions{0xFC, 0x94, 0x20, 0xFD, 0x80, 0x80, 0xFA, 0, 0};
// An identifier of 16 bytes and a text.
Bytes user_data(std::string_view text) {
    Bytes bytes(16, 7);
    bytes.insert(bytes.end(), text.begin(), text.end());
    return bytes;
}

void add(Frame& frame, AVFrameSideDataType type, const Bytes& bytes) {
    AVFrameSideData* made = av_frame_new_side_data(frame.av.get(), type, bytes.size());
    ASSERT_NE(made, nullptr);
    std::ranges::copy(bytes, made->data);
}

WriterOptions encoded_by(const std::string& encoder, const std::string& ending) {
    WriterOptions options = quick_options(fresh_output(ending));
    options.video_codec = encoder;
    const bool has_presets = encoder == "libx264" || encoder == "libx265";
    options.preset = has_presets ? "ultrafast" : "";
    return options;
}

// The frames with side data of a name, as ffprobe decodes them.
std::int64_t count_with(const fs::path& file, const std::string& name) {
    std::int64_t count = 0;
    const nlohmann::json probed = ffprobe(file, "-show_frames");
    for (const auto& frame : probed.at("frames")) {
        if (!frame.contains("side_data_list")) continue;
        for (const auto& data : frame.at("side_data_list"))
            if (data.value("side_data_type", "").starts_with(name)) ++count;
    }
    return count;
}

struct Kept {
    const char* encoder;
    const char* ending;
    bool captions;
    bool user_data;
};

TEST_F(MediaSideData, IsKeptOrNamedForEachEncoder) {
    constexpr std::array kTable{
        Kept{"libx264", ".mp4", true, true},       Kept{"libx264", ".mkv", true, true},
        Kept{"libx265", ".mkv", false, true},      Kept{"mpeg2video", ".mkv", true, false},
        Kept{"libvpx-vp9", ".webm", false, false}, Kept{"ffv1", ".mkv", false, false},
        Kept{"mjpeg", ".avi", false, false}};
    SyntheticSource source(AV_PIX_FMT_YUV420P, 64, 48, kPictures);
    for (int k = 0; k < kPictures; ++k) {
        add(source.picture(k), AV_FRAME_DATA_A53_CC, kCaptions);
        add(source.picture(k), AV_FRAME_DATA_SEI_UNREGISTERED, user_data("telemetry"));
        add(source.picture(k), AV_FRAME_DATA_AFD, {8});
    }
    for (const Kept& row : kTable) {
        SCOPED_TRACE(fmt::format("{} in {}", row.encoder, row.ending));
        const WriterOptions options = encoded_by(row.encoder, row.ending);
        const WriteReport report = source.write(options);
        std::vector<std::string> lost;
        const auto check = [&](bool kept, const char* name, const char* kind) {
            EXPECT_EQ(count_with(options.path, name), kept ? kPictures : 0) << kind;
            if (!kept)
                lost.push_back(fmt::format("{} cannot store {}: those of 3 frames are lost",
                                           row.encoder, kind));
        };
        check(row.captions, "ATSC A53", "closed captions");
        // ffprobe lists it like the text with which x264 and x265 name themselves.
        const Bytes file = read_bytes(options.path);
        const std::string_view text("telemetry");
        EXPECT_EQ(std::search(file.begin(), file.end(), text.begin(), text.end()) != file.end(),
                  row.user_data);
        if (!row.user_data)
            lost.push_back(
                fmt::format("{} cannot store user data: those of 3 frames are lost", row.encoder));
        check(false, "Active format", "active format descriptions");
        for (const std::string& sentence : lost) EXPECT_THAT(report.warnings, Contains(sentence));
        EXPECT_EQ(report.warnings.size(), lost.size());
    }
}

TEST_F(MediaSideData, OfALaterFrameAloneIsCountedAndRefusedWithStrict) {
    SyntheticSource source(AV_PIX_FMT_YUV420P, 64, 48, kPictures);
    add(source.picture(2), AV_FRAME_DATA_A53_CC, kCaptions);
    WriterOptions options = encoded_by("ffv1", ".mkv");
    EXPECT_THAT(source.write(options).warnings,
                ElementsAre("ffv1 cannot store closed captions: those of 1 frame are lost"));
    options = encoded_by("ffv1", ".mkv");
    options.strict = true;
    try {
        source.write(options);
        FAIL() << "written";
    } catch (const Error& error) {
        EXPECT_EQ(error.outcome(), Outcome::usage);
        EXPECT_THAT(error.what(), HasSubstr("closed captions, which frame 2 has"));
    }
    EXPECT_FALSE(fs::exists(options.path));
    options = encoded_by("libx264", ".mp4");
    options.strict = true;
    EXPECT_THAT(source.write(options).warnings, IsEmpty());
}

TEST_F(MediaSideData, IsNamedBeforeTheFirstFrameIsWritten) {
    SyntheticSource source(AV_PIX_FMT_YUV420P, 64, 48);
    add(source.picture(0), AV_FRAME_DATA_DYNAMIC_HDR_PLUS, Bytes(16, 0));
    add(source.picture(0), AV_FRAME_DATA_S12M_TIMECODE, Bytes(16, 0));
    WriterOptions options = encoded_by("libx264", ".mp4");
    EXPECT_THAT(Writer::plan(options, source.source()).warnings,
                UnorderedElementsAre(HasSubstr("HDR10+ metadata"), HasSubstr("time codes")));
    options.strict = true;
    EXPECT_THROW(Writer::plan(options, source.source()), Error);
    EXPECT_THROW(source.write(options), Error);
}

// Encoders write such texts again, and libav hands the other kinds over without a meaning.
TEST_F(MediaSideData, ThatSaysNothingIsNoLoss) {
    SyntheticSource source(AV_PIX_FMT_YUV420P, 64, 48);
    add(source.picture(0), AV_FRAME_DATA_SEI_UNREGISTERED,
        user_data("x264 - core 999 of a source"));
    add(source.picture(0), AV_FRAME_DATA_PANSCAN, Bytes(sizeof(AVPanScan), 0));
    add(source.picture(0), AV_FRAME_DATA_GOP_TIMECODE, Bytes(8, 0));
    for (const char* encoder : {"ffv1", "libx264"}) {
        WriterOptions options = encoded_by(encoder, ".mkv");
        options.strict = true;
        EXPECT_THAT(source.write(options).warnings, IsEmpty()) << encoder;
        const Bytes file = read_bytes(options.path);
        const std::string_view name("core 999");
        EXPECT_EQ(std::search(file.begin(), file.end(), name.begin(), name.end()), file.end());
    }
    AVPanScan scan{};
    scan.position[0][0] = 16;
    Bytes bytes(sizeof scan);
    std::memcpy(bytes.data(), &scan, sizeof scan);
    add(source.picture(0), AV_FRAME_DATA_PANSCAN, bytes);
    EXPECT_THAT(source.write(encoded_by("ffv1", ".mkv")).warnings,
                ElementsAre(HasSubstr("pan and scan")));
}

TEST_F(MediaSideData, TheTimeCodeOfMpeg2IsNamed) {
    const auto warnings = [](const std::string& name, const std::string& code) {
        const fs::path clip = make_clip(
            name, "-f lavfi -i testsrc2=s=64x48:d=0.2 -c:v mpeg2video " + code + " -f mpegts");
        return rewrite(clip, encoded_by("ffv1", ".mkv")).warnings;
    };
    EXPECT_THAT(warnings("from_zero.ts", ""), IsEmpty());
    EXPECT_THAT(warnings("from_ten.ts", "-timecode 10:00:00:00"),
                ElementsAre(HasSubstr("time code of the first frame is lost: 10:00:00:00")));
}

TEST_F(MediaSideData, StereoModesWhereTheContainerOrTheEncoderStoresThem) {
    SyntheticSource source(AV_PIX_FMT_YUV420P, 64, 48);
    AVStereo3D* stereo = av_stereo3d_create_side_data(source.picture(0).av.get());
    ASSERT_NE(stereo, nullptr);
    stereo->type = AV_STEREO3D_TOPBOTTOM;
    const auto warnings = [&](const char* encoder, const char* ending) {
        return source.write(encoded_by(encoder, ending)).warnings;
    };
    EXPECT_THAT(warnings("ffv1", ".mkv"), IsEmpty());
    EXPECT_THAT(warnings("libx264", ".avi"), IsEmpty());
    EXPECT_THAT(warnings("ffv1", ".avi"),
                ElementsAre(HasSubstr("the stereo mode top and bottom, which is lost")));
    EXPECT_THAT(warnings("mjpeg", ".mov"), Contains(HasSubstr("cannot store the stereo mode")));
}

}  // namespace
}  // namespace weft
