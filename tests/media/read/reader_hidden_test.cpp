// A changed byte that hides a part of a file from libav: the part is reported as lost, or the file
// is not called complete.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "app/media/demux/structure.h"
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

std::vector<HiddenRow> rows() {
    constexpr std::uint8_t kSound = 8;
    constexpr std::uint8_t kPicture = 9;
    return {
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
