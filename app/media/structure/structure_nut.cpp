// NUT: packets with checksums, and between them frames, whose headers form a chain. After a wrong
// byte in such a header libav skips to the next syncpoint without an error.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

extern "C" {
#include <libavutil/crc.h>
}

#include "app/media/demux/file_cursor.h"
#include "app/media/structure/structure.h"

namespace weft {

namespace {

constexpr std::int64_t kMagicBytes = 25;  // "nut/multimedia container" and a zero
constexpr std::uint64_t kMain = 0x4E4D7A561F5F04AD;
constexpr std::uint64_t kIndex = 0x4E58DD672F23E64E;
constexpr std::uint64_t kSyncpoint = 0x4E4BE4ADEECA4569;
// The unnamed ids: stream, info. libav skips packets of other kinds, and after a damaged
// syncpoint also the frames that follow it.
constexpr std::array<std::uint64_t, 5> kPackets = {kMain, kIndex, 0x4E5311405BF2F9DB, kSyncpoint,
                                                   0x4E49AB68B596BA78};
constexpr std::int64_t kMostShort = 4096;  // limit for packets and frames without a checksum

constexpr std::uint64_t kCodedPts = 1U << 3U;
constexpr std::uint64_t kStreamId = 1U << 4U;
constexpr std::uint64_t kSizeMsb = 1U << 5U;
constexpr std::uint64_t kChecksum = 1U << 6U;
constexpr std::uint64_t kReserved = 1U << 7U;
constexpr std::uint64_t kHeaderIndex = 1U << 10U;
constexpr std::uint64_t kMatchTime = 1U << 11U;
constexpr std::uint64_t kCoded = 1U << 12U;
constexpr std::uint64_t kInvalid = 1U << 13U;

// A FrameCode is the meaning of the first byte of a NUT frame, which has 256 possible values.
struct FrameCode {
    std::uint64_t flags = kInvalid;
    std::uint64_t size_factor = 0;
    std::uint64_t stream = 0;
    std::uint64_t size = 0;
    std::uint64_t reserved = 0;
    std::uint64_t header = 0;
};

std::uint64_t variable(FileCursor& cursor) {
    std::uint64_t value = 0;
    for (int n = 0; n < 10; ++n) {
        const unsigned byte = cursor.u8();
        value = value << 7U | (byte & 0x7FU);
        if ((byte & 0x80U) == 0) break;
    }
    return value;
}

class NutWalk {
 public:
    explicit NutWalk(const InputFile& file) : file_(file), cursor_(file, kMagicBytes) {}

    StructureReport walk() {
        while (!closed_ && cursor_.left() > 0) {
            const std::int64_t at = cursor_.at();
            const bool packet = cursor_.u8() == 'N';
            cursor_.go(at);
            const bool sound = packet ? pass_packet() : pass_frame();
            if (!sound && cursor_.at() <= file_.size()) return no_part(at);
            if (cursor_.at() > file_.size()) break;
        }
        if (!closed_) return no_index();
        StructureReport report;
        report.proof = "the index at its end";
        report.doubt = doubt_;
        return report;
    }

 private:
    StructureReport no_part(std::int64_t at) const {
        StructureReport report;
        report.problem = fmt::format("byte {} is not the beginning of a NUT packet", at);
        report.byte = at;
        return report;
    }

    // libav ends every NUT file, even a streamed one, with an index after the last packet. The rest
    // of a file does not show whether it lost packets.
    StructureReport no_index() const {
        StructureReport report;
        report.problem = fmt::format(
            "the file ends at byte {}, without the index that closes a NUT file", file_.size());
        report.byte = file_.size();
        return report;
    }

    // Start code, size, a checksum of both if the packet is long, content, checksum. A torn index
    // also closes a file: it follows the last frame.
    bool pass_packet() {
        const std::int64_t at = cursor_.at();
        const std::uint64_t code = cursor_.big(8);
        const auto size =
            static_cast<std::int64_t>(std::min<std::uint64_t>(variable(cursor_), kFar));
        closed_ = code == kIndex;
        if (closed_) return compare_index(at, size);
        if (size > kMostShort) cursor_.skip(4);
        const std::int64_t content = cursor_.at();
        const bool known = std::ranges::find(kPackets, code) != kPackets.end();
        if (!known || size < 4 || content + size > file_.size() ||
            (code == kSyncpoint && !points_back(at))) {
            cursor_.go(at + 1);
            return false;
        }
        syncpoints_ += code == kSyncpoint ? 1 : 0;
        if (code == kMain) read_main(content + size - 4);
        if (hides_others(code, content, size) && doubt_.empty())
            doubt_ = fmt::format("the NUT packet at byte {} contains others", at);
        const bool sound = checksum_fits(content, size);
        cursor_.go(content + size);
        return sound;
    }

    // Always true. The index lists the syncpoints, without which libav leaves out the frames after
    // them.
    bool compare_index(std::int64_t at, std::int64_t size) {
        if (size > kMostShort) cursor_.skip(4);
        const std::int64_t content = cursor_.at();
        if (size > file_.size() - content || !checksum_fits(content, size)) return true;
        cursor_.go(content);
        variable(cursor_);  // the end time
        const std::uint64_t listed = variable(cursor_);
        if (listed != syncpoints_ && doubt_.empty())
            doubt_ = fmt::format("the index at byte {} lists {} syncpoints instead of {}", at,
                                 listed, syncpoints_);
        return true;
    }

    // A syncpoint has a time and the distance to an earlier one. libav stops if that is too far.
    bool points_back(std::int64_t at) {
        constexpr std::uint64_t kUnit = 16;
        variable(cursor_);
        return variable(cursor_) <= static_cast<std::uint64_t>(at) / kUnit;
    }

