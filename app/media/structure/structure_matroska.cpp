// Matroska and WebM (RFC 9559 over EBML, RFC 8794): every byte of the segment must be part of an
// element of a known kind, where that kind belongs. Also checks the segment's size, checksums, and
// the tracks of the blocks, and counts the frames. FFmpeg writes a CRC-32 into each cluster of an
// mkv; mkvmerge states the number of frames of each track.
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/media/demux/file_cursor.h"
#include "app/media/structure/matroska_elements.h"
#include "app/media/structure/matroska_tracks.h"
#include "app/media/structure/structure.h"

namespace weft {

using namespace matroska;

namespace {

constexpr std::uint32_t kTimestampScale = 0x2AD7B1;
constexpr std::uint32_t kPosition = 0xA7;
constexpr std::uint32_t kPreviousSize = 0xAB;
constexpr std::uint32_t kBlockAdditions = 0x75A1;
constexpr std::uint32_t kBlockMore = 0xA6;
constexpr std::uint32_t kBlockAdditional = 0xA5;
constexpr std::uint32_t kBlockAddId = 0xEE;
constexpr std::uint32_t kReferenceBlock = 0xFB;
constexpr std::uint32_t kSeekHead = 0x114D9B74;
constexpr std::size_t kMostAdditions = 256;
constexpr std::string_view kUnknown = "is unknown, or not where it belongs";
constexpr std::int64_t kLeastBlock = 4;  // the bytes before its frames
constexpr int kMostNested = 16;          // chapters and tags may contain others of their kind

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
            if (!over_ && segment_end_ < file_.size()) check_rest();
            if (report_.problem.empty()) judge_tracks();
        }
        if (report_.problem.empty()) report_.seconds.reset();
        return report_;
    }

 private:
    // Checks the next element if it ends before `byte`; otherwise stores the bytes it needs in
    // wanted_.
    bool passes_before(std::int64_t byte) {
        if (over_ || !find_segment() || cursor_.at() >= segment_end_) return false;
        const Element element = read_element(cursor_);
        const bool whole = element.fits(byte);
        if (whole) {
            over_ = !check_level1(element);
        } else {
            cursor_.go(element.at);
            wanted_ = element.size == kUnknownSize ? kNever : element.end();
        }
        return whole;
    }

    // Searches on the first call only.
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
            over_ =
                !fail(segment.at, fmt::format("no Matroska segment begins at byte {}", segment.at));
            return false;
        }
        segment_at_ = segment.at;
        known_end_ = segment.size != kUnknownSize;
        segment_end_ = known_end_ ? segment.end() : file_.size();
        return true;
    }

    // Always false, for the result of a check.
    bool fail(std::int64_t byte, std::string sentence) {
        report_.problem = std::move(sentence);
        report_.byte = byte;
        return false;
    }

    bool cut(std::int64_t end, std::string_view what, bool only_if_short) {
        report_.only_if_short = only_if_short;
        return fail(file_.size(), fmt::format("the file ends at byte {}, but {} reaches to byte {}",
                                              file_.size(), what, end));
    }

    // The file may be whole, but does not prove it. The first reason counts.
    void doubt(std::int64_t at, std::string_view what) {
        if (report_.doubt.empty())
            report_.doubt = fmt::format("the element at byte {} {}", at, what);
    }

    // Something else may follow the segment, but not a part of one.
    void check_rest() {
        cursor_.go(segment_end_);
        const Element next = read_element(cursor_);
        const bool another = next.id == kHeader ||
                             (next.id != kVoid && next.id != kCrc && belongs(next.id, kSegment));
        if (!another || !next.fits(file_.size())) return;
        if (next.id == kCluster)
            fail(next.at,
                 fmt::format("the segment ends at byte {}, but a cluster follows", next.at));
        doubt(next.at, next.id == kHeader
                           ? "begins another file, which is not read; split them there"
                           : "follows the end of the segment");
    }

    // A tag, a track's type, or a count that is wrong shows only once all blocks are known.
    void judge_tracks() {
        std::string sentence;
        if (all_read_) sentence = tracks_.contradiction();
        if (!sentence.empty()) {
            fail(segment_at_, std::move(sentence));
            return;
        }
        if (all_read_)
            for (const std::int64_t frames : tracks_.frames_by_stream())
                report_.streams.push_back({.id = static_cast<int>(report_.streams.size()),
                                           .packets = frames,
                                           .bytes = -1});
        if (report_.doubt.empty() && all_read_) report_.doubt = tracks_.doubt();
        if (report_.doubt.empty() && has_stray_addition())
            report_.doubt = "the addition of one block has a number of its own";
        if (!known_end_) return;
        if (tracks_.counted())
            report_.proof = "the frame counts in its tags";
        else
            report_.proof = clusters_ == sealed_clusters_ ? "the checksums of its clusters"
                                                          : "the sizes of its elements";
    }

    // Transparency and the like come with every block, or with many.
    bool has_stray_addition() const {
        return additions_.size() > 1 &&
               std::ranges::any_of(additions_, [](const auto& one) { return one.second == 1; });
    }

    // Checks and skips one element of the segment; false once there is a problem.
    bool check_level1(const Element& element) {
        if (!belongs(element.id, kSegment) && !may_be_skipped(element))
            return no_element(element.at);
        if (element.id == kCluster) return check_cluster(element);
        if (element.size == kUnknownSize) return no_element(element.at);
        if (element.end() > file_.size())
            return cut(element.end(), "an element after the pictures", true);
        if (known_end_ && element.end() > segment_end_)
            doubt(element.at, "reaches past the end of the segment");
        const bool gap = element.id == kVoid || !belongs(element.id, kSegment);
        if (gap && element.id != kVoid) doubt(element.at, kUnknown);
        if (!gap && element.id != kCues && !checksum_fits(element)) return false;
        const bool ok = gap ? check_gap(element, kSegment) : check_parts(element, kMostNested);
        cursor_.go(element.end());
        return ok;
    }

    // Whether it is an element with a changed name, after which the file continues. If it was a
    // cluster, check_gap() finds that; parts of a cluster mean that this has lost its head.
    bool may_be_skipped(const Element& element) {
        const std::int64_t end = std::min(segment_end_, file_.size());
        const bool possible = element.fits(end) && !belongs(element.id, kCluster) &&
                              element.id != kSegment && element.id != kHeader;
        if (!possible || element.end() == end) return possible;
        return belongs(read_element(scout(element.end())).id, kSegment);
    }

    bool no_element(std::int64_t at) {
        // The last bytes of a cut file may be a torn header; report a cut in any element.
        if (cursor_.ended() || at + 12 > file_.size())
            return cut(segment_end_, "the segment", known_end_);
        return fail(at, fmt::format("byte {} is not the beginning of a Matroska element", at));
    }

    // Checks an element that consists of others and has no blocks. If it has, it was a cluster.
    bool check_parts(const Element& master, int levels) {
        cursor_.go(master.data);
        while (cursor_.at() < master.end()) {
            const Element part = read_element(cursor_);
            const bool odd = part.id == kCrc && part.size != 4;
            if (!part.fits(master.end()) || odd || levels == 0) {
                doubt(master.at, "has parts that do not fit into it");
                return true;
            }
            if (!belongs(part.id, master.id)) {
                if (is_part_of_film(part)) return no_element(part.at);
                const bool of_cluster = part.id == kCluster || belongs(part.id, kCluster);
                if (of_cluster && is_in_tracks_) return no_element(part.at);
                if (of_cluster || is_master(part.id) || matters(part)) doubt(part.at, kUnknown);
            } else if (part.id == kVoid) {
                if (!check_gap(part, master.id)) return false;
            } else if (!check_part(part, master.id, levels)) {
                return false;
            }
            cursor_.go(part.end());
        }
        return true;
    }

    // Whether it is a cluster or a block, and not only called so.
    bool is_part_of_film(const Element& part) {
        if (part.id == kCluster) return begins_cluster(part.data, part.end());
        const bool block = part.id == kSimpleBlock || part.id == kBlockGroup;
        return block && part.size >= kLeastBlock && hides_block(part);
    }

    bool check_part(const Element& part, std::uint32_t parent, int levels) {
        if (part.id == kTrackEntry) is_in_tracks_ = true;
        tracks_.note(cursor_, part, parent);
        if (part.id == kTimestampScale) scale_ns_ = read_unsigned(cursor_, part);
        const bool sound = !is_master(part.id) || check_parts(part, levels - 1);
        if (part.id == kTrackEntry) is_in_tracks_ = false;
        return sound;
    }

    // Whether an unknown or misplaced element may be one that matters: a decoder's header, or one
    // that consists of others. Whammy gives the numbers of its tracks the id of another number.
    bool matters(const Element& part) {
        if (is_in_tracks_ && part.size > 8) return true;
        cursor_.go(part.data);
        bool all = part.size > 0;
        while (all && cursor_.at() < part.end()) {
            const Element inner = read_element(cursor_);
            all = inner.fits(part.end()) && is_known(inner.id);
            cursor_.go(inner.end());
        }
        return all;
    }

    // Programs fill gaps with zeros. Remains of replaced parts may be in gaps of the segment, but
    // clusters are never replaced.
    bool check_gap(const Element& gap, std::uint32_t parent) {
        if (is_empty(gap)) return true;
        if (parent != kSegment) doubt(gap.at, "is a gap that is not empty");
        const bool hides =
            parent == kSegment ? hides_cluster(gap) : parent == kCluster && hides_block(gap);
        if (!hides) return true;
        return fail(gap.at, fmt::format("the gap at byte {} contains blocks", gap.at));
    }

    bool is_empty(const Element& gap) {
        cursor_.go(gap.data);
        while (cursor_.at() < gap.end())
            if (cursor_.u8() != 0) return false;
        return true;
    }

    bool hides_cluster(const Element& gap) {
        constexpr unsigned kFirst = kCluster >> 24U;
        constexpr std::int64_t kLongestHead = 12;  // whose end may be the first bytes of the gap
        for (std::int64_t at = 0; at < kLongestHead; ++at)
            if (begins_cluster(gap.data + at, gap.end())) return true;
        for (std::int64_t at = gap.data; at < gap.end(); ++at) {
            if (scout(at).u8() != kFirst) continue;
            const Element inner = read_element(scout(at));
            if (inner.id == kCluster && inner.fits(gap.end()) &&
                begins_cluster(inner.data, inner.end()))
                return true;
        }
        return false;
    }

    // Reads ahead from here, maybe past the end of the file; a cursor that did so stays ended.
    FileCursor& scout(std::int64_t at) {
        if (!scout_ || scout_->ended()) scout_.emplace(file_);
        scout_->go(at);
        return *scout_;
    }

    // Whether the first parts from here are those of a cluster, with a block.
    bool begins_cluster(std::int64_t begin, std::int64_t end) {
        FileCursor& cursor = scout(begin);
        while (cursor.at() < end) {
            const Element part = read_element(cursor);
            if (!part.fits(end) || !belongs(part.id, kCluster)) return false;
            if (part.id == kSimpleBlock || part.id == kBlockGroup) return hides_block(part);
            cursor.go(part.end());
        }
        return false;
    }

    // The content of a block begins with the number of its track.
    bool hides_block(const Element& gap) {
        const std::optional<std::uint64_t> track = read_number(scout(gap.data));
        if (track && tracks_.knows(*track)) return true;
        const Element inner = read_element(scout(gap.data));
        return inner.id == kBlock && inner.fits(gap.end());
    }

    bool check_cluster(const Element& cluster) {
        report_.seconds.reset();
        const bool open_ended = cluster.size == kUnknownSize;
        if (!open_ended && cluster.end() > file_.size()) {
            read_cluster_time(cluster);
            return cut(cluster.end(), "its last cluster", false);
        }
        if (!open_ended && known_end_ && cluster.end() > segment_end_)
            return fail(cluster.at,
                        fmt::format("the cluster at byte {} reaches to byte {}, but its segment "
                                    "ends at byte {}",
                                    cluster.at, cluster.end(), segment_end_));
        const std::int64_t end = open_ended ? segment_end_ : cluster.end();
        const bool outside = cluster.at >= range_.end || end <= range_.begin;
        if (outside && !open_ended) {
            all_read_ = false;
            cursor_.go(end);
            return true;
        }
        ++clusters_;
        if (!open_ended && !checksum_fits(cluster)) return false;
        return check_children(cluster, end, open_ended);
    }

    // A cluster of unknown size ends at the segment's next element.
    bool check_children(const Element& cluster, std::int64_t end, bool open_ended) {
        bool timed = false;
        cursor_.go(cluster.data);
        while (cursor_.at() < end) {
            const Element child = read_element(cursor_);
            if (open_ended && !belongs(child.id, kCluster) && belongs(child.id, kSegment)) {
                cursor_.go(child.at);
                return true;
            }
            if (!belongs(child.id, kCluster) || child.size == kUnknownSize)
                return no_element(child.at);
            if (child.end() > end) return cut(child.end(), "its last block", false);
            if (child.id == kTimestamp) {
                if (std::exchange(timed, true) || child.size > 8) return no_element(child.at);
                set_time(child);
            }
            if (!check_child(child, timed)) return false;
            cursor_.go(child.end());
        }
        return true;
    }

    // The time of a cluster comes before its blocks.
    bool check_child(const Element& child, bool timed) {
        if (child.id == kVoid) return check_gap(child, kCluster);
        const bool number = child.id == kPosition || child.id == kPreviousSize;
        if ((number && child.size > 8) || (child.id == kCrc && child.size != 4))
            return no_element(child.at);
        if (child.id != kSimpleBlock && child.id != kBlockGroup)
            return !is_master(child.id) || check_parts(child, 1);
        if (!timed)
            return fail(child.at,
                        fmt::format("the cluster of the block at byte {} has no time", child.at));
        return child.id == kSimpleBlock ? check_block(child, false) : check_group(child);
    }

    // A group has one block, which is a key frame if it refers to no other.
    bool check_group(const Element& group) {
        std::optional<Element> block;
        bool key = true;
        cursor_.go(group.data);
        while (cursor_.at() < group.end()) {
            const Element part = read_element(cursor_);
            const bool strange = !belongs(part.id, kBlockGroup);
            if (!part.fits(group.end()) || (strange && is_known(part.id)) ||
                (part.id == kBlock && block))
                return no_element(part.at);
            if (strange) doubt(part.at, kUnknown);
            if (part.id == kBlock) block = part;
            key = key && part.id != kReferenceBlock;
            if (part.id == kVoid && !check_gap(part, kBlockGroup)) return false;
            if (part.id == kBlockAdditions && !check_additions(part)) return false;
            cursor_.go(part.end());
        }
        if (block) return check_block(*block, key);
        return fail(group.at, fmt::format("the group at byte {} contains no block", group.at));
    }

    // Each part of these has a number, unless that is 1, and data: transparency, for example.
    bool check_additions(const Element& additions) {
        cursor_.go(additions.data);
        while (cursor_.at() < additions.end()) {
            const Element more = read_element(cursor_);
            if (more.id != kBlockMore || !more.fits(additions.end())) return no_element(more.at);
            int data = 0;
            std::uint64_t id = 1;
            while (cursor_.at() < more.end()) {
                const Element part = read_element(cursor_);
                if (!part.fits(more.end())) return no_element(part.at);
                if (!belongs(part.id, kBlockMore)) doubt(part.at, kUnknown);
                data += part.id == kBlockAdditional ? 1 : 0;
                if (part.id == kBlockAddId) id = read_unsigned(cursor_, part);
                cursor_.go(part.end());
            }
            if (data != 1) return no_element(more.at);
            if (additions_.size() < kMostAdditions) ++additions_[id];
        }
        return true;
    }

    // Its data begin with the track number, a two-byte time, and flags. libav skips blocks of
    // unknown tracks, and blocks whose frames do not fit into them. `key` is that of a group.
    bool check_block(const Element& block, bool key) {
        constexpr unsigned kKey = 0x80;
        constexpr unsigned kLacing = 0x06;
        cursor_.go(block.data);
        const std::optional<std::uint64_t> track = read_number(cursor_);
        const auto time = static_cast<std::int16_t>(cursor_.big(2));
        const unsigned flags = cursor_.u8();
        if (!track || !tracks_.knows(*track) || cursor_.at() > block.end())
            return fail(block.at,
                        fmt::format("the block at byte {} belongs to no track", block.at));
        int frames = block.end() > cursor_.at() ? 1 : 0;
        if ((flags & kLacing) != 0) frames = frames_in(flags & kLacing, block.end());
        if (frames < 0)
            return fail(
                block.at,
                fmt::format("the frames of the block at byte {} do not fit into it", block.at));
        tracks_.add_block(*track, cluster_time_ + time,
                          block.id == kSimpleBlock ? (flags & kKey) != 0 : key, frames);
        note_swallowed(block);
        return true;
    }

    // A block whose size is too large ends with others. By chance this happens too, so it counts
    // only if the tracks of these others lack them.
    void note_swallowed(const Element& block) {
        constexpr std::array<std::uint8_t, 3> kStarts = {kCluster >> 24U, kSimpleBlock,
                                                         kBlockGroup};
        for (const std::uint8_t start : kStarts)
            for (std::int64_t at = block.data + kLeastBlock; at < block.end(); ++at) {
                FileCursor& cursor = scout(at);
                cursor.skip_to(start);
                at = cursor.at();
                if (at < block.end() && note_chain(at, block)) return;
            }
    }

    // Whether the elements from here to the end of `block` are whole and those of clusters.
    bool note_chain(std::int64_t begin, const Element& block) {
        std::vector<TrackBook::Swallowed> found;
        std::int64_t cluster_time = cluster_time_;
        for (std::int64_t at = begin; at < block.end();) {
            FileCursor& cursor = scout(at);
            const Element part = read_element(cursor);
            at = part.id == kCluster ? part.data : part.end();
            if (part.id == kCluster) continue;
            if (!part.fits(block.end()) || !belongs(part.id, kCluster)) return false;
            if (part.id == kTimestamp)
                cluster_time = static_cast<std::int64_t>(read_unsigned(cursor, part));
            if (part.id != kSimpleBlock && part.id != kBlockGroup) continue;
            const Element inner = part.id == kBlockGroup ? read_element(cursor) : part;
            if (!inner.fits(part.end()) || inner.size < kLeastBlock) return false;
            cursor.go(inner.data);
            const std::optional<std::uint64_t> track = read_number(cursor);
            if (!track || !tracks_.knows(*track)) return false;
            const auto time = static_cast<std::int16_t>(cursor.big(2));
            found.push_back({*track, cluster_time + time, block.at, cluster_time_, cursor.u8()});
        }
        for (const TrackBook::Swallowed& one : found) tracks_.add_swallowed(one);
        return !found.empty();
    }

    // The number of frames that have bytes, or -1 if they do not fit. The sizes of all except the
    // last come first (RFC 9559, 10.3).
    int frames_in(unsigned lacing, std::int64_t end) {
        constexpr unsigned kXiph = 0x02;
        constexpr unsigned kSameSize = 0x04;
        const int sizes = cursor_.u8();
        if (lacing == kSameSize) {
            const std::int64_t bytes = end - cursor_.at();
            return bytes < 0 || bytes % (sizes + 1) != 0 ? -1 : bytes > 0 ? sizes + 1 : 0;
        }
        std::int64_t sum = 0;
        std::int64_t size = 0;
        int frames = 0;
        for (int k = 0; k < sizes; ++k) {
            const auto next = lacing == kXiph ? xiph_size() : ebml_size(k == 0 ? 0 : size, k == 0);
            if (!next || *next < 0) return -1;
            size = *next;
            sum += size;
            frames += size > 0 ? 1 : 0;
        }
        const std::int64_t last = end - cursor_.at() - sum;
        return last < 0 ? -1 : frames + (last > 0 ? 1 : 0);
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
        const std::optional<std::uint64_t> number = read_number(cursor_);
        if (!number) return std::nullopt;
        const auto bits = static_cast<unsigned>(7 * (cursor_.at() - began) - 1);
        const auto value = static_cast<std::int64_t>(*number);
        return first ? value : before + value - ((std::int64_t{1} << bits) - 1);
    }

    // It is true without a checksum, too, which is the first child and covers all after it.
    bool checksum_fits(const Element& element) {
        cursor_.go(element.data);
        const Element crc = read_element(cursor_);
        if (crc.id != kCrc || crc.size != 4 || crc.end() > element.end()) return true;
        const std::uint32_t stored = cursor_.little32();
        const std::int64_t covered = cursor_.at();
        if (cursor_.crc32(element.end() - covered) == stored) {
            sealed_clusters_ += element.id == kCluster ? 1 : 0;
            return true;
        }
        const bool aside = element.id == kSeekHead || element.id == kTags;
        if (aside && check_parts(element, kMostNested) && report_.doubt.empty()) {
            doubt(element.at, "has a wrong checksum");
            return true;
        }
        if (element.id == kCluster) read_cluster_time(element);
        return fail(element.at,
                    fmt::format("the part of the file at bytes {} to {} has a wrong checksum",
                                element.at, element.end()));
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
        constexpr std::uint64_t kLatest = 1ULL << 48U;  // sums of times must not overflow
        cluster_time_ =
            static_cast<std::int64_t>(std::min(read_unsigned(cursor_, timestamp), kLatest));
        report_.seconds =
            static_cast<double>(cluster_time_) * static_cast<double>(scale_ns_) * 1e-9;
    }

    static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

    const InputFile& file_;
    ByteRange range_{0, kNever};  // follow() is called for bytes that were read
    FileCursor cursor_;
    std::optional<FileCursor> scout_;
    TrackBook tracks_;
    std::map<std::uint64_t, int> additions_;  // by number
    std::optional<bool> has_segment_;
    bool over_ = false;     // a problem was found
    bool all_read_ = true;  // no cluster was skipped
    bool is_in_tracks_ = false;
    std::int64_t wanted_ = 0;  // follow() can do nothing before this byte
    std::int64_t segment_at_ = 0;
    std::int64_t segment_end_ = 0;
    bool known_end_ = false;
    std::int64_t clusters_ = 0;
    std::int64_t sealed_clusters_ = 0;  // with a checksum
    std::int64_t cluster_time_ = 0;
    std::uint64_t scale_ns_ = 1000000;
    StructureReport report_;
};

}  // namespace

std::unique_ptr<StructureWalk> walk_matroska(const InputFile& file) {
    return std::make_unique<SegmentWalk>(file);
}

}  // namespace weft
