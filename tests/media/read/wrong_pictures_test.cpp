// Pictures that libav 5.1 decodes wrongly or in part without an error: they are refused with a
// remedy, or the missing parts are named.
#include <algorithm>
#include <zlib.h>

#include <gmock/gmock.h>

#include "app/media/metadata/picture_metadata.h"
#include "tests/media/read/reader_support.h"
#include "tests/media/write/picture_files.h"

namespace weft::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class MediaWrongPictures : public ClipTest {
 protected:
    // Whether the file is refused with this clause and a remedy, and is not called damaged.
    static void expect_refused(const std::filesystem::path& file, const std::string& what) {
        SCOPED_TRACE(file.filename().string() + ": " + what);
        const ReadResult got = read_all(file);
        EXPECT_EQ(got.outcome, Outcome::failed);
        EXPECT_THAT(got.error, HasSubstr(what));
        EXPECT_THAT(got.error, HasSubstr("convert it"));
        EXPECT_FALSE(got.damaged());
    }
    static void expect_read(const std::filesystem::path& file) {
        const ReadResult got = read_all(file);
        EXPECT_EQ(got.outcome, Outcome::ok) << file << ": " << got.error;
        EXPECT_EQ(got.pts.size(), 1U);
    }
    static std::vector<std::string> undecoded(const std::filesystem::path& file) {
        ReaderOptions options;
        options.path = file.string();
        return Reader(options).picture_metadata()->undecoded();
    }
};

Bytes little(std::uint32_t value, int bytes = 4) {
    Bytes made;
    for (int k = 0; k < bytes; ++k) made.push_back(static_cast<std::uint8_t>(value >> (8 * k)));
    return made;
}

Bytes big(std::uint32_t value, int bytes = 4) {
    Bytes made = little(value, bytes);
    std::reverse(made.begin(), made.end());
    return made;
}

// The bytes with some of them replaced.
Bytes with(Bytes file, std::size_t at, const Bytes& bytes) {
    std::copy(bytes.begin(), bytes.end(), file.begin() + static_cast<std::ptrdiff_t>(at));
    return file;
}

struct Tag {
    std::uint16_t number;
    std::uint32_t value;
};

// A picture of eight by eight pixels, of as many bits per pixel.
Bytes tiff(std::uint32_t bits, std::uint32_t samples, std::uint32_t colors,
           std::initializer_list<Tag> more = {}) {
    const Bytes pixels(std::size_t{8} * samples * bits, 0x5A);
    Bytes made = joined({text_bytes("II*"), {0}, little(8), little(0, 2), little(0), pixels});
    const auto size = static_cast<std::uint32_t>(pixels.size());
    for (const Tag& tag : {Tag{256, 8},
                           {257, 8},
                           {258, bits},
                           {259, 1},
                           {262, colors},
                           {273, 14},
                           {277, samples},
                           {278, 8},
                           {279, size}})
        made = tiff_with_shorts(made, tag.number, 1, tag.value);
    for (const Tag& tag : more) made = tiff_with_shorts(made, tag.number, 1, tag.value);
    return made;
}

