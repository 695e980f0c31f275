// Pictures that libav would read in part, wrongly or not at all, although they are whole.
#include <algorithm>

#include <gmock/gmock.h>

#include "tests/media/read/reader_support.h"
#include "tests/media/write/picture_files.h"

namespace weft::test {
namespace {

using testing::Contains;
using testing::HasSubstr;

class MediaOddPictures : public ClipTest {};

constexpr std::size_t kProbed = 2048;  // bytes in which libav recognises a format

Bytes animated_png() {
    return read_bytes(make_clip("odd.apng", "-f lavfi -i testsrc2=s=32x24:r=10:d=0.5 -plays 0"));
}

Bytes long_text() {
    return joined({text_bytes("Title"), {0}, Bytes(2 * kProbed, 'x')});
}

TEST_F(MediaOddPictures, AllPicturesOfAnApngBehindALongText) {
    const ReadResult got =
        read_all(write_bytes("titled.png", png_with(animated_png(), "tEXt", long_text())));
    EXPECT_EQ(got.outcome, Outcome::ok) << got.error;
    EXPECT_EQ(got.pts.size(), 5U);
}

TEST_F(MediaOddPictures, AnAnimationOfNoFramesIsThePlainPicture) {
    const Bytes plain = read_bytes(stored_blocks(1, ".png"));
    const ReadResult got =
        read_all(write_bytes("no_frames.png", png_with(plain, "acTL", Bytes(8, 0))));
    EXPECT_EQ(got.outcome, Outcome::ok) << got.error;
    EXPECT_EQ(got.pts.size(), 1U);
    EXPECT_FALSE(got.damaged()) << got.damage.reason;
}

// As exiftool writes it.
TEST_F(MediaOddPictures, AnApngWithMetadataInsideAPictureIsNotCalledDamaged) {
    constexpr std::ptrdiff_t kHeaderEnd = 33, kChunkSize = 12 + 7;
    Bytes png = animated_png();
    const Bytes titled = png_with(png, "tEXt", joined({text_bytes("Title"), {0, 'A'}}));
    const auto chunk = titled.begin() + kHeaderEnd;
    const auto pixels = std::ranges::search(png, text_bytes("IDAT")).begin() - 4;
    png.insert(pixels, chunk, chunk + kChunkSize);
    const ReadResult got = read_all(write_bytes("between.png", png));
    EXPECT_EQ(got.outcome, Outcome::failed);
    EXPECT_THAT(got.error, HasSubstr("tEXt between the control chunk and the pixels"));
}

struct TiffRow {
    std::uint16_t tag;
    std::uint32_t value;
    const char* says;
};

Bytes plain_tiff() {
    return read_bytes(
        make_clip("odd.tiff", "-f lavfi -i testsrc2=s=32x24 -frames:v 1 -pix_fmt rgb24"));
}

// libav returns a black picture without an error.
TEST_F(MediaOddPictures, TiffsThatWouldBeBlackAreRefused) {
    const Bytes plain = plain_tiff();
    EXPECT_EQ(read_all(write_bytes("plain.tiff", plain)).outcome, Outcome::ok);
    for (const TiffRow& row : {TiffRow{322, 16, "is a TIFF of tiles"},
                               {259, 7, "is a TIFF with JPEG compression"},
                               {259, 6, "is a TIFF with JPEG compression"}}) {
        SCOPED_TRACE(row.says);
        const ReadResult got =
            read_all(write_bytes("odd_row.tiff", tiff_with_shorts(plain, row.tag, 1, row.value)));
        EXPECT_EQ(got.outcome, Outcome::failed);
        EXPECT_THAT(got.error, HasSubstr(row.says));
    }
}

// libav reads 8 and 16 bits of them as unsigned numbers, and refuses 32.
TEST_F(MediaOddPictures, TiffsOfOtherThanUnsignedSamplesAreRefused) {
    constexpr std::uint16_t kSampleFormat = 339;
    const Bytes plain = plain_tiff();
    EXPECT_EQ(read_all(write_bytes("unsigned.tiff", tiff_with_shorts(plain, kSampleFormat, 1, 1)))
                  .outcome,
              Outcome::ok);
    for (const TiffRow& row : {TiffRow{kSampleFormat, 2, "is a TIFF of signed samples"},
                               {kSampleFormat, 3, "is a TIFF of floating-point samples"},
                               {kSampleFormat, 6, "is a TIFF of complex samples"}}) {
        SCOPED_TRACE(row.says);
        const ReadResult one =
            read_all(write_bytes("odd_row.tiff", tiff_with_shorts(plain, row.tag, 1, row.value)));
        EXPECT_EQ(one.outcome, Outcome::failed);
        EXPECT_THAT(one.error, HasSubstr(row.says));
        // With a value for each channel there are too many for the entry, which has their place in
        // the file.
        const auto value = static_cast<std::uint8_t>(row.value);
        const Bytes with_three = joined({plain, {value, 0, value, 0, value, 0}});
        const Bytes three =
            tiff_with_shorts(with_three, row.tag, 3, static_cast<std::uint32_t>(plain.size()));
        const ReadResult all = read_all(write_bytes("odd_rows.tiff", three));
        EXPECT_EQ(all.outcome, Outcome::failed);
        EXPECT_THAT(all.error, HasSubstr(row.says));
    }
}

// Not damaged: libav reports that it lacks CIE L*a*b*, samples of 12 bits, or Zstandard.
TEST_F(MediaOddPictures, AKindThatTheDecoderLacksIsNotCalledDamaged) {
    constexpr std::uint16_t kBits = 258, kCompression = 259, kColors = 262;
    for (const TiffRow& row :
         {TiffRow{kColors, 8, ""}, {kBits, 12, ""}, {kCompression, 50000, ""}}) {
        SCOPED_TRACE(row.tag);
        const ReadResult got = read_all(
            write_bytes("lacks.tiff", tiff_with_shorts(plain_tiff(), row.tag, 1, row.value)));
        EXPECT_EQ(got.outcome, Outcome::failed) << got.error;
        EXPECT_THAT(got.error, HasSubstr("is a kind of TIFF image that this FFmpeg cannot decode: "
                                         "convert it first, for example with ImageMagick"));
    }
}

// The masks of libav's BMP are those of BGRA; other programs write all.
TEST_F(MediaOddPictures, ABmpOfUnusualMasksIsNotCalledDamaged) {
    Bytes bmp = read_bytes(
        make_clip("masks.bmp", "-f lavfi -i testsrc2=s=8x8 -frames:v 1 -pix_fmt bgra -update 1"));
    constexpr std::size_t kCompression = 30, kPixels = 54;
    bmp.at(kCompression) = 3;
    const Bytes masks{0, 0, 0, 0xFF, 0, 0xFF, 0, 0, 0xFF, 0, 0, 0};
    bmp.insert(bmp.begin() + kPixels, masks.begin(), masks.end());
    bmp.at(10) = static_cast<std::uint8_t>(kPixels + masks.size());
    const ReadResult got = read_all(write_bytes("unusual.bmp", bmp));
    EXPECT_EQ(got.outcome, Outcome::failed) << got.error;
    EXPECT_THAT(got.error, HasSubstr("that this FFmpeg cannot decode: convert it first"));
}

// Two colors, and four pixels of which one has the color 200.
TEST_F(MediaOddPictures, AColorThatABmpLacksIsBlack) {
    constexpr std::uint8_t kPixels = 54 + 8;
    const Bytes bmp = joined({text_bytes("BM"),
                              {kPixels + 4, 0, 0, 0, 0, 0, 0, 0, kPixels, 0, 0, 0},
                              {40, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 1, 0, 8, 0},
                              Bytes(16, 0),
                              {2, 0, 0, 0, 0, 0, 0, 0},
                              {1, 2, 3, 0, 4, 5, 6, 0},
                              {0, 1, 200, 1}});
    ReaderOptions options;
    options.path = write_bytes("lacking.bmp", bmp).string();
    const Reader reader(options);
    const AVFrame& frame = *reader.first_frame().av;
    ASSERT_EQ(frame.format, AV_PIX_FMT_RGB24);
    EXPECT_EQ(Bytes(frame.data[0] + 6, frame.data[0] + 9), Bytes(3, 0));
}

// FFmpeg adds an alpha, whose loss was reported, and was an error with --strict.
TEST_F(MediaOddPictures, ACmykJpegHasNoAlpha) {
    const std::filesystem::path from = write_bytes("inks.tiff", plain_tiff());
    const std::filesystem::path cmyk = from.parent_path() / "inks.jpg";
    if (!succeeds({"convert", from.string(), "-colorspace", "CMYK", cmyk.string()}))
        GTEST_SKIP() << "ImageMagick is not installed";
    ReaderOptions options;
    options.path = cmyk.string();
    const Reader reader(options);
    EXPECT_EQ(av_pix_fmt_desc_get(static_cast<AVPixelFormat>(reader.first_frame().av->format))
                  ->nb_components,
              3);
    EXPECT_THAT(reader.notes(), Contains(HasSubstr("CMYK is converted")));
}

// TIFF's default is full range, and ffmpeg's TIFFs state the other one.
TEST_F(MediaOddPictures, AYcbcrTiffHasTheRangeThatItStates) {
    constexpr std::uint16_t kBlackAndWhite = 532;
    const auto file =
        make_clip("ycbcr.tiff", "-f lavfi -i testsrc2=s=32x24 -frames:v 1 -pix_fmt yuv444p");
    ReaderOptions options;
    options.path = file.string();
    const Reader limited(options);
    EXPECT_EQ(limited.first_frame().av->color_range, AVCOL_RANGE_MPEG);
    EXPECT_EQ(limited.first_frame().av->colorspace, AVCOL_SPC_BT470BG);
    options.path =
        write_bytes("full.tiff", tiff_with_shorts(read_bytes(file), kBlackAndWhite, 1, 0)).string();
    EXPECT_EQ(Reader(options).first_frame().av->color_range, AVCOL_RANGE_JPEG);
    options.path = write_bytes("rgb.tiff", plain_tiff()).string();
    EXPECT_EQ(Reader(options).first_frame().av->color_range, AVCOL_RANGE_UNSPECIFIED);
}

// sYCC has the full range of samples, and one matrix for all sizes; films are as they state.
TEST_F(MediaOddPictures, AYcbcrJpeg2000HasTheFullRange) {
    const std::string source =
        "-f lavfi -i testsrc2=s=64x768 -frames:v 1 -c:v jpeg2000 -pix_fmt yuv444p ";
    ReaderOptions options;
    options.path = make_clip("sycc.jp2", source + "-update 1").string();
    const Reader picture(options);
    EXPECT_EQ(picture.first_frame().av->color_range, AVCOL_RANGE_JPEG);
    EXPECT_EQ(picture.first_frame().av->colorspace, AVCOL_SPC_BT470BG);
    options.path = make_clip("film.mkv", source).string();
    EXPECT_NE(Reader(options).first_frame().av->color_range, AVCOL_RANGE_JPEG);
}

// One row of two pixels, in three channels of PackBits.
Bytes psd_of_rows(const Bytes& row) {
    const auto size = static_cast<std::uint8_t>(row.size());
    const Bytes header = joined(
        {text_bytes("8BPS"), {0, 1, 0, 0, 0, 0, 0, 0, 0, 3}, {0, 0, 0, 1, 0, 0, 0, 2, 0, 8, 0, 3}});
    return joined({header, Bytes(12, 0), {0, 1}, {0, size, 0, size, 0, size}, row, row, row});
}

TEST_F(MediaOddPictures, APsdWithEmptyCodesIsNotCalledDamaged) {
    const ReadResult plain = read_all(write_bytes("plain.psd", psd_of_rows({1, 7, 9})));
    EXPECT_EQ(plain.outcome, Outcome::ok) << plain.error;
    EXPECT_EQ(plain.pts.size(), 1U);
    // 128 is data in the first, and a code in the second.
    EXPECT_EQ(read_all(write_bytes("data.psd", psd_of_rows({1, 128, 128}))).outcome, Outcome::ok);
    const ReadResult padded = read_all(write_bytes("padded.psd", psd_of_rows({1, 7, 9, 128})));
    EXPECT_EQ(padded.outcome, Outcome::failed);
    EXPECT_THAT(padded.error, HasSubstr("is a PSD with empty codes in its PackBits rows"));
}

TEST_F(MediaOddPictures, FormsForLargeFilesAreNamedWithARemedy) {
    struct Row {
        const char* name;
        Bytes head;
        const char* form;
    };
    for (const Row& row : {Row{"little.tif", {'I', 'I', 43, 0, 8, 0}, "BigTIFF"},
                           Row{"big.tiff", {'M', 'M', 0, 43, 0, 8}, "BigTIFF"},
                           Row{"large.psb", {'8', 'B', 'P', 'S', 0, 2}, "PSB"},
                           Row{"large.psd", {'8', 'B', 'P', 'S', 0, 2}, "PSB"}}) {
        const ReadResult got = read_all(write_bytes(row.name, joined({row.head, Bytes(500, 0)})));
        EXPECT_EQ(got.outcome, Outcome::failed);
        EXPECT_THAT(got.error, HasSubstr(row.form));
        EXPECT_THAT(got.error, HasSubstr("convert it first"));
    }
}

TEST_F(MediaOddPictures, AHeicPictureThatCannotBeOpenedIsNamed) {
    const Bytes type =
        joined({{0, 0, 0, 24}, text_bytes("ftypheic"), {0, 0, 0, 0}, text_bytes("mif1heic")});
    const ReadResult got = read_all(write_bytes("phone.heic", joined({type, Bytes(500, 0)})));
    EXPECT_EQ(got.outcome, Outcome::failed);
    EXPECT_THAT(got.error, HasSubstr("is a HEIC picture, which this FFmpeg cannot decode"));
}

// A long segment before the pixels hides them from libav's probe, which then believes the name.
TEST_F(MediaOddPictures, AJpegNamedPngIsOpened) {
    const Bytes jpeg = jpeg_with(read_bytes(stored_blocks(1, ".jpg")), 0xE1, long_text());
    const ReadResult got = read_all(write_bytes("really_jpeg.png", jpeg));
    EXPECT_EQ(got.outcome, Outcome::ok) << got.error;
    EXPECT_EQ(got.pts.size(), 1U);
    EXPECT_FALSE(got.damage.damaged) << got.damage.reason;
}

}  // namespace
}  // namespace weft::test
