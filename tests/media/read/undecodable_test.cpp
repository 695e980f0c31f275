// Sound files that FFmpeg cannot decode, or not all of: they are not damaged. And pictures that it
// completes without an error: they are.
#include <algorithm>
#include <atomic>
#include <thread>
#include <zlib.h>

#include <gmock/gmock.h>

#include "app/media/libav/assertion_trap.h"
#include "tests/media/read/reader_support.h"
#include "tests/media/write/picture_files.h"

namespace weft::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class MediaUndecodable : public ClipTest {};

void append_to(Bytes& bytes, const Bytes& more) {
    bytes.insert(bytes.end(), more.begin(), more.end());
}

Bytes number(std::uint64_t value, int bytes) {
    Bytes text;
    for (int k = bytes - 1; k >= 0; --k)
        text.push_back(static_cast<std::uint8_t>(value >> (8U * static_cast<unsigned>(k))));
    return text;
}

Bytes chunk(const char* type, const Bytes& data) {
    const Bytes typed = joined({text_bytes(type), data});
    return joined({number(data.size(), 4), typed,
                   number(crc32(0, typed.data(), static_cast<uInt>(typed.size())), 4)});
}

Bytes deflated(const Bytes& data) {
    uLongf size = compressBound(data.size());
    Bytes packed(size);
    compress(packed.data(), &size, data.data(), data.size());
    packed.resize(size);
    return packed;
}

// Two pictures of 8x8 with 16 bits and alpha, the second blended over the first.
Bytes deep_blended_apng() {
    constexpr int kSide = 8;
    const auto pixels = [](unsigned red, unsigned alpha) {
        Bytes rows;
        for (int y = 0; y < kSide; ++y) {
            rows.push_back(0);
            for (int x = 0; x < kSide; ++x)
                append_to(rows, joined({number(red, 2), number(0, 4), number(alpha, 2)}));
        }
        return deflated(rows);
    };
    const auto control = [](int sequence, int blend) {
        return chunk("fcTL",
                     joined({number(sequence, 4), number(kSide, 4), number(kSide, 4), number(0, 8),
                             number(1, 2), number(10, 2), number(0, 1), number(blend, 1)}));
    };
    return joined({{0x89, 'P', 'N', 'G', 13, 10, 26, 10},
                   chunk("IHDR", joined({number(kSide, 4), number(kSide, 4), {16, 6, 0, 0, 0}})),
                   chunk("acTL", joined({number(2, 4), number(0, 4)})),
                   control(0, 0),
                   chunk("IDAT", pixels(60000, 65535)),
                   control(1, 1),
                   chunk("fdAT", joined({number(2, 4), pixels(1000, 30000)})),
                   chunk("IEND", {})});
}

// The decoder fails in mid-file, where a broken bit is the usual cause; checksums exclude it here.
TEST_F(MediaUndecodable, ALackInTheMiddleOfAnAnimationIsNotDamage) {
    const Bytes apng = deep_blended_apng();
    const ReadResult got = read_all(write_bytes("deep.apng", apng));
    EXPECT_EQ(got.outcome, Outcome::failed);
    EXPECT_THAT(got.error, HasSubstr("that this FFmpeg cannot decode"));
    Bytes broken = apng;
    broken[broken.size() - 30] ^= 1U;
    EXPECT_TRUE(read_all(write_bytes("deep_broken.apng", broken)).damaged());
}

// Eight gray pixels in each of eight rows.
Bytes gray_png(const Bytes& rows, int interlaced) {
    return joined({{0x89, 'P', 'N', 'G', 13, 10, 26, 10},
                   chunk("IHDR", joined({number(8, 4),
                                         number(8, 4),
                                         {8, 0, 0, 0},
                                         number(static_cast<unsigned>(interlaced), 1)})),
                   chunk("IDAT", deflated(rows)),
                   chunk("IEND", {})});
}