TEST_F(MediaWrongPictures, KindsOfTiffAreRefused) {
    constexpr std::uint32_t kWhiteIsZero = 0, kBlackIsZero = 1, kRgb = 2, kPalette = 3, kInks = 5,
                            kYcc = 6;
    struct Row {
        Bytes file;
        const char* what;  // empty: it is right
    };
    const std::vector<Row> rows{
        {tiff(8, 1, kBlackIsZero), ""},
        {tiff(8, 3, kRgb), ""},
        {tiff(8, 4, kInks), ""},
        {tiff(8, 4, kInks, {{284, 2}}), "of inks"},
        {tiff(8, 4, kInks, {{332, 2}}), "of inks"},
        {tiff(8, 3, kInks), "of inks"},
        {tiff(8, 5, kInks), "of inks"},
        {tiff(8, 5, kInks, {{338, 2}}), ""},
        {tiff(16, 4, kInks), "of inks"},
        {tiff(1, 1, kBlackIsZero, {{266, 2}}), ""},
        {tiff(2, 1, kBlackIsZero, {{266, 2}}), "bits in reversed order"},
        {tiff(4, 1, kWhiteIsZero, {{266, 2}}), "bits in reversed order"},
        {tiff(8, 1, kBlackIsZero, {{266, 2}}), ""},
        {tiff(12, 1, kBlackIsZero), ""},
        {tiff(12, 1, kBlackIsZero, {{259, 8}}), "of 12-bit samples"},
        {tiff(12, 1, kWhiteIsZero), "of 12-bit samples"},
        {tiff(8, 2, kBlackIsZero), ""},
        {tiff(8, 2, kWhiteIsZero), "of gray and further samples"},
        {tiff(8, 4, kBlackIsZero), "of gray and further samples"},
        {tiff(8, 2, kPalette), "of a palette with alpha"},
        {tiff(16, 1, kPalette), "of a palette with alpha or of more than 256 colors"},
        {tiff(8, 1, kPalette, {{320, 7}}), "whose palette has 8 bits"},
        {tiff(8, 1, kPalette, {{320, 7 << 8}}), ""},
        {tiff(8, 1, kBlackIsZero, {{320, 7 << 8}}), "of gray with a palette"},
        {tiff(8, 3, kRgb, {{317, 1}}), ""},
        {tiff(8, 3, kRgb, {{317, 2}}), "with a predictor"},
        {tiff(8, 3, kYcc), "of YCbCr"},
        {tiff(8, 3, kRgb, {{254, 1}}), "a smaller copy"},
        {with(tiff(8, 3, kRgb, {{259, 5}}), 14, {0x00, 0x01}), "of LZW codes from before"},
        {tiff(8, 3, kRgb, {{254, 2}, {330, 8}}), "of a page with pictures below it"},
    };
    for (const Row& row : rows) {
        const auto file = write_bytes("kind.tiff", row.file);
        if (std::string_view(row.what).empty())
            expect_read(file);
        else
            expect_refused(file, row.what);
    }
}

// The first file of a sequence is not the only one.
TEST_F(MediaWrongPictures, EveryPictureOfASequenceIsLookedAt) {
    write_bytes("kinds_1.tiff", tiff(8, 3, 2));
    const auto second = write_bytes("kinds_2.tiff", tiff(8, 3, 5));
    expect_refused(second.parent_path() / "kinds_%d.tiff", "kinds_2.tiff: is a TIFF of inks");
}

// libav's decoder keeps the palette of the picture before.
TEST_F(MediaWrongPictures, APictureOfASequenceIsReadAsOnItsOwn) {
    Bytes palette = tiff(8, 1, 3);
    const auto place = static_cast<std::uint32_t>(palette.size());
    for (int k = 0; k < 3 * 256; ++k) palette = joined({palette, little(0x1234 + 50 * k, 2)});
    write_bytes("state_1.tiff", tiff_with_shorts(palette, 320, 3 * 256, place));
    const auto gray = write_bytes("state_2.tiff", tiff(8, 1, 1));
    const ReadResult alone = read_all(gray);
    ReaderOptions options;
    options.path = (gray.parent_path() / "state_%d.tiff").string();
    const ReadResult got = read_all(options);
    ASSERT_EQ(got.hashes.size(), 2U) << got.error;
    EXPECT_EQ(got.hashes.back(), alone.hashes.back());
}

TEST_F(MediaWrongPictures, MasksAndPicturesBelowTheFirstOfATiffAreNamed) {
    EXPECT_THAT(undecoded(write_bytes("one.tiff", tiff(8, 3, 2))), IsEmpty());
    // The picture below is a directory without entries.
    const Bytes below = joined({tiff(8, 3, 2), {0, 0, 0, 0, 0, 0}});
    const auto place = static_cast<std::uint32_t>(below.size() - 6);
    EXPECT_THAT(undecoded(write_bytes("below.tiff", tiff_with_shorts(below, 330, 1, place))),
                ElementsAre("1 pictures below the first"));
}

Bytes targa(std::uint8_t kind, std::uint8_t bits, std::uint8_t descriptor) {
    return joined({{0, 0, kind},
                   Bytes(9, 0),
                   little(8, 2),
                   little(8, 2),
                   {bits, descriptor},
                   Bytes(8 * 8 * 4, 0x3C)});
}

