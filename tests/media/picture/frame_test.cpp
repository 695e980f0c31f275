// The native formats, and their planes as the filters see them.
#include "app/media/picture/frame.h"

#include <array>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

extern "C" {
#include <libavutil/pixdesc.h>
}

#include "app/media/read/frame_maker.h"
#include "tests/support/blank_frame.h"

namespace weft {
namespace {

using C = Component;

struct PlaneRow {
    int width, height;
    std::vector<C> components;
};
struct FormatRow {
    AVPixelFormat format;
    SampleType sample;
    int depth;
    std::vector<PlaneRow> planes;
};

// ProRes and MXF store them as bytes: 255 is not a value of FFmpeg's enumerations.
TEST(MediaFrame, IgnoresReservedColourTags) {
    const OutputContextPtr context(avformat_alloc_context());
    AVStream* stream = avformat_new_stream(context.get(), nullptr);
    const unsigned reserved = 255;
    std::memcpy(&stream->codecpar->color_trc, &reserved, sizeof reserved);
    stream->codecpar->color_primaries = AVCOL_PRI_BT709;
    AVFramePtr frame = test::blank_frame(AV_PIX_FMT_GRAY8, 7, 5);
    std::memcpy(&frame->color_primaries, &reserved, sizeof reserved);
    std::memcpy(&frame->colorspace, &reserved, sizeof reserved);
    const Frame made = FrameMaker(*context, *stream, false, "reserved").make(std::move(frame));
    EXPECT_EQ(made.av->color_trc, AVCOL_TRC_UNSPECIFIED);
    EXPECT_EQ(made.av->colorspace, AVCOL_SPC_UNSPECIFIED);
    EXPECT_EQ(made.av->color_primaries, AVCOL_PRI_BT709);
}

// 7×5 frames: odd sizes show whether chroma rounds up.
TEST(MediaFrame, PlanesOfNativeFormats) {
    const std::vector<FormatRow> rows = {
        {AV_PIX_FMT_GRAY8, SampleType::u8, 8, {{7, 5, {C::y}}}},
        {AV_PIX_FMT_GRAY12LE, SampleType::u16, 12, {{7, 5, {C::y}}}},
        {AV_PIX_FMT_GRAYF32LE, SampleType::f32, 32, {{7, 5, {C::y}}}},
        {AV_PIX_FMT_YA8, SampleType::u8, 8, {{7, 5, {C::y, C::a}}}},
        {AV_PIX_FMT_YUV420P, SampleType::u8, 8, {{7, 5, {C::y}}, {4, 3, {C::u}}, {4, 3, {C::v}}}},
        {AV_PIX_FMT_YUV411P, SampleType::u8, 8, {{7, 5, {C::y}}, {2, 5, {C::u}}, {2, 5, {C::v}}}},
        {AV_PIX_FMT_YUV422P10LE,
         SampleType::u16,
         10,
         {{7, 5, {C::y}}, {4, 5, {C::u}}, {4, 5, {C::v}}}},
        {AV_PIX_FMT_YUVA444P16LE,
         SampleType::u16,
         16,
         {{7, 5, {C::y}}, {7, 5, {C::u}}, {7, 5, {C::v}}, {7, 5, {C::a}}}},
        {AV_PIX_FMT_NV12, SampleType::u8, 8, {{7, 5, {C::y}}, {4, 3, {C::u, C::v}}}},
        {AV_PIX_FMT_NV21, SampleType::u8, 8, {{7, 5, {C::y}}, {4, 3, {C::v, C::u}}}},
        {AV_PIX_FMT_RGB24, SampleType::u8, 8, {{7, 5, {C::r, C::g, C::b}}}},
        {AV_PIX_FMT_BGRA, SampleType::u8, 8, {{7, 5, {C::b, C::g, C::r, C::a}}}},
        {AV_PIX_FMT_ARGB, SampleType::u8, 8, {{7, 5, {C::a, C::r, C::g, C::b}}}},
        {AV_PIX_FMT_RGBA64LE, SampleType::u16, 16, {{7, 5, {C::r, C::g, C::b, C::a}}}},
        {AV_PIX_FMT_GBRP, SampleType::u8, 8, {{7, 5, {C::g}}, {7, 5, {C::b}}, {7, 5, {C::r}}}},
        {AV_PIX_FMT_GBRAP12LE,
         SampleType::u16,
         12,
         {{7, 5, {C::g}}, {7, 5, {C::b}}, {7, 5, {C::r}}, {7, 5, {C::a}}}},
        {AV_PIX_FMT_GBRPF32LE,
         SampleType::f32,
         32,
         {{7, 5, {C::g}}, {7, 5, {C::b}}, {7, 5, {C::r}}}},
    };
    for (const FormatRow& row : rows) {
        SCOPED_TRACE(av_get_pix_fmt_name(row.format));
        const AVFramePtr frame = test::blank_frame(row.format, 7, 5);
        const FrameInfo info = frame_info(*frame, 90);
        const PlaneViews views = plane_views(*frame);
        EXPECT_EQ(info.sample, row.sample);
        EXPECT_EQ(info.depth_bits, row.depth);
        EXPECT_EQ(info.rotation_degrees, 90);
        ASSERT_EQ(info.planes.size(), row.planes.size());
        ASSERT_EQ(views.size(), row.planes.size());
        for (std::size_t p = 0; p < views.size(); ++p) {
            EXPECT_EQ(info.planes[p].components, row.planes[p].components) << "plane " << p;
            EXPECT_EQ(info.planes[p].width, row.planes[p].width) << "plane " << p;
            EXPECT_EQ(info.planes[p].height, row.planes[p].height) << "plane " << p;
            EXPECT_EQ(views[p].width, row.planes[p].width) << "plane " << p;
            EXPECT_EQ(views[p].height, row.planes[p].height) << "plane " << p;
            EXPECT_EQ(views[p].channels, static_cast<int>(row.planes[p].components.size()));
            EXPECT_EQ(views[p].data, frame->data[p]);
            EXPECT_EQ(views[p].pitch_bytes, frame->linesize[p]);
        }
    }
}

TEST(MediaFrame, FormatsThatAreNotNative) {
    for (const AVPixelFormat format :
         {AV_PIX_FMT_NONE, AV_PIX_FMT_P010LE, AV_PIX_FMT_YUYV422, AV_PIX_FMT_UYVY422,
          AV_PIX_FMT_PAL8, AV_PIX_FMT_MONOBLACK, AV_PIX_FMT_RGB0, AV_PIX_FMT_0BGR,
          AV_PIX_FMT_RGB565LE, AV_PIX_FMT_RGB48BE, AV_PIX_FMT_GRAY16BE, AV_PIX_FMT_X2RGB10LE,
          AV_PIX_FMT_BAYER_BGGR8, AV_PIX_FMT_XYZ12LE, AV_PIX_FMT_CUDA, AV_PIX_FMT_AYUV64LE,
          AV_PIX_FMT_UYYVYY411}) {
        EXPECT_FALSE(is_native_format(format)) << av_get_pix_fmt_name(format);
    }
    const AVFramePtr frame = test::blank_frame(AV_PIX_FMT_YUYV422, 8, 4);
    EXPECT_THROW(frame_info(*frame, 0), MediaError);
    EXPECT_THROW(plane_views(*frame), MediaError);
}

TEST(MediaFrame, ColourOfTheFrame) {
    const AVFramePtr frame = test::blank_frame(AV_PIX_FMT_YUV420P, 8, 4);
    EXPECT_FALSE(frame_info(*frame, 0).full_range);
    EXPECT_EQ(frame_info(*frame, 0).matrix, ColorMatrix::unspecified);
    frame->color_range = AVCOL_RANGE_JPEG;
    frame->colorspace = AVCOL_SPC_BT2020_NCL;
    frame->interlaced_frame = 1;
    EXPECT_TRUE(frame_info(*frame, 0).full_range);
    EXPECT_TRUE(frame_info(*frame, 0).interlaced);
    EXPECT_EQ(frame_info(*frame, 0).matrix, ColorMatrix::bt2020);

    const AVFramePtr rgb = test::blank_frame(AV_PIX_FMT_RGB24, 8, 4);
    rgb->colorspace = AVCOL_SPC_RGB;
    rgb->color_primaries = AVCOL_PRI_SMPTE170M;
    EXPECT_TRUE(frame_info(*rgb, 0).full_range);
    EXPECT_TRUE(frame_info(*rgb, 0).is_rgb());
    EXPECT_EQ(frame_info(*rgb, 0).matrix, ColorMatrix::bt601);
}

TEST(MediaFrame, NewFrameKeepsEverythingButPixels) {
    const AVFramePtr frame = test::blank_frame(AV_PIX_FMT_YUV420P10LE, 7, 5);
    frame->pts = 42;
    frame->colorspace = AVCOL_SPC_BT709;
    frame->sample_aspect_ratio = {4, 3};
    ASSERT_NE(av_frame_new_side_data(frame.get(), AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, 8), nullptr);
    const AVFramePtr made = new_frame_like(*frame);
    EXPECT_EQ(made->format, frame->format);
    EXPECT_EQ(made->width, 7);
    EXPECT_EQ(made->height, 5);
    EXPECT_EQ(made->pts, 42);
    EXPECT_EQ(made->colorspace, AVCOL_SPC_BT709);
    EXPECT_EQ(made->sample_aspect_ratio.num, 4);
    EXPECT_NE(av_frame_get_side_data(made.get(), AV_FRAME_DATA_CONTENT_LIGHT_LEVEL), nullptr);
    EXPECT_NE(made->data[0], frame->data[0]);
    EXPECT_TRUE(av_frame_is_writable(made.get()));
}

}  // namespace
}  // namespace weft