// libav leaves missing rows black, and those of an unknown filter as they were.
TEST_F(MediaUndecodable, PixelsOfAPngThatAreMissingOrOfAnUnknownFilterAreDamage) {
    constexpr std::ptrdiff_t kRow = 9, kInterlaced = 15 + 64;  // 15 rows in seven passes
    const Bytes rows(8 * kRow, 0);
    const Bytes passes(kInterlaced, 0);
    for (const Bytes& whole :
         {gray_png(rows, 0), gray_png(Bytes(9 * kRow, 0), 0), gray_png(passes, 1)}) {
        const ReadResult got = read_all(write_bytes("whole.png", whole));
        EXPECT_EQ(got.outcome, Outcome::ok) << got.error;
        EXPECT_FALSE(got.damaged()) << got.damage.reason;
        EXPECT_EQ(got.damage.proven_by, "its end marker");
    }
    Bytes unknown = rows;
    unknown[7 * kRow] = 5;
    for (const Bytes& broken :
         {gray_png(Bytes(rows.begin(), rows.end() - 1), 0), gray_png(unknown, 0),
          gray_png(Bytes(passes.begin(), passes.end() - kRow), 1)}) {
        const ReadResult got = read_all(write_bytes("broken.png", broken));
        EXPECT_TRUE(got.damaged());
        EXPECT_THAT(got.damage.reason, HasSubstr("of the PNG are not whole"));
    }
}

TEST_F(MediaUndecodable, PixelsOfAnAnimationsSecondPictureThatAreMissingAreDamage) {
    Bytes apng = deep_blended_apng();
    const Bytes end = chunk("IEND", {});
    const auto second = std::ranges::search(apng, text_bytes("fdAT")).begin() - 4;
    apng.erase(second, apng.end());
    const Bytes row(1 + 8 * 8, 0);
    append_to(apng, joined({chunk("fdAT", joined({number(2, 4), deflated(row)})), end}));
    EXPECT_TRUE(read_all(write_bytes("second.apng", apng)).damaged());
}

Bytes jpeg2000() {
    return read_bytes(make_clip("whole.j2k",
                                "-f lavfi -i testsrc2=s=64x48 -frames:v 1 -c:v jpeg2000 "
                                "-format j2k -pix_fmt rgb24 -update 1"));
}

TEST_F(MediaUndecodable, AJpeg2000IsProvenByItsEndMarkerAndMayBePadded) {
    const Bytes whole = jpeg2000();
    const ReadResult got = read_all(write_bytes("proven.j2k", whole));
    EXPECT_EQ(got.outcome, Outcome::ok) << got.error;
    EXPECT_EQ(got.damage.proven_by, "its end marker");
    const ReadResult padded = read_all(write_bytes("padded.j2k", joined({whole, {0}})));
    EXPECT_EQ(padded.outcome, Outcome::ok) << padded.error;
    EXPECT_FALSE(padded.damaged()) << padded.damage.reason;
    EXPECT_EQ(padded.hashes, got.hashes);
    EXPECT_EQ(read_all(write_bytes("two.j2k", joined({whole, whole}))).pts.size(), 2U);
}

// libav takes the codes up to the end of the file for the whole of a tile without a size.
TEST_F(MediaUndecodable, AJpeg2000ThatIsCutOrHasOtherBytesBetweenItsTilesIsDamaged) {
    const Bytes whole = jpeg2000();
    Bytes sizeless = whole;
    const auto tile = std::ranges::search(sizeless, Bytes{0xFF, 0x90, 0, 10}).begin();
    std::fill(tile + 6, tile + 10, std::uint8_t{0});
    EXPECT_FALSE(read_all(write_bytes("sizeless.j2k", sizeless)).damaged());
    sizeless.resize(sizeless.size() - 2);
    const ReadResult cut = read_all(write_bytes("cut.j2k", sizeless));
    EXPECT_TRUE(cut.damaged());
    EXPECT_THAT(cut.damage.reason + cut.error, HasSubstr("the JPEG 2000 ends too early"));
    Bytes other = whole;
    other[other.size() - 2] = 0;
    EXPECT_TRUE(read_all(write_bytes("other.j2k", other)).damaged());
}