TEST_F(MediaWrongPictures, KindsOfTgaAreRefused) {
    expect_read(write_bytes("gray.tga", targa(3, 8, 0x20)));
    expect_read(write_bytes("colors.tga", targa(2, 24, 0x20)));
    expect_refused(write_bytes("gray_alpha.tga", targa(3, 16, 0x28)),
                   "is a TGA of gray with alpha");
    expect_refused(write_bytes("runs.tga", targa(11, 16, 0x28)), "is a TGA of gray with alpha");
    expect_refused(write_bytes("palette.tga", targa(1, 16, 0x20)), "is a TGA of a palette");
    expect_refused(write_bytes("byte.tga", targa(2, 8, 0x20)), "is a TGA of colors in 8 bits");
    EXPECT_THAT(undecoded(write_bytes("bit.tga", targa(2, 16, 0x21))),
                ElementsAre("one bit of alpha"));
    EXPECT_THAT(undecoded(write_bytes("no_bit.tga", targa(2, 16, 0x20))), IsEmpty());
}

TEST_F(MediaWrongPictures, AlphaOfABmpIsNamed) {
    const auto bmp = [](std::uint32_t alpha) {
        return joined({text_bytes("BM"), little(14 + 56 + 128),
                       little(0),        little(70),
                       little(56),       little(8),
                       little(8),        little(1, 2),
                       little(16, 2),    little(3),
                       little(128),      little(0),
                       little(0),        little(0),
                       little(0),        little(0x7C00),
                       little(0x3E0),    little(0x1F),
                       little(alpha),    Bytes(128, 0x35)});
    };
    EXPECT_THAT(undecoded(write_bytes("alpha.bmp", bmp(0x8000))), ElementsAre("alpha"));
    EXPECT_THAT(undecoded(write_bytes("opaque.bmp", bmp(0))), IsEmpty());
}

Bytes from_bits(std::string_view bits) {
    Bytes made(bits.size() / 8 + 64, 0);
    for (std::size_t k = 0; k < bits.size(); ++k)
        if (bits[k] == '1') made[k / 8] = static_cast<std::uint8_t>(made[k / 8] | 1U << k % 8);
    return made;
}

// The lowest bit of a byte is the first. Both have a square of 32 pixels.
TEST_F(MediaWrongPictures, AnAnimatedJxlIsRefused) {
    const std::string size =
        "1"
        "11000"
        "100";
    const std::string rest =
        "00"
        "00"
        "00"
        "0"
        "0"
        "00"
        "1"
        "00"
        "1"
        "1"
        "1"
        "00"
        "1";
    const Bytes start{0xFF, 0x0A};
    const Bytes plain = joined({start, from_bits(size +
                                                 "0"
                                                 "1"
                                                 "000"
                                                 "0"
                                                 "0"
                                                 "1" +
                                                 rest)});
    const Bytes full = joined({start, from_bits(size +
                                                "0"
                                                "1"
                                                "000"
                                                "1" +
                                                size +
                                                "1"
                                                "1"
                                                "00"
                                                "100"
                                                "1" +
                                                rest)});
    const Bytes boxed = joined({big(12),
                                text_bytes("JXL "),
                                {0x0D, 0x0A, 0x87, 0x0A},
                                big(20),
                                text_bytes("ftypjxl "),
                                big(0),
                                text_bytes("jxl "),
                                big(static_cast<std::uint32_t>(8 + plain.size())),
                                text_bytes("jxlc"),
                                plain});
    for (const Bytes& file : {plain, full, boxed})
        expect_refused(write_bytes("animated.jxl", file), "is an animated JPEG XL");
    const Bytes far = joined({big(1), text_bytes("free"), big(0x7FFFFFFF), big(0xFFFFFFF0)});
    Bytes unreachable = boxed;
    unreachable.insert(unreachable.begin() + 32, far.begin(), far.end());
    EXPECT_THAT(read_all(write_bytes("far.jxl", unreachable)).error, Not(HasSubstr("animated")));
    const Bytes still = joined({start, from_bits(size +
                                                 "0"
                                                 "1"
                                                 "000"
                                                 "0"
                                                 "0"
                                                 "0" +
                                                 rest)});
    EXPECT_THAT(read_all(write_bytes("still.jxl", still)).error, Not(HasSubstr("animated")));
}

