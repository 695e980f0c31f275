// ISO base media files (mp4, mov): boxes, the tables of each track, fragments (ISO 14496-12).
#include <algorithm>
#include <cctype>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/media/demux/file_cursor.h"
#include "app/media/demux/structure.h"

namespace weft {

namespace {

// Larger sizes would overflow sums of offsets.
constexpr std::uint64_t kFar = 1ULL << 48U;

bool is_box_type(const std::string& type) {
    return std::all_of(type.begin(), type.end(),
                       [](unsigned char c) { return std::isprint(c) != 0 || c == 0xA9U; });
}

// An mp4 box. Size zero means up to the end of the file.
struct Box {
    std::int64_t at = 0;
    std::int64_t data = 0;
    std::uint64_t size = 0;
    std::string type;
    std::int64_t end() const { return at + static_cast<std::int64_t>(std::min(size, kFar)); }
};

Box read_box(FileCursor& cursor) {
    Box box;
    box.at = cursor.at();
    box.size = cursor.big32();
    box.type = cursor.text4();
    if (box.size == 1) box.size = cursor.big(8);
    box.data = cursor.at();
    return box;
}

// Whether the boxes in `parent` fill it, and whether one of them has this type.
struct Children {
    bool whole = false;
    bool has_wanted = false;
};

Children look_into(FileCursor& cursor, const Box& parent, std::string_view wanted) {
    Children found;
    cursor.go(parent.data);
    while (cursor.at() + 8 <= parent.end()) {
        const Box child = read_box(cursor);
        if (child.size < 8 || child.end() > parent.end() || !is_box_type(child.type)) return found;
        found.has_wanted = found.has_wanted || child.type == wanted;
        cursor.go(child.end());
    }
    found.whole = cursor.at() == parent.end();
    return found;
}

// The number of samples (pictures, pieces of audio) according to a track's tables. In fragmented
// files they are empty.
struct SampleTables {
    struct Run {
        std::uint32_t first_chunk = 0;  // from 1
        std::uint32_t samples = 0;      // in each chunk of the run
    };

    std::uint32_t track = 0;
    std::string handler;  // "vide", "soun"
    std::int64_t timed = 0;
    std::int64_t sized = 0;
    bool one_size = false;
    std::int64_t longest = 0;  // longest sample duration, in the track's ticks
    // Range of the delays from decoding to presentation.
    std::int64_t least_delay = std::numeric_limits<std::int64_t>::max();
    std::int64_t most_delay = std::numeric_limits<std::int64_t>::min();
    std::string overfull;                   // a table that claims more entries than it has room for
    std::optional<std::int64_t> too_large;  // a sample larger than the file
    std::int64_t chunks = 0;
    std::vector<Run> runs;

    // Nothing if the runs are invalid; libav has ways to read those.
    std::optional<std::int64_t> placed() const {
        std::int64_t sum = 0;
        for (std::size_t k = 0; k < runs.size(); ++k) {
            const std::int64_t end = k + 1 < runs.size() ? runs[k + 1].first_chunk : chunks + 1;
            if (runs[k].first_chunk < 1 || runs[k].first_chunk > end) return std::nullopt;
            sum += (end - runs[k].first_chunk) * runs[k].samples;
        }
        return sum;
    }

    // libav reads only the samples that all tables include, without an error. PCM is counted
    // differently.
    std::string problem() const {
        if (handler != "vide" && (handler != "soun" || one_size)) return "";
        if (too_large)
            return fmt::format("sample {} of track {} has more bytes than the file", *too_large,
                               track);
        if (!overfull.empty())
            return fmt::format("table '{}' of track {} claims more entries than it contains",
                               overfull, track);
        const std::int64_t places = placed().value_or(sized);
        if (timed <= sized && places >= sized) return delay_problem();
        return fmt::format(
            "the index of track {} contradicts itself: it has times for {} samples, "
            "sizes for {} and places for {}",
            track, timed, sized, places);
    }

