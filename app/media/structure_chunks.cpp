// FLV, IVF, ASF, Ogg (RFC 3533) and NUT: chains of tags, frames and pages.
#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <vector>

#include <fmt/format.h>

extern "C" {
#include <libavutil/crc.h>
}

#include "app/media/file_cursor.h"
#include "app/media/structure.h"

namespace weft {

namespace {

StructureReport problem_at(std::int64_t byte, std::string sentence) {
    StructureReport report;
    report.problem = std::move(sentence);
    report.byte = byte;
    return report;
}

StructureReport cut(const InputFile& file, std::string_view inside) {
    return problem_at(file.size(),
                      fmt::format("the file ends inside {}, at byte {}", inside, file.size()));
}

// The whole page at `at`, header first; shorter than its size at the end of the file.
struct OggPage {
    std::vector<std::uint8_t> bytes;
    bool whole = false;
};

constexpr std::size_t kOggHeader = 27;

OggPage read_page(const InputFile& file, std::int64_t at) {
    OggPage page;
    page.bytes.resize(kOggHeader + 255);
    page.bytes.resize(file.read_at(at, page.bytes));
    if (page.bytes.size() < kOggHeader) return page;
    const std::size_t segments = page.bytes[26];
    std::size_t size = kOggHeader + segments;
    for (std::size_t i = 0; i < segments && kOggHeader + i < page.bytes.size(); ++i)
        size += page.bytes[kOggHeader + i];
    page.bytes.resize(size);
    const std::size_t got = file.read_at(at, page.bytes);
    page.bytes.resize(got);
    page.whole = got == size;
    return page;
}

std::uint32_t little32(const std::vector<std::uint8_t>& bytes, std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof(value));
    return value;
}

// The checksum is computed with its own field as zero.
bool page_is_sound(std::vector<std::uint8_t>& bytes) {
    const std::uint32_t stored = little32(bytes, 22);
    std::fill_n(bytes.begin() + 22, 4, std::uint8_t{0});
    const AVCRC* table = av_crc_get_table(AV_CRC_32_IEEE);
    return __builtin_bswap32(av_crc(table, 0, bytes.data(), bytes.size())) == stored;
}

// A GUID's place in the file's first 64 KiB, where ASF keeps its header; -1: not there.
std::int64_t find_bytes(const InputFile& file, std::span<const std::uint8_t> wanted,
                        std::int64_t from, std::int64_t bytes) {
    std::vector<std::uint8_t> window(static_cast<std::size_t>(bytes));
    window.resize(file.read_at(from, window));
    const auto found = std::search(window.begin(), window.end(), wanted.begin(), wanted.end());
    return found == window.end() ? -1 : from + (found - window.begin());
}

}  // namespace

// Tags: type, size, time; then the tag's size again, which some writers leave wrong.
StructureReport check_flv(const InputFile& file) {
    FileCursor cursor(file, 5);
    cursor.go(cursor.big32() + 4LL);
    while (cursor.left() > 0) {
        const std::int64_t at = cursor.at();
        const unsigned type = cursor.u8() & 0x1FU;
        const auto size = static_cast<std::int64_t>(cursor.big(3));
        if (type != 8 && type != 9 && type != 18)
            return problem_at(at, fmt::format("no FLV tag begins at byte {}", at));
        if (at + 11 + size > file.size()) return cut(file, "a tag");
        cursor.go(at + 11 + size + 4);
    }
    return {};
}

StructureReport check_ivf(const InputFile& file) {
    FileCursor cursor(file, 6);
    cursor.go(
        static_cast<std::int64_t>(__builtin_bswap16(static_cast<std::uint16_t>(cursor.big(2)))));
    while (cursor.left() > 0) {
        const std::int64_t at = cursor.at();
        const std::int64_t size = cursor.little32();
        if (at + 12 + size > file.size()) return cut(file, "a frame");
        cursor.go(at + 12 + size);
    }
    return {};
}

