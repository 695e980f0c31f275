// MPEG transport and program streams (ISO/IEC 13818-1): torn packets and gaps.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/media/demux/file_cursor.h"
#include "app/media/structure/structure.h"

namespace weft {

namespace {

struct TsLayout {
    std::int64_t begin = 0;  // the first packet's sync byte
    std::int64_t step = 0;
};

constexpr unsigned kSync = 0x47;

bool in_sync(FileCursor& cursor, std::int64_t begin, std::int64_t step, std::int64_t size) {
    for (std::int64_t at = begin, n = 0; n < 8 && at < size; at += step, ++n) {
        cursor.go(at);
        if (cursor.u8() != kSync) return false;
    }
    return begin < size;
}

// 188 bytes per packet; 192 with a time code, 204 with error correction. A recording may start
// inside a packet.
std::optional<TsLayout> find_layout(FileCursor& cursor, std::int64_t size) {
    for (std::int64_t begin = 0; begin < 204; ++begin)
        for (std::int64_t step : {188, 192, 204})
            if (in_sync(cursor, begin, step, size)) return TsLayout{begin, step};
    return std::nullopt;
}

struct Pid {
    int counter = -1;
    bool carries_pes = false;
    std::int64_t owed = 0;  // bytes still announced by its last PES packet
};

struct TsPacket {
    bool sync = false;
    bool broken = false;  // the transport error bit
    bool starts_unit = false;
    bool has_payload = false;
    bool announced_gap = false;
    bool starts_pes = false;
    std::int64_t pes_bytes = 0;  // announced; 0 if video leaves it unspecified
    std::int64_t payload_bytes = 0;
    std::size_t pid = 0;
    int counter = 0;
};

TsPacket read_ts_packet(FileCursor& cursor) {
    const std::int64_t at = cursor.at();
    TsPacket packet;
    packet.sync = cursor.u8() == kSync;
    const auto word = static_cast<unsigned>(cursor.big(2));
    const unsigned control = cursor.u8();
    packet.broken = (word & 0x8000U) != 0;
    packet.starts_unit = (word & 0x4000U) != 0;
    packet.pid = word & 0x1FFFU;
    packet.has_payload = (control & 0x10U) != 0;
    packet.counter = static_cast<int>(control & 0xFU);
    if ((control & 0x20U) != 0) {
        const int length = cursor.u8();
        const std::int64_t payload = cursor.at() + length;
        packet.announced_gap = length > 0 && (cursor.u8() & 0x80U) != 0;
        cursor.go(payload);
    }
    packet.payload_bytes = packet.has_payload ? at + 188 - cursor.at() : 0;
    packet.starts_pes = packet.starts_unit && packet.has_payload && cursor.big(3) == 1;
    cursor.skip(1);
    const auto length = static_cast<std::int64_t>(cursor.big(2));
    packet.pes_bytes = packet.starts_pes && length > 0 ? length + 6 : 0;
    return packet;
}

// A jump at the start of a unit may be a splice of two recordings; inside a unit, bytes are lost.
bool lost_bytes(const TsPacket& packet, Pid& pid) {
    constexpr std::size_t kNullPid = 0x1FFF;
    if (!packet.has_payload || packet.pid == kNullPid) return false;
    pid.carries_pes = pid.carries_pes || packet.starts_pes;
    if (packet.starts_pes) pid.owed = packet.pes_bytes;
    if (packet.counter != pid.counter) pid.owed -= packet.payload_bytes;
    const int before = std::exchange(pid.counter, packet.counter);
    const bool follows = packet.counter == ((before + 1) & 0xF) || packet.counter == before;
    return before >= 0 && !follows && !packet.announced_gap && !packet.starts_unit &&
           pid.carries_pes;
}

// Length of the pack header at the cursor, which is after its start code; 0 if it is not one.
std::int64_t pack_header_bytes(FileCursor& cursor) {
    const std::int64_t at = cursor.at();
    const unsigned first = cursor.u8();
    if ((first & 0xF0U) == 0x20U) return 8;  // MPEG-1
    if ((first & 0xC0U) != 0x40U) return 0;
    cursor.go(at + 9);
    return 10 + (cursor.u8() & 7U);
}

// The position of the first pack header; the file's size if the file has none.
std::int64_t find_pack(FileCursor& cursor, std::int64_t size) {
    std::uint32_t word = 0xFFFFFFFFU;
    while (cursor.at() < size) {
        word = word << 8U | cursor.u8();
        if (word == 0x1BAU) return cursor.at() - 4;
    }
    return size;
}

}  // namespace

StructureReport check_mpegts(const InputFile& file) {
    FileCursor cursor(file);
    const auto layout = find_layout(cursor, file.size());
    if (!layout) return {};
    std::vector<Pid> pids(0x2000);
    std::int64_t at = layout->begin;
    for (; at + 188 <= file.size(); at += layout->step) {
        cursor.go(at);
        const TsPacket packet = read_ts_packet(cursor);
        if (!packet.sync)
            return problem_at(at, fmt::format("no transport packet begins at byte {}", at));
        if (packet.broken)
            return problem_at(at, fmt::format("the packet at byte {} is marked as broken", at));
        if (lost_bytes(packet, pids[packet.pid]))
            return problem_at(at, fmt::format("packets are missing before byte {}", at));
    }
    const bool open = std::any_of(pids.begin(), pids.end(),
                                  [](const Pid& pid) { return pid.carries_pes && pid.owed > 0; });
    if (at < file.size() || open)
        return problem_at(file.size(),
                          fmt::format("the file ends inside a packet, at byte {}", file.size()));
    return {};
}

// Zero bytes between packets are padding.
StructureReport check_mpegps(const InputFile& file) {
    FileCursor cursor(file);
    cursor.go(find_pack(cursor, file.size()));
    while (cursor.left() >= 4) {
        const std::int64_t at = cursor.at();
        const std::uint32_t code = cursor.big32();
        if (code <= 0xFFU) {
            cursor.go(at + 1);
            continue;
        }
        std::int64_t length = 0;
        if (code == 0x1BAU)
            length = pack_header_bytes(cursor);
        else if (code >= 0x1BBU && code <= 0x1FFU)
            length = static_cast<std::int64_t>(cursor.big(2)) + 2;
        if (length == 0 && code != 0x1B9U)
            return problem_at(at, fmt::format("no packet begins at byte {}", at));
        if (at + 4 + length > file.size())
            return problem_at(
                file.size(), fmt::format("the file ends inside a packet, at byte {}", file.size()));
        cursor.go(at + 4 + length);
    }
    return {};
}

}  // namespace weft
