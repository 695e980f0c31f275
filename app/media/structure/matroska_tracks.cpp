#include "app/media/structure/matroska_tracks.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace weft::matroska {

namespace {

constexpr std::uint32_t kTrackNumber = 0xD7;
constexpr std::uint32_t kTrackUid = 0x73C5;
constexpr std::uint32_t kTrackType = 0x83;
constexpr std::uint32_t kCodec = 0x86;
constexpr std::uint32_t kWritingApp = 0x5741;
constexpr std::uint32_t kCueTime = 0xB3;
constexpr std::uint32_t kCueTrack = 0xF7;

constexpr std::uint64_t kVideo = 1;
constexpr std::uint64_t kAudio = 2;
constexpr std::uint64_t kSubtitles = 17;
constexpr std::uint64_t kMetadata = 33;

// 32 MiB: half a day of video with a track of sound. Longer files are not searched for stray
// blocks.
constexpr std::int64_t kMostTimes = 2 << 20;

std::string read_text(FileCursor& cursor, const Element& element) {
    constexpr std::int64_t kMost = 200;
    cursor.go(element.data);
    std::string text(static_cast<std::size_t>(std::min(element.size, kMost)), '\0');
    for (char& c : text) c = static_cast<char>(cursor.u8());
    return text.substr(0, text.find('\0'));
}

std::int64_t number_in(const std::string& text) {
    std::int64_t value = -1;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

// Whether the first letters of a codec's name contradict its track's type.
bool other_type(std::string_view codec, std::uint64_t type) {
    struct Row {
        std::string_view begin;
        std::uint64_t type;
    };
    constexpr std::array kRows = {Row{"V_", kVideo}, Row{"A_", kAudio}, Row{"S_", kSubtitles}};
    return std::ranges::any_of(
        kRows, [&](const Row& row) { return codec.starts_with(row.begin) && row.type != type; });
}

// Twice the rounding of times to ticks of a millisecond.
constexpr double kTolerance = 2;

bool near(double value, double wanted) {
    return std::abs(value - wanted) <= kTolerance;
}

}  // namespace

double TrackBook::gap_after(const Blocks& blocks, std::size_t n) {
    return static_cast<double>(blocks.stamps[n + 1].time - blocks.stamps[n].time);
}

// The duration that frames have in nine of ten blocks, or in all but three; 0: no such duration
// exists.
double TrackBook::frame_step(const Blocks& blocks) {
    constexpr std::size_t kFewest = 5;
    if (blocks.stamps.size() < kFewest) return 0;
    std::vector<double> steps;
    for (std::size_t n = 0; n + 1 < blocks.stamps.size(); ++n)
        steps.push_back(gap_after(blocks, n) / std::max(blocks.stamps[n].frames, 1));
    const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
    std::ranges::nth_element(steps, middle);
    const double step = *middle;
    std::size_t odd = 0;
    for (std::size_t n = 0; n + 1 < blocks.stamps.size(); ++n)
        odd += near(gap_after(blocks, n), step * blocks.stamps[n].frames) ? 0 : 1;
    return odd * 10 <= blocks.stamps.size() || odd <= 3 ? step : 0;
}

// Whether all others would follow each other without this block.
bool TrackBook::is_surplus(const Blocks& blocks, std::size_t n, double step) {
    const std::vector<Stamp>& stamps = blocks.stamps;
    if (n == 0) return gap_after(blocks, 0) < step * stamps[0].frames - kTolerance;
    const double before = step * stamps[n - 1].frames;
    const bool early = gap_after(blocks, n - 1) < before - kTolerance;
    return early && (n + 1 == stamps.size() ||
                     near(gap_after(blocks, n - 1) + gap_after(blocks, n), before));
}

// Whether such a block is missing here, between others or also at the ends.
bool TrackBook::lacks(const Blocks& blocks, double step, const Stamp& stamp, bool at_ends) {
    const std::vector<Stamp>& stamps = blocks.stamps;
    const auto next = std::ranges::lower_bound(stamps, stamp.time, {}, &Stamp::time);
    const double own = step * stamp.frames;
    if (!at_ends && (next == stamps.begin() || next == stamps.end())) return false;
    if (next == stamps.begin()) return near(static_cast<double>(next->time - stamp.time), own);
    const Stamp& before = *(next - 1);
    if (!near(static_cast<double>(stamp.time - before.time), step * before.frames)) return false;
    return next == stamps.end() || near(static_cast<double>(next->time - stamp.time), own);
}

// Whether a frame is missing here, which means directly after another or before the first.
bool TrackBook::has_room(const Blocks& blocks, double step, std::int64_t time) {
    const std::vector<Stamp>& stamps = blocks.stamps;
    const auto next = std::ranges::lower_bound(stamps, time, {}, &Stamp::time);
    const double left = next == stamps.end() ? step : static_cast<double>(next->time - time);
    if (next == stamps.begin()) return near(left, step);
    const Stamp& before = *(next - 1);
    return left >= step - kTolerance &&
           near(static_cast<double>(time - before.time), step * before.frames);
}

// Whether one block has fewer frames than others, and just as many are missing before the next: its
// number of frames is wrong. Sound has other gaps too, and then usually more than one.
bool TrackBook::has_short_lace(const Blocks& blocks, double step) {
    const auto most = std::ranges::max_element(blocks.stamps, {}, &Stamp::frames);
    int short_ones = 0;
    for (std::size_t n = 0; n + 1 < blocks.stamps.size(); ++n) {
        const double frames = std::round(gap_after(blocks, n) / step);
        const bool missing = frames > blocks.stamps[n].frames && frames <= most->frames &&
                             near(gap_after(blocks, n), step * frames);
        if (missing) ++short_ones;
    }
    return short_ones == 1;
}

void TrackBook::note(FileCursor& cursor, const Element& part, std::uint32_t parent) {
    if (part.id == kTrackEntry) tracks_.emplace_back();
    if (part.id == kTag) tags_.emplace_back();
    if (part.id == kWritingApp) writer_ = read_text(cursor, part);
    if (parent == kTrackEntry && !tracks_.empty()) note_track(cursor, part);
    if (!tags_.empty()) note_tag(cursor, part);
    if (part.id == kCueTime) cue_time_ = static_cast<std::int64_t>(read_unsigned(cursor, part));
    if (part.id == kCueTrack) cues_.push_back({read_unsigned(cursor, part), cue_time_});
}

void TrackBook::note_track(FileCursor& cursor, const Element& part) {
    Track& track = tracks_.back();
    if (part.id == kTrackUid) track.uid = read_unsigned(cursor, part);
    if (part.id == kTrackNumber) track.number = read_unsigned(cursor, part);
    if (part.id == kTrackType) track.type = read_unsigned(cursor, part);
    if (part.id == kCodec) track.codec = read_text(cursor, part);
    if (part.id == kTrackNumber) track.facts += 1;
    if (part.id == kTrackType) track.facts += 100;
    if (part.id == kCodec) track.facts += 10000;
}

// The name of a text comes before it.
void TrackBook::note_tag(FileCursor& cursor, const Element& part) {
    Statistics& tag = tags_.back();
    if (part.id == kTagTrackUid) tag.uid = read_unsigned(cursor, part);
    if (part.id == kTagName) tag.name = read_text(cursor, part);
    if (part.id != kTagString) return;
    if (tag.name == "NUMBER_OF_FRAMES") tag.frames = number_in(read_text(cursor, part));
    if (tag.name == "_STATISTICS_WRITING_APP") tag.writer = read_text(cursor, part);
}

void TrackBook::add_block(std::uint64_t track, std::int64_t time, bool key, int frames) {
    Blocks& blocks = blocks_[track];
    blocks.frames += frames;
    ++blocks.count;
    blocks.key += key ? 1 : 0;
    if (++times_ <= kMostTimes) blocks.stamps.push_back({time, frames});
}

void TrackBook::add_swallowed(const Swallowed& block) {
    constexpr std::size_t kMost = 1000;
    if (swallowed_.size() < kMost) swallowed_.push_back(block);
}

bool TrackBook::knows(std::uint64_t track) const {
    return tracks_.empty() ||
           std::ranges::any_of(tracks_, [&](const Track& one) { return one.number == track; });
}

const TrackBook::Blocks& TrackBook::blocks_of(const Track& track) const {
    static const Blocks kNone;
    const auto found = blocks_.find(track.number);
    return found == blocks_.end() ? kNone : found->second;
}

// Programs that copy a film with its tags leave their own names as the writer.
const TrackBook::Statistics* TrackBook::statistics_of(const Track& track) const {
    const auto found = std::ranges::find_if(tags_, [&](const Statistics& tag) {
        return tag.uid == track.uid && tag.frames >= 0 && tag.writer == writer_;
    });
    return found == tags_.end() || writer_.empty() ? nullptr : &*found;
}

std::string TrackBook::contradiction() {
    for (auto& [number, blocks] : blocks_) std::ranges::sort(blocks.stamps, {}, &Stamp::time);
    for (const Track& track : tracks_) {
        const std::int64_t frames = blocks_of(track).frames;
        const Statistics* const stated = statistics_of(track);
        if (stated != nullptr && stated->frames != frames)
            return fmt::format("track {} has {} frames, but its tag states {}", track.number,
                               frames, stated->frames);
        if (other_type(track.codec, track.type))
            return fmt::format("track {} has the codec {}, which contradicts its type {}",
                               track.number, track.codec, track.type);
    }
    return swallowed_block(true);
}

// Certain where frames have a constant distance, and one is missing there. Elsewhere the time and
// the flags must be possible, or chance would make some films suspect.
std::string TrackBook::swallowed_block(bool certain) const {
    constexpr std::int64_t kLongest = 10'000;
    if (times_ > kMostTimes) return "";
    for (const Swallowed& block : swallowed_) {
        const auto track = std::ranges::find(tracks_, block.track, &Track::number);
        if (track == tracks_.end()) continue;
        const Blocks& blocks = blocks_of(*track);
        const double step = track->type == kSubtitles ? 0 : frame_step(blocks);
        const bool possible =
            (block.flags & ~0x80U) == 0 && std::abs(block.time - block.cluster_time) <= kLongest &&
            !std::ranges::binary_search(blocks.stamps, block.time, {}, &Stamp::time);
        if (certain ? step > 0 && has_room(blocks, step, block.time) : step == 0 && possible)
            return fmt::format("the block at byte {} contains a block of track {}", block.at,
                               block.track);
    }
    return "";
}

bool TrackBook::counted() const {
    return !tracks_.empty() && std::ranges::all_of(tracks_, [&](const Track& track) {
        return statistics_of(track) != nullptr;
    });
}

// libav skips tracks of other types, and those whose codec is not one of their type.
bool TrackBook::Track::is_stream() const {
    const bool text = codec.starts_with('S') || codec.starts_with('D');
    return (type == kVideo && codec.starts_with('V')) ||
           (type == kAudio && codec.starts_with('A')) ||
           ((type == kSubtitles || type == kMetadata) && text);
}

std::vector<std::int64_t> TrackBook::frames_by_stream() const {
    std::vector<std::int64_t> frames;
    for (const Track& track : tracks_) {
        if (!track.is_stream()) continue;
        const bool repacked = track.codec.starts_with("A_REAL/");
        frames.push_back(repacked ? 0 : blocks_of(track).frames);
    }
    return frames;
}

std::string TrackBook::doubt() const {
    constexpr int kOneOfEach = 10101;
    for (const Track& track : tracks_) {
        const Blocks& blocks = blocks_of(track);
        if (blocks.count > 0 && (track.facts != kOneOfEach || !track.is_stream()))
            return fmt::format("FFmpeg does not read track {}", track.number);
        // All pieces of sound are key frames, unless the codec has others: then many are not.
        if (track.type != kVideo && blocks.count > 2 && blocks.count - blocks.key == 1)
            return fmt::format("one block of track {} is unlike the others", track.number);
    }
    if (!cues_fit()) return "a cue names a block that is not there";
    if (std::string swallowed = swallowed_block(false); !swallowed.empty()) return swallowed;
    return has_stray_block() ? "the times of a block are not those of its track" : "";
}

// Some programs round the times of cues: if a tenth do not fit, this is not a change.
bool TrackBook::cues_fit() const {
    if (times_ > kMostTimes) return true;
    std::size_t bad = 0;
    for (const Cue& cue : cues_) {
        const auto blocks = blocks_.find(cue.track);
        if (blocks == blocks_.end() ||
            !std::ranges::binary_search(blocks->second.stamps, cue.time, {}, &Stamp::time))
            ++bad;
    }
    return bad == 0 || bad * 10 > cues_.size() + 9;
}

// A block with the number of another track leaves a gap in its own and is one too many there.
// Subtitles have no distance of their own, so none of them may fill a gap.
bool TrackBook::has_stray_block() const {
    if (times_ > kMostTimes) return false;
    std::map<std::uint64_t, double> steps;
    for (const Track& track : tracks_)
        if (const double step = frame_step(blocks_of(track)); step > 0 && track.type != kSubtitles)
            steps[track.number] = step;
    for (const Track& track : tracks_) {
        const Blocks& blocks = blocks_of(track);
        const bool any = track.type == kSubtitles;
        if (!any && !steps.contains(track.number)) continue;
        const double step = any ? 0 : steps[track.number];
        if (!any && has_short_lace(blocks, step)) return true;
        for (std::size_t n = 0; n < blocks.stamps.size(); ++n)
            if ((any || is_surplus(blocks, n, step)) &&
                std::ranges::any_of(steps, [&](const auto& other) {
                    return other.first != track.number &&
                           lacks(blocks_.at(other.first), other.second, blocks.stamps[n], !any);
                }))
                return true;
    }
    return false;
}

}  // namespace weft::matroska
