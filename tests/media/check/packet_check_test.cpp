// Sequences that H.264 and HEVC forbid inside a unit: damage where a picture needs the unit.
#include "app/media/check/packet_check.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "app/media/libav/ffmpeg.h"

namespace weft::test {
namespace {

using Units = std::vector<std::vector<std::uint8_t>>;

// Each unit after its length in four bytes.
std::vector<std::uint8_t> packet_of(const Units& units) {
    std::vector<std::uint8_t> bytes;
    for (const auto& unit : units) {
        bytes.insert(bytes.end(), {0, 0, 0, static_cast<std::uint8_t>(unit.size())});
        bytes.insert(bytes.end(), unit.begin(), unit.end());
    }
    return bytes;
}

// avcC or hvcC, as far as the check reads them: lengths of four bytes.
std::vector<std::uint8_t> box_of(AVCodecID codec) {
    std::vector<std::uint8_t> box(23);
    box[0] = 1;
    box[codec == AV_CODEC_ID_H264 ? 4 : 21] = 3;
    return box;
}

struct Row {
    const char* name = "";
    AVCodecID codec = AV_CODEC_ID_H264;
    Units units;
    bool sound = false;
};

TEST(MediaPacketCheck, ForbiddenSequencesCountWhereAPictureNeedsThem) {
    constexpr AVCodecID kH264 = AV_CODEC_ID_H264;
    constexpr AVCodecID kHevc = AV_CODEC_ID_HEVC;
    const std::vector<Row> rows = {
        {"a slice", kH264, {{0x65, 7, 8, 9}}, true},
        {"zeros in a slice", kH264, {{0x65, 7, 0, 0, 0, 9}}, false},
        {"zeros at the end of a slice", kH264, {{0x65, 7, 0, 0, 0}}, true},
        {"zeros in parameters", kH264, {{0x67, 7, 0, 0, 0, 9}}, false},
        {"zeros in SEI", kH264, {{0x06, 7, 0, 0, 0, 9}, {0x65, 7, 8}}, true},
        {"zeros in the slice after SEI", kH264, {{0x06, 7}, {0x65, 7, 0, 0, 0, 9}}, false},
        {"both in one length", kH264, {{0x06, 7, 0, 0, 1, 0x65, 7, 8}}, true},
        {"both, zeros in the SEI", kH264, {{0x06, 0, 0, 2, 7, 0, 0, 0, 1, 0x65, 7, 8}}, true},
        {"both, zeros in the slice", kH264, {{0x06, 7, 0, 0, 1, 0x65, 7, 0, 0, 0, 9}}, false},
        {"both, longer start code", kH264, {{0x06, 7, 0, 0, 0, 1, 0x65, 7, 0, 0, 2, 9}}, false},
        {"SEI after a slice", kH264, {{0x65, 7, 0, 0, 1, 0x06, 0, 0, 0, 9}}, true},
        {"zeros in a slice", kHevc, {{0x26, 1, 0, 0, 0, 9}}, false},
        {"zeros in SEI", kHevc, {{0x4E, 1, 0, 0, 0, 9}, {0x26, 1, 8}}, true},
        {"zeros in a suffix SEI", kHevc, {{0x50, 1, 0, 0, 0, 9}}, true},
        {"zeros in parameters", kHevc, {{0x42, 1, 0, 0, 0, 9}}, false},
    };
    for (const Row& row : rows) {
        std::vector<std::uint8_t> box = box_of(row.codec);
        AVCodecParameters codec{};
        codec.codec_id = row.codec;
        codec.extradata = box.data();
        codec.extradata_size = static_cast<int>(box.size());
        EXPECT_EQ(NalCheck(codec).sound(packet_of(row.units)), row.sound)
            << row.name << ", " << avcodec_get_name(row.codec);
    }
}

// Profile, constraints and level, then the number of the set and the chroma format.
TEST(MediaPacketCheck, FindsGrayH264) {
    const auto gray = [](std::vector<std::uint8_t> sps, bool in_band) {
        AVCodecParameters codec{};
        codec.codec_id = AV_CODEC_ID_H264;
        sps.resize(9, 0x80);
        std::vector<std::uint8_t> bytes = {0, 0, 0, 1, 0x09, 0xF0, 0, 0, 0, 1};
        if (!in_band) bytes = {1, 100, 0, 30, 0xFF, 0xE1, 0, 9};
        bytes.insert(bytes.end(), sps.begin(), sps.end());
        AVPacket packet{};
        (in_band ? packet.data : codec.extradata) = bytes.data();
        (in_band ? packet.size : codec.extradata_size) = static_cast<int>(bytes.size());
        return in_band ? is_gray_h264(packet, codec) : is_gray_h264(codec);
    };
    for (const bool in_band : {false, true}) {
        EXPECT_TRUE(gray({0x67, 100, 0, 30, 0b1100'0000}, in_band));   // set 0, gray
        EXPECT_TRUE(gray({0x67, 100, 0, 30, 0b0111'0000}, in_band));   // set 2
        EXPECT_FALSE(gray({0x67, 100, 0, 30, 0b1010'0000}, in_band));  // 4:2:0
        EXPECT_FALSE(gray({0x67, 77, 0, 30, 0b1100'0000}, in_band));   // main profile
        EXPECT_FALSE(gray({0x68, 100, 0, 30, 0b1100'0000}, in_band));  // not this set
    }
}

}  // namespace
}  // namespace weft::test
