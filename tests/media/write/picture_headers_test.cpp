// Metadata that picture files have in places of their own is kept, or named as lost.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "app/media/metadata/embedded_blocks.h"
#include "app/media/write/container_table.h"
#include "tests/media/write/picture_files.h"
#include "tests/media/write/writer_support.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using namespace test;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class MediaPictureHeaders : public MetadataTest {};

WriteReport convert(const fs::path& source, const fs::path& target, bool strict = false) {
    WriterOptions options = quick_options(target);
    options.strict = strict;
    return rewrite(source, options);
}

fs::path picture(const std::string& name, const std::string& options = "") {
    return make_clip(name, "-f lavfi -i testsrc2=s=32x24 -frames:v 1 " + options);
}

Bytes little(std::uint32_t value, int bytes) {
    Bytes made;
    for (int k = 0; k < bytes; ++k, value >>= 8U) made.push_back(static_cast<std::uint8_t>(value));
    return made;
}

Bytes big(std::uint32_t value, int bytes) {
    Bytes made = little(value, bytes);
    std::ranges::reverse(made);
    return made;
}

Bytes with(Bytes file, std::size_t at, const Bytes& bytes) {
    std::ranges::copy(bytes, file.begin() + static_cast<std::ptrdiff_t>(at));
    return file;
}

Bytes inserted(Bytes file, std::size_t at, const Bytes& bytes) {
    file.insert(file.begin() + static_cast<std::ptrdiff_t>(at), bytes.begin(), bytes.end());
    return file;
}

std::size_t place_of(const Bytes& file, std::string_view text) {
    const auto found = std::search(file.begin(), file.end(), text.begin(), text.end());
    if (found == file.end()) throw std::runtime_error(fmt::format("no {} in the file", text));
    return static_cast<std::size_t>(found - file.begin());
}

// 300 dots per inch in pixels per metre, in a PNG.
constexpr std::uint32_t kPerMetre = 11811;
const Bytes kPhys{0, 0, 0x2E, 0x23, 0, 0, 0x2E, 0x23, 1};

// A header of version 5 with a resolution and a profile.
fs::path bmp() {
    constexpr std::uint32_t kSide = 8, kHeader = 124;
    const Bytes pixels(3 * kSide * kSide, 99);
    const Bytes icc = icc_bytes("RGB ");
    Bytes header(kHeader, 0);
    header = with(header, 0, joined({little(kHeader, 4), little(kSide, 4), little(kSide, 4)}));
    header = with(header, 12, joined({little(1, 2), little(24, 2)}));
    header = with(header, 24, joined({little(kPerMetre, 4), little(kPerMetre, 4)}));
    header = with(header, 56, text_bytes("DEBM"));
    const auto place = static_cast<std::uint32_t>(kHeader + pixels.size());
    header = with(header, 112,
                  joined({little(place, 4), little(static_cast<std::uint32_t>(icc.size()), 4)}));
    const auto size = static_cast<std::uint32_t>(14 + place + icc.size());
    return write_bytes("facts.bmp", joined({text_bytes("BM"), little(size, 4), little(0, 4),
                                            little(14 + kHeader, 4), header, pixels, icc}));
}

fs::path pcx() {
    const Bytes plain = read_bytes(picture("plain.pcx"));
    return write_bytes("facts.pcx", with(plain, 12, joined({little(300, 2), little(300, 2)})));
}

// JPEG 2000: a box in that of the header, and one that no reader knows.
fs::path jp2() {
    const Bytes plain = read_bytes(picture("plain.jp2"));
    const Bytes res = joined({big(26, 4),
                              text_bytes("res "),
                              big(18, 4),
                              text_bytes("resc"),
                              big(kPerMetre, 2),
                              big(1, 2),
                              big(kPerMetre, 2),
                              big(1, 2),
                              {0, 0}});
    const std::size_t header = place_of(plain, "jp2h") - 4;
    const auto size = static_cast<std::uint32_t>(plain[header + 3] + res.size());
    const Bytes grown = with(plain, header, big(size, 4));
    const Bytes box = joined({big(9, 4), text_bytes("what"), {0}});
    return write_bytes("facts.jp2", inserted(inserted(grown, header + 8, res), header, box));
}

// Boxes in boxes after the picture, deeper than any stack.
fs::path deep_jp2() {
    constexpr std::uint32_t kLevels = 30'000;
    Bytes nested;
    for (std::uint32_t left = kLevels; left > 0; --left) {
        const Bytes box = joined({big(8 * left, 4), text_bytes("jp2h")});
        nested.insert(nested.end(), box.begin(), box.end());
    }
    return write_bytes("deep.jp2", joined({read_bytes(picture("plain.jp2")), nested}));
}