TEST_F(MediaWrongPictures, KindsOfOtherFormatsAreRefused) {
    const Bytes xwd = joined({big(100), big(7), big(2),        big(24),         big(8),    big(8),
                              big(0),   big(0), big(32),       big(0),          big(32),   big(32),
                              big(32),  big(4), big(0xFF0000), big(0xFF00),     big(0xFF), big(8),
                              big(0),   big(0), Bytes(20, 0),  Bytes(256, 0x40)});
    expect_read(write_bytes("alpha.xwd", xwd));
    const auto pixels = std::ssize(xwd) - 256;
    Bytes screen = xwd;
    for (std::ptrdiff_t k = pixels; k < std::ssize(screen); k += 4)
        screen[static_cast<std::size_t>(k) + 3] = 0;
    expect_refused(write_bytes("screen.xwd", screen), "is an XWD of 24 bits");
    const auto xpm = [](const std::string& color) {
        return text_bytes("/* XPM */\nstatic char *x[] = {\n\"2 1 2 1\",\n\". c " + color +
                          "\",\n\"o s back c None\",\n\".o\"};\n");
    };
    expect_read(write_bytes("digits.xpm", xpm("#FF8000")));
    expect_read(write_bytes("name.xpm", xpm("orange")));
    expect_refused(write_bytes("deep.xpm", xpm("#FFFF80000000")), "is an XPM of colors");
    expect_refused(write_bytes("x11.xpm", xpm("gray51")), "is an XPM of colors");
    const Bytes header = text_bytes(
        "P7\nWIDTH 2\nHEIGHT 2\nDEPTH 4\nMAXVAL 15\nTUPLTYPE "
        "RGB_ALPHA\nENDHDR\n");
    expect_refused(write_bytes("low.pam", joined({header, Bytes(16, 7)})), "MAXVAL below 255");
    const Bytes sgi = joined({{1, 0xDA, 0, 1, 0, 2, 0, 8, 0, 8, 0, 1},
                              Bytes(92, 0),
                              big(0),
                              Bytes(404, 0),
                              Bytes(64, 9)});
    expect_read(write_bytes("gray.sgi", sgi));
    expect_refused(write_bytes("palette.sgi", with(sgi, 104, big(3))), "places in a palette");
    const Bytes dds =
        joined({text_bytes("DDS "), little(124), little(0x1007), little(4), little(4), little(16),
                Bytes(52, 0), little(32), little(0x41), little(0), little(32), little(0xFF),
                little(0xFF00), little(0xFF0000), little(0xFF000000), Bytes(20, 0), Bytes(64, 9)});
    expect_read(write_bytes("flat.dds", dds));
    expect_refused(write_bytes("cube.dds", with(dds, 112, little(0x200))), "of several pictures");
    EXPECT_THAT(undecoded(write_bytes("flat_again.dds", dds)), IsEmpty());
    const Bytes normals = with(with(dds, 80, little(4)), 84, text_bytes("ATI2"));
    EXPECT_THAT(undecoded(write_bytes("normals.dds", normals)),
                ElementsAre(HasSubstr("the zeros of the blue channel")));
}

TEST_F(MediaWrongPictures, KindsOfDpxAreRefused) {
    const Bytes dpx = read_bytes(
        make_clip("plain.dpx", "-f lavfi -i testsrc2=s=32x24 -frames:v 1 -pix_fmt rgb24"));
    expect_read(write_bytes("kind.dpx", dpx));
    expect_refused(write_bytes("turned.dpx", with(dpx, 768, little(3, 2))), "turned or mirrored");
    expect_refused(write_bytes("several.dpx", with(dpx, 770, little(2, 2))), "of several elements");
    expect_refused(write_bytes("signed.dpx", with(dpx, 780, little(1))), "of signed samples");
    expect_refused(write_bytes("padded.dpx", with(dpx, 812, little(4))), "bytes after each line");
}

struct ExrKind {
    std::vector<std::string> channels{"B", "G", "R"};
    std::array<int, 4> data{0, 0, 7, 7};
    std::array<int, 4> display{0, 0, 7, 7};
    std::uint32_t type = 2;  // float
    std::uint8_t compression = 0;
};

Bytes zero_ended(std::string_view text) {
    return joined({text_bytes(text), {0}});
}

Bytes attribute(std::string_view name, std::string_view type, const Bytes& value) {
    return joined({zero_ended(name), zero_ended(type),
                   little(static_cast<std::uint32_t>(value.size())), value});
}

Bytes window(const std::array<int, 4>& box) {
    Bytes made;
    for (const int side : box) made = joined({made, little(static_cast<std::uint32_t>(side))});
    return made;
}