    // A picture waits for at most 16 others (H.264, A.3.1); the limit is twice that for writers
    // that put parts with different delays into one track. A picture timed beyond the end is not
    // shown.
    std::string delay_problem() const {
        constexpr std::int64_t kMostWaiting = 32;
        if (handler != "vide" || longest == 0 || most_delay <= least_delay) return "";
        if (most_delay - least_delay <= kMostWaiting * longest) return "";
        return fmt::format(
            "the index of track {} contradicts itself: it shows one sample {} ticks later than "
            "another, where none lasts longer than {}",
            track, most_delay - least_delay, longest);
    }
};

// Reads the tables of one `trak`.
class TrackReader {
 public:
    explicit TrackReader(const InputFile& file) : file_(file), cursor_(file) {}

    SampleTables read(const Box& trak) {
        read_children(trak);
        return std::move(tables_);
    }

 private:
    void read_children(const Box& parent) {
        std::int64_t at = parent.data;
        while (at + 8 <= parent.end()) {
            cursor_.go(at);
            Box box = read_box(cursor_);
            if (box.size < 8) return;
            // libav reads a part that reaches too far, as well.
            box.size = std::min(box.size, static_cast<std::uint64_t>(parent.end() - at));
            read_one(box);
            at = box.end();
        }
    }

    void read_one(const Box& box) {
        if (box.type == "mdia" || box.type == "minf" || box.type == "stbl")
            return read_children(box);
        const bool wide = cursor_.u8() == 1;  // the version, and with it the size of times
        cursor_.skip(3);                      // flags
        if (box.type == "tkhd") {
            cursor_.skip(wide ? 16 : 8);
            tables_.track = cursor_.big32();
        } else if (box.type == "hdlr" && tables_.handler.empty()) {
            cursor_.skip(4);
            tables_.handler = cursor_.text4();
        } else if (box.type == "stts") {
            read_times(entries(box, 8));
        } else if (box.type == "ctts") {
            read_delays(entries(box, 8));
        } else if (box.type == "stsz") {
            read_sizes(box);
        } else if (box.type == "stz2") {
            cursor_.skip(4);
            tables_.sized = cursor_.big32();
        } else if (box.type == "stsc") {
            read_runs(entries(box, 12));
        } else if (box.type == "stco" || box.type == "co64") {
            tables_.chunks = entries(box, box.type == "stco" ? 4 : 8);
        }
    }

    // The entry count of a table, limited by the table's size.
    std::int64_t entries(const Box& box, std::int64_t entry_bytes) {
        const std::int64_t count = cursor_.big32();
        const std::int64_t room = (box.end() - cursor_.at()) / entry_bytes;
        if (count > room) tables_.overfull = box.type;
        return std::min(count, room);
    }

    void read_times(std::int64_t count) {
        for (; count > 0 && !cursor_.ended(); --count) {
            tables_.timed += cursor_.big32();
            tables_.longest = std::max<std::int64_t>(tables_.longest, cursor_.big32());
        }
    }

    // Some writers mark samples as not shown by a large negative delay; libav ignores such a table.
    void read_delays(std::int64_t count) {
        constexpr std::int32_t kNotShown = -(1 << 28);
        for (; count > 0 && !cursor_.ended(); --count) {
            cursor_.skip(4);
            const auto delay = static_cast<std::int32_t>(cursor_.big32());
            if (delay < kNotShown) continue;
            tables_.least_delay = std::min<std::int64_t>(tables_.least_delay, delay);
            tables_.most_delay = std::max<std::int64_t>(tables_.most_delay, delay);
        }
    }

    void read_sizes(const Box& box) {
        tables_.one_size = cursor_.big32() != 0;
        if (tables_.one_size) {
            tables_.sized = cursor_.big32();
            return;
        }
        tables_.sized = entries(box, 4);
        for (std::int64_t k = 1; k <= tables_.sized && !tables_.too_large; ++k)
            if (cursor_.big32() > file_.size()) tables_.too_large = k;
    }

    void read_runs(std::int64_t count) {
        for (; count > 0 && !cursor_.ended(); --count) {
            const std::uint32_t first_chunk = cursor_.big32();
            tables_.runs.push_back({first_chunk, cursor_.big32()});
            cursor_.skip(4);
        }
    }

    const InputFile& file_;
    FileCursor cursor_;
    SampleTables tables_;
};

// Checks that the tables of each track agree. The parts of a fragmented file are contiguous up to
// its end: `moov` with an `mvex`, then pairs of `moof` and `mdat`. libav skips an `mdat` whose
// `moof` it does not know.
class Mp4Walk {
 public:
    explicit Mp4Walk(const InputFile& file) : file_(file), cursor_(file) {}