// Data packets have one size, stated in the File Properties object, and begin alike: what stands
// in their place after a hole does not.
StructureReport check_asf(const InputFile& file) {
    constexpr std::array<std::uint8_t, 16> kFileProperties = {0xA1, 0xDC, 0xAB, 0x8C, 0x47, 0xA9,
                                                              0xCF, 0x11, 0x8E, 0xE4, 0x00, 0xC0,
                                                              0x0C, 0x20, 0x53, 0x65};
    constexpr std::array<std::uint8_t, 16> kData = {0x36, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11,
                                                    0xA6, 0xD9, 0x00, 0xAA, 0x00, 0x62, 0xCE, 0x6C};
    constexpr std::uint32_t kIndex = 0x90080033;  // how the Simple Index object's GUID begins
    const std::int64_t properties = find_bytes(file, kFileProperties, 0, 64 << 10);
    const std::int64_t data = find_bytes(file, kData, 0, 64 << 10);
    if (properties < 0 || data < 0) return {};
    FileCursor cursor(file, properties + 92);
    const std::int64_t step = cursor.little32();
    cursor.go(data + 40);
    auto count = static_cast<std::int64_t>(__builtin_bswap64(cursor.big(8)) & INT64_MAX);
    cursor.skip(2);
    if (step == 0 || count > (INT64_MAX >> 33)) return {};
    const std::int64_t begin = cursor.at();
    // A live stream counts nothing: its packets go on to the index, if any, or the file's end.
    const bool live = count == 0;
    if (live) count = (file.size() - begin + step - 1) / step;
    const std::uint32_t start = cursor.big32() >> 8U;
    for (std::int64_t n = 1; n < count && begin + n * step < file.size(); ++n) {
        cursor.go(begin + n * step);
        const std::uint32_t word = cursor.big32();
        if (live && word == kIndex) return {};
        if (word >> 8U != start)
            return problem_at(begin + n * step,
                              fmt::format("no packet begins at byte {}", begin + n * step));
    }
    if (begin + count * step <= file.size()) return {};
    StructureReport report = cut(file, "the data");
    report.only_if_short = true;
    return report;
}

StructureReport check_ogg(const InputFile& file) {
    std::map<std::uint32_t, std::uint32_t> next_of_stream;
    for (std::int64_t at = 0; at < file.size();) {
        OggPage page = read_page(file, at);
        const bool begins = page.bytes.size() >= 4 &&
                            std::equal(page.bytes.begin(), page.bytes.begin() + 4, "OggS");
        if (!begins && file.size() - at >= 4)
            return problem_at(at, fmt::format("no Ogg page begins at byte {}", at));
        if (!page.whole) return cut(file, "a page");
        if (!page_is_sound(page.bytes))
            return problem_at(at, fmt::format("the Ogg page at byte {} has a wrong checksum", at));
        const std::uint32_t sequence = little32(page.bytes, 18);
        const auto [next, is_new] = next_of_stream.emplace(little32(page.bytes, 14), sequence);
        if (sequence > next->second)
            return problem_at(at, fmt::format("Ogg pages are missing before byte {}", at));
        next->second = sequence + 1;
        at += static_cast<std::int64_t>(page.bytes.size());
    }
    return {};
}

// libav closes every NUT file, streamed ones too, with an index behind the last packet. Whether a
// file that ends without one lost packets cannot be told from the rest of it.
StructureReport check_nut(const InputFile& file, ByteRange range) {
    constexpr std::array<std::uint8_t, 8> kIndex = {0x4E, 0x58, 0xDD, 0x67, 0x2F, 0x23, 0xE6, 0x4E};
    const std::int64_t tail = std::min<std::int64_t>(file.size() - range.end, 16 << 20);
    if (range.end <= 0 || tail < 0 || find_bytes(file, kIndex, range.end, tail) >= 0) return {};
    return problem_at(file.size(), fmt::format("the file ends at byte {}, without the index that "
                                               "closes a NUT file",
                                               file.size()));
}

}  // namespace weft
