// ASF (WMV, WMA): data packets of constant size, each with numbered parts of pictures and audio.
// libav drops packet contents that it cannot read without an error.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/media/demux/file_cursor.h"
#include "app/media/structure/structure.h"

namespace weft {

namespace {

constexpr std::int64_t kMostHeader = 4 << 20;

// The position of a GUID in the file's first 64 KiB, where ASF keeps its header; -1: not found.
std::int64_t find_guid(const InputFile& file, std::span<const std::uint8_t> wanted) {
    std::vector<std::uint8_t> window(64 << 10);
    window.resize(file.read_at(0, window));
    const auto found = std::search(window.begin(), window.end(), wanted.begin(), wanted.end());
    return found == window.end() ? -1 : found - window.begin();
}

// ASF numbers are little-endian and 0, 1, 2 or 4 bytes long; two bits encode the length.
struct Number {
    std::uint32_t value = 0;
    std::uint32_t limit = 0;  // one more than the maximum; 0: 2^32
};

Number number(FileCursor& cursor, unsigned type) {
    switch (type & 3U) {
        case 1:
            return {cursor.u8(), 0x100};
        case 2:
            return {__builtin_bswap16(static_cast<std::uint16_t>(cursor.big(2))), 0x10000};
        case 3:
            return {cursor.little32(), 0};
        default:
            return {};
    }
}

// A picture or a piece of audio, which may be split across packets.
struct Object {
    std::uint32_t number = 0;
    std::int64_t size = 0;
    std::int64_t seen = 0;
    bool counted = false;  // whether its size is known
    bool misnumbered = false;
};

class AsfWalk {
 public:
    AsfWalk(const InputFile& file, std::int64_t step) : cursor_(file), step_(step) {}

    // Whether all parts so far belong to streams that the header describes.
    bool all_known(const std::set<unsigned>& streams) const {
        return std::ranges::all_of(objects_,
                                   [&](const auto& one) { return streams.contains(one.first); });
    }

    // Whether a number is wrong, although those after it show that nothing is missing.
    bool has_odd_number() const { return has_odd_number_; }
    // Whether the last number of a stream is wrong.
    bool ends_with_odd_number() const {
        return std::ranges::any_of(objects_,
                                   [](const auto& one) { return one.second.misnumbered; });
    }

    // Whether something follows the last part of a packet that is not padding.
    bool has_rest() const { return has_rest_; }

    // Whether the last object of each stream is whole.
    bool all_whole() const {
        return std::ranges::all_of(objects_, [](const auto& one) {
            return !one.second.counted || one.second.seen == one.second.size;
        });
    }

    // False if the packet is invalid or something is missing before one of its parts.
    bool pass_packet(std::int64_t at) {
        cursor_.go(at);
        end_ = at + step_;
        const unsigned correction = cursor_.u8();
        if ((correction & 0x80U) != 0)
            cursor_.skip(correction & 0xFU);
        else
            cursor_.go(at);
        const unsigned lengths = cursor_.u8();
        properties_ = cursor_.u8();
        const std::uint32_t length = number(cursor_, lengths >> 5U).value;
        number(cursor_, lengths >> 1U);
        const std::uint32_t padding = number(cursor_, lengths >> 3U).value;
        cursor_.skip(6);  // time and duration
        if (length != 0 && length <= step_) end_ = at + length;
        end_ -= padding;
        const bool several = (lengths & 1U) != 0;
        const unsigned counted = several ? cursor_.u8() : 1;
        for (unsigned n = counted & 0x3FU; n > 0; --n)
            if (!pass_payload(several ? counted >> 6U : 0)) return false;
        const bool sound = cursor_.at() <= end_;
        while (cursor_.at() < end_) has_rest_ = cursor_.u8() != 0 || has_rest_;
        return sound;
    }

