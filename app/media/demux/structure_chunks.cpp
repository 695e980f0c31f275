// FLV, IVF, RealMedia and Ogg (RFC 3533): chains of tags, frames, packets and pages.
#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <vector>

#include <fmt/format.h>

extern "C" {
#include <libavutil/crc.h>
}

#include "app/media/demux/file_cursor.h"
#include "app/media/demux/structure.h"

namespace weft {

namespace {

StructureReport cut(const InputFile& file, std::string_view inside) {
    return problem_at(file.size(),
                      fmt::format("the file ends inside {}, at byte {}", inside, file.size()));
}

// The whole page at `at`, including its header; truncated at the end of the file.
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

// The checksum is computed with its own field set to zero.
bool page_is_sound(std::vector<std::uint8_t>& bytes) {
    const std::uint32_t stored = little32(bytes, 22);
    std::fill_n(bytes.begin() + 22, 4, std::uint8_t{0});
    const AVCRC* table = av_crc_get_table(AV_CRC_32_IEEE);
    return __builtin_bswap32(av_crc(table, 0, bytes.data(), bytes.size())) == stored;
}

}  // namespace

// Tags: type, size, time; then the tag's size again, which some writers get wrong.
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

// The DATA chunk states the number of its packets: version, length, stream, time. An INDX chunk
// follows it.
StructureReport check_real_media(const InputFile& file) {
    FileCursor cursor(file);
    std::string id = cursor.text4();
    while (id != "DATA") {
        const std::int64_t size = cursor.big32();
        if (size < 10 || size > cursor.left() + 8) return {};
        cursor.skip(size - 8);
        id = cursor.text4();
    }
    cursor.skip(6);  // its size, which FFmpeg overstates, and version
    const std::int64_t promised = cursor.big32();
    cursor.skip(4);
    std::int64_t packets = 0;
    while (cursor.left() >= 12 && (promised == 0 || packets < promised)) {
        const std::int64_t at = cursor.at();
        const auto version = cursor.big(2);
        const auto length = static_cast<std::int64_t>(cursor.big(2));
        if (version > 1 && promised == 0) break;  // a live stream: its end is unknown
        if (version > 1 || length < 12)
            return problem_at(at, fmt::format("no packet begins at byte {}", at));
        if (at + length > file.size()) return cut(file, "a packet");
        cursor.go(at + length);
        ++packets;
    }
    if (packets < promised) return cut(file, "the data");
    StructureReport report;
    if (promised > 0) report.proof = "the packet count in its header";
    return report;
}

StructureReport check_ogg(const InputFile& file) {
    constexpr unsigned kEndOfStream = 0x04;
    std::map<std::uint32_t, std::uint32_t> next_of_stream;
    std::map<std::uint32_t, bool> ended;
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
        ended[next->first] = (page.bytes[5] & kEndOfStream) != 0;
        at += static_cast<std::int64_t>(page.bytes.size());
    }
    StructureReport report;
    const bool all =
        std::all_of(ended.begin(), ended.end(), [](const auto& one) { return one.second; });
    if (all) report.proof = "the end marks of its streams";
    return report;
}

}  // namespace weft
