#include "app/media/structure/mp4_track.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace weft {

namespace {

// A table whose entries begin at `at`.
struct Table {
    std::int64_t at = 0;
    std::int64_t entries = 0;
};

struct Run {
    std::uint32_t first_chunk = 0;  // from 1
    std::uint32_t samples = 0;      // in each chunk of the run
};

// The samples of a piece of sound that is counted in units of equal size.
struct SoundUnits {
    std::int64_t samples = 1;
    std::int64_t bytes = 1;
};

class TrackReader {
 public:
    TrackReader(const InputFile& file, const Mp4Movie& movie)
        : file_(file), cursor_(file), movie_(movie) {}

    Mp4Track read(const Box& trak, SampleCoverage& coverage) {
        read_children(trak);
        found_.problem = problem();
        if (found_.doubt.empty()) found_.doubt = contradiction();
        if (found_.problem.empty()) add_samples(coverage);
        found_.content.id = static_cast<int>(found_.id);
        found_.content.packets = counts_units() ? 0 : sized_;
        found_.content.one_format = formats_ <= 1;
        return std::move(found_);
    }

 private:
    void doubt(std::string clause) {
        if (found_.doubt.empty()) found_.doubt = std::move(clause);
    }

    // Parts that every level needs, once each: libav leaves a track out if they are missing.
    void check_parts(const Box& parent, const BoxList& list) {
        const auto once = [&](std::initializer_list<std::string_view> names) {
            std::int64_t count = 0;
            for (const std::string_view name : names) count += list.count(name);
            return count == 1;
        };
        bool complete = list.whole;
        if (parent.type == "trak")
            complete = complete && once({"tkhd"}) && once({"mdia"}) && list.count("edts") <= 1;
        if (parent.type == "mdia")
            complete = complete && once({"mdhd"}) && once({"hdlr"}) && once({"minf"});
        if (parent.type == "minf") complete = complete && once({"stbl"});
        if (parent.type == "stbl")
            complete = complete && once({"stsd"}) && once({"stts"}) && once({"stsc"}) &&
                       once({"stsz", "stz2"}) && once({"stco", "co64"}) && list.count("ctts") <= 1;
        if (!complete)
            doubt(
                fmt::format("the parts of the track at byte {} are incomplete or contradict "
                            "each other",
                            parent.at));
    }

    void read_children(const Box& parent, int depth = 0) {
        check_parts(parent, boxes_in(cursor_, parent));
        std::int64_t at = parent.data;
        while (at + 8 <= parent.end()) {
            cursor_.go(at);
            Box box = read_box(cursor_);
            if (box.size < 8) return;
            // libav reads a part that reaches too far, as well.
            box.size = std::min(box.size, static_cast<std::uint64_t>(parent.end() - at));
            read_one(box, depth);
            at = box.end();
        }
    }

    void read_one(const Box& box, int depth) {
        constexpr int kMostDepth = 3;  // that of stbl, in minf, in mdia
        if (box.type == "mdia" || box.type == "minf" || box.type == "stbl" || box.type == "edts") {
            if (depth < kMostDepth) read_children(box, depth + 1);
            return;
        }
        const bool wide = cursor_.u8() == 1;  // the version, and with it the size of times
        cursor_.skip(3);                      // flags
        if (box.type == "tkhd") {
            cursor_.skip(wide ? 16 : 8);
            found_.id = cursor_.big32();
            cursor_.skip(4);
            track_ticks_ = read_duration(wide);
        } else if (box.type == "mdhd") {
            cursor_.skip(wide ? 16 : 8);
            timescale_ = cursor_.big32();
            media_ticks_ = read_duration(wide);
        } else if (box.type == "hdlr" && found_.handler.empty()) {
            cursor_.skip(4);
            found_.handler = cursor_.text4();
        } else if (box.type == "vmhd" || box.type == "smhd") {
            media_header_ = box.type;
        } else if (box.type == "stsd") {
            formats_ = cursor_.big32();
            if (formats_ > 0) read_units();
        } else if (box.type == "elst") {
            read_edits(table(box, wide ? 20 : 12), wide);
        } else if (box.type == "stts") {
            read_times(table(box, 8));
        } else if (box.type == "ctts") {
            read_delays(table(box, 8));
        } else if (box.type == "stsz") {
            read_sizes(box);
        } else if (box.type == "stz2") {
            size_bits_ = static_cast<int>(cursor_.big32() & 0xFFU);
            sized_ = cursor_.big32();
            sizes_.at = cursor_.at();
        } else if (box.type == "stsc") {
            read_runs(table(box, 12));
        } else if (box.type == "stco" || box.type == "co64") {
            wide_places_ = box.type == "co64";
            places_ = table(box, wide_places_ ? 8 : 4);
        }
    }

