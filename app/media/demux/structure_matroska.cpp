// Matroska and WebM (RFC 9559 over EBML, RFC 8794): checks the segment's size, its elements, their
// checksums, and the tracks of the blocks. mkvmerge and FFmpeg write a CRC-32 into each cluster of
// an mkv.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "app/media/demux/file_cursor.h"
#include "app/media/demux/structure.h"

namespace weft {

namespace {

constexpr std::uint32_t kHeader = 0x1A45DFA3;
constexpr std::uint32_t kSegment = 0x18538067;
constexpr std::uint32_t kInfo = 0x1549A966;
constexpr std::uint32_t kTimestampScale = 0x2AD7B1;
constexpr std::uint32_t kTracks = 0x1654AE6B;
constexpr std::uint32_t kTrackEntry = 0xAE;
constexpr std::uint32_t kTrackNumber = 0xD7;
constexpr std::uint32_t kCluster = 0x1F43B675;
constexpr std::uint32_t kSimpleBlock = 0xA3;
constexpr std::uint32_t kBlockGroup = 0xA0;
constexpr std::uint32_t kBlock = 0xA1;
constexpr std::uint32_t kCues = 0x1C53BB6B;
constexpr std::uint32_t kTimestamp = 0xE7;
constexpr std::uint32_t kVoid = 0xEC;
constexpr std::uint32_t kCrc = 0xBF;

// The unnamed ids: SeekHead, Attachments, Chapters and Tags.
constexpr std::array<std::uint32_t, 10> kLevel1 = {
    kInfo, kTracks, kCluster, kCues, kVoid, kCrc, 0x114D9B74, 0x1941A469, 0x1043A770, 0x1254C367};
// The unnamed ids: Position, PrevSize, EncryptedBlock and SilentTracks.
constexpr std::array<std::uint32_t, 9> kInCluster = {
    kTimestamp, kVoid, kCrc, kSimpleBlock, kBlockGroup, 0xA7, 0xAB, 0xAF, 0x5854};

template <std::size_t N>
bool is_one_of(std::uint32_t id, const std::array<std::uint32_t, N>& ids) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
}

constexpr std::int64_t kUnknownSize = -1;

struct Element {
    std::int64_t at = 0;
    std::int64_t data = 0;
    std::int64_t size = kUnknownSize;
    std::uint32_t id = 0;  // 0: no element here
    std::int64_t end() const { return data + size; }
};

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

class SegmentWalk : public StructureWalk {
 public:
    explicit SegmentWalk(const InputFile& file) : file_(file), cursor_(file) {}

    void follow(std::int64_t byte) override {
        while (byte >= wanted_ && passes_before(byte)) {
        }
    }

    StructureReport finish(ByteRange range) override {
        range_ = range;
        if (find_segment()) {
            while (!over_ && cursor_.at() < std::min(segment_end_, file_.size()))
                over_ = !check_level1(read_element(cursor_));
            if (!over_ && known_end_ && segment_end_ > file_.size())
                cut(segment_end_, "the segment", true);
            if (known_end_ && report_.problem.empty()) report_.proof = "the size of its segment";
        }
        if (report_.problem.empty()) report_.seconds.reset();
        return report_;
    }

 private:
    // Checks the next element if it ends before `byte`; otherwise stores the bytes it needs in
    // wanted_.
    bool passes_before(std::int64_t byte) {
        if (over_ || !find_segment()) return false;
        const Element element = read_element(cursor_);
        const bool whole = element.id != 0 && element.size != kUnknownSize && element.end() <= byte;
        if (whole) {
            over_ = !check_level1(element);
        } else {
            cursor_.go(element.at);
            wanted_ = element.size == kUnknownSize ? kNever : element.end();
        }
        return whole;
    }

    // Searches only once.
    bool find_segment() {
        if (!has_segment_) has_segment_ = reach_segment();
        return *has_segment_;
    }

    // If libav finds no segment, it searches for a cluster anywhere, and may skip some.
    bool reach_segment() {
        Element segment = read_element(cursor_);
        while ((segment.id == kHeader || segment.id == kVoid) && segment.size != kUnknownSize) {
            cursor_.go(segment.end());
            segment = read_element(cursor_);
        }
        if (segment.id != kSegment) {
            fail(segment.at, fmt::format("no Matroska segment begins at byte {}", segment.at));
            over_ = true;
            return false;
        }
        known_end_ = segment.size != kUnknownSize;
        segment_end_ = known_end_ ? segment.end() : file_.size();
        return true;
    }

    void fail(std::int64_t byte, std::string sentence) {
        report_.problem = std::move(sentence);
        report_.byte = byte;
    }

