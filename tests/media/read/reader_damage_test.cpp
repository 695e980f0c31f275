// Damaged files are reported as such with the place, and every decodable frame is delivered. Files
// that lost only data that no frame needs count as whole.
#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "tests/media/read/reader_recipes.h"
#include "tests/media/read/reader_support.h"

namespace weft::test {
namespace {

struct DamageRow {
    const char* name;
    const char* source;
    Mutation mutation;
    bool damaged;
};

void PrintTo(const DamageRow& row, std::ostream* out) {
    *out << row.source << " " << row.name;
}

const Bytes kClusterId = {0x1F, 0x43, 0xB6, 0x75};
const Bytes kCuesId = {0x1C, 0x53, 0xBB, 0x6B};
const Bytes kMxfEssence = {0x06, 0x0E, 0x2B, 0x34, 0x01, 0x02, 0x01, 0x01};
const Bytes kNutSyncpoint = {0x4E, 0x4B, 0xE4, 0xAD, 0xEE, 0xCA, 0x45, 0x69};
const Bytes kNutIndex = {0x4E, 0x58, 0xDD, 0x67, 0x2F, 0x23, 0xE6, 0x4E};

// Cuts at a packet boundary, after the third transport packet of a frame.
Bytes cut_inside_picture(Bytes bytes) {
    std::size_t at = bytes.size() / 188 / 2 * 188;
    const auto starts_picture = [&] { return bytes[at + 1] == 0x41 && bytes[at + 2] == 0x00; };
    while (!starts_picture()) at += 188;
    bytes.resize(at + std::size_t{3} * 188);
    return bytes;
}

// As ffmpeg writes ASF into a pipe: flagged as a broadcast, without a duration or a packet count.
Bytes as_live_asf(Bytes bytes) {
    const Bytes properties = {0xA1, 0xDC, 0xAB, 0x8C, 0x47, 0xA9, 0xCF, 0x11};
    const Bytes data = {0x36, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11};
    const auto find = [&](const Bytes& guid) {
        return std::search(bytes.begin(), bytes.end(), guid.begin(), guid.end());
    };
    *(find(properties) + 88) = 3;
    std::fill_n(find(data) + 40, 8, std::uint8_t{0});
    return bytes;
}

Bytes text(std::string_view word) {
    return {word.begin(), word.end()};
}

// Writes `value` at `offset` bytes from the start of the first `marker`.
Mutation put_behind(const Bytes& marker, std::size_t offset, const Bytes& value) {
    return [=](Bytes bytes) {
        const auto found = std::search(bytes.begin(), bytes.end(), marker.begin(), marker.end());
        const auto at = static_cast<std::size_t>(found - bytes.begin()) + offset;
        std::copy(value.begin(), value.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
        return bytes;
    };
}

// Writes `value` over byte `offset` of the data of the last cluster's first block, which begins
// with the track's number, the time in two bytes and the flags.
Mutation put_into_block(std::size_t offset, std::uint8_t value) {
    return [=](Bytes bytes) {
        auto at = std::find_end(bytes.begin(), bytes.end(), kClusterId.begin(), kClusterId.end());
        constexpr std::uint8_t kSimpleBlock = 0xA3;
        at = std::find(at, bytes.end(), kSimpleBlock) + 1;
        at += std::countl_zero(*at) + 1;
        *(at + static_cast<std::ptrdiff_t>(offset)) = value;
        return bytes;
    };
}

// The last track of these files is the sound.
Bytes with_empty_sound(Bytes bytes) {
    const Bytes sizes = text("stsz");
    const auto at = std::find_end(bytes.begin(), bytes.end(), sizes.begin(), sizes.end());
    constexpr int kSixth = 4 + 4 + 4 + 4 + 5 * 4;  // after name, version, size, count
    std::fill_n(at + kSixth, 4, std::uint8_t{0});
    return bytes;
}

Bytes without_movie_list(Bytes bytes) {
    const Bytes movi = text("movi");
    const auto at = std::search(bytes.begin(), bytes.end(), movi.begin(), movi.end());
    std::fill_n(at - 8, 12, std::uint8_t{0});
    return bytes;
}

// Erases the start of the last cluster: libav finds nothing more.
Bytes zero_last_cluster(Bytes bytes) {
    const auto at = std::find_end(bytes.begin(), bytes.end(), kClusterId.begin(), kClusterId.end());
    std::fill_n(at + 12, 200, std::uint8_t{0});
    return bytes;
}

// Byte flips are only tested where they are detectable: by checksums, or by enough of them for
// errors.
std::vector<DamageRow> rows() {
    return {
        {"no_index", "plain.mp4", cut_to_percent(90), true},
        {"index_torn", "plain.mov", cut_tail(600), true},
        {"index_torn", "edited.mp4", cut_to_percent(98), true},
        {"half", "faststart.mp4", cut_to_percent(50), true},
        {"one_byte_short", "faststart.mp4", cut_tail(1), true},
        {"flips", "faststart.mp4", flip_bytes(2000), true},
        {"hole_of_zeros", "faststart.mp4", zero_block(60, 1024), true},
        {"half", "fragments.mp4", cut_to_percent(50), true},
        {"hole_of_zeros", "hevc10.mp4", zero_block(60, 1024), true},
        {"zeros_in_the_settings_of_x264", "faststart.mp4",
         put_behind(text("x264 - core"), 30, Bytes(40)), false},
        {"fragment_of_no_track", "fragments.mp4", put_behind(text("tfhd"), 8, {0, 0, 0, 77}), true},
        {"fragment_without_head", "fragments.mp4", put_behind(text("traf"), 4, {2}), true},
        {"fragment_renamed", "fragments.mp4", put_behind(text("moof"), 2, {'-'}), true},
        {"shown_beyond_the_end", "faststart.mp4", put_behind(text("ctts"), 24, {2}), true},
        {"impossible_count", "plain.mov", put_behind(text("stsz"), 12, {0x10}), true},
        {"impossible_size", "plain.mov", put_behind(text("stsz"), 40, {0x40, 0, 0, 1}), true},
        {"empty_sound", "plain.mp4", with_empty_sound, true},
        {"fewer_sizes", "plain.mov", put_behind(text("stsz"), 12, {0, 0, 0, 29}), true},
        {"smaller_chunks", "faststart.mp4", put_behind(text("stsc"), 16, {0, 0, 0, 0}), true},
        {"tenth", "plain.mkv", cut_to_percent(10), true},
        {"half", "plain.mkv", cut_to_percent(50), true},
        {"only_the_head", "plain.mkv", cut_to_percent(1), true},
        {"most", "plain.mkv", cut_to_percent(97), true},
        {"on_cluster", "plain.mkv", cut_at_last(kClusterId), true},
        {"one_flip", "plain.mkv", flip_bytes(1), true},
        {"ten_flips", "plain.mkv", flip_bytes(10), true},
        {"flips", "plain.mkv", flip_bytes(100), true},
        {"many_flips", "plain.mkv", flip_bytes(2000), true},
        {"hole_of_zeros", "plain.mkv", zero_block(50, 4096), true},
        {"piece_gone", "plain.mkv", remove_block(50, 2000), true},
        {"half", "live.mkv", cut_to_percent(50), true},
        {"half", "hevc.mkv", cut_to_percent(50), true},
        {"one_flip", "av1.mkv", flip_bytes(1), true},
        {"half", "vp9.webm", cut_to_percent(50), true},
        {"block_of_no_track", "vp9.webm", put_into_block(0, 0x8F), true},
        {"laced_block", "vp9.webm", put_into_block(3, 0x86), true},
        {"many_flips", "vp9.webm", flip_bytes(2000), true},
        {"last_cluster_zeroed", "vp9.webm", zero_last_cluster, true},
        {"most", "vp8.webm", cut_to_percent(95), true},
        {"half", "plain.ts", cut_to_percent(51), true},
        {"on_packet", "plain.ts", cut_inside_picture, true},
        {"flips", "plain.ts", flip_bytes(100), true},
        {"hole_of_zeros", "plain.ts", zero_block(60, 1024), true},
        {"piece_gone", "plain.ts", remove_block(50, 188 * 10), true},
        {"half", "mpeg4.avi", cut_to_percent(50), true},
        {"flips", "mpeg4.avi", flip_bytes(100), true},
        {"no_movie_list", "mpeg4.avi", without_movie_list, true},
        {"piece_gone", "mjpeg.avi", remove_block(50, 2000), true},
        {"half", "h264.avi", cut_to_percent(50), true},
        {"half", "h264.nut", cut_to_percent(50), true},
        {"last_picture_lost", "jpeg2000.mxf", cut_at_last(kMxfEssence), true},
        {"index_torn", "jpeg2000.mxf", cut_tail(30), false},
        {"syncpoint_lost", "h264.nut", put_behind(kNutSyncpoint, 4, {0}), true},
        {"half", "late.nut", cut_to_percent(50), true},
        {"flips", "ffv1.nut", flip_bytes(10), true},
        {"piece_gone", "h264.nut", remove_block(50, 3000), true},
        {"half", "anim.gif", cut_to_percent(50), true},
        {"no_trailer_nor_block", "anim.gif", cut_tail(3), true},
        {"flips", "anim.gif", flip_bytes(10), true},
        {"half", "anim.apng", cut_to_percent(50), true},
        {"one_flip", "anim.apng", flip_bytes(1), true},
        {"half", "still.png", cut_to_percent(50), true},
        {"one_flip", "still.png", flip_bytes(1), true},
        {"last_chunk_lost", "still.png", cut_tail(12), true},
        {"half", "still.jpg", cut_to_percent(50), true},
        {"one_byte_short", "still.jpg", cut_tail(1), true},
        {"many_flips", "still.jpg", flip_bytes(2000), true},
        {"half", "still.webp", cut_to_percent(50), true},
        {"half", "still.bmp", cut_to_percent(50), true},
        {"half", "mpeg2.mpg", cut_to_percent(50), true},
        {"flips", "mpeg2.mpg", flip_bytes(100), true},
        {"half", "raw.y4m", cut_to_percent(50), true},
        {"half", "raw.ivf", cut_to_percent(50), true},
        {"half", "raw.mjpeg", cut_to_percent(50), true},
        {"flips", "raw.h264", flip_bytes(100), true},
        {"half", "theora.ogv", cut_to_percent(50), true},
        {"one_flip", "theora.ogv", flip_bytes(1), true},
        {"half", "flash.flv", cut_to_percent(50), true},
        {"half", "windows.wmv", cut_to_percent(50), true},
        {"half", "late.wmv", cut_to_percent(50), true},
        {"live_half", "longaudio.wmv",
         [](Bytes bytes) { return cut_to_percent(50)(as_live_asf(std::move(bytes))); }, true},
        {"most", "tape.dv", cut_to_percent(97), true},

        {"live", "longaudio.wmv", as_live_asf, false},
        {"index_lost", "plain.mkv", cut_at_last(kCuesId), false},
        {"index_torn", "plain.mkv", cut_at_last(kCuesId, 20), false},
        {"index_lost", "mpeg4.avi", cut_at_last({'i', 'd', 'x', '1'}), false},
        {"index_torn", "mjpeg.avi", cut_tail(40), false},
        {"fragment_index_lost", "fragments.mp4", cut_at_last({'m', 'f', 'r', 'a'}), false},
        {"index_torn", "h264.nut", cut_at_last(kNutIndex, 30), false},
        {"something_appended", "still.png", append(Bytes(1000, 'x')), false},
        {"something_appended", "still.jpg", append(Bytes(1000, 'x')), false},
        {"something_appended", "plain.mp4", append(Bytes(1000, 0)), false},
    };
}

class MediaReaderDamage : public ClipTest, public testing::WithParamInterface<DamageRow> {};

TEST_P(MediaReaderDamage, DetectedAndEverythingDelivered) {
    const DamageRow& row = GetParam();
    const std::filesystem::path file =
        mutate(recipe(row.source), std::string(row.name) + "_" + row.source, row.mutation);
    const ReadResult got = read_all(file);
    EXPECT_EQ(got.damaged(), row.damaged) << got.error << got.damage.reason;
    if (row.damaged) {
        EXPECT_FALSE(got.error.empty() && got.damage.reason.empty());
        if (got.outcome == Outcome::ok) {
            EXPECT_TRUE(got.damage.first_bad_seconds || got.damage.first_bad_byte)
                << got.damage.reason;
        }
    }
    // A file that fails at its first frame fails in ffprobe too.
    if (got.outcome == Outcome::ok) {
        EXPECT_GE(static_cast<std::int64_t>(got.pts.size()), count_frames(file));
    }
    EXPECT_TRUE(std::is_sorted(got.pts.begin(), got.pts.end()));
}

INSTANTIATE_TEST_SUITE_P(Files, MediaReaderDamage, testing::ValuesIn(rows()), [](const auto& row) {
    return test_name(std::string(row.param.name) + "_" + row.param.source);
});

class MediaReaderPlace : public ClipTest {};

// 30 frames/s and a key frame every half second: the broken cluster of plain.mkv is near the
// middle.
TEST_F(MediaReaderPlace, NamesTimeAndByteOfTheFirstBadPart) {
    const std::filesystem::path whole = recipe("plain.mkv");
    const auto size = static_cast<std::int64_t>(read_bytes(whole).size());
    const ReadResult got = read_all(mutate(whole, "place.mkv", zero_block(50, 64)));
    ASSERT_TRUE(got.damage.damaged);
    ASSERT_TRUE(got.damage.first_bad_seconds && got.damage.first_bad_byte) << got.damage.reason;
    EXPECT_NEAR(*got.damage.first_bad_seconds, 1.0, 0.6);
    EXPECT_LE(*got.damage.first_bad_byte, size / 2 + 64);
    EXPECT_GE(*got.damage.first_bad_byte, size / 4);
    EXPECT_NE(got.damage.reason.find("byte"), std::string::npos) << got.damage.reason;
}

TEST_F(MediaReaderPlace, CountsAgainstTheIndex) {
    const ReadResult got =
        read_all(mutate(recipe("faststart.mp4"), "counted.mp4", cut_to_percent(50)));
    ASSERT_TRUE(got.damage.damaged);
    EXPECT_EQ(got.damage.frames_expected, 60);
    EXPECT_LT(got.pts.size(), 60U);
    EXPECT_GT(got.pts.size(), 20U);
    ASSERT_TRUE(got.damage.first_bad_seconds);
    EXPECT_NEAR(*got.damage.first_bad_seconds, 1.0, 0.3);
}

// Damage outside the requested range is ignored.
TEST_F(MediaReaderPlace, OnlyTheWantedTimeCounts) {
    ReaderOptions options;
    options.path = mutate(recipe("plain.mkv"), "range.mkv", zero_block(80, 64)).string();
    options.end_us = 500'000;
    EXPECT_FALSE(read_all(options).damaged());
    options.end_us.reset();
    EXPECT_TRUE(read_all(options).damaged());
}

}  // namespace
}  // namespace weft::test