    // Returns nothing for an unknown duration, which is zero or all ones.
    std::optional<std::int64_t> read_duration(bool wide) {
        const std::uint64_t ticks = cursor_.big(wide ? 8 : 4);
        const std::uint64_t unknown = wide ? UINT64_MAX : UINT32_MAX;
        if (ticks == 0 || ticks == unknown || ticks >= Box::kFar) return std::nullopt;
        return static_cast<std::int64_t>(ticks);
    }

    // The entry count of a table, limited by the table's size.
    Table table(const Box& box, std::int64_t entry_bytes) {
        const std::int64_t count = cursor_.big32();
        const std::int64_t room = (box.end() - cursor_.at()) / entry_bytes;
        if (count > room) overfull_ = box.type;
        if (count < room)
            doubt(fmt::format("table '{}' at byte {} has room for {} entries and states {}",
                              box.type, box.at, room, count));
        return {cursor_.at(), std::min(count, room)};
    }

    void read_times(const Table& times) {
        for (std::int64_t k = 0; k < times.entries && !cursor_.ended(); ++k) {
            const std::int64_t count = cursor_.big32();
            const std::int64_t ticks = cursor_.big32();
            timed_ += count;
            sum_ticks_ += static_cast<double>(count) * static_cast<double>(ticks);
            longest_ = std::max(longest_, ticks);
        }
    }

    // Some writers mark samples as not shown by a large negative delay; libav ignores such a table.
    void read_delays(const Table& delays) {
        constexpr std::int32_t kNotShown = -(1 << 28);
        for (std::int64_t k = 0; k < delays.entries && !cursor_.ended(); ++k) {
            delayed_ = delayed_.value_or(0) + cursor_.big32();
            const auto delay = static_cast<std::int32_t>(cursor_.big32());
            if (delay < kNotShown) ignores_delays_ = true;
            if (delay < kNotShown) continue;
            least_delay_ = std::min<std::int64_t>(least_delay_, delay);
            most_delay_ = std::max<std::int64_t>(most_delay_, delay);
        }
    }

    // Ticks of the movie, then a time of the media, or -1 for nothing.
    void read_edits(const Table& edits, bool wide) {
        for (std::int64_t k = 0; k < edits.entries && !cursor_.ended(); ++k) {
            const auto ticks = static_cast<std::int64_t>(cursor_.big(wide ? 8 : 4));
            const auto time = wide ? static_cast<std::int64_t>(cursor_.big(8))
                                   : std::int64_t{static_cast<std::int32_t>(cursor_.big32())};
            cursor_.skip(4);
            edits_ticks_ = edits_ticks_.value_or(0) + static_cast<double>(ticks);
            if (time >= 0) last_edit_ = {ticks, time};
        }
    }

    void read_sizes(const Box& box) {
        one_size_ = cursor_.big32();
        if (one_size_ != 0) {
            sized_ = cursor_.big32();
            return;
        }
        sizes_ = table(box, 4);
        sized_ = sizes_.entries;
        for (std::int64_t k = 1; k <= sized_ && !too_large_; ++k)
            if (cursor_.big32() > file_.size()) too_large_ = k;
    }