 private:
    // `length_type` 0: the payload fills the packet.
    bool pass_payload(unsigned length_type) {
        const unsigned stream = cursor_.u8() & 0x7FU;
        const Number object = number(cursor_, properties_ >> 4U);
        const std::uint32_t offset = number(cursor_, properties_ >> 2U).value;
        const std::uint32_t replicated = number(cursor_, properties_).value;
        const bool packed = replicated == 1;
        const std::int64_t extra = cursor_.at();
        const std::int64_t size = replicated >= 8 ? cursor_.little32() : 0;
        cursor_.go(extra + replicated);
        const std::int64_t length =
            length_type == 0 ? end_ - cursor_.at() : number(cursor_, length_type).value;
        const std::int64_t begin = cursor_.at();
        if (length < 0 || begin + length > end_) return false;
        cursor_.go(begin + length);
        return packed
                   ? pass_packed(stream, object, begin, begin + length)
                   : follows(stream, object, {object.value, size, length, replicated >= 8}, offset);
    }

    // Several small objects, each preceded by its length in one byte.
    bool pass_packed(unsigned stream, Number first, std::int64_t begin, std::int64_t end) {
        std::uint32_t next = first.value;
        for (cursor_.go(begin); cursor_.at() < end; ++next) {
            const std::int64_t length = cursor_.u8();
            cursor_.skip(length);
            const std::uint32_t value = first.limit == 0 ? next : next % first.limit;
            if (!follows(stream, first, {value, length, length, true}, 0)) return false;
        }
        return cursor_.at() == end;
    }

    // Objects of a stream are numbered upwards, and the parts of each are consecutive. A number is
    // wrong rather than those before it missing if the next continues the others.
    bool follows(unsigned stream, Number number, const Object& part, std::uint32_t offset) {
        const auto found = objects_.find(stream);
        if (found == objects_.end()) {
            objects_.emplace(stream,
                             Object{part.number, part.size, offset + part.seen, part.counted});
            return true;
        }
        Object& last = found->second;
        if (offset != 0) {
            const bool same =
                offset == last.seen && (!part.counted || !last.counted || part.size == last.size);
            last.misnumbered = last.misnumbered || part.number != last.number;
            has_odd_number_ = has_odd_number_ || last.misnumbered;
            last.seen += part.seen;
            return same;
        }
        const bool whole = !last.counted || last.seen == last.size;
        const std::uint32_t next =
            number.limit == 0 ? last.number + 1 : (last.number + 1) % number.limit;
        const bool in_order = (number.limit == 0 && number.value == 0) || part.number == next;
        const bool again = !in_order && last.misnumbered;
        has_odd_number_ = has_odd_number_ || !in_order;
        last = part;
        last.number = in_order ? part.number : next;
        last.misnumbered = !in_order;
        return whole && !again;
    }

