// Every offered container, encoder and quality can be written.
#include "app/viewer/export/export_choices.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/pipeline/pipeline.h"
#include "app/viewer/export/export_request.h"
#include "tests/support/clips.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// SVT-AV1 takes no side below 64.
constexpr FrameShape kShape{AV_PIX_FMT_YUV420P, 96, 64};

const Container& row(const std::string& name) {
    return find_container("", name);
}

std::vector<std::string> names_of(OutputKind kind) {
    std::vector<std::string> names;
    for (const Container* container : export_containers(kind)) names.emplace_back(container->name);
    return names;
}

std::vector<std::string> encoders_of(const std::string& container,
                                     const std::vector<std::string>& gpu_encoders = {}) {
    std::vector<std::string> names;
    for (const CodecChoice& choice : export_codecs(row(container), {.shape = kShape}, gpu_encoders))
        names.push_back(choice.encoder);
    return names;
}

std::vector<std::string> qualities_of(const std::string& container, const std::string& codec) {
    std::vector<std::string> labels;
    for (const QualityChoice& choice : export_qualities(row(container), kShape, codec))
        labels.push_back(choice.label);
    return labels;
}

TEST(ViewerExportChoices, OffersVideosOrPictures) {
    EXPECT_THAT(names_of(OutputKind::video), Contains("mp4"));
    EXPECT_THAT(names_of(OutputKind::video), Not(Contains("png")));
    EXPECT_THAT(names_of(OutputKind::still), Contains("png"));
    EXPECT_EQ(kind_of({}, "a.mp4"), OutputKind::video);
    EXPECT_EQ(kind_of({}, "a_%03d.png"), OutputKind::still);
    EXPECT_EQ(kind_of({.still = true}, "a.png"), OutputKind::still);
}

TEST(ViewerExportChoices, TheExtensionSelectsTheContainer) {
    struct Case {
        const char* before;
        const char* container;
        const char* after;
    };
    for (const auto& [before, container, after] :
         {Case{"/v/a.b.mp4", "mkv", "/v/a.b.mkv"}, Case{"a.mkv", "mov", "a.mov"},
          Case{"take.2", "webm", "take.2.webm"}, Case{"x_%03d.png", "jpg", "x_%03d.jpg"}}) {
        EXPECT_EQ(renamed_for(before, row(container)), after);
        EXPECT_EQ(container_of(after), &row(container));
    }
    EXPECT_EQ(container_of("take.2"), nullptr);
}

TEST(ViewerExportChoices, EncodersFitTheContainer) {
    EXPECT_EQ(encoders_of("mp4").front(), "");
    EXPECT_THAT(encoders_of("mp4"), Contains("libx264"));
    EXPECT_THAT(encoders_of("webm"), Not(Contains("libx264")));
    EXPECT_THAT(encoders_of("gif"), testing::ElementsAre(""));
    EXPECT_THAT(encoders_of("mp4"), Not(Contains("h264_nvenc")));
    EXPECT_THAT(encoders_of("webm", {"h264_nvenc"}), Not(Contains("h264_nvenc")));
    const auto choices = export_codecs(row("mp4"), {.shape = kShape, .video_codec = "h264"}, {});
    EXPECT_EQ(choices[0].label, "Automatic (H.264)");
    EXPECT_EQ(choices[1].label, "H.264, as in the source");
}

// FFmpeg's encoders of these are optional.
TEST(ViewerExportChoices, Av1AndProresAreOfferedWhereTheyFit) {
    const auto offers = [](const char* container, const char* encoder) {
        return testing::Value(encoders_of(container), Contains(encoder));
    };
    for (const char* encoder : {"libsvtav1", "libaom-av1", "prores_ks"}) {
        const bool installed = avcodec_find_encoder_by_name(encoder) != nullptr;
        const bool prores = std::string_view(encoder) == "prores_ks";
        EXPECT_EQ(offers("mkv", encoder), installed) << encoder;
        EXPECT_EQ(offers("mp4", encoder), installed && !prores) << encoder;
        EXPECT_EQ(offers("mov", encoder), installed && prores) << encoder;
        EXPECT_FALSE(offers("avi", encoder)) << encoder;
    }
    if (avcodec_find_encoder_by_name("libsvtav1") == nullptr) return;
    EXPECT_EQ(crf_of(ExportQuality::high, "libsvtav1"), 24);
    EXPECT_THAT(export_qualities(row("mp4"), kShape, "libsvtav1")[2].meaning,
                HasSubstr("libsvtav1 at crf 24"));
}

