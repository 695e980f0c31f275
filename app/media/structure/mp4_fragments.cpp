#include "app/media/structure/mp4_fragments.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace weft {

void Mp4Fragments::doubt(std::string clause) {
    if (doubt_.empty()) doubt_ = std::move(clause);
}

void Mp4Fragments::add_track(std::uint32_t id, bool continuous, const StreamContent& content) {
    Track& track = tracks_[id];
    track.continuous = continuous;
    track.content = content;
}

void Mp4Fragments::read_defaults(const Box& mvex) {
    for (const Box& trex : boxes_in(cursor_, mvex).boxes) {
        if (trex.type != "trex") continue;
        cursor_.go(trex.data + 4);
        const auto track = tracks_.find(cursor_.big32());
        if (track == tracks_.end()) continue;
        cursor_.skip(4);
        track->second.defaults.duration = cursor_.big32();
        track->second.defaults.bytes = cursor_.big32();
    }
}

void Mp4Fragments::read(const Box& moof) {
    std::optional<std::int64_t> end_of_last;
    const BoxList parts = boxes_in(cursor_, moof);
    if (parts.count("mfhd") != 1)
        doubt(fmt::format("the fragment at byte {} has no header of its own", moof.at));
    for (const Box& traf : parts.boxes)
        if (traf.type == "traf") read_track(moof, traf, end_of_last);
}

void Mp4Fragments::read_track(const Box& moof, const Box& traf,
                              std::optional<std::int64_t>& end_of_last) {
    const BoxList boxes = boxes_in(cursor_, traf);
    Part part;
    for (const Box& box : boxes.boxes)
        if (box.type == "tfhd") read_header(moof, box, end_of_last.value_or(moof.at), part);
    if (boxes.count("tfdt") > 1 || boxes.count("tfhd") != 1)
        doubt(fmt::format("the fragment at byte {} contradicts itself", moof.at));
    for (const Box& box : boxes.boxes) {
        if (box.type == "tfdt") {
            cursor_.go(box.data);
            const bool wide = cursor_.u8() == 1;
            cursor_.skip(3);
            part.time = limited(cursor_.big(wide ? 8 : 4));
        } else if (box.type == "trun") {
            read_samples(box, part);
        }
    }
    end_of_last = part.next;
    take(moof, part);
}

void Mp4Fragments::read_header(const Box& moof, const Box& tfhd, std::int64_t implicit_base,
                               Part& part) {
    cursor_.go(tfhd.data);
    const std::uint32_t flags = cursor_.big32() & 0xFFFFFFU;
    part.id = cursor_.big32();
    if (const auto track = tracks_.find(part.id); track != tracks_.end())
        part.defaults = track->second.defaults;
    part.base = (flags & 0x20000U) != 0 ? moof.at : implicit_base;
    if ((flags & 1U) != 0) part.base = limited(cursor_.big(8));
    if ((flags & 2U) != 0) cursor_.skip(4);  // the format
    if ((flags & 8U) != 0) part.defaults.duration = cursor_.big32();
    if ((flags & 0x10U) != 0) part.defaults.bytes = cursor_.big32();
    if ((flags & 0x20U) != 0) cursor_.skip(4);  // the samples' flags
    if (cursor_.at() != tfhd.end())
        doubt(fmt::format("the fragment at byte {} contradicts itself", moof.at));
    part.next = part.base;
}