    void read_runs(const Table& runs) {
        for (std::int64_t k = 0; k < runs.entries && !cursor_.ended(); ++k) {
            const std::uint32_t first_chunk = cursor_.big32();
            runs_.push_back({first_chunk, cursor_.big32()});
            const std::uint32_t format = cursor_.big32();  // from 1
            highest_format_ = std::max(highest_format_, format);
            if (format == 0) highest_format_ = UINT32_MAX;
        }
    }

    // QuickTime's description of sound, versions 0 to 2: the bytes of a unit of one sample. A-law
    // and µ-law state the 16 bits that they decode to.
    void read_units() {
        cursor_.skip(4);
        const std::string format = cursor_.text4();
        cursor_.skip(6 + 2);  // reserved, data reference
        const auto version = cursor_.big(2);
        cursor_.skip(6);
        const auto channels = static_cast<std::int64_t>(cursor_.big(2));
        const auto bits = static_cast<std::int64_t>(cursor_.big(2));
        units_.bytes = channels * (format == "alaw" || format == "ulaw" ? 8 : bits) / 8;
        cursor_.skip(8);
        std::int64_t samples = 0;
        std::int64_t bytes = 0;
        if (version == 1) {
            samples = cursor_.big32();
            cursor_.skip(4);
            bytes = cursor_.big32();
        } else if (version == 2) {
            cursor_.skip(4 + 8 + 4 + 4 + 4 + 4);
            bytes = cursor_.big32();
            samples = cursor_.big32();
        }
        if (samples > 0 && bytes > 0) units_ = {samples, bytes};
    }

    // Returns nothing if the runs are invalid; libav has ways to read those.
    std::optional<std::int64_t> placed() const {
        std::int64_t sum = 0;
        for (std::size_t k = 0; k < runs_.size(); ++k) {
            const std::int64_t end =
                k + 1 < runs_.size() ? runs_[k + 1].first_chunk : places_.entries + 1;
            if (runs_[k].first_chunk < 1 || runs_[k].first_chunk > end || end > places_.entries + 1)
                return std::nullopt;
            sum += (end - runs_[k].first_chunk) * runs_[k].samples;
        }
        return sum;
    }

    bool counts_units() const { return is_sound() && one_size_ == 1; }
    bool is_sound() const { return found_.handler == "soun"; }

    // libav reads only the samples that all tables include, without an error. PCM is counted
    // differently.
    std::string problem() const {
        const std::uint32_t track = found_.id;
        if (found_.handler != "vide" && (!is_sound() || one_size_ != 0)) return "";
        if (too_large_)
            return fmt::format("sample {} of track {} has more bytes than the file", *too_large_,
                               track);
        if (!overfull_.empty())
            return fmt::format("table '{}' of track {} claims more entries than it contains",
                               overfull_, track);
        const std::optional<std::int64_t> placed_samples = placed();
        const std::int64_t places = placed_samples.value_or(sized_);
        // Times for further samples, which have neither sizes nor places, are a doubt.
        const bool no_more = timed_ <= sized_ || placed_samples == sized_;
        if (no_more && places >= sized_) return delay_problem();
        return fmt::format(
            "the index of track {} contradicts itself: it has times for {} samples, "
            "sizes for {} and places for {}",
            track, timed_, sized_, places);
    }

    // A picture waits for at most 16 others (H.264, A.3.1); the limit is twice that for writers
    // that put parts with different delays into one track. A picture timed beyond the end is not
    // shown.
    std::string delay_problem() const {
        constexpr std::int64_t kMostWaiting = 32;
        if (found_.handler != "vide" || longest_ == 0 || most_delay_ <= least_delay_) return "";
        if (most_delay_ - least_delay_ <= kMostWaiting * longest_) return "";
        return fmt::format(
            "the index of track {} contradicts itself: it shows one sample {} ticks later than "
            "another, where none lasts longer than {}",
            found_.id, most_delay_ - least_delay_, longest_);
    }

