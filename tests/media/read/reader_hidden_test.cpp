// A changed byte that hides a part of a file from libav: the part is reported as lost, or the file
// is not called complete.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>
#include <zlib.h>

#include <gtest/gtest.h>

#include "app/media/structure/structure.h"
#include "tests/media/read/reader_recipes.h"
#include "tests/media/read/reader_support.h"

namespace weft::test {
namespace {

enum class Verdict { damaged, unproven };

struct HiddenRow {
    const char* name;
    const char* source;
    Mutation mutation;
    Verdict verdict;
};

void PrintTo(const HiddenRow& row, std::ostream* out) {
    *out << row.source << " " << row.name;
}

constexpr std::uint8_t kSimpleBlock = 0xA3;
constexpr std::uint8_t kBlockGroup = 0xA0;
constexpr std::uint8_t kBlock = 0xA1;
constexpr std::uint8_t kBlockMore = 0xA6;
constexpr std::uint8_t kTimestamp = 0xE7;
const Bytes kCluster = {0x1F, 0x43, 0xB6, 0x75};

std::size_t find_from(const Bytes& bytes, std::size_t begin, const Bytes& wanted) {
    const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(begin);
    return static_cast<std::size_t>(std::search(from, bytes.end(), wanted.begin(), wanted.end()) -
                                    bytes.begin());
}

// The place of the last cluster's first part with this id.
std::size_t find_part(const Bytes& bytes, std::uint8_t id) {
    const auto cluster =
        std::find_end(bytes.begin(), bytes.end(), kCluster.begin(), kCluster.end());
    return static_cast<std::size_t>(std::find(cluster, bytes.end(), id) - bytes.begin());
}

// The first byte after an element's id and size.
std::size_t content_of(const Bytes& bytes, std::size_t at) {
    return at + 1 + static_cast<std::size_t>(std::countl_zero(bytes[at + 1])) + 1;
}

// Changes the id of the last cluster's first part of a kind.
Mutation rename_part(std::uint8_t id, std::uint8_t other) {
    return [=](Bytes bytes) {
        bytes[find_part(bytes, id)] = other;
        return bytes;
    };
}

std::size_t end_of(const Bytes& bytes, std::size_t at) {
    const std::size_t content = content_of(bytes, at);
    std::size_t size = 0;
    for (std::size_t n = at + 1; n < content; ++n) size = size << 8U | bytes[n];
    return content + (size & ((std::size_t{1} << (7 * (content - at - 1))) - 1));
}

// Moves the end of an element whose size has two bytes, if the new one has, too.
bool enlarge(Bytes& bytes, std::size_t at, std::size_t end) {
    const std::size_t content = content_of(bytes, at);
    const std::size_t size = end - content;
    if (content - at != 3 || size >= 0x3FFF) return false;
    bytes[at + 1] = static_cast<std::uint8_t>(0x40U | size >> 8U);
    bytes[at + 2] = static_cast<std::uint8_t>(size);
    return true;
}

// Enlarges the second group of the first cluster and its block by the third group.
Bytes swallow_group(Bytes bytes) {
    const std::size_t cluster = find_from(bytes, 0, kCluster);
    const std::size_t group = end_of(bytes, find_from(bytes, cluster, {kBlockGroup}));
    const std::size_t block = content_of(bytes, group);
    const std::size_t end = end_of(bytes, end_of(bytes, group));
    EXPECT_EQ(bytes[group], kBlockGroup);
    EXPECT_EQ(bytes[block], kBlock);
    EXPECT_TRUE(enlarge(bytes, block, end) && enlarge(bytes, group, end));
    return bytes;
}

// Enlarges the first block of the first cluster that is followed by one of this track and has room
// for its size.
Mutation swallow_block_of(std::uint8_t track) {
    return [=](Bytes bytes) {
        const std::size_t cluster = find_from(bytes, 0, kCluster);
        std::size_t at = end_of(bytes, find_from(bytes, cluster, {kTimestamp}));
        for (; bytes[at] == kSimpleBlock; at = end_of(bytes, at)) {
            const std::size_t next = end_of(bytes, at);
            if (bytes[next] != kSimpleBlock || bytes[content_of(bytes, next)] != track) continue;
            if (enlarge(bytes, at, end_of(bytes, next))) return bytes;
        }
        ADD_FAILURE() << "no such block";
        return bytes;
    };
}

// Gives the last cluster's last picture that is no key frame to the track of the sound.
Bytes picture_of_other_track(Bytes bytes) {
    std::size_t picture = 0;
    for (std::size_t at = find_part(bytes, kSimpleBlock); bytes[at] == kSimpleBlock;) {
        const std::size_t content = content_of(bytes, at);
        if (bytes[content] == 0x81 && (bytes[content + 3] & 0x80U) == 0) picture = content;
        at = end_of(bytes, at);
    }
    bytes[picture] = 0x82;
    return bytes;
}

Mutation rename_cluster(const Bytes& other) {
    return [=](Bytes bytes) {
        std::copy(other.begin(), other.end(),
                  std::find_end(bytes.begin(), bytes.end(), kCluster.begin(), kCluster.end()));
        return bytes;
    };
}

// A gap of the cluster's length: the ID has one byte, so that the size begins three bytes earlier
// and includes them.
Bytes cluster_as_gap(Bytes bytes) {
    const auto at = std::find_end(bytes.begin(), bytes.end(), kCluster.begin(), kCluster.end());
    const auto size_bytes = static_cast<std::size_t>(std::countl_zero(at[4])) + 1;
    std::uint64_t size = at[4] & (0xFFU >> size_bytes);
    for (std::size_t n = 1; n < size_bytes; ++n) size = size << 8U | at[4 + static_cast<int>(n)];
    size += size_bytes - 1;
    *at = 0xEC;
    at[1] = 0x10;  // a size of four bytes
    at[1] |= static_cast<std::uint8_t>(size >> 24U);
    at[2] = static_cast<std::uint8_t>(size >> 16U);
    at[3] = static_cast<std::uint8_t>(size >> 8U);
    at[4] = static_cast<std::uint8_t>(size);
    return bytes;
}

// The size of the first of a block's additions reaches far beyond it.
Bytes addition_too_large(Bytes bytes) {
    const Bytes additions = {0x75, 0xA1};
    std::size_t at = find_from(bytes, find_part(bytes, kBlockGroup), additions);
    at = find_from(bytes, at, {kBlockMore}) + 1;
    const int size_bytes = std::countl_zero(bytes[at]) + 1;
    for (int n = 1; n < size_bytes; ++n) bytes[at + static_cast<std::size_t>(n)] = 0xFE;
    if (size_bytes == 1) bytes[at] = 0xFE;
    return bytes;
}

// Changes a byte of the nth tag of a type, counted from its beginning or, if negative, from its
// end.
Mutation put_into_tag(std::uint8_t type, int nth, int offset, std::uint8_t value) {
    return [=](Bytes bytes) {
        std::size_t at = 13;
        for (int n = 0; at + 11 < bytes.size();) {
            const std::size_t size = bytes[at + 1] << 16U | bytes[at + 2] << 8U | bytes[at + 3];
            const std::size_t end = at + 11 + size + 4;
            if (bytes[at] == type && n++ == nth) {
                bytes[static_cast<std::size_t>(offset) + (offset < 0 ? end : at)] = value;
                return bytes;
            }
            at = end;
        }
        return bytes;
    };
}

Bytes text(std::string_view word) {
    return {word.begin(), word.end()};
}

// Writes `value` at `offset` bytes from the start of the first `marker`.
Mutation put(const Bytes& marker, std::ptrdiff_t offset, const Bytes& value) {
    return [=](Bytes bytes) {
        const auto at = std::search(bytes.begin(), bytes.end(), marker.begin(), marker.end());
        EXPECT_NE(at, bytes.end());
        std::copy(value.begin(), value.end(), at + offset);
        return bytes;
    };
}

// The same from the start of the last `marker`.
Mutation put_last(const Bytes& marker, std::ptrdiff_t offset, const Bytes& value) {
    return [=](Bytes bytes) {
        std::copy(value.begin(), value.end(),
                  std::find_end(bytes.begin(), bytes.end(), marker.begin(), marker.end()) + offset);
        return bytes;
    };
}

// The index is the last part of the file, and each entry is 16 bytes long.
Bytes wrong_place_in_the_index(Bytes bytes) {
    bytes[bytes.size() - 16 + 11] = 0x7F;
    return bytes;
}

// Adds to the number of the first part in a packet of ASF (2.3 and 2.4 of its specification).
Mutation renumber_part(std::size_t nth) {
    return [=](Bytes bytes) {
        constexpr std::uint8_t kSeveralParts = 1;
        const std::size_t packets = find_from(bytes, 0, {0x36, 0x26, 0xB2, 0x75, 0x8E, 0x66}) + 50;
        const std::size_t properties =
            find_from(bytes, 0, {0xA1, 0xDC, 0xAB, 0x8C, 0x47, 0xA9}) + 92;
        const std::size_t step = bytes[properties] | bytes[properties + 1] << 8U;
        std::size_t at = packets + nth * step + 3;
        const std::uint8_t lengths = bytes[at];
        const std::size_t padding = lengths >> 3U & 3U;
        at += 2 + padding + 6 + (lengths & kSeveralParts);
        bytes[at + 1] += 7;
        return bytes;
    };
}

// The place of a PNG's last chunk of a type.
std::size_t find_chunk(const Bytes& bytes, std::string_view type) {
    const Bytes wanted = text(type);
    const auto found = std::find_end(bytes.begin(), bytes.end(), wanted.begin(), wanted.end());
    return static_cast<std::size_t>(found - bytes.begin()) - 4;
}

Bytes second_count_of_frames(Bytes bytes) {
    const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(find_chunk(bytes, "acTL"));
    constexpr std::ptrdiff_t kBytes = 4 + 4 + 8 + 4;
    const Bytes count(at, at + kBytes);
    bytes.insert(at, count.begin(), count.end());
    return bytes;
}

// The last frame keeps its header, and its data become an unknown chunk.
Bytes frame_without_data(Bytes bytes) {
    const std::size_t at = find_chunk(bytes, "fdAT");
    const std::size_t size = bytes[at + 2] << 8U | bytes[at + 3];
    bytes[at + 4] = 'z';
    const auto sum =
        static_cast<std::uint32_t>(crc32(0, bytes.data() + at + 4, static_cast<uInt>(size + 4)));
    for (std::size_t n = 0; n < 4; ++n)
        bytes[at + 8 + size + n] = static_cast<std::uint8_t>(sum >> (24 - 8 * n));
    return bytes;
}

std::vector<HiddenRow> rows() {
    constexpr std::uint8_t kSound = 8;
    constexpr std::uint8_t kPicture = 9;
    return {
        {"cluster_as_gap", "vp9.webm", cluster_as_gap, Verdict::damaged},
        {"cluster_as_tags", "vp9.webm", rename_cluster({0x12, 0x54, 0xC3, 0x67}), Verdict::damaged},
        {"cluster_as_attachments", "vp9.webm", rename_cluster({0x19, 0x41, 0xA4, 0x69}),
         Verdict::damaged},
        {"block_as_gap", "vp9.webm", rename_part(kSimpleBlock, 0xEC), Verdict::damaged},
        {"block_as_size_of_cluster", "vp9.webm", rename_part(kSimpleBlock, 0xAB), Verdict::damaged},
        {"block_as_checksum", "vp9.webm", rename_part(kSimpleBlock, 0xBF), Verdict::damaged},
        {"encrypted_block", "vp9.webm", rename_part(kSimpleBlock, 0xAF), Verdict::damaged},
        {"picture_of_other_track", "vp9.webm", picture_of_other_track, Verdict::unproven},
        {"checksum_of_tags", "plain.mkv", put(text("DURATION"), 0, {'d'}), Verdict::unproven},
        {"size_in_tags_with_checksum", "plain.mkv", put(text("DURATION"), -1, {0xAF}),
         Verdict::damaged},
        {"checksum_of_the_info", "plain.mkv", put(text("Lavf"), 0, {'l'}), Verdict::damaged},
        {"tags_renamed", "vp9.webm", put_last({0x12, 0x54, 0xC3, 0x67}, 3, {0x77}),
         Verdict::unproven},
        {"cue_as_block", "vp9.webm", put_last({0x1C, 0x53, 0xBB, 0x6B}, 5, {kSimpleBlock}),
         Verdict::unproven},
        {"cluster_without_time", "vp9.webm", rename_part(kTimestamp, 0xA7), Verdict::damaged},
        {"group_as_gap", "vp8alpha.webm", rename_part(kBlockGroup, 0xEC), Verdict::damaged},
        {"group_without_block", "vp8alpha.webm", rename_part(kBlock, 0xA4), Verdict::damaged},
        {"group_of_unknown_part", "vp8alpha.webm", rename_part(kBlock, 0xE5), Verdict::damaged},
        {"addition_too_large", "vp8alpha.webm", addition_too_large, Verdict::damaged},
        {"more_times_than_sizes", "plain.mp4", put(text("stts"), 15, {61}), Verdict::unproven},
        {"longer_samples_than_stated", "faststart.mp4", put(text("stts"), 18, {0x02, 0x30}),
         Verdict::unproven},
        {"broken_part_before_the_movie", "mjpeg.avi", put(text("INFO"), -8, {1, 2, 3, 4}),
         Verdict::unproven},
        {"place_in_the_index", "mjpeg.avi", wrong_place_in_the_index, Verdict::unproven},
        {"number_of_a_part", "windows.wmv", renumber_part(4), Verdict::unproven},
        {"second_count", "anim.apng", second_count_of_frames, Verdict::damaged},
        {"frame_without_data", "anim.apng", frame_without_data, Verdict::damaged},
        {"size_after_tag", "sound.flv", put_into_tag(kPicture, 9, -1, 0x55), Verdict::damaged},
        {"picture_as_script", "sound.flv", put_into_tag(kPicture, 9, 0, 18), Verdict::unproven},
        {"picture_as_sound", "sound.flv", put_into_tag(kPicture, 9, 0, kSound), Verdict::unproven},
        {"picture_as_command", "sound.flv", put_into_tag(kPicture, 9, 11, 0x57), Verdict::unproven},
        {"picture_as_header", "sound.flv", put_into_tag(kPicture, 9, 12, 0), Verdict::unproven},
        {"sound_of_other_codec", "sound.flv", put_into_tag(kSound, 9, 11, 0x2F), Verdict::unproven},
        {"sound_as_header", "sound.flv", put_into_tag(kSound, 9, 12, 0), Verdict::unproven},
    };
}

class MediaReaderHidden : public ClipTest, public testing::WithParamInterface<HiddenRow> {};

TEST_P(MediaReaderHidden, IsNotCalledComplete) {
    const HiddenRow& row = GetParam();
    const ReadResult whole = read_all(recipe(row.source));
    EXPECT_FALSE(whole.damage.proven_by.empty());
    const ReadResult got = read_all(
        mutate(recipe(row.source), std::string(row.name) + "_" + row.source, row.mutation));
    EXPECT_EQ(got.damaged(), row.verdict == Verdict::damaged) << got.error << got.damage.reason;
    EXPECT_EQ(got.damage.proven_by, "");
}

INSTANTIATE_TEST_SUITE_P(Files, MediaReaderHidden, testing::ValuesIn(rows()), [](const auto& row) {
    return test_name(std::string(row.param.name) + "_" + row.param.source);
});

class MediaReaderHiddenBlock : public ClipTest {};

// The decoders of pictures may notice the bytes after a picture, so the structure alone is checked.
TEST_F(MediaReaderHiddenBlock, SwallowedByAnother) {
    const std::vector<HiddenRow> swallowed = {
        {"picture_swallowed", "vp9.webm", swallow_block_of(0x81), Verdict::damaged},
        {"sound_swallowed", "vp9.webm", swallow_block_of(0x82), Verdict::damaged},
        {"group_swallowed", "vp8alpha.webm", swallow_group, Verdict::damaged}};
    for (const HiddenRow& row : swallowed) {
        const auto file =
            mutate(recipe(row.source), row.name + (std::string("_") + row.source), row.mutation);
        const StructureReport got =
            check_structure(InputFile(file.string()), "matroska,webm", {0, INT64_MAX});
        EXPECT_NE(got.problem.find("contains a block of track"), std::string::npos)
            << row.name << ": " << got.problem;
    }
}

class MediaReaderHiddenAvif : public ClipTest {};

// The size of the only part of the only picture: 4 bytes at the end of `iloc`.
TEST_F(MediaReaderHiddenAvif, BytesThatBelongToNoPicture) {
    const auto plain = clip_dir() / "covered.avif";
    if (!succeeds({"ffmpeg", "-loglevel", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=64x48",
                   "-frames:v", "1", "-c:v", "libaom-av1", "-cpu-used", "8", plain.string()}))
        GTEST_SKIP() << "this ffmpeg writes no AVIF";
    const auto doubt = [](const std::filesystem::path& path) {
        const StructureReport got =
            check_structure(InputFile(path.string()), "mov,mp4,m4a,3gp,3g2,mj2", {});
        EXPECT_EQ(got.problem, "");
        return got.doubt;
    };
    EXPECT_EQ(doubt(plain), "");
    Bytes bytes = read_bytes(plain);
    const std::size_t at = find_from(bytes, 0, text("iloc"));
    const std::size_t end = at - 4 + (bytes[at - 2] << 8U | bytes[at - 1]);
    bytes[end - 1] -= 9;
    EXPECT_NE(doubt(write_bytes("uncovered.avif", bytes)).find("9 bytes of media"),
              std::string::npos);
}

class MediaReaderHiddenGif : public ClipTest {};

// Three pictures of 2x2, each with its time before it.
Bytes three_pictures() {
    Bytes bytes = {'G', 'I', 'F', '8', '9', 'a', 2, 0, 2, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255};
    const Bytes picture = {0x21, 0xF9, 4, 0, 10, 0, 0, 0, 0x2C, 0,    0, 0,
                           0,    2,    0, 2, 0,  0, 2, 2, 0x84, 0x51, 0};
    for (int n = 0; n < 3; ++n) bytes.insert(bytes.end(), picture.begin(), picture.end());
    bytes.push_back(0x3B);
    return bytes;
}

// The byte that ends a block becomes the length of more data, which end with another block's.
TEST_F(MediaReaderHiddenGif, PicturesInTheDataOfAnotherBlock) {
    constexpr std::size_t kFirst = 19;    // the first block
    constexpr std::size_t kControl = 7;   // its end
    constexpr std::size_t kPicture = 22;  // the end of the picture after it
    const auto check = [](const Bytes& bytes) {
        return check_structure(InputFile(write_bytes("hidden.gif", bytes).string()), "gif", {});
    };
    const StructureReport whole = check(three_pictures());
    EXPECT_EQ(whole.problem + whole.doubt, "");
    EXPECT_EQ(whole.frames, 3);
    for (const auto& [end, next] :
         {std::pair{kControl, kPicture}, std::pair{kPicture, kPicture + 1 + kPicture}}) {
        Bytes bytes = three_pictures();
        bytes[kFirst + end] = static_cast<std::uint8_t>(next - end - 1);
        const StructureReport got = check(bytes);
        EXPECT_EQ(got.problem, "");
        EXPECT_EQ(got.frames, 2);
        EXPECT_NE(got.doubt, "");
    }
}

}  // namespace
}  // namespace weft::test
