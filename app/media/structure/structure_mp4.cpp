// ISO base media files (mp4, mov): boxes, the tables of each track, fragments (ISO 14496-12).
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/media/demux/file_cursor.h"
#include "app/media/structure/mp4_boxes.h"
#include "app/media/structure/mp4_fragments.h"
#include "app/media/structure/mp4_track.h"
#include "app/media/structure/structure.h"

namespace weft {

namespace {

// Checks that the tables of each track agree. The parts of a fragmented file are contiguous up to
// its end: `moov` with an `mvex`, then pairs of `moof` and `mdat`. libav skips an `mdat` whose
// `moof` it does not know.
class Mp4Walk {
 public:
    explicit Mp4Walk(const InputFile& file)
        : file_(file), cursor_(file), coverage_(file), fragments_(file, coverage_) {}

    StructureReport walk() {
        while (report_.problem.empty() && cursor_.left() >= 8) {
            const Box box = read_box(cursor_);
            closed_ = box.type == "mfra";
            if (!passes(box)) break;
            cursor_.go(box.end());
        }
        if (report_.problem.empty() && ahead_) fail(*ahead_);
        report_.streams = fragments_.content();
        if (report_.problem.empty()) take_doubt(fragments_.doubt());
        if (report_.problem.empty()) take_doubt(coverage_.doubt());
        if (report_.problem.empty() && !fragmented_) report_.proof = "its index";
        if (report_.problem.empty() && fragmented_ && closed_)
            report_.proof = "the index after its last fragment";
        return report_;
    }

 private:
    bool passes(const Box& box) {
        fragmented_ = fragmented_ || box.type == "moof";
        const bool open_ended = box.size == 0 && (!fragmented_ || box.type == "mdat");
        if (box.type == "mdat")
            coverage_.add_media(box.data,
                                open_ended ? file_.size() : std::min(box.end(), file_.size()));
        if (open_ended) return false;
        if (fragmented_ && (box.size < 8 || !is_box_type(box.type))) return fail(box.at);
        if (box.size < 8 || box.end() > file_.size()) {
            const bool pictures = box.type == "moof" || box.type == "mdat";
            if (box.type == "moov" || (fragmented_ && pictures))
                report_ =
                    beyond_end(file_, box.at, box.end(), fmt::format("the part '{}'", box.type));
            return false;
        }
        if (box.type == "moov") {
            if (!read_movie(box)) return false;
            own_data_ = own_data_ && indexed_;
        } else if (box.type == "meta") {
            read_items(box);
        } else if (box.type == "mfra") {
            fragments_.compare(box);
        } else if (box.type == "ftyp" && movie_seen_ && !fragmented_) {
            take_doubt(fmt::format(
                "another file follows this one at byte {} and is not read; split them there",
                box.at));
        }
        return !fragmented_ || belongs(box);
    }

    void take_doubt(std::string clause) {
        if (report_.doubt.empty()) report_.doubt = std::move(clause);
    }

    bool read_movie(const Box& moov) {
        const BoxList parts = boxes_in(cursor_, moov);
        fragmented_ = parts.count("mvex") > 0 || fragmented_;
        if (!parts.whole || parts.count("mvhd") != 1 || std::exchange(movie_seen_, true))
            take_doubt(
                fmt::format("the index at byte {} is incomplete or contradicts another", moov.at));
        Mp4Movie movie{.fragmented = fragmented_};
        std::uint64_t ticks = 0;
        for (const Box& mvhd : parts.boxes) {
            if (mvhd.type != "mvhd") continue;
            cursor_.go(mvhd.data);
            const bool wide = cursor_.u8() == 1;
            cursor_.skip(3 + (wide ? 16 : 8));
            movie.timescale = cursor_.big32();
            ticks = cursor_.big(wide ? 8 : 4);
        }
        if (!read_tracks(parts, movie)) return false;
        if (!fragmented_ && ticks > 0 && ticks < UINT32_MAX && movie.timescale > 0)
            compare_durations(static_cast<double>(ticks) / movie.timescale);
        for (const Box& mvex : parts.boxes)
            if (mvex.type == "mvex") fragments_.read_defaults(mvex);
        return true;
    }

    // A movie lasts as long as its longest track.
    void compare_durations(double movie_s) {
        if (longest_.duration_s > 0 &&
            std::abs(movie_s - longest_.duration_s) > longest_.tolerance_s)
            take_doubt(fmt::format(
                "its index states a duration of {:.3f} s, and its longest track lasts {:.3f} s",
                movie_s, longest_.duration_s));
    }