fs::path tga() {
    constexpr std::size_t kFooter = 26;
    Bytes plain = read_bytes(picture("plain.tga"));
    plain.resize(plain.size() - kFooter);
    const Bytes area = with(Bytes(495, 0), 0, joined({little(495, 2), text_bytes("Ada")}));
    const Bytes footer = joined({little(static_cast<std::uint32_t>(plain.size()), 4),
                                 little(0, 4),
                                 text_bytes("TRUEVISION-XFILE."),
                                 {0}});
    return write_bytes("facts.tga", joined({plain, area, footer}));
}

fs::path dpx() {
    return write_bytes("facts.dpx",
                       with(read_bytes(picture("looms.dpx")), 260, text_bytes("Looms")));
}

// After the screen and its 256 colours: a comment, and an application's block.
fs::path gif() {
    const Bytes comment = joined({{0x21, 0xFE, 5}, text_bytes("words"), {0}});
    const Bytes application = joined({{0x21, 0xFF, 11}, text_bytes("LOOMLOOM1.0"), {1, 7, 0}});
    const Bytes plain = read_bytes(picture("plain.gif"));
    return write_bytes("facts.gif", inserted(plain, 13 + 768, joined({comment, application})));
}

fs::path webp() {
    const Bytes plain = read_bytes(picture("plain.webp"));
    const Bytes chunk = joined({text_bytes("LOOM"), little(2, 4), {1, 2}});
    const auto size = static_cast<std::uint32_t>(plain.size() + chunk.size() - 8);
    return write_bytes("facts.webp", joined({with(plain, 4, little(size, 4)), chunk}));
}

fs::path ppm() {
    const Bytes plain = read_bytes(picture("plain.ppm"));
    return write_bytes("facts.ppm", inserted(plain, 3, text_bytes("# a comment\n")));
}

fs::path sgi() {
    return write_bytes("facts.sgi", with(read_bytes(picture("plain.sgi")), 24, text_bytes("Ada")));
}

// A comment after the description of the size.
fs::path j2k() {
    const Bytes plain = read_bytes(picture("plain.j2k", "-format j2k"));
    const Bytes comment = joined({{0xFF, 0x64}, big(9, 2), big(1, 2), text_bytes("words")});
    return write_bytes("facts.j2k", inserted(plain, 4 + 256 * plain[4] + plain[5], comment));
}

fs::path adobe_jpeg() {
    return write_bytes("facts.jpg", jpeg_with(read_bytes(stored_blocks(1, ".jpg")), 0xED,
                                              joined({text_bytes("Adobe_CM"), {0, 2}})));
}

struct Facts {
    fs::path file;
    bool resolution;
    std::vector<std::string> lost;  // in a PNG
};

TEST_F(MediaPictureHeaders, AreKeptOrNamedForEachKindOfFile) {
    const std::vector<Facts> table{{bmp(), true, {}},
                                   {pcx(), true, {}},
                                   {jp2(), true, {"box what"}},
                                   {deep_jp2(), false, {}},
                                   {j2k(), false, {}},
                                   {adobe_jpeg(), false, {"APP13"}},
                                   {tga(), false, {"author"}},
                                   {dpx(), false, {"project"}},
                                   {gif(), false, {"comment", "extension LOOMLOOM1.0"}},
                                   {webp(), false, {"chunk LOOM"}},
                                   {ppm(), false, {}},
                                   {sgi(), false, {"name of the image"}}};
    for (const Facts& row : table) {
        SCOPED_TRACE(row.file);
        const fs::path out = fresh_output(".png");
        const std::string warnings =
            fmt::format("{}", fmt::join(convert(row.file, out).warnings, "; "));
        EXPECT_EQ(png_chunks(out, "pHYs") == std::vector<Bytes>{kPhys}, row.resolution);
        for (const std::string& name : row.lost) EXPECT_THAT(warnings, HasSubstr(name));
        if (row.lost.empty()) {
            EXPECT_EQ(warnings, "");
        }
        const auto bare = convert(row.file, fresh_output(".pam")).warnings;
        EXPECT_EQ(fmt::format("{}", fmt::join(bare, "; ")).find("resolution") != std::string::npos,
                  row.resolution);
    }
    const fs::path with_profile = fresh_output(".png");
    convert(bmp(), with_profile);
    EXPECT_THAT(png_chunks(with_profile, "iCCP"), SizeIs(1));
    EXPECT_THAT(convert(bmp(), fresh_output(".bmp")).warnings,
                ElementsAre(HasSubstr("lost: ICC profile")));
    const fs::path with_comment = fresh_output(".jpg");
    convert(ppm(), with_comment);
    EXPECT_TRUE(holds(with_comment, text_bytes("a comment")));
    for (const fs::path& file : {ppm(), j2k()})
        EXPECT_THAT(convert(file, fresh_output(".bmp")).warnings,
                    ElementsAre(HasSubstr("lost: comment")));
}