    StructureReport walk() {
        while (report_.problem.empty() && cursor_.left() >= 8) {
            const Box box = read_box(cursor_);
            closed_ = box.type == "mfra";
            if (!passes(box)) break;
            cursor_.go(box.end());
        }
        if (report_.problem.empty() && !fragmented_) report_.proof = "its index";
        if (report_.problem.empty() && fragmented_ && closed_)
            report_.proof = "the index after its last fragment";
        return report_;
    }

 private:
    bool passes(const Box& box) {
        fragmented_ = fragmented_ || box.type == "moof";
        const bool open_ended = box.size == 0 && (!fragmented_ || box.type == "mdat");
        if (open_ended) return false;
        if (fragmented_ && (box.size < 8 || !is_box_type(box.type))) return fail(box.at);
        if (box.size < 8 || box.end() > file_.size()) {
            const bool pictures = box.type == "moof" || box.type == "mdat";
            if (box.type == "moov" || (fragmented_ && pictures))
                report_ = reaches_too_far(file_, box.at, box.end(),
                                          fmt::format("the part '{}'", box.type));
            return false;
        }
        if (box.type == "moov") {
            fragmented_ = look_into(cursor_, box, "mvex").has_wanted || fragmented_;
            if (!check_tracks(box)) return false;
            own_data_ = own_data_ && indexed_;
        }
        return !fragmented_ || belongs(box);
    }

    bool check_tracks(const Box& moov) {
        for (const Box& trak : children(moov, "trak")) {
            const SampleTables tables = TrackReader(file_).read(trak);
            tracks_.insert(tables.track);
            indexed_ = indexed_ || tables.sized > 0;
            std::string problem = tables.problem();
            if (problem.empty()) continue;
            report_ = problem_at(trak.at, std::move(problem));
            return false;
        }
        return true;
    }

    std::vector<Box> children(const Box& parent, std::string_view type) {
        std::vector<Box> found;
        cursor_.go(parent.data);
        while (cursor_.at() + 8 <= parent.end()) {
            const Box child = read_box(cursor_);
            if (child.size < 8 || child.end() > parent.end()) break;
            if (child.type == type) found.push_back(child);
            cursor_.go(child.end());
        }
        return found;
    }

    // libav skips samples of unknown tracks.
    bool check_fragment_tracks(const Box& moof) {
        for (const Box& traf : children(moof, "traf")) {
            const Children found = look_into(cursor_, traf, "tfhd");
            if (!found.whole || !found.has_wanted) return fail(traf.at);
            for (const Box& header : children(traf, "tfhd")) {
                cursor_.go(header.data + 4);
                const std::uint32_t track = cursor_.big32();
                if (tracks_.empty() || tracks_.contains(track)) continue;
                report_ =
                    problem_at(moof.at, fmt::format("the fragment at byte {} belongs to track {}, "
                                                    "which the file does not have",
                                                    moof.at, track));
                return false;
            }
        }
        return true;
    }

    bool belongs(const Box& box) {
        if (box.type == "moof") {
            const Children found = look_into(cursor_, box, "traf");
            announced_ = true;
            if (!found.whole || !found.has_wanted) return fail(box.at);
            return check_fragment_tracks(box);
        }
        const bool pictures = box.type == "mdat" && box.end() > box.data;
        // `moov` may index its own `mdat`, before or after it.
        const bool first = pictures && !announced_ && std::exchange(own_data_, false);
        if (pictures && !first && !std::exchange(announced_, false)) return fail(box.at);
        return true;
    }

    bool fail(std::int64_t at) {
        report_ = problem_at(at, fmt::format("byte {} is not the beginning of an mp4 box", at));
        return false;
    }

    const InputFile& file_;
    FileCursor cursor_;
    bool fragmented_ = false;
    bool announced_ = false;  // a `moof` whose `mdat` has not come yet
    bool indexed_ = false;    // `moov` has samples of its own
    bool own_data_ = true;
    std::set<std::uint32_t> tracks_;
    bool closed_ = false;  // the fragments' index was found
    StructureReport report_;
};

}  // namespace

// The Reader compares the index with the file's size, sample by sample.
StructureReport check_mp4(const InputFile& file) {
    return Mp4Walk(file).walk();
}

}  // namespace weft