    FileCursor cursor_;
    std::int64_t step_;
    std::int64_t end_ = 0;
    unsigned properties_ = 0;
    bool has_rest_ = false;
    bool has_odd_number_ = false;
    std::map<unsigned, Object> objects_;
};

constexpr std::int64_t kDataHeader = 50;

// The position of the data packets; no step: the file cannot be checked.
struct AsfData {
    std::int64_t begin = 0;
    std::int64_t size = 0;        // all of them and the header before them
    std::int64_t step = 0;        // the smallest size, which is also the largest
    std::int64_t other_step = 0;  // the largest, which libav uses
    std::int64_t count = 0;
    bool live = false;  // no count: packets continue up to the index, if any, or the file's end
};

// The numbers of the streams that the header describes.
std::set<unsigned> find_streams(const InputFile& file, std::int64_t end) {
    constexpr std::array<std::uint8_t, 16> kStream = {0x91, 0x07, 0xDC, 0xB7, 0xB7, 0xA9,
                                                      0xCF, 0x11, 0x8E, 0xE6, 0x00, 0xC0,
                                                      0x0C, 0x20, 0x53, 0x65};
    constexpr std::size_t kFlags = 16 + 8 + 16 + 16 + 8 + 4 + 4;
    std::vector<std::uint8_t> header(static_cast<std::size_t>(std::min(end, kMostHeader)));
    header.resize(file.read_at(0, header));
    std::set<unsigned> streams;
    auto at = std::search(header.begin(), header.end(), kStream.begin(), kStream.end());
    while (header.end() - at > static_cast<std::ptrdiff_t>(kFlags)) {
        streams.insert(*(at + kFlags) & 0x7FU);
        at = std::search(at + 1, header.end(), kStream.begin(), kStream.end());
    }
    return streams;
}

AsfData find_data(const InputFile& file) {
    constexpr std::array<std::uint8_t, 16> kFileProperties = {0xA1, 0xDC, 0xAB, 0x8C, 0x47, 0xA9,
                                                              0xCF, 0x11, 0x8E, 0xE4, 0x00, 0xC0,
                                                              0x0C, 0x20, 0x53, 0x65};
    constexpr std::array<std::uint8_t, 16> kData = {0x36, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11,
                                                    0xA6, 0xD9, 0x00, 0xAA, 0x00, 0x62, 0xCE, 0x6C};
    const std::int64_t properties = find_guid(file, kFileProperties);
    const std::int64_t data = find_guid(file, kData);
    if (properties < 0 || data < 0) return {};
    AsfData found;
    FileCursor cursor(file, properties + 92);
    found.step = cursor.little32();
    found.other_step = cursor.little32();
    cursor.go(data + 16);
    found.size = static_cast<std::int64_t>(__builtin_bswap64(cursor.big(8)) & INT64_MAX);
    cursor.go(data + 40);
    found.count = static_cast<std::int64_t>(__builtin_bswap64(cursor.big(8)) & INT64_MAX);
    cursor.skip(2);
    found.begin = cursor.at();
    if (found.step == 0 || found.count > (INT64_MAX >> 33)) return {};
    found.live = found.count == 0;
    if (found.live) found.count = (file.size() - found.begin + found.step - 1) / found.step;
    return found;
}

}  // namespace

// Data packets have the size stated in the File Properties object, and the same first bytes.
StructureReport check_asf(const InputFile& file) {
    constexpr std::uint32_t kIndex = 0x90080033;  // how the Simple Index object's GUID begins
    const AsfData data = find_data(file);
    if (data.step == 0) return {};
    AsfWalk walk(file, data.step);
    FileCursor cursor(file, data.begin);
    const std::uint32_t start = cursor.big32() >> 8U;
    std::int64_t at = data.begin;
    for (std::int64_t n = 0; n < data.count && at < file.size(); ++n) {
        cursor.go(at);
        const std::uint32_t word = cursor.big32();
        if (data.live && word == kIndex) return {};
        if (at + data.step > file.size()) break;
        if (word >> 8U != start)
            return problem_at(at, fmt::format("no packet begins at byte {}", at));
        if (!walk.pass_packet(at))
            return problem_at(at, fmt::format("the packet at byte {} is broken, or parts are "
                                              "missing before it",
                                              at));
        at += data.step;
    }
    StructureReport report;
    if (data.begin + data.count * data.step > file.size()) {
        report = problem_at(file.size(),
                            fmt::format("the file ends inside the data, at byte {}", file.size()));
        report.only_if_short = true;
    } else if (!data.live) {
        report.proof = "the packet count in its header";
    }
    if (report.problem.empty() && walk.ends_with_odd_number())
        return problem_at(at, "parts are missing at the end of the data");
    if (!walk.all_known(find_streams(file, data.begin)))
        report.doubt = "some of its packets belong to streams that its header does not describe";
    else if (!walk.all_whole())
        report.doubt = "a part is missing at its end";
    else if (walk.has_odd_number())
        report.doubt = "some of its parts have a wrong number";
    else if (walk.has_rest())
        report.doubt = "some of its packets have more parts than they state";
    else if (data.other_step != data.step)
        report.doubt = "its header states two sizes of packets";
    else if (!data.live && data.size != kDataHeader + data.count * data.step)
        report.doubt = "the number of its packets contradicts their size";
    return report;
}

}  // namespace weft