// Makes a file of uncompressed lines.
Bytes exr(const ExrKind& kind) {
    Bytes channels;
    for (const std::string& name : kind.channels)
        channels = joined(
            {channels, zero_ended(name), little(kind.type), little(0), little(1), little(1)});
    Bytes made = joined({{0x76, 0x2F, 0x31, 0x01, 2, 0, 0, 0},
                         attribute("channels", "chlist", joined({channels, {0}})),
                         attribute("compression", "compression", {kind.compression}),
                         attribute("dataWindow", "box2i", window(kind.data)),
                         attribute("displayWindow", "box2i", window(kind.display)),
                         attribute("lineOrder", "lineOrder", {0}),
                         attribute("pixelAspectRatio", "float", little(0x3F800000)),
                         {0}});
    const int width = kind.data[2] - kind.data[0] + 1;
    const int height = kind.data[3] - kind.data[1] + 1;
    const auto line = static_cast<std::uint32_t>(4 * width * std::ssize(kind.channels));
    const auto begin = static_cast<std::uint32_t>(made.size()) + 8U * static_cast<unsigned>(height);
    for (unsigned y = 0; y < static_cast<unsigned>(height); ++y)
        made = joined({made, little(begin + y * (8 + line)), little(0)});
    for (int y = 0; y < height; ++y)
        made = joined({made, little(static_cast<std::uint32_t>(kind.data[1] + y)), little(line),
                       Bytes(line, 0x3F)});
    return made;
}

TEST_F(MediaWrongPictures, ChannelsAndWindowsOfAnExrAreKeptNamedOrRefused) {
    EXPECT_THAT(undecoded(write_bytes("plain.exr", exr({}))), IsEmpty());
    EXPECT_THAT(undecoded(write_bytes("gray.exr", exr({.channels = {"A", "Y"}}))), IsEmpty());
    EXPECT_THAT(
        undecoded(write_bytes("depth.exr", exr({.channels = {"B", "G", "R", "Z", "normal.X"}}))),
        ElementsAre("channels Z, normal.X"));
    EXPECT_THAT(undecoded(write_bytes("over.exr", exr({.data = {-1, -1, 8, 8}}))),
                ElementsAre("pixels outside the display window"));
    EXPECT_THAT(undecoded(write_bytes("inside.exr", exr({.data = {2, 2, 5, 5}}))), IsEmpty());
    EXPECT_THAT(undecoded(write_bytes("axes.exr", exr({.channels = {"X", "Y", "Z"}}))),
                testing::SizeIs(2));
    expect_refused(
        write_bytes("shifted.exr", exr({.data = {9, 9, 16, 16}, .display = {9, 9, 16, 16}})),
        "display window does not begin at 0,0");
    expect_refused(write_bytes("beside.exr", exr({.data = {8, 0, 15, 7}})),
                   "pixels are all outside its window");
    expect_refused(write_bytes("luma.exr", exr({.channels = {"B", "G", "R", "Y"}})),
                   "of colors and a channel Y");
    // The codes themselves are never read.
    expect_refused(write_bytes("float_dwa.exr", exr({.compression = 8})), "with DWA compression");
    expect_refused(write_bytes("integers.exr", exr({.type = 0})), "of 32-bit integers");
}

TEST_F(MediaWrongPictures, LayersOfAPsdAreNamed) {
    const auto psd = [](const Bytes& resources, const Bytes& layers) {
        const auto size = [](const Bytes& part) {
            return big(static_cast<std::uint32_t>(part.size()));
        };
        return joined({text_bytes("8BPS"),
                       big(1, 2),
                       Bytes(6, 0),
                       big(1, 2),
                       big(2),
                       big(2),
                       big(8, 2),
                       big(1, 2),
                       big(0),
                       size(resources),
                       resources,
                       size(layers),
                       layers,
                       big(0, 2),
                       {1, 2, 3, 4}});
    };
    EXPECT_THAT(undecoded(write_bytes("flat.psd", psd({}, {}))), IsEmpty());
    const Bytes layers = joined({big(16), big(0xFFFE, 2), Bytes(20, 0)});
    EXPECT_THAT(undecoded(write_bytes("layers.psd", psd({}, layers))), ElementsAre("2 layers"));
    const auto version = [](std::uint8_t merged) {
        return joined({text_bytes("8BIM"), big(0x0421, 2), {0, 0}, big(6), big(1), {merged, 0}});
    };
    expect_read(write_bytes("merged.psd", psd(version(1), layers)));
    expect_refused(write_bytes("apart.psd", psd(version(0), layers)),
                   "of layers without a picture of them together");
}