TEST(ViewerExportChoices, QualitiesFitTheEncoder) {
    using testing::ElementsAre;
    EXPECT_THAT(qualities_of("mp4", ""),
                ElementsAre("Smaller", "Balanced", "High", "Lossless", "Custom"));
    EXPECT_THAT(qualities_of("mkv", "ffv1"), ElementsAre("Lossless"));
    EXPECT_THAT(qualities_of("y4m", ""), ElementsAre("Lossless"));
    EXPECT_THAT(qualities_of("gif", ""), ElementsAre("Standard"));
    EXPECT_THAT(qualities_of("png", ""), ElementsAre("Standard"));  // YUV becomes RGB
    EXPECT_THAT(export_qualities(row("mp4"), kShape, "")[1].meaning,
                HasSubstr("libx264 at crf 23"));
    EXPECT_THAT(qualities_of("jpg", ""), ElementsAre("Smaller", "Balanced", "High", "Custom"));
    EXPECT_THAT(export_qualities(row("jpg"), kShape, "")[2].meaning,
                HasSubstr("quality of the source if that is a single JPEG"));
    EXPECT_EQ(nearest_quality(export_qualities(row("gif"), kShape, ""), ExportQuality::smaller),
              ExportQuality::high);
    EXPECT_EQ(nearest_quality(export_qualities(row("y4m"), kShape, ""), ExportQuality::smaller),
              ExportQuality::lossless);
}

// Odd sizes, depths and layouts must not leave a container without a quality.
TEST(ViewerExportChoices, EveryContainerHasAQuality) {
    for (const AVPixelFormat format : {AV_PIX_FMT_NONE, AV_PIX_FMT_RGB24, AV_PIX_FMT_YUVA420P,
                                       AV_PIX_FMT_GRAYF32LE, AV_PIX_FMT_YUV444P12LE})
        for (const Container& container : containers())
            EXPECT_FALSE(export_qualities(container, {format, 63, 47}, "").empty())
                << container.name << " with format " << format;
}

class ViewerExportPairs : public ClipTest {};

// Every encoder offered for a container writes a file with all frames.
TEST_F(ViewerExportPairs, EveryOfferedPairIsWritten) {
    const fs::path clip =
        make_clip("pairs.mkv",
                  "-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -f lavfi -i sine=d=0.4 "
                  "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -c:a aac");
    for (const Container* container : export_containers(OutputKind::video))
        for (const std::string& codec : encoders_of(std::string(container->name)))
            for (const QualityChoice& quality : export_qualities(*container, kShape, codec)) {
                if (quality.quality == ExportQuality::custom) continue;
                ExportRequest request;
                request.input = clip.string();
                request.output = renamed_for((clip_dir() / "pair-out.mkv").string(), *container);
                request.source = {.shape = kShape, .video_codec = "h264", .has_audio = true};
                request.codec = codec;
                request.quality = quality.quality;
                request.replace = true;
                request.device = cpu_device();
                const FileResult result = filter_file(job_of(request), {}, {});
                EXPECT_EQ(result.status, FileStatus::ok) << container->name << ", " << codec << ", "
                                                         << quality.label << ": " << result.error;
            }
}

TEST_F(ViewerExportPairs, SoundCanBeLeftOut) {
    const fs::path clip =
        make_clip("sound.mkv",
                  "-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -f lavfi -i sine=d=0.4 "
                  "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -c:a aac");
    for (const bool audio : {true, false}) {
        ExportRequest request;
        request.input = clip.string();
        request.output = (clip_dir() / "sound-out.mkv").string();
        request.audio = audio;
        request.replace = true;
        request.device = cpu_device();
        const FileResult result = filter_file(job_of(request), {}, {});
        ASSERT_EQ(result.status, FileStatus::ok) << result.error;
        EXPECT_THAT(result.warnings, testing::IsEmpty());
        EXPECT_EQ(ffprobe(request.output, "-show_streams")["streams"].size(), audio ? 2U : 1U);
    }
}

}  // namespace
}  // namespace weft::test