TEST_F(MediaPictureHeaders, PhotoshopResourcesOfATiffAreNamed) {
    const fs::path tiff = write_bytes("resources.tiff", read_bytes(stored_blocks(1, ".tiff")));
    if (!succeeds({"exiftool", "-q", "-overwrite_original", "-Photoshop:CopyrightFlag=True",
                   tiff.string()}))
        GTEST_SKIP() << "needs exiftool";
    EXPECT_THAT(convert(tiff, fresh_output(".png")).warnings,
                ElementsAre(HasSubstr("lost: Photoshop resources")));
}

// The form in which libtiff writes every resolution: numerators above 2^31.
TEST_F(MediaPictureHeaders, LargeNumeratorsOfATiff) {
    const Bytes plain = read_bytes(stored_blocks(1, ".tiff"));
    Bytes tiff = tiff_with_resolution(plain, 300, 300);
    const Bytes small = joined({little(300, 4), little(1, 4)});
    const Bytes large = joined({little(4294967295U, 4), little(14316557, 4)});
    for (auto at = tiff.begin();
         (at = std::search(at, tiff.end(), small.begin(), small.end())) != tiff.end();)
        at = std::ranges::copy(large, at).out;
    const fs::path source = write_bytes("libtiff.tiff", tiff);
    const fs::path out = fresh_output(".tiff");
    convert(source, out, true);
    EXPECT_NEAR(resolution_of_tiff(out)[0], 300, 0.001);
    const fs::path png = fresh_output(".png");
    convert(source, png, true);
    EXPECT_THAT(png_chunks(png, "pHYs"), ElementsAre(kPhys));
    const fs::path jpeg = fresh_output(".jpg");
    convert(source, jpeg);
    EXPECT_TRUE(holds(jpeg, joined({text_bytes("JFIF"), {0, 1, 2, 1, 1, 0x2C, 1, 0x2C}})));
    const fs::path bitmap = fresh_output(".bmp");
    convert(source, bitmap, true);
    const Bytes header = read_bytes(bitmap);
    EXPECT_EQ(Bytes(header.begin() + 38, header.begin() + 42), little(kPerMetre, 4));
}

TEST_F(MediaPictureHeaders, ThereIsNoSizeOfAPixelUnlessTheSourceHasOne) {
    const fs::path source = picture("unsized.ppm");
    for (const char* ending : {".png", ".apng"}) {
        const fs::path out = fresh_output(ending);
        convert(source, out, true);
        EXPECT_THAT(png_chunks(out, "pHYs"), IsEmpty()) << ending;
        EXPECT_EQ(frame_hashes(out, "rgb24"), frame_hashes(source, "rgb24"));
    }
    const fs::path film = make_clip("unsized.mkv", "-f lavfi -i testsrc2=s=32x24:d=0.2 -c:v ffv1");
    const fs::path animation = fresh_output(".apng");
    convert(film, animation, true);
    EXPECT_THAT(png_chunks(animation, "pHYs"), SizeIs(1));  // square pixels
    const fs::path wide = fresh_output(".png");
    convert(picture("wide.mkv", "-c:v ffv1 -vf setsar=4/3"), wide, true);
    EXPECT_THAT(png_chunks(wide, "pHYs"), ElementsAre(Bytes{0, 0, 0, 4, 0, 0, 0, 3, 0}));
}

fs::path hdr_film() {
    return make_clip("hdr_picture.mkv",
                     "-f lavfi -i testsrc2=s=64x48 -frames:v 1 -pix_fmt yuv420p10 -c:v libx265 "
                     "-preset ultrafast -color_primaries bt2020 -color_trc smpte2084 -colorspace "
                     "bt2020nc -x265-params log-level=error:master-display=G(13250,34500)B(7500,"
                     "3000)R(34000,16000)WP(15635,16450)L(10000000,1):max-cll=1000,400");
}

