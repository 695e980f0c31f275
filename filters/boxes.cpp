#include "filters/boxes.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace weft {
namespace {

using Boxes = std::span<const PlacedBox>;

constexpr std::size_t kShownIds = 12;  // stretches of ids in a message

auto order_of(const PlacedBox& placed) {
    const ObjectBox& box = placed.box;
    return std::tuple(box.id, placed.place, box.left, box.top, box.width, box.height,
                      box.confidence);
}

bool in_order(const PlacedBox& a, const PlacedBox& b) {
    return order_of(a) < order_of(b);
}

bool is_valid(BoxClock clock, const PlacedBox& placed) {
    const ObjectBox& box = placed.box;
    const auto is_length = [](double value) { return value >= 0 && value <= kMaxBoxPixels; };
    return placed.place >= 0 && placed.place <= 0x1p53 &&
           (clock == BoxClock::seconds || std::trunc(placed.place) == placed.place) &&
           is_length(std::fabs(box.left)) && is_length(std::fabs(box.top)) &&
           is_length(box.width) && is_length(box.height) && box.confidence >= 0 &&
           std::isfinite(box.confidence);
}

// The box at a place from that of `a` to that of `b`.
ObjectBox between(const PlacedBox& a, const PlacedBox& b, double place) {
    const double share = (place - a.place) / (b.place - a.place);
    return {.id = a.box.id,
            .left = std::lerp(a.box.left, b.box.left, share),
            .top = std::lerp(a.box.top, b.box.top, share),
            .width = std::lerp(a.box.width, b.box.width, share),
            .height = std::lerp(a.box.height, b.box.height, share),
            .confidence = std::min(a.box.confidence, b.box.confidence)};
}

// "1 to 5, 8": `ids` are sorted.
std::string ids_text(const std::vector<std::int64_t>& ids) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin < ids.size();) {
        std::size_t end = begin + 1;
        while (end < ids.size() && ids[end] == ids[end - 1] + 1) ++end;
        if (parts.size() == kShownIds) {
            parts.push_back(fmt::format("and {} more", ids.size() - begin));
            break;
        }
        parts.push_back(end - begin == 1 ? fmt::format("{}", ids[begin])
                                         : fmt::format("{} to {}", ids[begin], ids[end - 1]));
        begin = end;
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

// Calls `take` with the boxes of each id.
template <class Take>
void for_each_id(Boxes boxes, const Take& take) {
    while (!boxes.empty()) {
        const auto end = std::ranges::find_if(
            boxes, [&](const PlacedBox& box) { return box.box.id != boxes[0].box.id; });
        const auto count = static_cast<std::size_t>(end - boxes.begin());
        take(boxes.first(count));
        boxes = boxes.subspan(count);
    }
}

TrackFacts facts_of(BoxClock clock, Boxes boxes) {
    TrackFacts facts{.id = boxes[0].box.id,
                     .boxes = static_cast<std::int64_t>(boxes.size()),
                     .first = boxes.front().place,
                     .last = boxes.back().place};
    if (clock == BoxClock::seconds) return facts;
    std::int64_t frames = 1;  // that have a box
    for (std::size_t k = 1; k < boxes.size(); ++k)
        if (boxes[k].place != boxes[k - 1].place) ++frames;
    facts.frames_without = static_cast<std::int64_t>(facts.last - facts.first) + 1 - frames;
    return facts;
}

}  // namespace

// The places that are a frame's own, and the one of the frame itself.
struct BoxTracks::Stretch {
    double from, at, to;

    // Whether the stretch ends after this place.
    bool reaches(double place) const { return place < to || place <= at; }
    bool contains(double place) const { return place >= from && reaches(place); }

    // The last box up to the frame and the first one after it; null: none.
    struct Neighbours {
        const PlacedBox* before = nullptr;
        const PlacedBox* after = nullptr;
    };
    Neighbours neighbours(Boxes boxes) const {
        const auto next = std::ranges::upper_bound(boxes, at, {}, &PlacedBox::place);
        return {.before = next == boxes.begin() ? nullptr : &*(next - 1),
                .after = next == boxes.end() ? nullptr : &*next};
    }
    // The frame's own box, or null.
    const PlacedBox* own(const Neighbours& near) const {
        const bool before = near.before != nullptr && contains(near.before->place);
        const bool after = near.after != nullptr && contains(near.after->place);
        if (before && after)
            return at - near.before->place <= near.after->place - at ? near.before : near.after;
        return before ? near.before : after ? near.after : nullptr;
    }
};

namespace {

// The box of one id that holds, perhaps an empty one; nothing: none.
template <class Neighbours>
std::optional<ObjectBox> held(const Neighbours& near, const PlacedBox* own, double place, Gap gap) {
    if (gap == Gap::interpolate && near.before != nullptr && near.after != nullptr) {
        if (!near.before->box.empty() && !near.after->box.empty())
            return between(*near.before, *near.after, place);
        if (own == nullptr) return near.before->box;
    }
    if (own != nullptr) return own->box;
    if (gap == Gap::hold && near.before != nullptr) return near.before->box;
    return {};
}

}  // namespace

