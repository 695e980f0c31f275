// Metadata of pictures is kept by every kind of file that can hold it, and the rest is named.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "tests/media/write/picture_files.h"
#include "tests/media/write/writer_support.h"

extern "C" {
#include <libavutil/dict.h>
}

namespace weft {
namespace {

namespace fs = std::filesystem;
using namespace test;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class MediaPictureMetadata : public MetadataTest {};

constexpr std::string_view kCaption = "a caption for IPTC";
constexpr std::string_view kCredit = "a credit for XMP";

Bytes xmp_packet() {
    return text_bytes(
        "<?xpacket begin='\xEF\xBB\xBF' id='W5M0MpCehiHzreSzNTczkc9d'?><x:xmpmeta "
        "xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>"
        "<rdf:Description rdf:about='' xmlns:photoshop='http://ns.adobe.com/photoshop/1.0/' "
        "xmlns:tiff='http://ns.adobe.com/tiff/1.0/' tiff:Orientation='6' photoshop:Credit='" +
        std::string(kCredit) + "'/></rdf:RDF></x:xmpmeta><?xpacket end='w'?>");
}

// Photoshop's resource 0x0404 with IPTC's data set 2:120.
Bytes photoshop_segment() {
    const auto length = static_cast<std::uint8_t>(kCaption.size());
    const Bytes iptc = joined({{0x1C, 2, 120, 0, length}, text_bytes(kCaption)});
    const auto size = static_cast<std::uint8_t>(iptc.size());
    return joined({text_bytes("Photoshop 3.0"),
                   {0},
                   text_bytes("8BIM"),
                   {4, 4, 0, 0, 0, 0, 0, size},
                   iptc,
                   Bytes(iptc.size() % 2, 0)});
}

// A photograph taken with the camera turned, with everything that a JPEG can carry.
fs::path rich_jpeg() {
    Bytes jpeg = read_bytes(stored_blocks(6, ".jpg"));
    const auto add = [&jpeg](std::uint8_t marker, const Bytes& segment) {
        jpeg = jpeg_with(jpeg, marker, segment);
    };
    add(0xFE, text_bytes("a comment"));
    add(0xE2, joined({text_bytes("ICC_PROFILE"), {0, 1, 1}, icc_bytes("RGB ")}));
    add(0xED, photoshop_segment());
    add(0xE1, joined({text_bytes("http://ns.adobe.com/xap/1.0/"), {0}, xmp_packet()}));
    add(0xE1, joined({text_bytes("Exif"), {0, 0}, exif_bytes(6, kBlocksHeight, kBlocksWidth)}));
    add(0xE0, joined({text_bytes("JFIF"), {0, 1, 2, 1, 0, 144, 0, 144, 0, 0}}));
    return write_bytes("rich.jpg", jpeg);
}

// The frame of a picture file, as libav decodes it.
AVFramePtr picture_of(const fs::path& file) {
    auto frames = decode_frames(file);
    if (frames.size() != 1) throw std::runtime_error(file.string() + ": not one picture");
    return std::move(frames.front());
}

Bytes profile_of(const fs::path& file) {
    const AVFramePtr frame = picture_of(file);
    const AVFrameSideData* icc = av_frame_get_side_data(frame.get(), AV_FRAME_DATA_ICC_PROFILE);
    return icc == nullptr ? Bytes() : Bytes(icc->data, icc->data + icc->size);
}

WriteReport convert(const fs::path& source, const fs::path& target, bool strict = false) {
    WriterOptions options = quick_options(target);
    options.strict = strict;
    return rewrite(source, options);
}

struct Kept {
    const char* ending;
    bool iptc;
    std::vector<std::string> lost;
};

TEST_F(MediaPictureMetadata, OfAPhotographInEveryKindOfFile) {
    const std::vector<Kept> table{{".jpg", true, {}},
                                  {".png", true, {}},
                                  {".tiff", true, {"comment"}},
                                  {".webp", false, {"IPTC", "comment", "resolution"}}};
    for (const Kept& row : table) {
        SCOPED_TRACE(row.ending);
        const fs::path out = fresh_output(row.ending);
        const WriteReport report = convert(rich_jpeg(), out);
        EXPECT_TRUE(holds(out, text_bytes("Ada")));
        EXPECT_TRUE(holds(out, text_bytes(kCredit)));
        EXPECT_FALSE(holds(out, text_bytes(kThumbnail)));
        EXPECT_FALSE(holds(out, text_bytes("tiff:Orientation=\"6\"")));
        const bool compressed = std::string(row.ending) == ".png";
        EXPECT_EQ(holds(out, text_bytes(kCaption)), row.iptc && !compressed);
        const std::string lost = fmt::format("lost: {}", fmt::join(row.lost, ", "));
        EXPECT_EQ(report.warnings.size(), row.lost.empty() ? 0U : 1U);
        for (const std::string& warning : report.warnings) EXPECT_THAT(warning, HasSubstr(lost));
    }
}

TEST_F(MediaPictureMetadata, ProfilesThatFitThePixels) {
    for (const char* ending : {".jpg", ".png", ".tiff", ".webp"}) {
        SCOPED_TRACE(ending);
        const fs::path out = fresh_output(ending);
        convert(rich_jpeg(), out);
        EXPECT_EQ(profile_of(out), icc_bytes("RGB "));
    }
    const Bytes jpeg = read_bytes(stored_blocks(1, ".jpg"));
    const fs::path other = write_bytes(
        "cmyk.jpg",
        jpeg_with(jpeg, 0xE2, joined({text_bytes("ICC_PROFILE"), {0, 1, 1}, icc_bytes("CMYK")})));
    for (const char* ending : {".jpg", ".png"}) {
        const fs::path out = fresh_output(ending);
        EXPECT_THAT(convert(other, out).warnings, Contains(HasSubstr("ICC profile for CMYK")));
        EXPECT_THAT(profile_of(out), IsEmpty());
    }
}

// Other blocks are kept.
TEST_F(MediaPictureMetadata, AProfileOfTheWrongSize) {
    const fs::path tiff = fresh_output(".tiff");
    convert(rich_jpeg(), tiff);
    Bytes bytes = read_bytes(tiff);
    const Bytes profile = icc_bytes("RGB ");
    const auto found = std::search(bytes.begin(), bytes.end(), profile.begin(), profile.end());
    ASSERT_NE(found, bytes.end());
    *(found + 3) = 1;  // the last byte of its size
    const fs::path out = fresh_output(".jpg");
    EXPECT_THAT(convert(write_bytes("bad_profile.tiff", bytes), out).warnings,
                Contains(AllOf(HasSubstr("damaged"), HasSubstr("ICC"))));
    EXPECT_TRUE(holds(out, text_bytes("Ada")));
}

TEST_F(MediaPictureMetadata, TagsFollowThePixels) {
    for (const char* ending : {".jpg", ".png", ".tiff", ".webp"}) {
        SCOPED_TRACE(ending);
        const fs::path out = fresh_output(ending);
        convert(rich_jpeg(), out);
        const fs::path again = fresh_output(".ppm");
        convert(out, again);
        expect_upright_blocks(*picture_of(again));
    }
    const fs::path out = fresh_output(".jpg");
    convert(rich_jpeg(), out);
    const AVFramePtr frame = picture_of(out);
    const auto tag = [&](const char* name) {
        const AVDictionaryEntry* entry = av_dict_get(frame->metadata, name, nullptr, 0);
        return entry == nullptr ? std::string() : std::string(entry->value);
    };
    EXPECT_THAT(tag("Orientation"), HasSubstr("1"));
    EXPECT_THAT(tag("PixelXDimension"), HasSubstr(std::to_string(kBlocksWidth)));
    EXPECT_THAT(tag("PixelYDimension"), HasSubstr(std::to_string(kBlocksHeight)));
}

// ImageMagick numbers the pages of every TIFF, and Exiv2 cannot copy the tag.
TEST_F(MediaPictureMetadata, ThePageNumberOfATiffIsNoLoss) {
    constexpr std::uint16_t kPageNumber = 0x0129;
    const Bytes plain = read_bytes(stored_blocks(1, ".tiff"));
    const fs::path paged =
        write_bytes("paged.tiff", tiff_with_shorts(plain, kPageNumber, 2, 0x00010000));
    for (const char* ending : {".tiff", ".png"})
        EXPECT_NO_THROW(convert(paged, fresh_output(ending), true)) << ending;
}

TEST_F(MediaPictureMetadata, ResolutionBetweenJpegAndPng) {
    const fs::path png = fresh_output(".png");
    convert(rich_jpeg(), png);
    // 144 dots per inch are 5669.3 per metre.
    EXPECT_THAT(png_chunks(png, "pHYs"), ElementsAre(Bytes{0, 0, 0x16, 0x25, 0, 0, 0x16, 0x25, 1}));
    const fs::path jpeg = fresh_output(".jpg");
    convert(png, jpeg);
    EXPECT_TRUE(holds(jpeg, joined({text_bytes("JFIF"), {0, 1, 2, 1, 0, 144, 0, 144}})));
    // Turned by a quarter.
    const Bytes lying = joined({text_bytes("JFIF"), {0, 1, 2, 1, 0, 144, 0, 72, 0, 0}});
    const fs::path wide =
        write_bytes("wide.jpg", jpeg_with(read_bytes(oriented_blocks(6, ".jpg")), 0xE0, lying));
    const fs::path turned = fresh_output(".jpg");
    convert(wide, turned);
    EXPECT_TRUE(holds(turned, joined({text_bytes("JFIF"), {0, 1, 2, 1, 0, 72, 0, 144}})));
}

TEST_F(MediaPictureMetadata, ResolutionOfATiff) {
    const auto scanned = [](int orientation) {
        const Bytes plain = read_bytes(oriented_blocks(orientation, ".tiff"));
        return write_bytes("scanned.tiff", tiff_with_resolution(plain, 300, 240));
    };
    const fs::path tiff = fresh_output(".tiff");
    convert(scanned(1), tiff, true);
    EXPECT_THAT(resolution_of_tiff(tiff), ElementsAre(300, 240));
    const fs::path turned = fresh_output(".tiff");
    convert(scanned(6), turned, true);
    EXPECT_THAT(resolution_of_tiff(turned), ElementsAre(240, 300));
    const fs::path png = fresh_output(".png");
    convert(tiff, png, true);
    EXPECT_THAT(png_chunks(png, "pHYs"), ElementsAre(Bytes{0, 0, 0x2E, 0x23, 0, 0, 0x24, 0xE9, 1}));
    const fs::path jpeg = fresh_output(".jpg");
    convert(tiff, jpeg);
    EXPECT_TRUE(holds(jpeg, joined({text_bytes("JFIF"), {0, 1, 2, 1, 1, 0x2C, 0, 240}})));
    const fs::path again = fresh_output(".tiff");
    convert(jpeg, again, true);
    EXPECT_THAT(resolution_of_tiff(again), ElementsAre(300, 240));
    const fs::path webp = fresh_output(".webp");  // in EXIF
    EXPECT_THAT(convert(tiff, webp).warnings, Not(Contains(HasSubstr("resolution"))));
    const fs::path last = fresh_output(".png");
    convert(webp, last, true);
    EXPECT_EQ(png_chunks(last, "pHYs"), png_chunks(png, "pHYs"));
    EXPECT_THAT(convert(tiff, fresh_output(".tga")).warnings, Contains(HasSubstr("resolution")));
}

// The places of some bytes in a file.
std::vector<std::size_t> places_of(const Bytes& bytes, const Bytes& part) {
    std::vector<std::size_t> places;
    auto at = bytes.begin();
    while ((at = std::search(at, bytes.end(), part.begin(), part.end())) != bytes.end())
        places.push_back(static_cast<std::size_t>(at++ - bytes.begin()));
    return places;
}

// GIF89a: the delay in 1/100 s is two bytes after the start of the last picture's control block.
int last_delay_of(const fs::path& gif) {
    const Bytes bytes = read_bytes(gif);
    const std::vector<std::size_t> blocks = places_of(bytes, {0x21, 0xF9, 4});
    if (blocks.empty() || blocks.back() + 6 > bytes.size()) return -1;
    return bytes[blocks.back() + 4] + 256 * bytes[blocks.back() + 5];
}

const Bytes kNetscape = joined({text_bytes("NETSCAPE2.0"), {3, 1}});

// Repetitions after the first time; -1 for none.
int loops_of(const fs::path& gif) {
    const Bytes bytes = read_bytes(gif);
    const std::vector<std::size_t> blocks = places_of(bytes, kNetscape);
    if (blocks.empty()) return -1;
    const std::size_t at = blocks.front() + kNetscape.size();
    return bytes.at(at) + 256 * bytes.at(at + 1);
}

fs::path animation(const std::string& name, const std::string& options) {
    return make_clip(name, "-f lavfi -i testsrc2=s=32x24:r=10:d=0.5 " + options);
}

TEST_F(MediaPictureMetadata, AnimationsArePlayedAsOften) {
    for (const int loops : {-1, 0, 1, 300}) {
        SCOPED_TRACE(loops);
        const std::string name = "loops" + std::to_string(loops + 1) + ".gif";
        const fs::path gif = animation(name, "-loop " + std::to_string(loops));
        ASSERT_EQ(loops_of(gif), loops);
        const fs::path out = fresh_output(".gif");
        convert(gif, out);
        EXPECT_EQ(loops_of(out), loops);
        const fs::path apng = fresh_output(".apng");
        convert(gif, apng);
        const int plays = loops < 0 ? 1 : loops == 0 ? 0 : loops + 1;
        const auto high = static_cast<std::uint8_t>(plays / 256);
        const auto low = static_cast<std::uint8_t>(plays % 256);
        EXPECT_TRUE(holds(apng, joined({text_bytes("acTL"), {0, 0, 0, 5, 0, 0, high, low}})));
        const fs::path again = fresh_output(".gif");
        convert(apng, again);
        EXPECT_EQ(loops_of(again), loops);
    }
    const fs::path out = fresh_output(".gif");
    convert(animation("film.mp4", "-c:v libx264"), out);
    EXPECT_EQ(loops_of(out), 0);
}

TEST_F(MediaPictureMetadata, TheLastPictureOfAGifStaysAsLong) {
    constexpr int kDelay = 70;
    const fs::path gif = animation("last.gif", "-final_delay " + std::to_string(kDelay));
    ASSERT_EQ(last_delay_of(gif), kDelay);
    const fs::path out = fresh_output(".gif");
    convert(gif, out);
    EXPECT_EQ(last_delay_of(out), kDelay);
}

TEST_F(MediaPictureMetadata, TheLastPictureOfAnApngStaysAsLong) {
    // The delay in seconds is the quotient of two numbers before the last two bytes of fcTL.
    const auto last_delay = [](const fs::path& apng) {
        const Bytes bytes = read_bytes(apng);
        const std::size_t at = places_of(bytes, text_bytes("fcTL")).back() + 4 + 20;
        return (bytes.at(at) * 256.0 + bytes.at(at + 1)) /
               (bytes.at(at + 2) * 256 + bytes.at(at + 3));
    };
    const fs::path apng = animation("last.apng", "-plays 0 -final_delay 0.07");
    ASSERT_DOUBLE_EQ(last_delay(apng), 0.07);
    const fs::path out = fresh_output(".apng");
    convert(apng, out);
    EXPECT_DOUBLE_EQ(last_delay(out), 0.07);
}

TEST_F(MediaPictureMetadata, TextsOfAnApngAreNamed) {
    const fs::path plain = animation("plain.apng", "-plays 0");
    const fs::path titled = write_bytes(
        "titled.apng",
        png_with(read_bytes(plain), "tEXt", joined({text_bytes("Title"), {0}, text_bytes("A")})));
    EXPECT_THAT(convert(plain, fresh_output(".apng")).warnings, IsEmpty());
    EXPECT_THAT(convert(titled, fresh_output(".apng")).warnings,
                Contains(HasSubstr("lost: text Title")));
}

// libav writes a PNG then. A picture that nothing follows stays, so its delay and the number of
// plays are no loss.
TEST_F(MediaPictureMetadata, AnApngOfOnePictureBecomesAPngWithoutALoss) {
    const fs::path one = animation("one.apng", "-frames:v 1 -f apng -plays 3");
    const fs::path film = animation("one.mkv", "-frames:v 1 -c:v ffv1 -pix_fmt bgr0");
    for (const fs::path& source : {one, film}) {
        const fs::path out = fresh_output(".apng");
        EXPECT_THAT(convert(source, out, true).warnings, IsEmpty());
        EXPECT_FALSE(holds(out, text_bytes("acTL")));
        EXPECT_EQ(frame_hashes(out, "rgb24"), frame_hashes(source, "rgb24"));
    }
}

// Exiv2 0.27 does not find what exiftool adds to an AVIF of libheif's.
TEST_F(MediaPictureMetadata, NamesWhatIsNotReadOfAnAvif) {
    const fs::path png = make_clip("for_avif.png", "-f lavfi -i testsrc2=s=64x48 -frames:v 1");
    const fs::path avif = fresh_output(".avif");
    if (!succeeds({"convert", png.string(), avif.string()}) ||
        !succeeds({"exiftool", "-q", "-overwrite_original", "-EXIF:Artist=Ada", avif.string()}))
        GTEST_SKIP() << "needs exiftool, and ImageMagick with libheif";
    const fs::path out = fresh_output(".png");
    const WriteReport report = convert(avif, out);
    if (holds(out, text_bytes("Ada"))) return;
    EXPECT_THAT(report.warnings, Contains(HasSubstr("cannot be read and are lost: EXIF")));
    EXPECT_THROW(convert(avif, fresh_output(".png"), true), Error);
}

// Cameras leave entries of zeros, which Exiv2 would sort before the others; other readers give up
// on a block that begins with one.
TEST_F(MediaPictureMetadata, ExifIsKeptWithoutAnEntryThatHasNoType) {
    const Bytes artist{0x3B, 1, 2, 0, 4, 0, 0, 0, 'A', 'd', 'a', 0};
    const Bytes empty{1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
    const Bytes block = joined({text_bytes("Exif"),
                                {0, 0, 'I', 'I', '*', 0, 8, 0, 0, 0, 2, 0},
                                artist,
                                empty,
                                {0, 0, 0, 0}});
    const fs::path out = fresh_output(".png");
    const WriteReport report = convert(
        write_bytes("typeless.jpg", jpeg_with(read_bytes(stored_blocks(1, ".jpg")), 0xE1, block)),
        out);
    EXPECT_THAT(report.warnings, ElementsAre(HasSubstr("an EXIF tag has no type")));
    EXPECT_TRUE(holds(out, artist));
    EXPECT_FALSE(holds(out, Bytes(empty.begin(), empty.begin() + 8)));
}

// The tags 263 (thresholding; 1 stands for none) and 321 (halftone hints).
TEST_F(MediaPictureMetadata, HowATiffWasDitheredIsKept) {
    constexpr std::uint16_t kThresholding = 263, kHints = 321;
    const Bytes plain =
        read_bytes(make_clip("dithered.tiff", "-f lavfi -i testsrc2=s=32x24 -frames:v 1"));
    const auto exif = [&](std::uint16_t tag, std::uint32_t count, std::uint32_t value) {
        const fs::path out = fresh_output(".png");
        convert(write_bytes("dithered_as.tiff", tiff_with_shorts(plain, tag, count, value)), out);
        const Bytes entry{static_cast<std::uint8_t>(tag & 0xFFU),
                          static_cast<std::uint8_t>(tag >> 8U), 3, 0,
                          static_cast<std::uint8_t>(count)};
        return holds(out, entry);
    };
    EXPECT_TRUE(exif(kThresholding, 1, 2));
    EXPECT_FALSE(exif(kThresholding, 1, 1));
    EXPECT_TRUE(exif(kHints, 2, 0x00FE0001));
}

TEST_F(MediaPictureMetadata, AssociatedAlphaOfATiff) {
    constexpr std::uint16_t kExtraSamples = 338;
    constexpr std::uint32_t kAssociated = 1, kUnassociated = 2;
    const Bytes plain = read_bytes(make_clip(
        "alpha.tiff", "-f lavfi -i testsrc2=s=32x24 -frames:v 1 -vf format=rgba,lut=a=128"));
    const auto source = [&](std::uint32_t alpha) {
        return write_bytes("associated.tiff", tiff_with_shorts(plain, kExtraSamples, 1, alpha));
    };
    const auto entry = [](std::uint32_t alpha) {
        return joined({{kExtraSamples & 0xFF, kExtraSamples >> 8, 3, 0, 1, 0, 0, 0},
                       {static_cast<std::uint8_t>(alpha), 0}});
    };
    const fs::path tiff = fresh_output(".tiff");
    convert(source(kAssociated), tiff, true);
    EXPECT_TRUE(holds(tiff, entry(kAssociated)));
    EXPECT_THAT(convert(source(kAssociated), fresh_output(".png")).warnings,
                ElementsAre(HasSubstr("lost: premultiplied alpha")));
    const fs::path other = fresh_output(".tiff");
    convert(source(kUnassociated), other, true);
    EXPECT_TRUE(holds(other, entry(kUnassociated)));
    EXPECT_THAT(convert(source(kUnassociated), fresh_output(".png")).warnings, IsEmpty());
}

TEST_F(MediaPictureMetadata, NamesWhatFollowsAPng) {
    const Bytes png = read_bytes(stored_blocks(1, ".png"));
    const auto warnings = [&](const Bytes& appended) {
        const fs::path source = write_bytes("appended.png", joined({png, appended}));
        return convert(source, fresh_output(".png")).warnings;
    };
    EXPECT_THAT(warnings({}), IsEmpty());
    EXPECT_THAT(warnings(Bytes(5, 7)), ElementsAre(HasSubstr("lost: 5 bytes after the picture")));
    EXPECT_THAT(warnings(Bytes(5, 0)), IsEmpty());
}

// Exiv2 reads it as the comment, and writes that without a language.
TEST_F(MediaPictureMetadata, NamesTheLanguageOfAPngsDescription) {
    const auto warnings = [&](const char* language) {
        const Bytes text = joined({text_bytes("Description"),
                                   {0, 0, 0},
                                   text_bytes(language),
                                   {0, 0},
                                   text_bytes("words")});
        const Bytes png = png_with(read_bytes(stored_blocks(1, ".png")), "iTXt", text);
        return convert(write_bytes("described.png", png), fresh_output(".png")).warnings;
    };
    EXPECT_THAT(warnings("de"),
                ElementsAre(HasSubstr("lost: the language of the text Description")));
    EXPECT_THAT(warnings(""), IsEmpty());
}

// A motion photo, pictures after a picture, and zeros that cameras pad with.
TEST_F(MediaPictureMetadata, NamesWhatFollowsAJpeg) {
    const Bytes jpeg = read_bytes(rich_jpeg());
    const Bytes video = read_bytes(make_clip("motion.mp4", "-f lavfi -i testsrc2=s=32x24:d=0.2"));
    const Bytes marker = joined({text_bytes("MotionPhoto_Data"), Bytes(70000, 1)});
    const auto warnings = [&](const Bytes& appended) {
        const fs::path source = write_bytes("appended.jpg", joined({jpeg, appended}));
        return convert(source, fresh_output(".jpg")).warnings;
    };
    EXPECT_THAT(warnings(video), ElementsAre(HasSubstr("lost: the video after the picture")));
    EXPECT_THAT(warnings(joined({marker, video})),
                ElementsAre(HasSubstr("lost: the video after the picture")));
    EXPECT_THAT(warnings(Bytes(5, 7)), ElementsAre(HasSubstr("lost: 5 bytes after the picture")));
    EXPECT_THAT(warnings(Bytes(5, 0)), IsEmpty());
}

// libavcodec ignores a ratio with which a side is shorter than a pixel.
TEST_F(MediaPictureMetadata, NamesAnExtremePixelAspectOfAJpeg) {
    const Bytes plain =
        read_bytes(make_clip("aspect.jpg", "-f lavfi -i testsrc2=s=64x48 -frames:v 1"));
    constexpr std::size_t kDensity = 13;  // its unit, across, down
    const auto warnings = [&](std::uint8_t across, std::uint8_t down) {
        Bytes jpeg = plain;
        const Bytes density{0, across, across, 0, down};
        std::ranges::copy(density, jpeg.begin() + kDensity);
        return convert(write_bytes("extreme.jpg", jpeg), fresh_output(".jpg")).warnings;
    };
    EXPECT_THAT(warnings(255, 1), ElementsAre(HasSubstr("lost: pixel aspect ratio 65535:1")));
    EXPECT_THAT(warnings(0, 1), IsEmpty());
}

TEST_F(MediaPictureMetadata, StrictRefusesWhatTheFileCannotHold) {
    const fs::path out = fresh_output(".webp");
    try {
        convert(rich_jpeg(), out, true);
        FAIL() << "written";
    } catch (const Error& error) {
        EXPECT_EQ(error.outcome(), Outcome::usage);
        EXPECT_THAT(error.what(), AllOf(HasSubstr("--strict"), HasSubstr("IPTC")));
    }
    EXPECT_FALSE(fs::exists(out));
    EXPECT_NO_THROW(convert(rich_jpeg(), fresh_output(".jpg"), true));
    EXPECT_THROW(convert(rich_jpeg(), fresh_output(".ppm"), true), Error);
    EXPECT_THROW(convert(rich_jpeg(), fresh_output(".mp4"), true), Error);
    EXPECT_NO_THROW(convert(stored_blocks(1, ".png"), fresh_output(".bmp"), true));
    EXPECT_NO_THROW(convert(stored_blocks(1, ".jpg"), fresh_output(".bmp"), true));
    EXPECT_NO_THROW(convert(stored_blocks(1, ".tiff"), fresh_output(".bmp"), true));
}

struct Chunk {
    const char* type;
    Bytes data;
};

std::vector<Chunk> kept_chunks() {
    return {{"tEXt", joined({text_bytes("Author"), {0}, text_bytes("Ada")})},
            {"iTXt", joined({text_bytes("Title"), {0, 0, 0, 0, 0}, text_bytes("Looms")})},
            {"zTXt",
             joined({text_bytes("Raw profile type 8bim"), {0, 0, 0x78, 0x9C, 3, 0, 0, 0, 0, 1}})},
            {"tIME", {7, 231, 1, 2, 3, 4, 5}},
            {"gAMA", {0, 0, 0xB1, 0x8F}},
            {"cHRM", {0, 0, 0x7A, 0x26, 0, 0, 0x80, 0x84, 0, 0, 0xEA, 0x60, 0, 0, 0x80, 0xE8,
                      0, 0, 0x75, 0x30, 0, 0, 0xEA, 0x60, 0, 0, 0x3A, 0x98, 0, 0, 0x17, 0x70}},
            {"pHYs", {0, 0, 0x0B, 0x13, 0, 0, 0x0B, 0x13, 1}}};
}

fs::path rich_png() {
    Bytes png = read_bytes(stored_blocks(1, ".png"));
    png = png_with(png, "sBIT", {5, 6, 5});
    for (const Chunk& chunk : kept_chunks()) png = png_with(png, chunk.type, chunk.data);
    return write_bytes("rich.png", png);
}

TEST_F(MediaPictureMetadata, ChunksOfAPng) {
    const fs::path out = fresh_output(".png");
    const WriteReport report = convert(rich_png(), out);
    for (const Chunk& chunk : kept_chunks())
        EXPECT_THAT(png_chunks(out, chunk.type), ElementsAre(chunk.data)) << chunk.type;
    EXPECT_THAT(png_chunks(out, "sBIT"), IsEmpty());
    EXPECT_THAT(report.warnings, ElementsAre(HasSubstr("lost: sBIT")));
}

TEST_F(MediaPictureMetadata, NamesTheChunksThatAreLost) {
    const WriteReport report = convert(rich_png(), fresh_output(".tiff"));
    for (const char* name : {"text Author", "text Title", "tIME", "gAMA", "cHRM", "sBIT"})
        EXPECT_THAT(report.warnings, Contains(HasSubstr(name)));
    EXPECT_THAT(report.warnings, Not(Contains(HasSubstr("HDR10"))));
}

// A copy of an EXR picture of libav with a text in its header: after the file's first eight bytes,
// attributes of a name, a type, a size and a value up to an empty name, then a place in the file
// for each line.
Bytes exr_with_owner(const Bytes& exr) {
    const Bytes owner = joined(
        {text_bytes("owner"), {0}, text_bytes("string"), {0, 3, 0, 0, 0}, text_bytes("Ada")});
    const auto end_of_text = [&](std::size_t at) {
        return static_cast<std::size_t>(
            std::find(exr.begin() + static_cast<std::ptrdiff_t>(at), exr.end(), 0) - exr.begin());
    };
    std::size_t at = 8;
    while (exr.at(at) != 0) {
        const std::size_t size = end_of_text(end_of_text(at) + 1) + 1;
        at = size + 4 + exr.at(size);  // all of libav's are shorter than 256 bytes
    }
    Bytes made = exr;
    for (std::size_t place = at + 1; place < at + 1 + 8 * kBlocksHeight; place += 8) {
        const std::size_t line = made.at(place) + made.at(place + 1) * 256U + owner.size();
        made.at(place) = static_cast<std::uint8_t>(line);
        made.at(place + 1) = static_cast<std::uint8_t>(line >> 8U);
    }
    made.insert(made.begin() + 8, owner.begin(), owner.end());
    return made;
}

TEST_F(MediaPictureMetadata, NamesTheTextsOfAnExr) {
    const fs::path plain =
        make_clip("plain.exr", "-i @" + stored_blocks(1, ".png").filename().string());
    const fs::path source = write_bytes("owner.exr", exr_with_owner(read_bytes(plain)));
    EXPECT_THAT(convert(source, fresh_output(".exr")).warnings,
                ElementsAre(HasSubstr("lost: owner")));
    EXPECT_NO_THROW(convert(plain, fresh_output(".exr"), true));
}

TEST_F(MediaPictureMetadata, DamagedBlocksAreLostWithAWarning) {
    Bytes exif = exif_bytes(6);
    for (std::size_t i = 8; i < exif.size(); ++i) exif[i] = 0xFF;
    const Bytes jpeg = read_bytes(stored_blocks(1, ".jpg"));
    const std::vector<Bytes> sources{
        jpeg_with(jpeg, 0xE1, joined({text_bytes("Exif"), {0, 0}, exif})),
        jpeg_with(jpeg, 0xE1,
                  joined({text_bytes("http://ns.adobe.com/xap/1.0/"), {0}, text_bytes("<x:xmp")})),
        jpeg_with(jpeg, 0xED, joined({text_bytes("Photoshop 3.0"), {0}, Bytes(40, 0xFF)})),
        jpeg_with(jpeg, 0xE2, joined({text_bytes("ICC_PROFILE"), {0, 1, 1}, Bytes(40, 0xFF)}))};
    for (const Bytes& source : sources) {
        SCOPED_TRACE(&source - sources.data());
        const fs::path file = write_bytes("damaged_blocks.jpg", source);
        const fs::path out = fresh_output(".jpg");
        EXPECT_THAT(convert(file, out).warnings, Contains(HasSubstr("metadata")));
        EXPECT_EQ(picture_of(out)->width, kBlocksWidth);
    }
}

// Exiv2 limits EXIF to a JPEG's segment, 64 KiB, in every kind of file.
TEST_F(MediaPictureMetadata, TooLargeForTheFile) {
    constexpr std::size_t kArtistAt = 26;
    constexpr std::size_t kArtistBytes = 0x11000;
    Bytes exif{'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x3B, 1, 2, 0, 0, 0x10, 1, 0, kArtistAt, 0, 0, 0};
    exif.resize(kArtistAt);  // no further directory
    exif.resize(kArtistAt + kArtistBytes, 'A');
    const fs::path source =
        write_bytes("large.png", png_with(read_bytes(stored_blocks(1, ".png")), "eXIf", exif));
    for (const char* ending : {".jpg", ".png"}) {
        SCOPED_TRACE(ending);
        const fs::path out = fresh_output(ending);
        EXPECT_THAT(convert(source, out).warnings,
                    Contains(AllOf(HasSubstr("cannot hold"), HasSubstr("Artist"))));
        EXPECT_EQ(picture_of(out)->width, kBlocksWidth);
        EXPECT_THROW(convert(source, fresh_output(ending), true), Error);
    }
}

TEST_F(MediaPictureMetadata, OfASequenceIsNamed) {
    const Bytes jpeg = read_bytes(rich_jpeg());
    for (int i = 1; i <= 2; ++i) write_bytes("many" + std::to_string(i) + ".jpg", jpeg);
    ReaderOptions options;
    options.path = (clip_dir() / "many%d.jpg").string();
    const WriteReport report = rewrite(options, quick_options(clip_dir() / "many_out%d.jpg"));
    EXPECT_EQ(report.frames, 2);
    EXPECT_THAT(report.warnings, Contains(AllOf(HasSubstr("EXIF"), HasSubstr("several pictures"))));
}

}  // namespace
}  // namespace weft