    // Frames come after a syncpoint, which has three numbers at most and room for future ones.
    // Other packets with frames in them also have a syncpoint in them.
    bool hides_others(std::uint64_t code, std::int64_t content, std::int64_t size) {
        constexpr std::int64_t kMostOfSyncpoint = 64;
        if (code == kSyncpoint) return size > kMostOfSyncpoint;
        const std::vector<std::uint8_t> bytes = read(content, size);
        std::array<std::uint8_t, 8> start{};
        for (std::size_t n = 0; n < start.size(); ++n)
            start.at(n) = static_cast<std::uint8_t>(kSyncpoint >> (56 - 8 * n));
        return !std::ranges::search(bytes, start).empty();
    }

    // Shorter at the end of the file.
    std::vector<std::uint8_t> read(std::int64_t at, std::int64_t size) const {
        std::vector<std::uint8_t> bytes(static_cast<std::size_t>(size));
        bytes.resize(file_.read_at(at, bytes));
        return bytes;
    }

    bool checksum_fits(std::int64_t at, std::int64_t size) const {
        const std::vector<std::uint8_t> bytes = read(at, size);
        if (bytes.size() < static_cast<std::size_t>(size)) return false;
        return av_crc(av_crc_get_table(AV_CRC_32_IEEE), 0, bytes.data(), bytes.size()) == 0;
    }

    void read_main(std::int64_t end) {
        const std::uint64_t version = variable(cursor_);
        if (version > 3) variable(cursor_);  // minor version
        streams_ = variable(cursor_);
        max_distance_ = static_cast<std::int64_t>(std::min<std::uint64_t>(variable(cursor_), kFar));
        for (std::uint64_t left = std::min<std::uint64_t>(variable(cursor_), 1000); left > 0;
             --left) {
            variable(cursor_);
            variable(cursor_);
        }
        read_codes();
        headers_ = {0};
        if (end <= cursor_.at()) return;
        for (std::uint64_t left = std::min<std::uint64_t>(variable(cursor_), 127); left > 0;
             --left) {
            headers_.push_back(variable(cursor_));
            cursor_.skip(static_cast<std::int64_t>(std::min<std::uint64_t>(headers_.back(), kFar)));
        }
    }

    // Runs of codes that differ in their sizes. Omitted fields keep their values, except for size,
    // reserved and count.
    void read_codes() {
        codes_.fill({});
        FrameCode code;
        for (std::size_t next = 0; next < codes_.size() && !cursor_.ended();) {
            code.flags = variable(cursor_);
            const std::uint64_t fields = variable(cursor_);
            const auto field = [&](std::uint64_t number, std::uint64_t value) {
                return fields > number ? variable(cursor_) : value;
            };
            field(0, 0);  // time
            code.size_factor = field(1, code.size_factor);
            code.stream = field(2, code.stream);
            code.size = field(3, 0);
            code.reserved = field(4, 0);
            const std::uint64_t count = field(5, code.size_factor - code.size);
            field(6, 0);  // match
            code.header = field(7, code.header);
            for (std::uint64_t n = 8; n < std::min<std::uint64_t>(fields, 100); ++n)
                variable(cursor_);
            for (std::uint64_t n = 0; n < count && next < codes_.size(); ++next) {
                if (next == 'N') continue;
                codes_.at(next) = code;
                ++code.size;
                ++n;
            }
            if (count == 0) break;
        }
    }

    bool pass_frame() {
        const std::int64_t at = cursor_.at();
        const FrameCode& code = codes_.at(cursor_.u8());
        std::uint64_t flags = code.flags;
        if ((flags & kInvalid) != 0) return false;
        if ((flags & kCoded) != 0) flags ^= variable(cursor_);
        if (((flags & kStreamId) != 0 ? variable(cursor_) : code.stream) >= streams_) return false;
        if ((flags & kCodedPts) != 0) variable(cursor_);
        std::uint64_t size = code.size;
        if ((flags & kSizeMsb) != 0)
            size += code.size_factor * std::min<std::uint64_t>(variable(cursor_), kFar);
        if ((flags & kMatchTime) != 0) variable(cursor_);
        std::uint64_t header = code.header;
        if ((flags & kHeaderIndex) != 0) header = variable(cursor_);
        std::uint64_t reserved = code.reserved;
        if ((flags & kReserved) != 0) reserved = variable(cursor_);
        for (; reserved > 0 && !cursor_.ended(); --reserved) variable(cursor_);
        if (size > kMostShort) header = 0;
        if (header >= headers_.size() || headers_[header] > size) return false;
        const auto content = static_cast<std::int64_t>(std::min<std::uint64_t>(size, kFar)) -
                             static_cast<std::int64_t>(headers_[header]);
        if ((flags & kChecksum) != 0) {
            if (!checksum_fits(at, cursor_.at() + 4 - at)) return false;
            cursor_.skip(4);
        } else if (content > 2 * max_distance_) {
            return false;
        }
        cursor_.skip(content);
        return true;
    }

    static constexpr std::uint64_t kFar = 1ULL << 40U;  // larger than any file

    const InputFile& file_;
    FileCursor cursor_;
    std::array<FrameCode, 256> codes_;
    std::vector<std::uint64_t> headers_ = {0};  // bytes that frames leave out
    std::int64_t max_distance_ = 0;
    std::uint64_t streams_ = 0;
    std::uint64_t syncpoints_ = 0;
    bool closed_ = false;
    std::string doubt_;
};

}  // namespace

StructureReport check_nut(const InputFile& file) {
    return NutWalk(file).walk();
}

}  // namespace weft
