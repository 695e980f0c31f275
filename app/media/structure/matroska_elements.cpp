#include "app/media/structure/matroska_elements.h"

#include <algorithm>
#include <array>
#include <bit>

namespace weft::matroska {

namespace {

struct Master {
    std::uint32_t id;
    std::array<std::uint32_t, 46> parts;  // 0: none
};

// Each row is an element that consists of others: EBML's header, the segment, its seven parts other
// than clusters with everything in them, and at last clusters.
constexpr std::array kMasters = {
    Master{kRoot, {kHeader, kSegment}},
    Master{kHeader, {0x4286, 0x42F7, 0x42F2, 0x42F3, 0x4282, 0x4287, 0x4285, 0x4281}},
    Master{0x4281, {0x4283, 0x4284}},
    Master{kSegment, {0x114D9B74, kInfo, kTracks, kCues, 0x1941A469, 0x1043A770, kTags, kCluster}},
    Master{0x114D9B74, {0x4DBB}},
    Master{0x4DBB, {0x53AB, 0x53AC}},
    Master{kInfo,
           {0x73A4, 0x7384, 0x3CB923, 0x3C83AB, 0x3EB923, 0x3E83BB, 0x4444, 0x6924, 0x2AD7B1,
            0x4489, 0x4461, 0x7BA9, 0x4D80, 0x5741}},
    Master{0x6924, {0x69A5, 0x69BF, 0x69FC}},
    Master{kTracks, {kTrackEntry}},
    Master{kTrackEntry,
           {0xD7,     0x73C5,   0x83,     0xB9,     0x88,     0x55AA,   0x55AB,   0x55AC,   0x55AD,
            0x55AE,   0x55AF,   0x9C,     0x6DE7,   0x6DF8,   0x23E383, 0x234E7A, 0x23314F, 0x537F,
            0x55EE,   0x41E4,   0x536E,   0x22B59C, 0x22B59D, 0x86,     0x63A2,   0x258688, 0x7446,
            0x3A9697, 0x3B4040, 0x26B240, 0xAA,     0x6FAB,   0x56AA,   0x56BB,   0x6624,   0xE0,
            0xE1,     0xE2,     0xC0,     0xC1,     0xC6,     0xC7,     0xC4,     0x6D80}},
    Master{0x41E4, {0x41F0, 0x41A4, 0x41E7, 0x41ED}},
    Master{0x6624, {0x66A5, 0x66BF, 0x66FC}},
    Master{0xE0,
           {0x9A,   0x9D,   0x53B8, 0x53C0, 0x53B9, 0xB0,     0xBA,     0x54AA,   0x54BB, 0x54CC,
            0x54DD, 0x54B0, 0x54BA, 0x54B2, 0x54B3, 0x2EB524, 0x2FB523, 0x2383E3, 0x55B0, 0x7670}},
    Master{0x55B0,
           {0x55B1, 0x55B2, 0x55B3, 0x55B4, 0x55B5, 0x55B6, 0x55B7, 0x55B8, 0x55B9, 0x55BA, 0x55BB,
            0x55BC, 0x55BD, 0x55D0}},
    Master{0x55D0,
           {0x55D1, 0x55D2, 0x55D3, 0x55D4, 0x55D5, 0x55D6, 0x55D7, 0x55D8, 0x55D9, 0x55DA}},
    Master{0x7670, {0x7671, 0x7672, 0x7673, 0x7674, 0x7675}},
    Master{0xE1, {0xB5, 0x78B5, 0x9F, 0x7D7B, 0x6264, 0x52F1}},
    Master{0xE2, {0xE3, 0xE9}},
    Master{0xE3, {0xE4}},
    Master{0xE4, {0xE5, 0xE6}},
    Master{0xE9, {0xED}},
    Master{0x6D80, {0x6240}},
    Master{0x6240, {0x5031, 0x5032, 0x5033, 0x5034, 0x5035}},
    Master{0x5034, {0x4254, 0x4255}},
    Master{0x5035, {0x47E1, 0x47E2, 0x47E7, 0x47E3, 0x47E4, 0x47E5, 0x47E6}},
    Master{0x47E7, {0x47E8}},
    Master{kCues, {0xBB}},
    Master{0xBB, {0xB3, 0xB7}},
    Master{0xB7, {0xF7, 0xF1, 0xF0, 0xB2, 0x5378, 0xEA, 0xDB}},
    Master{0xDB, {0x96, 0x97, 0x535F, 0xEB}},
    Master{0x1941A469, {0x61A7}},
    Master{0x61A7, {0x467E, 0x466E, 0x4660, 0x465C, 0x46AE, 0x4675, 0x4661, 0x4662}},
    Master{0x1043A770, {0x45B9}},
    Master{0x45B9, {0x45BC, 0x45BD, 0x45DB, 0x45DD, 0x4520, 0xB6}},
    Master{0x4520, {0x4521, 0x45E4}},
    Master{0xB6,
           {0x73C4, 0x5654, 0x91, 0x92, 0x98, 0x4598, 0x6E67, 0x4588, 0x6EBC, 0x63C3, 0x8F, 0x80,
            0x6944, 0xB6}},
    Master{0x8F, {0x89}},
    Master{0x80, {0x85, 0x437C, 0x437D, 0x437E}},
    Master{0x6944, {0x6955, 0x450D, 0x6911}},
    Master{0x6911, {0x6922, 0x6933}},
    Master{kTags, {0x7373}},
    Master{0x7373, {0x63C0, 0x67C8}},
    Master{0x63C0, {0x68CA, 0x63CA, 0x63C5, 0x63C9, 0x63C4, 0x63C6}},
    Master{0x67C8, {0x45A3, 0x447A, 0x447B, 0x4484, 0x44B4, 0x4487, 0x4485, 0x67C8}},
    Master{kCluster, {kTimestamp, 0x5854, 0xA7, 0xAB, kSimpleBlock, kBlockGroup}},
    Master{0x5854, {0x58D7}},
    Master{kBlockGroup, {kBlock, 0xA2, 0x75A1, 0x9B, 0xFA, 0xFB, 0xFD, 0xA4, 0x75A2, 0x8E, 0xC8}},
    Master{0x75A1, {0xA6}},
    Master{0xA6, {0xEE, 0xA5}},
    Master{0x8E, {0xE8}},
    Master{0xE8, {0xCC, 0xCD, 0xCB, 0xCE, 0xCF}},
    Master{0xC8, {0xC9, 0xCA}},
};

bool has(const Master& master, std::uint32_t id) {
    return id != 0 && std::ranges::find(master.parts, id) != master.parts.end();
}

}  // namespace

Element read_element(FileCursor& cursor) {
    Element element;
    element.at = cursor.at();
    const std::uint8_t first = cursor.u8();
    const int id_bytes = std::countl_zero(first) + 1;
    if (id_bytes > 4 || cursor.ended()) return element;
    const auto rest = static_cast<std::uint32_t>(cursor.big(id_bytes - 1));
    const std::uint8_t length = cursor.u8();
    const int size_bytes = std::countl_zero(length) + 1;
    if (size_bytes > 8) return element;
    const std::uint64_t tail = cursor.big(size_bytes - 1);
    if (cursor.ended()) return element;
    const int tail_bits = 8 * (size_bytes - 1);
    const std::uint64_t head = length & (0xFFU >> static_cast<unsigned>(size_bytes));
    const std::uint64_t size = (head << static_cast<unsigned>(tail_bits)) | tail;
    const std::uint64_t all_ones = (1ULL << static_cast<unsigned>(7 * size_bytes)) - 1;
    element.id = (std::uint32_t{first} << static_cast<unsigned>(8 * (id_bytes - 1))) | rest;
    element.data = cursor.at();
    // No file reaches 2^48 bytes; larger sizes would overflow sums of offsets.
    if (size != all_ones)
        element.size = static_cast<std::int64_t>(std::min<std::uint64_t>(size, 1ULL << 48U));
    return element;
}

std::optional<std::uint64_t> read_number(FileCursor& cursor) {
    const std::uint8_t head = cursor.u8();
    const int bytes = std::countl_zero(head) + 1;
    if (bytes > 8 || cursor.ended()) return std::nullopt;
    const std::uint64_t top = head & (0xFFU >> static_cast<unsigned>(bytes));
    return (top << static_cast<unsigned>(8 * (bytes - 1))) | cursor.big(bytes - 1);
}

std::uint64_t read_unsigned(FileCursor& cursor, const Element& element) {
    cursor.go(element.data);
    return element.size > 8 ? 0 : cursor.big(static_cast<int>(element.size));
}

bool belongs(std::uint32_t id, std::uint32_t parent) {
    if (id == kVoid || id == kCrc) return true;
    return std::ranges::any_of(kMasters,
                               [&](const Master& row) { return row.id == parent && has(row, id); });
}

bool is_known(std::uint32_t id) {
    return id == kVoid || id == kCrc ||
           std::ranges::any_of(kMasters, [&](const Master& row) { return has(row, id); });
}

bool is_master(std::uint32_t id) {
    return std::ranges::any_of(kMasters, [&](const Master& row) { return row.id == id; });
}

}  // namespace weft::matroska