TEST_F(MediaPictureHeaders, TheColoursOfHdrAreInAPng) {
    for (const char* ending : {".png", ".apng"}) {
        SCOPED_TRACE(ending);
        const fs::path out = fresh_output(ending);
        convert(hdr_film(), out, true);
        EXPECT_THAT(png_chunks(out, "cICP"), ElementsAre(Bytes{9, 16, 0, 1}));
        const Bytes display =
            joined({big(34000, 2), big(16000, 2), big(13250, 2), big(34500, 2), big(7500, 2),
                    big(3000, 2), big(15635, 2), big(16450, 2), big(10000000, 4), big(1, 4)});
        EXPECT_THAT(png_chunks(out, "mDCV"), ElementsAre(display));
        EXPECT_THAT(png_chunks(out, "cLLI"),
                    ElementsAre(joined({big(10000000, 4), big(4000000, 4)})));
        const auto read =
            run_command({"exiftool", "-s3", "-TransferCharacteristics", out.string()});
        if (read.exit_code == 0) {
            EXPECT_THAT(read.out, HasSubstr("2084"));
        }
        const fs::path again = fresh_output(".png");
        convert(out, again, std::string_view(ending) == ".png");
        EXPECT_EQ(png_chunks(again, "cICP"), png_chunks(out, "cICP"));
    }
    const fs::path plain = fresh_output(".png");
    convert(picture("sdr.mkv", "-c:v ffv1 -pix_fmt bgr0"), plain, true);
    for (const char* type : {"cICP", "mDCV", "cLLI"})
        EXPECT_THAT(png_chunks(plain, type), IsEmpty());
}

TEST_F(MediaPictureHeaders, ColoursThatAPictureCannotTagAreNamed) {
    for (const char* ending : {".tiff", ".jpg", ".webp", ".bmp", ".tga", ".ppm", ".gif", ".exr"}) {
        SCOPED_TRACE(ending);
        const auto warnings = convert(hdr_film(), fresh_output(ending)).warnings;
        EXPECT_THAT(warnings,
                    Contains(HasSubstr("lost: primaries bt2020, transfer curve smpte2084")));
        EXPECT_THAT(warnings, Contains(HasSubstr("HDR10")));
        EXPECT_THROW(convert(hdr_film(), fresh_output(ending), true), Error);
    }
    // A picture without a tag is shown as if it had these.
    const fs::path sdr =
        picture("bt709.mkv", "-c:v ffv1 -pix_fmt bgr0 -color_primaries bt709 -color_trc bt709");
    for (const char* ending : {".tiff", ".jpg", ".webp", ".bmp"})
        EXPECT_THAT(convert(sdr, fresh_output(ending)).warnings,
                    Not(Contains(HasSubstr("colour"))));
    Bytes qoi = read_bytes(picture("linear.qoi"));
    qoi[13] = 1;
    EXPECT_THAT(convert(write_bytes("linear1.qoi", qoi), fresh_output(".tiff")).warnings,
                ElementsAre(HasSubstr("transfer curve linear")));
}

struct Block {
    PictureBlock bit;
    const char* name;  // in the report
    std::vector<std::string> keys;
};

const std::vector<Block>& blocks() {
    static const std::vector<Block> all{{kExif, "EXIF", {"IFD0:Artist"}},
                                        {kXmp, "XMP", {"XMP-photoshop:Credit"}},
                                        {kIptc, "IPTC", {"IPTC:Caption-Abstract"}},
                                        {kIccProfile, "ICC profile", {"ICC-header:ColorSpaceData"}},
                                        {kResolution,
                                         "resolution",
                                         {"IFD0:XResolution", "JFIF:XResolution",
                                          "PNG-pHYs:PixelsPerUnitX", "File:PixelsPerMeterX"}}};
    return all;
}

// Exiv2 does not find the structure without the name that ImageMagick writes before it.
TEST_F(MediaPictureHeaders, ExifInATextOfAPngThatIsNotReadIsNamed) {
    const Bytes text = joined(
        {text_bytes("Raw profile type exif"), {0}, text_bytes("\nExif\n       4\n49492a00\n")});
    const fs::path source =
        write_bytes("raw_exif.png", png_with(read_bytes(stored_blocks(1, ".png")), "tEXt", text));
    EXPECT_THAT(convert(source, fresh_output(".png")).warnings,
                ElementsAre(HasSubstr("lost: text Raw profile type exif")));
}

// exiftool reads no profile without a tag: after their number a name, a place and a size.
Bytes icc_with_text() {
    const Bytes header = icc_bytes("RGB ");
    const Bytes tag = joined({text_bytes("cprt"), big(144, 4), big(12, 4)});
    const Bytes icc = joined(
        {with(header, 128, big(1, 4)), tag, text_bytes("text"), big(0, 4), text_bytes("CC0"), {0}});
    return with(icc, 0, big(static_cast<std::uint32_t>(icc.size()), 4));
}