    // Compares the facts that the file states twice.
    std::string contradiction() {
        const std::int64_t places = placed().value_or(-1);
        if (timed_ != sized_ || places != sized_ || delayed_.value_or(sized_) != sized_)
            return fmt::format(
                "the index of track {} has times for {} samples, sizes for {} and places for {}",
                found_.id, timed_, sized_, places);
        if (highest_format_ > formats_)
            return fmt::format("samples of track {} have a format that it does not describe",
                               found_.id);
        const bool other_media =
            (media_header_ == "smhd" && !is_sound()) || (media_header_ == "vmhd" && is_sound());
        if (other_media)
            return fmt::format("track {} has the header '{}' and the handler '{}'", found_.id,
                               media_header_, found_.handler);
        if (!movie_.fragmented && timescale_ > 0 && movie_.timescale > 0)
            return duration_contradiction();
        return "";
    }

    std::string duration_contradiction() {
        const double tick = 1.0 / timescale_;
        const double movie_tick = 1.0 / movie_.timescale;
        const double samples = sum_ticks_ * tick;
        const double longest = static_cast<double>(longest_) * tick;
        const double spread =
            most_delay_ > least_delay_ ? static_cast<double>(most_delay_ - least_delay_) * tick : 0;
        found_.tolerance_s = longest + spread + 2 * movie_tick + tick;
        const auto agree = [&](double a, double b) {
            return std::abs(a - b) <= found_.tolerance_s;
        };
        const double media = media_ticks_ ? static_cast<double>(*media_ticks_) * tick : samples;
        const double edited = edits_ticks_ ? *edits_ticks_ * movie_tick : media;
        if (track_ticks_) found_.duration_s = static_cast<double>(*track_ticks_) * movie_tick;
        // Some writers count the time before a late beginning as media.
        if (sized_ > 0 && !agree(media, samples) && !agree(media, edited))
            return fmt::format("track {} states {:.3f} s of media and has samples for {:.3f} s",
                               found_.id, media, samples);
        if (track_ticks_ && !agree(found_.duration_s, edited) && !agree(found_.duration_s, media))
            return fmt::format("track {} states a duration of {:.3f} s, and its parts are {:.3f} s",
                               found_.id, found_.duration_s, edited);
        if (last_edit_) {
            const double delay = most_delay_ > 0 ? static_cast<double>(most_delay_) * tick : 0;
            const double end = static_cast<double>(last_edit_->media_time) * tick +
                               static_cast<double>(last_edit_->ticks) * movie_tick;
            const double begin = static_cast<double>(last_edit_->media_time) * tick;
            // Pictures that wait for others begin late, and a last subtitle without a duration
            // begins where the edit list ends.
            found_.content.trimmed = !is_sound() || begin > 0 || end + movie_tick + tick < samples;
            const double slack = 2 * movie_tick + tick + (is_sound() ? 0 : longest + delay);
            if (std::string trim = trim_contradiction(begin, end, media, samples); !trim.empty())
                return trim;
            if (end > samples + slack)
                return fmt::format(
                    "the edit list of track {} ends at {:.3f} s of its media, which lasts {:.3f} s",
                    found_.id, end, samples);
        }
        return "";
    }

    // Editors trim films by an edit list, but then nothing else is wrong with the times. All of
    // these are in seconds.
    std::string trim_contradiction(double begin, double end, double media, double samples) const {
        if (found_.handler != "vide" || sized_ < 2) return "";
        if (ignores_delays_ && begin > 0)
            return fmt::format("FFmpeg ignores the delays of track {}, and its edit list cuts it",
                               found_.id);
        const double longest = static_cast<double>(longest_) / timescale_;
        if (end < samples && std::abs(media - samples) > longest)
            return fmt::format(
                "the edit list cuts track {}, which states {:.3f} s of media and has {:.3f} s",
                found_.id, media, samples);
        if (end - begin < samples / static_cast<double>(sized_) / 2)
            return fmt::format("the edit list of track {} shows less than one picture", found_.id);
        return "";
    }