// The sizes of the tiles show that nothing is missing.
TEST_F(MediaUndecodable, AHeaderThatTheDecoderLacksIsNotDamage) {
    Bytes sparse = jpeg2000();
    constexpr std::size_t kSeparation = 2 + 2 + 38 + 1;  // of the first component's columns
    sparse.at(kSeparation) = 17;
    const ReadResult got = read_all(write_bytes("sparse.j2k", sparse));
    EXPECT_EQ(got.outcome, Outcome::failed);
    EXPECT_THAT(got.error, HasSubstr("is a kind of JPEG 2000 that this FFmpeg cannot decode"));
    sparse.resize(sparse.size() / 2);
    EXPECT_TRUE(read_all(write_bytes("sparse_cut.j2k", sparse)).damaged());
}

// The last byte of a scan's header has the bits that are there and those that it adds.
TEST_F(MediaUndecodable, AScanOfAProgressiveJpegWithInvalidBitsIsDamage) {
    const auto plain = make_clip("for_scans.png", "-f lavfi -i testsrc2=s=64x48 -frames:v 1");
    const auto file = clip_dir() / "progressive.jpg";
    if (!succeeds({"convert", plain.string(), "-interlace", "JPEG", file.string()}))
        GTEST_SKIP() << "needs ImageMagick";
    Bytes jpeg = read_bytes(file);
    EXPECT_FALSE(read_all(file).damaged());
    const Bytes one_component{0xFF, 0xDA, 0, 8, 1};
    const auto scan = std::ranges::search(jpeg, one_component).begin();
    ASSERT_NE(scan, jpeg.end());
    scan[9] = 0xAB;
    const ReadResult got = read_all(write_bytes("scan.jpg", jpeg));
    EXPECT_TRUE(got.damaged());
    EXPECT_THAT(got.damage.reason + got.error, HasSubstr("the scan of the JPEG at byte"));
}

// libav warns of a palette of four channels, and returns its indices as gray.
TEST_F(MediaUndecodable, APictureWithoutAPartThatTheDecoderSkipsIsRefused) {
    Bytes jp2 = read_bytes(make_clip("gray.jp2",
                                     "-f lavfi -i testsrc2=s=64x48 -frames:v 1 -c:v jpeg2000 "
                                     "-pix_fmt gray -update 1"));
    EXPECT_EQ(read_all(write_bytes("plain.jp2", jp2)).outcome, Outcome::ok);
    const auto header = std::ranges::search(jp2, text_bytes("jp2h")).begin() - 4;
    const Bytes palette =
        joined({number(19, 4), text_bytes("pclr"), {0, 1, 4, 7, 7, 7, 7, 1, 2, 3, 4}});
    jp2.insert(header + header[3], palette.begin(), palette.end());
    const auto grown = std::ranges::search(jp2, text_bytes("jp2h")).begin() - 1;
    *grown = static_cast<std::uint8_t>(*grown + palette.size());
    const ReadResult got = read_all(write_bytes("palette.jp2", jp2));
    EXPECT_EQ(got.outcome, Outcome::failed);
    EXPECT_THAT(got.error, HasSubstr("is a kind of JPEG 2000 that this FFmpeg cannot decode"));
}

Bytes picture_of_sun(int width, int height, int depth, std::uint64_t length, int type,
                     const Bytes& pixels) {
    return joined({number(0x59A66A95, 4), number(width, 4), number(height, 4), number(depth, 4),
                   number(length, 4), number(type, 4), number(0, 8), pixels});
}

// Some writers state the length of the unpacked pixels. 8x4 pixels of a byte in one run.
TEST_F(MediaUndecodable, ASunRasterMayStateTheSizeOfItsUnpackedPixels) {
    const Bytes whole = picture_of_sun(8, 4, 8, 32, 2, {128, 31, 200});
    const ReadResult got = read_all(write_bytes("unpacked.ras", whole));
    EXPECT_EQ(got.outcome, Outcome::ok) << got.error;
    EXPECT_FALSE(got.damage.damaged) << got.damage.reason;
    const Bytes cut = picture_of_sun(8, 4, 8, 32, 2, {128, 29, 200});
    EXPECT_TRUE(read_all(write_bytes("cut.ras", cut)).damaged());
}