fs::path described(const std::string& ending) {
    const fs::path icc = write_bytes("described.icc", icc_with_text());
    fs::path file = write_bytes("described" + ending, read_bytes(picture("undescribed" + ending)));
    std::vector<std::string> arguments{"exiftool",
                                       "-q",
                                       "-overwrite_original",
                                       "-Artist=Ada",
                                       "-XMP-photoshop:Credit=Ada",
                                       "-XResolution=300",
                                       "-YResolution=300",
                                       "-ResolutionUnit=inches",
                                       "-ICC_Profile<=" + icc.string()};
    if (ending != ".webp") arguments.emplace_back("-IPTC:Caption-Abstract=words");
    if (ending == ".png") arguments.emplace_back("-PNG-pHYs:PixelsPerUnitX=11811");
    if (ending == ".png") arguments.emplace_back("-PNG-pHYs:PixelsPerUnitY=11811");
    if (ending == ".png") arguments.emplace_back("-PNG-pHYs:PixelUnits=meters");
    arguments.push_back(file.string());
    const CommandResult result = run_command(arguments);
    if (result.exit_code != 0) throw std::runtime_error(result.err);
    return file;
}

// exiftool judges every pair of a source and an output: a block is in the output, or in the report.
TEST_F(MediaPictureHeaders, BlocksOfEachPairOfFormatsAreKeptOrNamed) {
    if (!succeeds({"exiftool", "-ver"})) GTEST_SKIP() << "needs exiftool";
    std::vector<std::string> command{"exiftool", "-j", "-G1"};
    std::vector<std::pair<const Container*, std::string>> made;  // with the report's warnings
    for (const char* ending : {".jpg", ".png", ".tiff", ".webp"}) {
        const fs::path source = described(ending);
        for (const Container& row : containers()) {
            if (row.kind != OutputKind::still || row.name == "pgm") continue;
            const fs::path out = fresh_output("." + std::string(row.extensions.front()));
            const WriteReport report = convert(source, out);
            made.emplace_back(&row,
                              fmt::format("{}: {}", ending, fmt::join(report.warnings, "; ")));
            command.push_back(out.string());
        }
    }
    const auto read = nlohmann::json::parse(run_command(command).out);
    ASSERT_EQ(read.size(), made.size());
    for (std::size_t k = 0; k < made.size(); ++k) {
        const auto& [row, warnings] = made[k];
        SCOPED_TRACE(fmt::format("to {} from {}", row->name, warnings));
        for (const Block& block : blocks()) {
            const bool is_kept = std::ranges::any_of(
                block.keys, [&](const std::string& key) { return read[k].contains(key); });
            const bool is_named = warnings.find(block.name) != std::string::npos;
            const bool from_webp = warnings.starts_with(".webp");
            if (block.bit == kIptc && from_webp) continue;  // it has none
            // A resolution of EXIF alone is in EXIF.
            if (block.bit == kResolution && (row->picture_blocks & kExif) == 0 &&
                (row->picture_blocks & kResolution) == 0) {
                EXPECT_TRUE(is_named || warnings.find("EXIF") != std::string::npos);
                continue;
            }
            if (block.bit == kResolution && row->name == "webp") continue;
            EXPECT_EQ(is_kept, (row->picture_blocks & block.bit) != 0) << block.name;
            EXPECT_NE(is_kept, is_named) << block.name;
        }
    }
}

// Words of 40 characters count, texts of 4,096 of any kind, and bytes that are no text.
TEST(MediaPictureTexts, ThatMayHoldAPicture) {
    const auto words = [](std::size_t length, std::size_t count, char between = ' ') {
        std::string text;
        for (std::size_t k = 0; k < count; ++k) text += std::string(length, 'a') + between;
        return text;
    };
    for (const auto& [text, may] : {std::pair{std::string(), false},
                                    {std::string(999, 'a'), false},
                                    {std::string(1000, 'a'), true},
                                    {words(39, 100), false},
                                    {words(40, 24), false},
                                    {words(40, 25), true},
                                    {words(76, 14), true},
                                    {words(39, 26, '\n'), true},  // lines are one word
                                    {words(100, 9, '>'), false},
                                    {words(20, 48) + "\1", true},
                                    {words(20, 48) + "\t", false},
                                    {words(2, 1365), false},
                                    {words(2, 1366), true}})
        EXPECT_EQ(may_hold_picture(text), may) << text.size() << ' ' << text.substr(0, 50);
}

}  // namespace
}  // namespace weft
