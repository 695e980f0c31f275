// Every pixel format into every encoder: exact where promised, reported where not.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <gmock/gmock.h>

#include "app/media/write/container_table.h"
#include "app/media/write/video_choice.h"
#include "tests/media/write/writer_support.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace weft {
namespace {

namespace fs = std::filesystem;
using namespace test;

std::vector<AVPixelFormat> native_formats() {
    std::vector<AVPixelFormat> formats;
    for (const AVPixFmtDescriptor* d = nullptr; (d = av_pix_fmt_desc_next(d)) != nullptr;) {
        const AVPixelFormat format = av_pix_fmt_desc_get_id(d);
        if (is_native_format(format) && (d->flags & AV_PIX_FMT_FLAG_FLOAT) == 0)
            formats.push_back(format);
    }
    return formats;
}

float& float_at(const AVFrame& frame, int plane, int x, int y) {
    return reinterpret_cast<float*>(frame.data[plane] +
                                    static_cast<std::ptrdiff_t>(y) * frame.linesize[plane])[x];
}

class LosslessFormats : public testing::TestWithParam<AVPixelFormat> {};

INSTANTIATE_TEST_SUITE_P(Media, LosslessFormats, testing::ValuesIn(native_formats()),
                         [](const auto& param) { return av_get_pix_fmt_name(param.param); });

bool is_gray(const AVFrame& frame) {
    return av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format))->nb_components <= 2;
}

// Every component of the source comes back with every value.
void expect_equal(const AVFrame& got, const AVFrame& want) {
    const AVPixFmtDescriptor* desc = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(want.format));
    ASSERT_EQ(got.width, want.width);
    ASSERT_EQ(got.height, want.height);
    for (int c = 0; c < desc->nb_components; ++c) {
        // Gray with alpha has alpha as its second component, others as their fourth.
        const int in_got = is_gray(want) && !is_gray(got) && c == 1 ? 3 : c;
        EXPECT_EQ(samples_of(got, in_got), samples_of(want, c)) << "component " << c;
    }
}

TEST_P(LosslessFormats, SurviveOrAreRefused) {
    const std::vector<std::pair<const char*, const char*>> outputs{
        {".mkv", ""}, {".mp4", ""}, {".mov", ""},  {".webm", ""}, {".avi", ""}, {".nut", ""},
        {".y4m", ""}, {".png", ""}, {".tiff", ""}, {".apng", ""}, {".jxl", ""}, {".tga", ""},
        {".ppm", ""}, {".pgm", ""}, {".pnm", ""},  {".pam", ""}};
    SyntheticSource source(GetParam(), 18, 16, 1);
    int held = 0;
    for (const auto& [ending, codec] : outputs) {
        SCOPED_TRACE(ending);
        const fs::path out = fresh_output(ending);
        WriterOptions options = quick_options(out);
        options.lossless = true;
        options.preset.clear();
        try {
            source.write(options);
        } catch (const Error& error) {
            EXPECT_EQ(error.outcome(), Outcome::usage) << error.what();
            EXPECT_FALSE(fs::exists(out));
            continue;
        }
        ++held;
        const auto pictures = decode_frames(out);
        ASSERT_EQ(pictures.size(), 1U);
        expect_equal(*pictures[0], *source.picture(0).av);
    }
    // FFV1 of FFmpeg 5.1 has no format for these.
    const std::set<AVPixelFormat> homeless{AV_PIX_FMT_GRAY14LE, AV_PIX_FMT_YUVA422P12LE,
                                           AV_PIX_FMT_YUVA444P12LE};
    EXPECT_EQ(held > 0, !homeless.contains(GetParam()));
}

// Samples far below and above 0…1, as in pictures of light, come back bit by bit.
TEST(MediaFloatFormats, SurviveInExrAndPfm) {
    struct Row {
        AVPixelFormat format;
        const char* ending;
        bool held;
    };
    for (const Row& row :
         {Row{AV_PIX_FMT_GBRPF32LE, ".exr", true}, Row{AV_PIX_FMT_GBRAPF32LE, ".exr", true},
          Row{AV_PIX_FMT_GRAYF32LE, ".exr", true}, Row{AV_PIX_FMT_GBRPF32LE, ".pfm", true},
          Row{AV_PIX_FMT_GRAYF32LE, ".pfm", true}, Row{AV_PIX_FMT_GBRAPF32LE, ".pfm", false}}) {
        SCOPED_TRACE(std::string(av_get_pix_fmt_name(row.format)) + row.ending);
        SyntheticSource source(row.format, 37, 21, 1);
        const AVFrame& want = *source.picture(0).av;
        const int planes = av_pix_fmt_count_planes(row.format);
        for (int p = 0; p < planes; ++p)
            for (int y = 0; y < want.height; ++y)
                for (int x = 0; x < want.width; ++x)
                    float_at(want, p, x, y) = std::ldexp(static_cast<float>(x - 5) / 3.0F, y - 10) +
                                              static_cast<float>(p);
        WriterOptions options = quick_options(fresh_output(row.ending));
        options.lossless = row.held;
        options.preset.clear();
        const WriteReport report = source.write(options);
        EXPECT_EQ(report.warnings.empty(), row.held);
        const auto pictures = decode_frames(options.path);
        ASSERT_EQ(pictures.size(), 1U);
        const AVFrame& got = *pictures.front();
        if (row.held) {
            ASSERT_EQ(got.format, want.format);
        }
        for (int p = 0; p < std::min(planes, 3); ++p)
            for (int y = 0; y < want.height; ++y)
                for (int x = 0; x < want.width; ++x)
                    ASSERT_EQ(float_at(got, p, x, y), float_at(want, p, x, y))
                        << "plane " << p << " x " << x << " y " << y;
    }
}