    void cut(std::int64_t end, std::string_view what, bool only_if_short) {
        fail(file_.size(), fmt::format("the file ends at byte {}, but {} reaches to byte {}",
                                       file_.size(), what, end));
        report_.only_if_short = only_if_short;
    }

    // Checks and skips one element of the segment; false once there is a problem.
    bool check_level1(const Element& element) {
        if (!is_one_of(element.id, kLevel1)) return no_element(element.at);
        if (element.id == kCluster) return check_cluster(element);
        if (element.size == kUnknownSize) return no_element(element.at);
        if (element.end() > file_.size()) {
            cut(element.end(), "an element after the pictures", true);
            return false;
        }
        if (element.id == kInfo) read_info(element);
        if (element.id == kTracks) read_tracks(element);
        const bool index = element.id == kCues || element.id == kVoid;
        if (!index && !checksum_fits(element)) return false;
        cursor_.go(element.end());
        return true;
    }

    bool no_element(std::int64_t at) {
        // The last bytes of a cut file may be a torn header; report a cut in any element.
        if (cursor_.ended() || at + 12 > file_.size())
            cut(segment_end_, "the segment", known_end_);
        else
            fail(at, fmt::format("byte {} is not the beginning of a Matroska element", at));
        return false;
    }

    bool check_cluster(const Element& cluster) {
        report_.seconds.reset();
        const bool open_ended = cluster.size == kUnknownSize;
        if (!open_ended && cluster.end() > file_.size()) {
            read_cluster_time(cluster);
            cut(cluster.end(), "its last cluster", false);
            return false;
        }
        const std::int64_t end = open_ended ? file_.size() : cluster.end();
        const bool outside = cluster.at >= range_.end || end <= range_.begin;
        if (outside && !open_ended) {
            cursor_.go(end);
            return true;
        }
        if (!open_ended && !checksum_fits(cluster)) return false;
        return check_children(cluster.data, end, open_ended);
    }

    // A cluster of unknown size ends at the segment's next element.
    bool check_children(std::int64_t begin, std::int64_t end, bool open_ended) {
        cursor_.go(begin);
        while (cursor_.at() < end) {
            const Element child = read_element(cursor_);
            if (open_ended && is_one_of(child.id, kLevel1) && child.id != kVoid &&
                child.id != kCrc) {
                cursor_.go(child.at);
                return true;
            }
            if (!is_one_of(child.id, kInCluster) || child.size == kUnknownSize)
                return no_element(child.at);
            if (child.end() > end) {
                cut(child.end(), "its last block", false);
                return false;
            }
            if (child.id == kTimestamp) set_time(child);
            if (!check_blocks(child)) return false;
            cursor_.go(child.end());
        }
        return true;
    }

    bool check_blocks(const Element& child) {
        if (child.id == kSimpleBlock) return check_block(child);
        if (child.id != kBlockGroup) return true;
        cursor_.go(child.data);
        while (cursor_.at() < child.end()) {
            const Element part = read_element(cursor_);
            if (part.id == 0 || part.size == kUnknownSize || part.end() > child.end())
                return no_element(part.at);
            if (part.id == kBlock && !check_block(part)) return false;
            cursor_.go(part.end());
        }
        return true;
    }

    // Its data begin with the track number, a two-byte time, and flags. libav skips blocks of
    // unknown tracks, and blocks whose frames do not fit into them.
    bool check_block(const Element& block) {
        cursor_.go(block.data);
        const std::optional<std::uint64_t> track = read_number();
        if (!track || (!tracks_.empty() && !tracks_.contains(*track))) {
            fail(block.at,
                 fmt::format("the block at byte {} belongs to no track of the file", block.at));
            return false;
        }
        cursor_.skip(2);
        const unsigned lacing = cursor_.u8() & 0x06U;
        if (lacing == 0 || frames_fit(lacing, block.end())) return true;
        fail(block.at,
             fmt::format("the frames of the block at byte {} do not fit into it", block.at));
        return false;
    }

    // The sizes of all frames except the last come first (RFC 9559, 10.3).
    bool frames_fit(unsigned lacing, std::int64_t end) {
        constexpr unsigned kXiph = 0x02;
        constexpr unsigned kSameSize = 0x04;
        const int sizes = cursor_.u8();
        if (lacing == kSameSize) return (end - cursor_.at()) % (sizes + 1) == 0;
        std::int64_t sum = 0;
        std::int64_t size = 0;
        for (int k = 0; k < sizes; ++k) {
            const auto next = lacing == kXiph ? xiph_size() : ebml_size(k == 0 ? 0 : size, k == 0);
            if (!next || *next < 0) return false;
            size = *next;
            sum += size;
        }
        return cursor_.at() + sum <= end;
    }