    bool read_tracks(const BoxList& moov, const Mp4Movie& movie) {
        for (const Box& trak : moov.boxes) {
            if (trak.type != "trak") continue;
            Mp4Track track = read_mp4_track(file_, trak, movie, coverage_);
            // libav applies no edit list to fragments.
            track.content.trimmed = track.content.trimmed && !fragmented_;
            const bool again = fragments_.knows(track.id);
            if (again && !fragmented_)
                take_doubt(fmt::format("two tracks have the number {}", track.id));
            const bool continuous = track.handler == "vide" || track.handler == "soun";
            if (!again) fragments_.add_track(track.id, continuous, track.content);
            any_tracks_ = true;
            indexed_ = indexed_ || track.content.packets > 0;
            if (track.duration_s > longest_.duration_s) longest_ = track;
            take_doubt(std::move(track.doubt));
            if (track.problem.empty()) continue;
            report_ = problem_at(trak.at, std::move(track.problem));
            return false;
        }
        return true;
    }

    // The pictures of an AVIF and their EXIF and XMP are items, whose places `iloc` states (ISO
    // 14496-12, 8.11.3). They may share bytes.
    void read_items(Box meta) {
        meta.data += 4;  // version and flags
        for (const Box& iloc : boxes_in(cursor_, meta).boxes) {
            if (iloc.type != "iloc") continue;
            cursor_.go(iloc.data);
            const int version = cursor_.u8();
            cursor_.skip(3);
            const unsigned sizes = cursor_.u8();
            const unsigned more_sizes = cursor_.u8();
            std::int64_t items = cursor_.big(version < 2 ? 2 : 4);
            for (; items > 0 && cursor_.at() < iloc.end(); --items) {
                cursor_.skip(version < 2 ? 2 : 4);  // its number
                constexpr unsigned kInFile = 0;
                const unsigned method = version > 0 ? cursor_.big(2) & 0x0FU : kInFile;
                cursor_.skip(2);  // data reference
                const std::uint64_t base = number(more_sizes >> 4U);
                for (std::uint64_t parts = cursor_.big(2); parts > 0; --parts) {
                    if (version > 0) cursor_.skip(more_sizes & 0x0FU);
                    const std::int64_t begin = limited(base + number(sizes >> 4U));
                    const std::int64_t bytes = limited(number(sizes & 0x0FU));
                    if (method == kInFile && cursor_.at() <= iloc.end())
                        coverage_.add_item(begin, begin + bytes);
                }
            }
        }
    }

    std::uint64_t number(unsigned bytes) {
        return bytes == 0 || bytes > 8 ? 0 : cursor_.big(static_cast<int>(bytes));
    }

    // libav skips samples of unknown tracks.
    bool check_fragment_tracks(const Box& moof, const BoxList& parts) {
        for (const Box& traf : parts.boxes) {
            if (traf.type != "traf") continue;
            const BoxList boxes = boxes_in(cursor_, traf);
            if (!boxes.whole || boxes.count("tfhd") == 0) return fail(traf.at);
            for (const Box& header : boxes.boxes) {
                if (header.type != "tfhd") continue;
                cursor_.go(header.data + 4);
                const std::uint32_t track = cursor_.big32();
                if (!any_tracks_ || fragments_.knows(track)) continue;
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
            const BoxList parts = boxes_in(cursor_, box);
            // Flash Media Server writes each `mdat` before its `moof`.
            announced_ = !std::exchange(ahead_, std::nullopt);
            if (!parts.whole || parts.count("traf") == 0) return fail(box.at);
            if (!check_fragment_tracks(box, parts)) return false;
            fragments_.read(box);
            return true;
        }
        const bool pictures = box.type == "mdat" && box.end() > box.data;
        // `moov` may index its own `mdat`, before or after it.
        const bool first = pictures && !announced_ && std::exchange(own_data_, false);
        if (!pictures || first || std::exchange(announced_, false)) return true;
        if (ahead_) return fail(*ahead_);
        ahead_ = box.at;
        return true;
    }

    bool fail(std::int64_t at) {
        report_ = problem_at(at, fmt::format("byte {} is not the beginning of an mp4 box", at));
        return false;
    }

    const InputFile& file_;
    FileCursor cursor_;
    bool fragmented_ = false;
    bool announced_ = false;             // a `moof` whose `mdat` has not come yet
    std::optional<std::int64_t> ahead_;  // an `mdat` whose `moof` has not come yet
    bool indexed_ = false;               // `moov` has samples of its own
    bool own_data_ = true;
    bool movie_seen_ = false;
    bool any_tracks_ = false;
    Mp4Track longest_;  // track that states a duration
    SampleCoverage coverage_;
    Mp4Fragments fragments_;
    bool closed_ = false;  // the fragments' index was found
    StructureReport report_;
};

}  // namespace

// The Reader compares the index with the file's size, sample by sample.
StructureReport check_mp4(const InputFile& file) {
    return Mp4Walk(file).walk();
}

}  // namespace weft