// One row of the grays 0 and up.
Bytes gray_png(std::uint8_t depth, std::uint8_t width, std::uint8_t key) {
    Bytes row{0};
    unsigned bits = 0;
    for (unsigned x = 0; x < width; ++x) bits = bits << depth | (x & ((1U << depth) - 1U));
    for (int shift = depth * width - 8; shift >= 0; shift -= 8)
        row.push_back(static_cast<std::uint8_t>(bits >> shift));
    const auto size = static_cast<std::uint8_t>(row.size());
    const Bytes stored =
        joined({{0x78, 1, 1, size, 0, static_cast<std::uint8_t>(~size), 0xFF}, row});
    uLong sum = adler32(1, row.data(), static_cast<uInt>(row.size()));
    Bytes png{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    for (const auto& [type, data] :
         {std::pair{"IHDR", joined({big(width), big(1), {depth, 0, 0, 0, 0}})},
          {"tRNS", Bytes{0, key}},
          {"IDAT", joined({stored, big(static_cast<std::uint32_t>(sum))})},
          {"IEND", Bytes{}}}) {
        const Bytes named = joined({text_bytes(type), data});
        png = joined({png, big(static_cast<std::uint32_t>(data.size())), named,
                      big(static_cast<std::uint32_t>(
                          crc32(0, named.data(), static_cast<uInt>(named.size()))))});
    }
    return png;
}

TEST_F(MediaWrongPictures, TheTransparentGrayOfAPngIsKeptAtEveryDepth) {
    for (const auto& [depth, width, key] :
         {std::array{1, 8, 1}, {1, 8, 0}, {2, 4, 1}, {2, 4, 3}, {4, 8, 5}, {8, 4, 2}}) {
        SCOPED_TRACE(depth);
        ReaderOptions options;
        Bytes png = gray_png(static_cast<std::uint8_t>(depth), static_cast<std::uint8_t>(width),
                             static_cast<std::uint8_t>(key));
        options.path = write_bytes("key.png", png).string();
        const Reader reader(options);
        const AVFrame& frame = *reader.first_frame().av;
        const AVPixFmtDescriptor& format =
            *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
        const int most = (1 << depth) - 1;
        const Bytes samples = samples_of(frame);
        const std::size_t channels = format.nb_components;
        ASSERT_EQ(samples.size(), channels * static_cast<std::size_t>(width));
        for (int x = 0; x < width; ++x) {
            const std::uint8_t* const pixel = &samples[channels * static_cast<std::size_t>(x)];
            const int gray = x & most;
            EXPECT_EQ(pixel[0], gray * 255 / most);
            EXPECT_EQ(pixel[channels - 1], gray == key ? 0 : 255) << "at " << x;
        }
    }
}

TEST_F(MediaWrongPictures, TheUnplayedPictureOfAnApngIsNamed) {
    const auto clip = make_clip("played.apng", "-f lavfi -i testsrc2=s=32x24:r=10:d=0.3 -plays 0");
    EXPECT_THAT(undecoded(clip), IsEmpty());
    // Without its control chunk the first picture is not played.
    Bytes apng = read_bytes(clip);
    const Bytes control = text_bytes("fcTL");
    const auto type = std::search(apng.begin(), apng.end(), control.begin(), control.end());
    apng.erase(type - 4, type + 4 + 26 + 4);
    EXPECT_THAT(undecoded(write_bytes("unplayed.apng", apng)),
                ElementsAre("the picture for programs that do not play the animation"));
}

TEST_F(MediaWrongPictures, StretchedSamplesOfFitsAreNamed) {
    const auto fits = [&](const std::string& format) {
        return make_clip(format + ".fits",
                         "-f lavfi -i testsrc2=s=32x24 -frames:v 1 -pix_fmt " + format);
    };
    EXPECT_THAT(undecoded(fits("gray")), ElementsAre(HasSubstr("values of the samples")));
    EXPECT_THAT(undecoded(fits("gbrp")), IsEmpty());
}

TEST_F(MediaWrongPictures, TheMaskOfAnIconIsNamed) {
    const auto icon = [](std::uint16_t bits, std::uint32_t pixel, std::uint8_t mask) {
        Bytes pixels;
        for (int k = 0; k < 64; ++k) pixels = joined({pixels, little(pixel, bits / 8)});
        const Bytes image = joined({little(40),
                                    little(8),
                                    little(16),
                                    little(1, 2),
                                    little(bits, 2),
                                    Bytes(24, 0),
                                    pixels,
                                    {mask, 0, 0, 0},
                                    Bytes(28, 0)});
        return joined({{0, 0, 1, 0, 1, 0, 8, 8, 0, 0, 1, 0},
                       little(bits, 2),
                       little(static_cast<std::uint32_t>(image.size())),
                       little(22),
                       image});
    };
    EXPECT_THAT(undecoded(write_bytes("whole.ico", icon(24, 0x123456, 0))), IsEmpty());
    EXPECT_THAT(undecoded(write_bytes("masked.ico", icon(24, 0x123456, 1))),
                ElementsAre("the mask of transparent pixels"));
    EXPECT_THAT(undecoded(write_bytes("alpha.ico", icon(32, 0x80123456, 1))), IsEmpty());
    EXPECT_THAT(undecoded(write_bytes("no_alpha.ico", icon(32, 0x123456, 1))),
                ElementsAre("the mask of transparent pixels"));
}

// Empty where ffmpeg writes no AVIF.
Bytes plain_avif() {
    const auto plain = clip_dir() / "plain.avif";
    if (!succeeds({"ffmpeg", "-loglevel", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=64x48",
                   "-frames:v", "1", "-c:v", "libaom-av1", "-cpu-used", "8", plain.string()}))
        return {};
    return read_bytes(plain);
}

// The place of the box of this type.
std::ptrdiff_t box_of(const Bytes& file, std::string_view type) {
    return std::ranges::search(file, text_bytes(type)).begin() - file.begin() - 4;
}

TEST_F(MediaWrongPictures, AnAvifWhoseItemsLibavCannotFindIsRefused) {
    const Bytes avif = plain_avif();
    if (avif.empty()) GTEST_SKIP() << "this ffmpeg writes no AVIF";
    expect_read(write_bytes("plain_again.avif", avif));
    Bytes tiles = avif;
    constexpr std::ptrdiff_t kKind = 16;
    std::ranges::copy(text_bytes("grid"), tiles.begin() + box_of(tiles, "infe") + kKind);
    expect_refused(write_bytes("tiles.avif", tiles), "is an AVIF picture of several tiles");
    // The primary item's box, of 14 bytes, comes directly before that of the places.
    Bytes late = avif;
    const auto primary = late.begin() + box_of(late, "pitm");
    const auto places = late.begin() + box_of(late, "iloc");
    ASSERT_EQ(places - primary, 14);
    std::rotate(primary, places, places + places[3]);
    expect_refused(write_bytes("late.avif", late), "named after the places of all");
}

// The last property of an AVIF that ffmpeg wrote, its color tags of 19 bytes, becomes another one.
TEST_F(MediaWrongPictures, AnAvifIsTurned) {
    const Bytes avif = plain_avif();
    if (avif.empty()) GTEST_SKIP() << "this ffmpeg writes no AVIF";
    const Bytes tags = text_bytes("colrnclx");
    const auto place = static_cast<std::size_t>(
        std::search(avif.begin(), avif.end(), tags.begin(), tags.end()) - avif.begin() - 4);
    ASSERT_LT(place, avif.size());
    const auto turned = [&](std::uint8_t left, bool wide = false) {
        const Bytes box =
            wide
                ? joined({big(1), text_bytes("irot"), big(0), big(19), {left, 0, 0}})
                : joined({big(9), text_bytes("irot"), {left}, big(10), text_bytes("free"), {0, 0}});
        ReaderOptions options;
        options.path = write_bytes("turned.avif", with(avif, place, box)).string();
        return Reader(options).rotation_degrees();
    };
    EXPECT_EQ(turned(0), 0);
    EXPECT_EQ(turned(1), 270);
    EXPECT_EQ(turned(2), 180);
    EXPECT_EQ(turned(3), 90);
    EXPECT_EQ(turned(3, true), 90) << "its size takes 64 bits";
}

}  // namespace
}  // namespace weft::test