    std::optional<std::int64_t> xiph_size() {
        std::int64_t size = 0;
        std::uint8_t byte = 255;
        while (byte == 255 && !cursor_.ended()) {
            byte = cursor_.u8();
            size += byte;
        }
        return size;
    }

    // The first size is absolute; each other size is the difference from the previous one.
    std::optional<std::int64_t> ebml_size(std::int64_t before, bool first) {
        const std::int64_t began = cursor_.at();
        const std::optional<std::uint64_t> number = read_number();
        if (!number) return std::nullopt;
        const auto bits = static_cast<unsigned>(7 * (cursor_.at() - began) - 1);
        const auto value = static_cast<std::int64_t>(*number);
        return first ? value : before + value - ((std::int64_t{1} << bits) - 1);
    }

    // A number of 1 to 8 bytes; its leading zeros encode the length.
    std::optional<std::uint64_t> read_number() {
        const std::uint8_t head = cursor_.u8();
        const int bytes = std::countl_zero(head) + 1;
        if (bytes > 8 || cursor_.ended()) return std::nullopt;
        const std::uint64_t top = head & (0xFFU >> static_cast<unsigned>(bytes));
        return (top << static_cast<unsigned>(8 * (bytes - 1))) | cursor_.big(bytes - 1);
    }

    void read_tracks(const Element& tracks) {
        cursor_.go(tracks.data);
        while (cursor_.at() < tracks.end()) {
            const Element entry = read_element(cursor_);
            if (entry.id == 0 || entry.size == kUnknownSize) return;
            if (entry.id == kTrackEntry) read_track_number(entry);
            cursor_.go(entry.end());
        }
    }

    void read_track_number(const Element& entry) {
        cursor_.go(entry.data);
        while (cursor_.at() < entry.end()) {
            const Element child = read_element(cursor_);
            if (child.id == 0 || child.size == kUnknownSize) return;
            cursor_.go(child.data);
            if (child.id == kTrackNumber && child.size <= 8)
                tracks_.insert(cursor_.big(static_cast<int>(child.size)));
            cursor_.go(child.end());
        }
    }

    // Also true without a checksum. The checksum is the first child and covers all children after
    // it.
    bool checksum_fits(const Element& element) {
        cursor_.go(element.data);
        const Element crc = read_element(cursor_);
        if (crc.id != kCrc || crc.size != 4 || crc.end() > element.end()) return true;
        const std::uint32_t stored = cursor_.little32();
        const std::int64_t covered = cursor_.at();
        if (cursor_.crc32(element.end() - covered) == stored) return true;
        if (element.id == kCluster) read_cluster_time(element);
        fail(element.at, fmt::format("the part of the file at bytes {} to {} has a wrong checksum",
                                     element.at, element.end()));
        return false;
    }

    // The timestamp is the first child, or the first after the checksum.
    void read_cluster_time(const Element& cluster) {
        cursor_.go(cluster.data);
        Element child = read_element(cursor_);
        if (child.id == kCrc) {
            cursor_.go(child.end());
            child = read_element(cursor_);
        }
        if (child.id == kTimestamp) set_time(child);
    }

    void set_time(const Element& timestamp) {
        if (timestamp.size < 1 || timestamp.size > 8) return;
        cursor_.go(timestamp.data);
        const auto ticks = static_cast<double>(cursor_.big(static_cast<int>(timestamp.size)));
        report_.seconds = ticks * static_cast<double>(scale_ns_) * 1e-9;
    }

    void read_info(const Element& info) {
        cursor_.go(info.data);
        while (cursor_.at() < info.end()) {
            const Element child = read_element(cursor_);
            if (child.id == 0 || child.size == kUnknownSize) return;
            if (child.id == kTimestampScale && child.size <= 8) {
                cursor_.go(child.data);
                scale_ns_ = cursor_.big(static_cast<int>(child.size));
            }
            cursor_.go(child.end());
        }
    }

    static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

    const InputFile& file_;
    ByteRange range_{0, kNever};  // follow() is called for bytes that were read
    FileCursor cursor_;
    std::optional<bool> has_segment_;
    bool over_ = false;        // a problem was found
    std::int64_t wanted_ = 0;  // follow() can do nothing before this byte
    std::int64_t segment_end_ = 0;
    bool known_end_ = false;
    std::uint64_t scale_ns_ = 1000000;
    std::set<std::uint64_t> tracks_;
    StructureReport report_;
};

}  // namespace

std::unique_ptr<StructureWalk> walk_matroska(const InputFile& file) {
    return std::make_unique<SegmentWalk>(file);
}

}  // namespace weft