    // Adds up the sizes, chunk by chunk.
    void add_samples(SampleCoverage& coverage) {
        FileCursor sizes(file_, sizes_.at);
        FileCursor places(file_, places_.at);
        std::int64_t samples_left = sized_;
        std::size_t run = 0;
        for (std::int64_t chunk = 1; chunk <= places_.entries && !places.ended(); ++chunk) {
            while (run + 1 < runs_.size() && runs_[run + 1].first_chunk <= chunk) ++run;
            const auto place = static_cast<std::int64_t>(places.big(wide_places_ ? 8 : 4));
            const std::int64_t count =
                std::min<std::int64_t>(run < runs_.size() ? runs_[run].samples : 0, samples_left);
            samples_left -= count;
            const std::int64_t bytes = chunk_bytes(sizes, count);
            found_.content.bytes =
                limited(static_cast<std::uint64_t>(found_.content.bytes + bytes));
            if (place >= 0 && place <= file_.size()) coverage.add_samples(place, place + bytes);
        }
    }

    std::int64_t chunk_bytes(FileCursor& sizes, std::int64_t count) {
        if (one_size_ != 0) {
            const bool units = counts_units();
            const std::int64_t pieces = units ? count / units_.samples : count;
            const std::int64_t bytes = units ? units_.bytes : one_size_;
            return limited(static_cast<std::uint64_t>(pieces) * static_cast<std::uint64_t>(bytes));
        }
        std::int64_t sum = 0;
        for (std::int64_t k = 0; k < count && !sizes.ended(); ++k) sum += next_size(sizes);
        return sum;
    }

    std::int64_t next_size(FileCursor& sizes) {
        if (size_bits_ != 4) return static_cast<std::int64_t>(sizes.big(size_bits_ / 8));
        if (half_byte_) return std::exchange(half_byte_, std::nullopt).value() & 0xFU;
        half_byte_ = sizes.u8();
        return *half_byte_ >> 4U;
    }

    struct Edit {
        std::int64_t ticks;       // on the time line of the movie
        std::int64_t media_time;  // in ticks of the media
    };

    const InputFile& file_;
    FileCursor cursor_;
    const Mp4Movie& movie_;
    Mp4Track found_;
    std::uint32_t timescale_ = 0;
    std::optional<std::int64_t> media_ticks_;
    std::optional<std::int64_t> track_ticks_;  // on the time line of the movie
    std::optional<double> edits_ticks_;        // of the movie
    std::optional<Edit> last_edit_;
    std::string media_header_;
    std::uint32_t formats_ = 0;
    std::uint32_t highest_format_ = 0;  // the highest that a sample has
    SoundUnits units_;
    std::int64_t timed_ = 0;
    double sum_ticks_ = 0;
    std::int64_t sized_ = 0;
    std::uint32_t one_size_ = 0;
    int size_bits_ = 32;
    std::optional<std::uint8_t> half_byte_;
    std::int64_t longest_ = 0;  // longest sample duration, in the track's ticks
    // Range of the delays from decoding to presentation, and the samples that have one.
    std::int64_t least_delay_ = std::numeric_limits<std::int64_t>::max();
    std::int64_t most_delay_ = std::numeric_limits<std::int64_t>::min();
    std::optional<std::int64_t> delayed_;
    bool ignores_delays_ = false;
    std::string overfull_;  // a table that claims more entries than it has room for
    std::optional<std::int64_t> too_large_;  // a sample larger than the file
    Table sizes_;
    Table places_;
    bool wide_places_ = false;
    std::vector<Run> runs_;
};

}  // namespace

Mp4Track read_mp4_track(const InputFile& file, const Box& trak, const Mp4Movie& movie,
                        SampleCoverage& coverage) {
    return TrackReader(file, movie).read(trak, coverage);
}

}  // namespace weft