// libav's decoder would end the process.
TEST_F(MediaUndecodable, ASunRasterThatIsTooLargeForFfmpegIsRefused) {
    Bytes pixels;
    for (int k = 0; k < 1000; ++k) append_to(pixels, {128, 255, 0});
    const ReadResult got =
        read_all(write_bytes("huge.ras", picture_of_sun(16000, 16000, 24, 0, 2, pixels)));
    EXPECT_EQ(got.outcome, Outcome::failed);
    EXPECT_THAT(got.error, HasSubstr("is a Sun raster of 16000x16000, which is too large"));
}

// FFmpeg takes the first for subtitles, and gzip for a game's music.
TEST_F(MediaUndecodable, FilesThatFfmpegTakesForOthersAreNamedWithARemedy) {
    struct Row {
        const char* name;
        Bytes bytes;
        const char* says;
    };
    const Bytes noise(3000, 0x55);
    for (const Row& row :
         {Row{"light.hdr", text_bytes("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 2 +X 2\n\1\1\1\1"),
              "is a Radiance HDR picture, which this FFmpeg cannot decode"},
          {"drawing.svg.gz", joined({{0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3}, noise}),
           "is compressed by gzip, which this FFmpeg cannot decode: decompress it first"},
          {"notes.mp4", text_bytes("Scene 1: a street at night.\n"),
           "contains text, not QuickTime / MOV as its name says"},
          {"book.pdf", joined({text_bytes("%PDF-1.5\n"), noise}), "is a PDF document"}}) {
        SCOPED_TRACE(row.name);
        const ReadResult got = read_all(write_bytes(row.name, row.bytes));
        EXPECT_EQ(got.outcome, Outcome::failed) << got.error;
        EXPECT_THAT(got.error, HasSubstr(row.says));
        EXPECT_THAT(got.error, Not(HasSubstr("damaged")));
    }
}

// The samples are sound; PictureMetadata reports the unreadable block.
TEST_F(MediaUndecodable, UnreadableExifIsNotDamage) {
    const Bytes jpeg = read_bytes(make_clip("exif.jpg",
                                            "-f lavfi -i testsrc2=s=32x24 -frames:v 1 "
                                            "-update 1"));
    const Bytes exif =
        joined({text_bytes("Exif"), {0, 0}, text_bytes("XX*"), {0, 8, 0, 0, 0, 0, 0}});
    for (const Bytes& bad : {jpeg_with(jpeg, 0xE1, exif), jpeg_with(jpeg, 0xEB, {0, 0})}) {
        const ReadResult got = read_all(write_bytes("bad_segment.jpg", bad));
        EXPECT_EQ(got.outcome, Outcome::ok) << got.error;
        EXPECT_FALSE(got.damage.damaged) << got.damage.reason;
    }
}

// As av_assert0() does before it ends the process. The thread waits until the end of the tests.
TEST(MediaAssertionTrap, AThreadWhoseAssertionFailsWaits) {
    static int work = 0;
    static std::atomic<bool> passed = false;
    const AssertionWatch watch(&work);
    EXPECT_FALSE(watch.failed());
    std::thread([] {
        const AssertionTrap trap(&work);
        av_log(nullptr, AV_LOG_PANIC, "This assertion fails on purpose.\n");
        passed = true;
    }).detach();
    while (!watch.failed() && !passed) std::this_thread::yield();
    EXPECT_FALSE(passed);
}

// ---- encryption ----

void expect_encrypted(const std::filesystem::path& file) {
    SCOPED_TRACE(file);
    const ReadResult got = read_all(file);
    EXPECT_EQ(got.outcome, Outcome::failed);
    EXPECT_THAT(got.error, HasSubstr("is encrypted"));
    EXPECT_THAT(got.error, Not(HasSubstr("damaged")));
}

