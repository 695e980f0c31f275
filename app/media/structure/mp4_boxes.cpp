#include "app/media/structure/mp4_boxes.h"

#include <array>
#include <cctype>

#include <fmt/format.h>

namespace weft {

bool is_box_type(std::string_view type) {
    return std::ranges::all_of(type,
                               [](unsigned char c) { return std::isprint(c) != 0 || c == 0xA9U; });
}

BoxList boxes_in(FileCursor& cursor, const Box& parent) {
    // More than any writer needs, and few enough to hold.
    constexpr std::size_t kMostBoxes = 100'000;
    BoxList found;
    cursor.go(parent.data);
    while (cursor.at() + 8 <= parent.end() && found.boxes.size() < kMostBoxes) {
        const Box child = read_box(cursor);
        if (!child.fits(parent.end()) || !is_box_type(child.type)) {
            cursor.go(child.at);
            break;
        }
        cursor.go(child.end());
        found.boxes.push_back(child);
    }
    const std::int64_t left = parent.end() - cursor.at();
    found.whole = left >= 0 && left <= 8 && cursor.big(static_cast<int>(left)) == 0;
    return found;
}

void SampleCoverage::add(std::vector<Part>& parts, std::int64_t begin, std::int64_t end) {
    if (begin >= end) return;
    if (!parts.empty() && parts.back().end == begin)
        parts.back().end = end;
    else
        parts.push_back({begin, end});
}

std::optional<std::int64_t> SampleCoverage::merge(std::vector<Part>& parts) {
    std::optional<std::int64_t> twice;
    std::ranges::sort(parts, {}, &Part::begin);
    std::size_t last = 0;
    for (std::size_t k = 1; k < parts.size(); ++k) {
        if (parts[k].begin < parts[last].end && !twice) twice = parts[k].begin;
        if (parts[k].begin <= parts[last].end)
            parts[last].end = std::max(parts[last].end, parts[k].end);
        else
            parts[++last] = parts[k];
    }
    if (!parts.empty()) parts.resize(last + 1);
    return twice;
}

bool SampleCoverage::is_empty_space(Part gap) const {
    std::array<std::uint8_t, 4096> bytes{};
    while (gap.begin < gap.end) {
        const auto wanted =
            static_cast<std::size_t>(std::min<std::int64_t>(bytes.size(), gap.end - gap.begin));
        const std::size_t got = file_.read_at(gap.begin, std::span(bytes).first(wanted));
        if (std::ranges::any_of(std::span(bytes).first(got), [](auto b) { return b != 0; }))
            return false;
        if (got < wanted) return true;
        gap.begin += static_cast<std::int64_t>(got);
    }
    return true;
}

std::string SampleCoverage::doubt() {
    merge(media_);
    if (const auto twice = merge(samples_))
        return fmt::format("byte {} belongs to two samples", *twice);
    std::vector<Part> known = samples_;
    known.insert(known.end(), items_.begin(), items_.end());
    merge(known);
    auto sample = known.begin();
    for (const Part& media : media_) {
        std::int64_t at = media.begin;
        for (; at < media.end; at = std::min(sample->end, media.end)) {
            while (sample != known.end() && sample->end <= at) ++sample;
            const std::int64_t next =
                sample == known.end() ? media.end : std::min(sample->begin, media.end);
            if (next > at && !is_empty_space({at, next}))
                return fmt::format("{} bytes of media at byte {} belong to no track", next - at,
                                   at);
            if (next == media.end) break;
        }
    }
    auto media = media_.begin();
    for (const Part& part : samples_) {
        while (media != media_.end() && media->end <= part.begin) ++media;
        const bool inside =
            media != media_.end() && media->begin <= part.begin && part.end <= media->end;
        if (!inside)
            return fmt::format("the samples at byte {} are not in a part for media", part.begin);
    }
    return "";
}

}  // namespace weft