// Whole numbers become floats from 0 to 1.
TEST(MediaFloatFormats, OfIntegerSamples) {
    for (const AVPixelFormat format :
         {AV_PIX_FMT_RGB24, AV_PIX_FMT_RGBA, AV_PIX_FMT_GRAY8, AV_PIX_FMT_GRAY16LE,
          AV_PIX_FMT_GBRP10LE, AV_PIX_FMT_GBRP16LE}) {
        SCOPED_TRACE(av_get_pix_fmt_name(format));
        SyntheticSource source(format, 64, 32, 1);
        const AVFrame& want = *source.picture(0).av;
        const AVPixFmtDescriptor& desc = *av_pix_fmt_desc_get(format);
        const double white = (1 << desc.comp[0].depth) - 1;
        const WriterOptions options = quick_options(fresh_output(".exr"));
        source.write(options);
        const auto pictures = decode_frames(options.path);
        ASSERT_EQ(pictures.size(), 1U);
        const AVFrame& got = *pictures.front();
        const AVPixFmtDescriptor& floats =
            *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(got.format));
        ASSERT_EQ(floats.nb_components, desc.nb_components);
        for (int c = 0; c < desc.nb_components; ++c) {
            const std::vector<unsigned> samples = samples_of(want, c);
            for (int y = 0; y < want.height; ++y)
                for (int x = 0; x < want.width; ++x) {
                    const double sample = samples[static_cast<std::size_t>(y) * want.width + x];
                    ASSERT_NEAR(float_at(got, floats.comp[c].plane, x, y), sample / white, 1e-5)
                        << "component " << c << " x " << x << " y " << y;
                }
        }
    }
}

class MediaYuvPictures : public ClipTest {};

// Red, green and blue of the middle pixel by BT.601, which readers of JPEG and WebP take for every
// picture: JPEG has the full range, WebP the limited one.
std::array<double, 3> middle_by_bt601(const AVFrame& frame, bool full) {
    const AVPixFmtDescriptor& desc = *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
    const auto sample = [&](int c) {
        const int shift_x = c == 0 ? 0 : desc.log2_chroma_w;
        const int shift_y = c == 0 ? 0 : desc.log2_chroma_h;
        const std::uint8_t* const row =
            frame.data[c] + std::ptrdiff_t{frame.height / 2 >> shift_y} * frame.linesize[c];
        return static_cast<double>(row[frame.width / 2 >> shift_x]);
    };
    const double y = full ? sample(0) : (sample(0) - 16) * 255 / 219;
    const double cb = (sample(1) - 128) * (full ? 1 : 255.0 / 224);
    const double cr = (sample(2) - 128) * (full ? 1 : 255.0 / 224);
    return {y + 1.402 * cr, y - 0.344136 * cb - 0.714136 * cr, y + 1.772 * cb};
}

// Untagged pictures of 720 lines are otherwise taken for BT.709.
TEST_F(MediaYuvPictures, HaveTheMatrixOfTheirReaders) {
    constexpr std::array<double, 3> kColor{200, 30, 40};
    const std::string color = "-f lavfi -i color=c=0xC81E28:s=32x720 -frames:v 1 ";
    const std::string bt709 =
        "-c:v ffv1 -vf scale=out_color_matrix=bt709:out_range=tv,format=yuv444p -colorspace bt709";
    const std::vector<fs::path> sources{
        make_clip("red.png", color), make_clip("red709.mkv", color + bt709),
        make_clip("red601.mkv", color + "-c:v ffv1 -vf scale=out_color_matrix=bt601:out_range=tv,"
                                        "format=yuv420p -colorspace smpte170m")};
    for (const fs::path& source : sources)
        for (const char* ending : {".jpg", ".webp"}) {
            SCOPED_TRACE(source.filename().string() + " to " + ending);
            WriterOptions options = quick_options(fresh_output(ending));
            rewrite(source, options);
            const auto pictures = decode_frames(options.path);
            ASSERT_EQ(pictures.size(), 1U);
            const bool jpeg = std::string_view(ending) == ".jpg";
            const auto got = middle_by_bt601(*pictures.front(), jpeg);
            for (std::size_t c = 0; c < kColor.size(); ++c)
                EXPECT_NEAR(got.at(c), kColor.at(c), 4) << "component " << c;
        }
}

}  // namespace
}  // namespace weft