constexpr const char* kClip = "-f lavfi -i testsrc2=s=96x64:r=25:d=1 ";

TEST_F(MediaUndecodable, EncryptedMp4) {
    constexpr const char* kKeys =
        "-encryption_scheme cenc-aes-ctr -encryption_key 76a6c65c5ea762046bd749a2e632ccbb "
        "-encryption_kid a7e61c373e219033c21091fa607bf3b8";
    const std::string video = std::string(kClip) + "-c:v libx264 -preset ultrafast ";
    expect_encrypted(make_clip("cenc.mp4", video + kKeys));
}

// A ContentEncodings element in the place of a Void, which FFmpeg leaves no room for: the track's
// name makes way for it.
TEST_F(MediaUndecodable, EncryptedMatroska) {
    const std::string name(40, 'n');
    Bytes mkv = read_bytes(make_clip(
        "named.mkv",
        std::string(kClip) + "-c:v libx264 -preset ultrafast -metadata:s:v:0 title=" + name));
    // Name: 0x536E, its size 0x80 | 40.
    const Bytes title = joined({{0x53, 0x6E, 0xA8}, text_bytes(name)});
    const auto at = std::ranges::search(mkv, title).begin();
    ASSERT_NE(at, mkv.end());
    // ContentEncodings > ContentEncoding > type 1, ContentEncryption > algorithm 5 (AES), key id.
    const Bytes encryption =
        joined({{0x50, 0x35, 0x8B, 0x47, 0xE1, 0x81, 5, 0x47, 0xE2, 0x84}, {1, 2, 3, 4}});
    Bytes encoding = joined({{0x50, 0x33, 0x81, 1}, encryption});
    encoding = joined({{0x62, 0x40, static_cast<std::uint8_t>(0x80U + encoding.size())}, encoding});
    encoding = joined({{0x6D, 0x80, static_cast<std::uint8_t>(0x80U + encoding.size())}, encoding});
    const std::size_t left = title.size() - encoding.size() - 2;
    append_to(encoding, joined({{0xEC, static_cast<std::uint8_t>(0x80U + left)}, Bytes(left, 0)}));
    std::ranges::copy(encoding, at);
    // The pictures as a cipher would leave them, and no checksums of the clear ones.
    const Bytes cluster{0x1F, 0x43, 0xB6, 0x75};
    const auto pictures = std::ranges::search(mkv, cluster).begin();
    for (auto byte = pictures + 64; byte < mkv.end() - 200; ++byte) *byte ^= 0xA5U;
    expect_encrypted(write_bytes("encrypted.mkv", mkv));
}

TEST_F(MediaUndecodable, ScrambledTransportStream) {
    constexpr std::size_t kPacket = 188;
    Bytes ts =
        read_bytes(make_clip("clear.ts", std::string(kClip) + "-c:v mpeg2video -streamid 0:256"));
    for (std::size_t at = 0; at + kPacket <= ts.size(); at += kPacket) {
        const unsigned pid = (ts[at + 1] & 0x1FU) << 8U | ts[at + 2];
        if (pid != 256 || (ts[at + 3] & 0x10U) == 0) continue;
        const std::size_t payload = (ts[at + 3] & 0x20U) != 0 ? at + 5 + ts[at + 4] : at + 4;
        ts[at + 3] |= 0x80U;
        for (std::size_t k = payload; k < at + kPacket; ++k) ts[k] ^= 0xA5U;
    }
    expect_encrypted(write_bytes("scrambled.ts", ts));
}

