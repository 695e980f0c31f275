// Conversion to native formats, compared with values that the test packs itself.
#include "app/media/picture/pixel_formats.h"

#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "app/media/picture/frame.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include "tests/support/blank_frame.h"

namespace weft {
namespace {

using Bytes = std::vector<std::uint8_t>;

// A 2×1 frame: its packed bytes, and the expected values of each native plane.
struct PixelRow {
    AVPixelFormat format;
    std::vector<Bytes> packed;  // by plane
    AVPixelFormat target;
    std::vector<std::vector<std::uint32_t>> values;
};

std::vector<std::uint32_t> samples(const ImageView& view) {
    std::vector<std::uint32_t> values;
    const std::size_t size = bytes_per_sample(view.type);
    for (std::size_t i = 0; i < static_cast<std::size_t>(view.width) * view.channels; ++i) {
        std::uint32_t value = 0;
        std::memcpy(&value, view.row(0) + i * size, size);
        values.push_back(value);
    }
    return values;
}

TEST(MediaPixelFormats, LiteralPixels) {
    const std::vector<PixelRow> rows = {
        {AV_PIX_FMT_YUYV422, {{10, 20, 30, 40}}, AV_PIX_FMT_YUV422P, {{10, 30}, {20}, {40}}},
        {AV_PIX_FMT_UYVY422, {{20, 10, 40, 30}}, AV_PIX_FMT_YUV422P, {{10, 30}, {20}, {40}}},
        {AV_PIX_FMT_YVYU422, {{10, 40, 30, 20}}, AV_PIX_FMT_YUV422P, {{10, 30}, {20}, {40}}},
        // Y210: ten bits in the high end of 16.
        {AV_PIX_FMT_Y210LE,
         {{0x40, 0x12, 0x80, 0xFF, 0xC0, 0x00, 0x00, 0x80}},
         AV_PIX_FMT_YUV422P10LE,
         {{0x49, 0x3}, {0x3FE}, {0x200}}},
        {AV_PIX_FMT_P010LE,
         {{0x40, 0x12, 0xC0, 0xFF}, {0x00, 0x80, 0x40, 0x00}},
         AV_PIX_FMT_YUV420P10LE,
         {{0x49, 0x3FF}, {0x200}, {0x1}}},
        {AV_PIX_FMT_GRAY16BE, {{0x12, 0x34, 0xFF, 0x00}}, AV_PIX_FMT_GRAY16LE, {{0x1234, 0xFF00}}},
        {AV_PIX_FMT_YA16BE,
         {{0x12, 0x34, 0xFF, 0x00, 0, 1, 0, 2}},
         AV_PIX_FMT_YA16LE,
         {{0x1234, 0xFF00, 1, 2}}},
        {AV_PIX_FMT_RGB48BE,
         {{0, 1, 0, 2, 0, 3, 1, 0, 2, 0, 3, 0}},
         AV_PIX_FMT_RGB48LE,
         {{1, 2, 3, 0x100, 0x200, 0x300}}},
        // Bits 29..20 red, 19..10 green, 9..0 blue: 0x3FF, 0x001, 0x200 and 0x155, 0x2AA, 0x000.
        {AV_PIX_FMT_X2RGB10LE,
         {{0x00, 0x06, 0xF0, 0x3F, 0x00, 0xA8, 0x5A, 0x15}},
         AV_PIX_FMT_GBRP10LE,
         {{0x001, 0x2AA}, {0x200, 0x000}, {0x3FF, 0x155}}},
        {AV_PIX_FMT_BGR0, {{1, 2, 3, 99, 4, 5, 6, 99}}, AV_PIX_FMT_RGB24, {{3, 2, 1, 6, 5, 4}}},
        {AV_PIX_FMT_0RGB, {{99, 1, 2, 3, 99, 4, 5, 6}}, AV_PIX_FMT_RGB24, {{1, 2, 3, 4, 5, 6}}},
        // 5, 6 and 5 bits: 31, 0, 31 and 16, 32, 0; spread over 0..255 by nearest.
        {AV_PIX_FMT_RGB565LE,
         {{0x1F, 0xF8, 0x00, 0x84}},
         AV_PIX_FMT_RGB24,
         {{255, 0, 255, 132, 130, 0}}},
        // The first pixel is the highest bit.
        {AV_PIX_FMT_MONOBLACK, {{0x40}}, AV_PIX_FMT_GRAY8, {{0, 255}}},
        {AV_PIX_FMT_MONOWHITE, {{0x40}}, AV_PIX_FMT_GRAY8, {{255, 0}}},
        // 16 bits each: alpha, y, u, v.
        {AV_PIX_FMT_AYUV64LE,
         {{1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8, 0}},
         AV_PIX_FMT_YUVA444P16LE,
         {{2, 6}, {3, 7}, {4, 8}, {1, 5}}},
        {AV_PIX_FMT_GRAYF32BE,
         {{0x3F, 0x80, 0, 0, 0xBF, 0x80, 0, 1}},
         AV_PIX_FMT_GRAYF32LE,
         {{0x3F800000, 0xBF800001}}},
    };
    for (const PixelRow& row : rows) {
        SCOPED_TRACE(av_get_pix_fmt_name(row.format));
        const AVFramePtr frame = test::blank_frame(row.format, 2, 1);
        for (std::size_t p = 0; p < row.packed.size(); ++p)
            std::memcpy(frame->data[p], row.packed[p].data(), row.packed[p].size());
        ASSERT_EQ(native_target(row.format), row.target);
        const AVFramePtr made = unpack(*frame, row.target);
        const PlaneViews views = plane_views(*made);
        ASSERT_EQ(views.size(), row.values.size());
        for (std::size_t p = 0; p < views.size(); ++p)
            EXPECT_EQ(samples(views[p]), row.values[p]) << "plane " << p;
    }
}

TEST(MediaPixelFormats, PalettesWithAndWithoutAlpha) {
    const AVFramePtr frame = test::blank_frame(AV_PIX_FMT_PAL8, 2, 1);
    frame->data[0][0] = 1;
    frame->data[0][1] = 2;
    const std::uint32_t palette[] = {0x00000000U, 0xFF010203U, 0xFF040506U};
    std::memcpy(frame->data[1], palette, sizeof(palette));
    EXPECT_TRUE(palette_is_opaque(*frame));  // entry 0 is not used
    ASSERT_EQ(native_target(AV_PIX_FMT_PAL8, true), AV_PIX_FMT_RGB24);
    EXPECT_EQ(samples(plane_views(*unpack(*frame, AV_PIX_FMT_RGB24))[0]),
              (std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6}));
    frame->data[0][0] = 0;
    EXPECT_FALSE(palette_is_opaque(*frame));
    ASSERT_EQ(native_target(AV_PIX_FMT_PAL8, false), AV_PIX_FMT_RGBA);
    EXPECT_EQ(samples(plane_views(*unpack(*frame, AV_PIX_FMT_RGBA))[0]),
              (std::vector<std::uint32_t>{0, 0, 0, 0, 4, 5, 6, 255}));
}

// swscale is exact for these (it only moves bytes): a second opinion on whole pictures of noise.
TEST(MediaPixelFormats, AgreesWithSwscaleWhereItIsExact) {
    for (const AVPixelFormat format :
         {AV_PIX_FMT_YUYV422, AV_PIX_FMT_UYVY422, AV_PIX_FMT_RGB48BE, AV_PIX_FMT_GRAY16BE,
          AV_PIX_FMT_YUV420P10BE, AV_PIX_FMT_YUV444P16BE, AV_PIX_FMT_BGR0, AV_PIX_FMT_0BGR}) {
        SCOPED_TRACE(av_get_pix_fmt_name(format));
        const AVFramePtr frame = test::blank_frame(format, 38, 6);
        std::mt19937 random(7);
        for (int p = 0; p < 4; ++p)
            for (std::size_t i = 0; frame->buf[p] && i < frame->buf[p]->size; ++i)
                frame->buf[p]->data[i] = static_cast<std::uint8_t>(random());
        const AVPixelFormat target = native_target(format);
        if (av_pix_fmt_desc_get(target)->comp[0].depth == 10)  // its top bits are unused
            for (std::size_t i = 0; i < frame->buf[0]->size; i += 2) frame->buf[0]->data[i] &= 3U;
        const AVFramePtr want = test::blank_frame(target, 38, 6);
        const SwsContextPtr sws(sws_getContext(
            38, 6, format, 38, 6, target, SWS_POINT | SWS_ACCURATE_RND, nullptr, nullptr, nullptr));
        sws_scale(sws.get(), frame->data, frame->linesize, 0, 6, want->data, want->linesize);
        const AVFramePtr made = unpack(*frame, target);
        const PlaneViews got_planes = plane_views(*made);
        const PlaneViews want_planes = plane_views(*want);
        for (std::size_t p = 0; p < got_planes.size(); ++p)
            for (int y = 0; y < got_planes[p].height; ++y)
                EXPECT_EQ(std::memcmp(got_planes[p].row(y), want_planes[p].row(y),
                                      got_planes[p].row_bytes()),
                          0)
                    << "plane " << p << " row " << y;
    }
}

// Every format of libav is converted or named here.
TEST(MediaPixelFormats, EveryFormatIsJudged) {
    for (const AVPixFmtDescriptor* desc = av_pix_fmt_desc_next(nullptr); desc;
         desc = av_pix_fmt_desc_next(desc)) {
        const AVPixelFormat format = av_pix_fmt_desc_get_id(desc);
        const std::string name = desc->name;
        const bool hardware = (desc->flags & AV_PIX_FMT_FLAG_HWACCEL) != 0;
        const bool none = hardware || name.starts_with("bayer") || name.starts_with("xyz") ||
                          name == "uyyvyy411" || name.find("f16") != std::string::npos;
        const AVPixelFormat target = native_target(format);
        EXPECT_EQ(target == AV_PIX_FMT_NONE, none) << name;
        if (none) continue;
        const AVPixFmtDescriptor& native = *av_pix_fmt_desc_get(target);
        EXPECT_TRUE(is_native_format(target)) << name;
        EXPECT_GE(native.comp[0].depth, desc->comp[0].depth) << name;
        EXPECT_EQ(native.log2_chroma_w, name == "pal8" ? 0 : desc->log2_chroma_w) << name;
        EXPECT_EQ(native.log2_chroma_h, name == "pal8" ? 0 : desc->log2_chroma_h) << name;
    }
}

// Odd sizes keep the values of their last columns and rows, and tags survive.
TEST(MediaPixelFormats, OddSizesAndTags) {
    const AVFramePtr frame = test::blank_frame(AV_PIX_FMT_P010LE, 7, 5);
    for (int p = 0; p < 2; ++p) std::memset(frame->data[p], 0x40, frame->buf[p] ? 32 : 0);
    frame->pts = 9;
    frame->color_range = AVCOL_RANGE_JPEG;
    auto* last = reinterpret_cast<std::uint16_t*>(frame->data[1] + 2 * frame->linesize[1]) + 6;
    last[0] = 0x1FF << 6U;
    last[1] = 0x2A5 << 6U;
    const AVFramePtr made = unpack(*frame, AV_PIX_FMT_YUV420P10LE);
    EXPECT_EQ(made->pts, 9);
    EXPECT_EQ(made->color_range, AVCOL_RANGE_JPEG);
    const auto sample = [&](int plane) {
        return reinterpret_cast<const std::uint16_t*>(made->data[plane] +
                                                      2 * made->linesize[plane])[3];
    };
    EXPECT_EQ(sample(1), 0x1FF);
    EXPECT_EQ(sample(2), 0x2A5);
}

TEST(MediaPixelFormats, RefusesFormatsWithoutConversion) {
    const AVFramePtr frame = test::blank_frame(AV_PIX_FMT_XYZ12LE, 8, 2);
    EXPECT_THROW(unpack(*frame, native_target(AV_PIX_FMT_XYZ12LE)), MediaError);
}

}  // namespace
}  // namespace weft
