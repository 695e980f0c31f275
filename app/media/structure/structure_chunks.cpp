// IVF and Ogg (RFC 3533): chains of frames and pages.
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
#include "app/media/structure/structure.h"

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

namespace {

// The pages of one stream so far.
struct OggStream {
    std::uint32_t next = 0;    // the number of its next page
    bool open_packet = false;  // the last page ended inside a packet
    bool ended = false;
};

constexpr unsigned kContinues = 0x01;
constexpr unsigned kBegins = 0x02;
constexpr unsigned kEnds = 0x04;

bool ends_inside_packet(const std::vector<std::uint8_t>& page) {
    return page[kOggHeader + page[26] - 1U] == 255;
}

// A clause on what the page contradicts, or nothing. libav drops packets of such pages.
std::string contradiction_of(const std::vector<std::uint8_t>& page, bool known,
                             const OggStream& stream) {
    const unsigned flags = page[5];
    if (page[4] != 0) return "has an unknown version";
    if (known == ((flags & kBegins) != 0))
        return known ? "begins a stream again" : "belongs to a stream that has not begun";
    if (((flags & kContinues) != 0) != stream.open_packet)
        return "and the one before it disagree about a packet that both share";
    if (stream.ended) return "follows the end of its stream";
    return "";
}

}  // namespace

StructureReport check_ogg(const InputFile& file) {
    std::map<std::uint32_t, OggStream> streams;
    StructureReport report;
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
        const auto [found, is_new] = streams.try_emplace(little32(page.bytes, 14));
        OggStream& stream = found->second;
        if (!is_new && sequence > stream.next)
            return problem_at(at, fmt::format("Ogg pages are missing before byte {}", at));
        const std::string what = contradiction_of(page.bytes, !is_new, stream);
        if (!what.empty() && report.doubt.empty())
            report.doubt = fmt::format("the Ogg page at byte {} {}", at, what);
        stream.next = sequence + 1;
        if (page.bytes[26] > 0) stream.open_packet = ends_inside_packet(page.bytes);
        stream.ended = (page.bytes[5] & kEnds) != 0;
        at += static_cast<std::int64_t>(page.bytes.size());
    }
    const bool all = std::all_of(streams.begin(), streams.end(),
                                 [](const auto& one) { return one.second.ended; });
    if (all) report.proof = "the end marks of its streams";
    return report;
}

}  // namespace weft