// libav reads the table of keys within the fragment, and finds no end of it.
TEST_F(MediaUndecodable, EncryptedMp4ThatCannotBeOpened) {
    const std::string video = std::string(kClip) + "-c:v libx264 -preset ultrafast ";
    Bytes mp4 =
        read_bytes(make_clip("cenc.mp4", video + "-encryption_scheme cenc-aes-ctr -encryption_key "
                                                 "76a6c65c5ea762046bd749a2e632ccbb -encryption_kid "
                                                 "a7e61c373e219033c21091fa607bf3b8"));
    const auto table = std::ranges::search(mp4, text_bytes("senc")).begin();
    ASSERT_NE(table, mp4.end());
    table[9] = 1;  // 65536 entries and more
    expect_encrypted(write_bytes("keys.mp4", mp4));
}

// ---- segments of a stream ----

// Fragments of one video track, each with its `moof` before its `mdat`.
Bytes fragmented() {
    return read_bytes(make_clip("segments.mp4", std::string(kClip) +
                                                    "-c:v libx264 -preset ultrafast -g 5 -bf 0 "
                                                    "-movflags "
                                                    "frag_keyframe+empty_moov+default_base_moof"));
}

// Where a box begins, or the end of the file.
std::size_t place_of(const Bytes& bytes, std::string_view type, std::size_t from = 0) {
    const auto at = std::search(bytes.begin() + static_cast<std::ptrdiff_t>(from), bytes.end(),
                                type.begin(), type.end());
    return at == bytes.end() ? bytes.size() : static_cast<std::size_t>(at - bytes.begin()) - 4;
}

Bytes part(const Bytes& bytes, std::size_t begin, std::size_t end) {
    return {bytes.begin() + static_cast<std::ptrdiff_t>(begin),
            bytes.begin() + static_cast<std::ptrdiff_t>(end)};
}

TEST_F(MediaUndecodable, SegmentsOfAStreamAreNotDamaged) {
    const Bytes film = fragmented();
    const std::size_t first = place_of(film, "moof");
    const std::size_t second = place_of(film, "moof", first + 8);
    for (const auto& [name, bytes] :
         {std::pair{"init.mp4", part(film, 0, first)}, {"one.mp4", part(film, first, second)}}) {
        const ReadResult got = read_all(write_bytes(name, bytes));
        EXPECT_EQ(got.outcome, Outcome::failed) << name;
        EXPECT_THAT(got.error, HasSubstr("join the segments first")) << name;
        EXPECT_THAT(got.error, Not(HasSubstr("damaged"))) << name;
    }
    // The header counts frames that are not there.
    const Bytes avi = read_bytes(make_clip("counted.avi", std::string(kClip) + "-c:v mjpeg"));
    const ReadResult cut = read_all(write_bytes("header.avi", part(avi, 0, 400)));
    EXPECT_EQ(cut.outcome, Outcome::damaged) << cut.error;
}

// Flash Media Server writes each `mdat` before its `moof`.
TEST_F(MediaUndecodable, FragmentsBehindTheirPicturesAreNotDamaged) {
    Bytes film = fragmented();
    std::size_t moof = place_of(film, "moof");
    Bytes turned = part(film, 0, moof);
    for (std::size_t mdat = 0; moof < film.size(); moof = mdat) {
        mdat = place_of(film, "mdat", moof);
        if (mdat >= film.size()) break;
        const std::size_t size = std::size_t{film[mdat + 2]} << 8U | film[mdat + 3];
        Bytes header = part(film, moof, mdat);
        const Bytes offset = number(8 - size, 4);  // the samples begin there, from the `moof` on
        std::ranges::copy(
            offset, header.begin() + static_cast<std::ptrdiff_t>(place_of(header, "trun")) + 16);
        append_to(turned, joined({part(film, mdat, mdat + size), header}));
        mdat += size;
    }
    const ReadResult got = read_all(write_bytes("behind.mp4", turned));
    EXPECT_FALSE(got.damaged()) << got.damage.reason << got.error;
    EXPECT_EQ(got.pts.size(), 25U);
    // Without its `moof`, an `mdat` is lost.
    turned[place_of(turned, "moof", place_of(turned, "moof") + 8) + 5] = '-';
    EXPECT_TRUE(read_all(write_bytes("lost.mp4", turned)).damaged());
}

}  // namespace
}  // namespace weft::test