void Mp4Fragments::read_samples(const Box& trun, Part& part) {
    cursor_.go(trun.data);
    const std::uint32_t flags = cursor_.big32() & 0xFFFFFFU;
    const std::uint32_t count = cursor_.big32();
    std::int64_t at = part.next;
    if ((flags & 1U) != 0) at = part.base + static_cast<std::int32_t>(cursor_.big32());
    if ((flags & 4U) != 0) cursor_.skip(4);
    const auto has = [&](std::uint32_t flag) { return (flags & flag) != 0; };
    const std::int64_t entry =
        4 * (std::int64_t{has(0x100)} + has(0x200) + has(0x400) + has(0x800));
    if (cursor_.at() + count * entry != trun.end()) {
        doubt(fmt::format("the list of samples at byte {} does not have the {} that it states",
                          trun.at, count));
        if (cursor_.at() + count * entry > trun.end()) return;
    }
    Track& track = tracks_[part.id];
    const std::int64_t begin = at;
    if (entry == 0) {
        at += limited_product(count, part.defaults.bytes);
        part.ticks += limited_product(count, part.defaults.duration);
        track.longest = std::max<std::int64_t>(track.longest, part.defaults.duration);
    }
    for (std::uint32_t k = 0; k < count && entry > 0 && !cursor_.ended(); ++k) {
        const std::int64_t ticks = has(0x100) ? cursor_.big32() : part.defaults.duration;
        at += has(0x200) ? cursor_.big32() : part.defaults.bytes;
        if (has(0x400)) cursor_.skip(4);
        const std::int64_t delay = has(0x800) ? static_cast<std::int32_t>(cursor_.big32()) : 0;
        if (!part.delay) part.delay = delay;
        part.ticks += ticks;
        track.longest = std::max(track.longest, ticks);
    }
    coverage_.add_samples(begin, at);
    track.content.packets += count;
    track.content.bytes = limited(static_cast<std::uint64_t>(track.content.bytes + at - begin));
    part.next = limited(static_cast<std::uint64_t>(at));
}

void Mp4Fragments::take(const Box& moof, const Part& part) {
    Track& track = tracks_[part.id];
    const std::int64_t time = part.time.value_or(track.end.value_or(0));
    if (track.end) {
        const std::int64_t gap = time - *track.end;
        if (gap == 0) ++track.seamless;
        if (gap > track.longest) ++track.apart;
        if (-gap > track.longest)
            doubt(fmt::format("the fragment at byte {} begins before the end of the one before it",
                              moof.at));
    }
    track.starts[moof.at] = {time, part.delay.value_or(0)};
    track.end = limited(static_cast<std::uint64_t>(time + part.ticks));
}

void Mp4Fragments::compare(const Box& mfra) {
    const BoxList parts = boxes_in(cursor_, mfra);
    if (!parts.whole) return doubt("the index after the last fragment is incomplete");
    for (const Box& tfra : parts.boxes)
        if (tfra.type == "tfra") compare_track(tfra);
}

// Writers state the time of decoding or that of presentation, and FFmpeg cuts it off at zero.
void Mp4Fragments::compare_track(const Box& tfra) {
    cursor_.go(tfra.data);
    const bool wide = cursor_.u8() == 1;
    cursor_.skip(3);
    const std::uint32_t id = cursor_.big32();
    const auto track = tracks_.find(id);
    const std::uint32_t widths = cursor_.big32();
    const int number_bytes =
        static_cast<int>((widths >> 4U & 3U) + (widths >> 2U & 3U) + (widths & 3U)) + 3;
    const std::int64_t count = cursor_.big32();
    const std::string contradicts =
        fmt::format("the index after the last fragment contradicts the fragments of track {}", id);
    const std::int64_t entry = (wide ? 16 : 8) + number_bytes;
    if (track == tracks_.end() || cursor_.at() + count * entry != tfra.end())
        return doubt(contradicts);
    std::set<std::int64_t> after_decoding;
    std::set<std::int64_t> after_presentation;
    for (std::int64_t k = 0; k < count && !cursor_.ended(); ++k) {
        const auto time = limited(cursor_.big(wide ? 8 : 4));
        const auto moof = limited(cursor_.big(wide ? 8 : 4));
        cursor_.skip(number_bytes);
        const auto start = track->second.starts.find(moof);
        if (start == track->second.starts.end()) return doubt(contradicts);
        if (time == 0) continue;
        after_decoding.insert(time - start->second.time);
        after_presentation.insert(time - start->second.time - start->second.delay);
    }
    if (std::min(after_decoding.size(), after_presentation.size()) > 1) doubt(contradicts);
}

std::vector<StreamContent> Mp4Fragments::content() const {
    std::vector<StreamContent> list;
    for (const auto& [id, track] : tracks_) list.push_back(track.content);
    return list;
}

// Some writers leave gaps everywhere. Where fragments follow each other without one, as FFmpeg's
// do, a gap may be a fragment that is missing or a time that was changed.
std::string Mp4Fragments::doubt() const {
    if (!doubt_.empty()) return doubt_;
    for (const auto& [id, track] : tracks_)
        if (track.continuous && track.apart > 0 && track.seamless >= track.apart)
            return fmt::format("{} of the fragments of track {} do not follow the one before",
                               track.apart, id);
    return "";
}

}  // namespace weft