BoxTracks::BoxTracks(BoxClock clock, std::vector<PlacedBox> boxes)
    : clock_(clock), boxes_(std::move(boxes)) {
    for (PlacedBox& placed : boxes_) {
        if (!is_valid(clock, placed)) throw std::invalid_argument("a box has an impossible value");
        placed.box.id = std::max(placed.box.id, kNoId);
    }
    if (!std::ranges::is_sorted(boxes_, in_order)) std::ranges::sort(boxes_, in_order);
    const auto numbered = std::ranges::upper_bound(
        boxes_, kNoId, {}, [](const PlacedBox& placed) { return placed.box.id; });
    unnumbered_ = static_cast<std::size_t>(numbered - boxes_.begin());
    std::size_t begin = unnumbered_;
    for_each_id(Boxes(boxes_).subspan(begin), [&](Boxes track) {
        for (std::size_t k = 1; k < track.size(); ++k)
            if (track[k].place == track[k - 1].place)
                throw std::invalid_argument("an id has two boxes in one place");
        tracks_.push_back({.begin = begin,
                           .end = begin + track.size(),
                           .first = track.front().place,
                           .last_below = 0});
        begin += track.size();
    });
    std::ranges::sort(tracks_, {}, &Track::first);
    index(0, tracks_.size());
}

// The tracks begin to end of tracks_ are a tree: the middle one is its root, the others before and
// after it are its branches. The root keeps the greatest last place of all, so that a search leaves
// out the branches that have ended.
double BoxTracks::index(std::size_t begin, std::size_t end) {
    if (begin == end) return -1;
    const std::size_t middle = begin + (end - begin) / 2;
    Track& root = tracks_[middle];
    root.last_below =
        std::max({boxes_[root.end - 1].place, index(begin, middle), index(middle + 1, end)});
    return root.last_below;
}

std::vector<ObjectBox> BoxTracks::at(const FramePlace& frame, Gap gap) const {
    const double half = std::max(frame.duration, 0.0) / 2;
    const auto number = static_cast<double>(frame.number);
    const Stretch stretch = clock_ == BoxClock::frames
                                ? Stretch{.from = number, .at = number, .to = number}
                                : Stretch{.from = frame.seconds - half,
                                          .at = frame.seconds,
                                          .to = frame.seconds + 2 * half};
    std::vector<ObjectBox> boxes;
    add_unnumbered(stretch, gap, boxes);
    add_tracks(tracks_, stretch, gap, boxes);
    std::erase_if(boxes, [](const ObjectBox& box) { return box.empty(); });
    std::ranges::stable_sort(boxes, {}, &ObjectBox::id);
    return boxes;
}

void BoxTracks::add_unnumbered(const Stretch& stretch, Gap gap,
                               std::vector<ObjectBox>& boxes) const {
    const Boxes all = Boxes(boxes_).first(unnumbered_);
    const auto near = stretch.neighbours(all);
    const PlacedBox* from = stretch.own(near);
    if (from == nullptr && gap == Gap::hold) from = near.before;
    if (from == nullptr) return;
    for (const PlacedBox& placed :
         std::ranges::equal_range(all, from->place, {}, &PlacedBox::place))
        boxes.push_back(placed.box);
}

void BoxTracks::add_tracks(std::span<const Track> tracks, const Stretch& stretch, Gap gap,
                           std::vector<ObjectBox>& boxes) const {
    if (tracks.empty()) return;
    const std::size_t middle = tracks.size() / 2;
    const Track& root = tracks[middle];
    if (gap != Gap::hold && root.last_below < stretch.from) return;
    add_tracks(tracks.first(middle), stretch, gap, boxes);
    if (!stretch.reaches(root.first)) return;
    const auto near = stretch.neighbours(Boxes(boxes_).subspan(root.begin, root.end - root.begin));
    if (const auto box = held(near, stretch.own(near), stretch.at, gap)) boxes.push_back(*box);
    add_tracks(tracks.subspan(middle + 1), stretch, gap, boxes);
}

std::vector<TrackFacts> BoxTracks::facts() const {
    std::vector<TrackFacts> all;
    for_each_id(boxes_, [&](Boxes boxes) { all.push_back(facts_of(clock_, boxes)); });
    return all;
}

std::size_t BoxTracks::objects() const {
    return unnumbered_ + tracks_.size();
}

BoxSize BoxTracks::largest() const {
    BoxSize size;
    for (const PlacedBox& placed : boxes_) {
        if (placed.box.empty()) continue;
        size.width = std::max(size.width, placed.box.width);
        size.height = std::max(size.height, placed.box.height);
    }
    return size;
}

BoxTracks BoxTracks::only(std::span<const std::int64_t> ids) const {
    std::vector<PlacedBox> chosen;
    for_each_id(boxes_, [&](Boxes boxes) {
        if (std::ranges::find(ids, boxes[0].box.id) != ids.end())
            chosen.insert(chosen.end(), boxes.begin(), boxes.end());
    });
    return {clock_, std::move(chosen)};
}

std::string BoxTracks::absent(std::span<const std::int64_t> ids) const {
    std::vector<std::int64_t> present;
    for_each_id(boxes_, [&](Boxes boxes) { present.push_back(boxes[0].box.id); });
    std::vector<std::int64_t> missing;
    std::ranges::copy_if(ids, std::back_inserter(missing),
                         [&](std::int64_t id) { return !std::ranges::binary_search(present, id); });
    if (missing.empty()) return {};
    return fmt::format("no box has the id {}: the ids are {}", fmt::join(missing, " or "),
                       ids_text(present));
}

}  // namespace weft
