// Decisions for GPU encoders, which need no GPU to test.
#include "app/media/write/gpu_encoder.h"

#include <gmock/gmock.h>

#include "app/media/write/write_plan.h"
#include "tests/media/write/writer_support.h"

namespace weft {
namespace {

using test::SyntheticSource;

TEST(MediaGpuEncoder, AcceptsFramesInGpuMemory) {
    for (const char* name : {"h264_nvenc", "hevc_nvenc"})
        EXPECT_TRUE(takes_gpu_frames(*avcodec_find_encoder_by_name(name))) << name;
    for (const char* name : {"libx264", "libx265", "ffv1", "png", "rawvideo"})
        EXPECT_FALSE(takes_gpu_frames(*avcodec_find_encoder_by_name(name))) << name;
}

// The format that each encoder gets for a source format, and the number of reported losses.
struct FormatRow {
    AVPixelFormat from = AV_PIX_FMT_NONE;
    AVPixelFormat h264 = AV_PIX_FMT_NONE;
    AVPixelFormat hevc = AV_PIX_FMT_NONE;
    unsigned lost_by_h264 = 0, lost_by_hevc = 0;
    int width = 320;
};
constexpr FormatRow kFormats[] = {
    {AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV420P},
    {AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV420P},
    {AV_PIX_FMT_NV12, AV_PIX_FMT_NV12, AV_PIX_FMT_NV12},
    {AV_PIX_FMT_YUV444P, AV_PIX_FMT_YUV444P, AV_PIX_FMT_YUV444P},
    {AV_PIX_FMT_YUV422P, AV_PIX_FMT_YUV444P, AV_PIX_FMT_YUV444P},
    {AV_PIX_FMT_YUV420P10, AV_PIX_FMT_YUV420P, AV_PIX_FMT_P010, 1, 0},
    {AV_PIX_FMT_YUV420P12, AV_PIX_FMT_YUV420P, AV_PIX_FMT_P010, 1, 1},
    {AV_PIX_FMT_YUV444P10, AV_PIX_FMT_YUV444P, AV_PIX_FMT_P010, 1, 1},
    {AV_PIX_FMT_GRAY8, AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV420P, 1, 1},
    {AV_PIX_FMT_RGB24, AV_PIX_FMT_YUV444P, AV_PIX_FMT_YUV444P, 1, 1},
    {AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV444P, AV_PIX_FMT_YUV444P, 0, 0, 321},
};

TEST(MediaGpuEncoder, GetsFormatsThatItStoresExactly) {
    const Container& mp4 = find_container("x.mp4", "");
    for (const FormatRow& row : kFormats) {
        SCOPED_TRACE(av_get_pix_fmt_name(row.from));
        const FrameShape shape{row.from, row.width, 180};
        const VideoChoice h264 = choose_video(mp4, shape, {.codec = "h264_nvenc"});
        const VideoChoice hevc = choose_video(mp4, shape, {.codec = "hevc_nvenc"});
        EXPECT_STREQ(av_get_pix_fmt_name(h264.format), av_get_pix_fmt_name(row.h264));
        EXPECT_STREQ(av_get_pix_fmt_name(hevc.format), av_get_pix_fmt_name(row.hevc));
        EXPECT_EQ(h264.losses.size(), row.lost_by_h264);
        EXPECT_EQ(hevc.losses.size(), row.lost_by_hevc);
    }
}

// Whether frames filtered on a GPU stay there, and the note if they do not.
struct MemoryRow {
    AVPixelFormat from = AV_PIX_FMT_NONE;
    const char* codec = "";
    const char* path = "x.mp4";
    const char* pixel_format = "";
    int rotation = 0;
    const char* note = "";
};
constexpr MemoryRow kStay[] = {
    {AV_PIX_FMT_YUV420P, "h264_nvenc"},
    {AV_PIX_FMT_YUVJ420P, "h264_nvenc"},
    {AV_PIX_FMT_NV12, "hevc_nvenc"},
    {AV_PIX_FMT_YUV444P, "hevc_nvenc", "x.mkv"},
    {AV_PIX_FMT_YUV444P, "h264_nvenc", "x.mkv", "yuv444p"},
};
constexpr MemoryRow kLeave[] = {
    {AV_PIX_FMT_YUV420P10, "hevc_nvenc", "x.mp4", "", 0, "converted from yuv420p10le to p010le"},
    {AV_PIX_FMT_YUV444P, "h264_nvenc", "x.mp4", "yuv420p", 0, "converted from yuv444p to yuv420p"},
    {AV_PIX_FMT_YUV420P, "h264_nvenc", "x.avi", "", 90, "turned 90 degrees clockwise"},
    {AV_PIX_FMT_GBRP, "h264_nvenc", "x.mkv", "gbrp", 0,
     "in the format gbrp, which the encoder does not take on the GPU"},
};

WritePlan plan_for(const MemoryRow& row, bool filtered_on_gpu) {
    const SyntheticSource pictures(row.from, 64, 48);
    WriterSource source = pictures.source();
    source.rotation_degrees = row.rotation;
    source.frames_on_gpu = filtered_on_gpu;
    WriterOptions options;
    options.path = row.path;
    options.video_codec = row.codec;
    options.pixel_format = row.pixel_format;
    return make_write_plan(options, source);
}

TEST(MediaGpuEncoder, ReadsFramesWhereTheGpuHasFilteredThem) {
    for (const MemoryRow& row : kStay) {
        SCOPED_TRACE(av_get_pix_fmt_name(row.from));
        EXPECT_TRUE(plan_for(row, true).frames_on_gpu);
        EXPECT_THAT(plan_for(row, true).notes, testing::IsEmpty());
        EXPECT_FALSE(plan_for(row, false).frames_on_gpu) << "filtered on the CPU";
    }
}

TEST(MediaGpuEncoder, ReportsWhyFramesLeaveTheGpu) {
    for (const MemoryRow& row : kLeave) {
        SCOPED_TRACE(row.note);
        const WritePlan plan = plan_for(row, true);
        EXPECT_FALSE(plan.frames_on_gpu);
        EXPECT_THAT(
            plan.notes,
            testing::Contains(std::string(row.codec) +
                              ": frames are copied from the GPU before encoding because they are " +
                              row.note));
    }
    EXPECT_FALSE(plan_for({AV_PIX_FMT_YUV420P, "libx264"}, true).frames_on_gpu);
    EXPECT_THAT(plan_for({AV_PIX_FMT_YUV420P, "libx264"}, true).notes, testing::IsEmpty());
}

}  // namespace
}  // namespace weft
