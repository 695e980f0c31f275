#include "app/viewer/edit/object_tracks.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace weft {
namespace {

constexpr double kDrawn = 1;
constexpr double kMostTracked = 0.999;  // a box of the tracker, however sure
constexpr double kLeastSide = 8;        // as of `weft track`
constexpr double kUnknownRate = 25;
constexpr double kNear = 1e-3;       // seconds from a frame's beginning to the cut after it
constexpr double kUnknownEnd = 1e6;  // in seconds: longer than any film

// Times have microseconds, and are then short in the file.
double rounded(double value, double parts) {
    return std::round(value * parts) / parts;
}

PlacedBox placed(std::int64_t id, double place, const TrackBox& box, double confidence) {
    return {place,
            {.id = id,
             .left = box.left,
             .top = box.top,
             .width = box.width,
             .height = box.height,
             .confidence = confidence}};
}

PlacedBox absent(std::int64_t id, double place, double confidence) {
    return placed(id, place, {}, confidence);
}

bool same_rectangle(const ObjectBox& a, const ObjectBox& b) {
    return a.left == b.left && a.top == b.top && a.width == b.width && a.height == b.height;
}

// Whether the user holds the object in one box between these two, which follow one another.
bool is_hold(const PlacedBox& a, const PlacedBox& b) {
    return is_drawn(a) && is_drawn(b) && !a.box.empty() && same_rectangle(a.box, b.box);
}

// The same for an object that was not followed yet: the tracker leaves no frame out.
bool stays(const PlacedBox& a, const PlacedBox& b, double interval) {
    const bool apart = b.place - a.place > 1.5 * interval;
    return is_hold(a, b) || (apart && !a.box.empty() && same_rectangle(a.box, b.box));
}

// The boxes from the shown frame on; the first ones may be the frame's own.
std::size_t first_from(const ObjectTrack& object, BoxClock clock, const FilmMoment& film) {
    const double from = film.place(clock) - film.interval(clock) / 2;
    return static_cast<std::size_t>(
        std::ranges::lower_bound(object.boxes, from, {}, &PlacedBox::place) - object.boxes.begin());
}

std::size_t first_after(const ObjectTrack& object, BoxClock clock, const FilmMoment& film) {
    const double after = film.place(clock) + film.interval(clock) / 2;
    return static_cast<std::size_t>(
        std::ranges::lower_bound(object.boxes, after, {}, &PlacedBox::place) -
        object.boxes.begin());
}

void insert(ObjectTrack& object, const PlacedBox& box) {
    const auto at = std::ranges::upper_bound(object.boxes, box.place, {}, &PlacedBox::place);
    object.boxes.insert(at, box);
}

void erase(ObjectTrack& object, std::size_t from, std::size_t to) {
    const auto begin = object.boxes.begin();
    object.boxes.erase(begin + static_cast<std::ptrdiff_t>(from),
                       begin + static_cast<std::ptrdiff_t>(to));
}

}  // namespace

// ---- places ----

double FilmMoment::interval(BoxClock clock) const {
    if (clock == BoxClock::frames) return 1;
    if (frame.duration > 0) return frame.duration;
    return 1 / (frame_rate > 0 ? frame_rate : kUnknownRate);
}

double FilmMoment::place(BoxClock clock) const {
    return clock == BoxClock::frames ? static_cast<double>(frame.number)
                                     : rounded(std::max(frame.seconds, 0.0), 1e6);
}

double FilmMoment::last_place(BoxClock clock) const {
    const double last = end > begin ? std::ceil(end) + 1 : kUnknownEnd;
    if (clock == BoxClock::seconds) return last;
    return std::ceil(last * (frame_rate > 0 ? frame_rate : kUnknownRate));
}

double FilmMoment::seconds_of(BoxClock clock, double place) const {
    if (clock == BoxClock::seconds) return place;
    return begin + place / (frame_rate > 0 ? frame_rate : kUnknownRate);
}

// ---- tracks and files ----

ObjectTracks::ObjectTracks(const BoxTracks& boxes) : clock(boxes.clock()) {
    for (const PlacedBox& box : boxes.boxes()) {
        if (box.box.id == kNoId) continue;
        if (objects.empty() || objects.back().id != box.box.id)
            objects.push_back({.id = box.box.id});
        objects.back().boxes.push_back(box);
    }
}

BoxTracks ObjectTracks::boxes() const {
    std::vector<PlacedBox> all;
    for (const ObjectTrack& object : objects)
        all.insert(all.end(), object.boxes.begin(), object.boxes.end());
    return {clock, std::move(all)};
}

ObjectTracks ObjectTracks::only(std::span<const std::int64_t> ids) const {
    ObjectTracks some = *this;
    std::erase_if(some.objects, [&](const ObjectTrack& object) {
        return std::ranges::find(ids, object.id) == ids.end();
    });
    return some;
}

void ObjectTracks::add_still(const RegionRect& region, const FilmMoment& film) {
    const std::int64_t id = objects.empty() ? 1 : objects.back().id + 1;
    const TrackBox box{region.left, region.top, region.right - region.left,
                       region.bottom - region.top};
    objects.push_back({.id = id,
                       .boxes = {placed(id, 0, box, kMostTracked),
                                 placed(id, film.last_place(clock), box, kMostTracked)}});
}

bool is_drawn(const PlacedBox& placed) {
    return placed.box.confidence >= kDrawn;
}

bool is_uncertain(const PlacedBox& placed) {
    return placed.box.confidence < 0.5 && !placed.box.empty();
}

bool is_cut(const PlacedBox& placed) {
    return placed.box.empty() && !is_drawn(placed);
}

std::optional<ObjectBox> box_in(const ObjectTrack& object, BoxClock clock, const FilmMoment& film,
                                Gap gap) {
    const double at = clock == BoxClock::frames ? film.place(clock) : film.frame.seconds;
    // Only the boxes before and after the frame count.
    const auto after = std::ranges::upper_bound(object.boxes, at, {}, &PlacedBox::place);
    const auto first = after == object.boxes.begin() ? after : after - 1;
    const auto last = after == object.boxes.end() ? after : after + 1;
    const std::vector<ObjectBox> here = BoxTracks(clock, {first, last}).at(film.frame, gap);
    return here.empty() ? std::nullopt : std::optional(here.front());
}

// ---- edits ----

void draw_box(ObjectTrack& object, BoxClock clock, const FilmMoment& film, const PixelRect& box) {
    const TrackBox at{static_cast<double>(box.left), static_cast<double>(box.top),
                      static_cast<double>(box.width), static_cast<double>(box.height)};
    const PlacedBox drawn = placed(object.id, film.place(clock), at, kDrawn);
    std::vector<PlacedBox>& boxes = object.boxes;
    const std::size_t after = first_after(object, clock, film);
    std::size_t held = after;
    while (held > 0 && held < boxes.size() &&
           stays(boxes[held - 1], boxes[held], film.interval(clock)))
        ++held;
    for (std::size_t k = after; k < held; ++k) {
        const double confidence = boxes[k].box.confidence;
        boxes[k].box = drawn.box;
        boxes[k].box.confidence = confidence;
    }
    const bool appears = after == boxes.size() && after > 0 && boxes[after - 1].box.empty();
    erase(object, first_from(object, clock, film), after);
    insert(object, drawn);
    if (appears) insert(object, placed(object.id, film.last_place(clock), at, kMostTracked));
}

bool hold_box(ObjectTrack& object, BoxClock clock, const FilmMoment& film) {
    std::optional<ObjectBox> box = box_in(object, clock, film);
    if (!box) return false;
    box->confidence = kDrawn;
    const double here = film.place(clock);
    const std::size_t after = first_after(object, clock, film);
    std::size_t next = after;
    while (next < object.boxes.size() && !is_drawn(object.boxes[next])) ++next;
    const double last = next < object.boxes.size() ? object.boxes[next].place - film.interval(clock)
                                                   : film.last_place(clock);
    erase(object, first_from(object, clock, film), next);
    insert(object, {here, *box});
    if (last > here) insert(object, {last, *box});
    return true;
}

void delete_boxes(ObjectTrack& object, BoxClock clock, const FilmMoment& film) {
    erase(object, first_from(object, clock, film), object.boxes.size());
    insert(object, absent(object.id, film.place(clock), kDrawn));
}

// ---- the tracker ----

namespace {

std::int64_t microseconds(double seconds) {
    return std::llround(seconds * 1e6);
}

constexpr std::int64_t kRounding_us = 1000;  // as in film_track.cpp

// Times of the middles of frames, where frames are counted.
std::int64_t time_of(const PlacedBox& box, BoxClock clock, const FilmMoment& film) {
    const double middle = clock == BoxClock::frames ? 0.5 : 0;
    return microseconds(film.seconds_of(clock, box.place + middle));
}

std::vector<PlacedBox> starts_of(const ObjectTrack& object, BoxClock clock,
                                 const FilmMoment& film) {
    ObjectTrack starts{.id = object.id};
    std::ranges::copy_if(object.boxes, std::back_inserter(starts.boxes), is_drawn);
    const bool none =
        std::ranges::all_of(starts.boxes, [](const PlacedBox& start) { return start.box.empty(); });
    std::optional<ObjectBox> here = none ? box_in(object, clock, film) : std::optional<ObjectBox>();
    if (here) {
        here->confidence = kDrawn;
        insert(starts, {film.place(clock), *here});
    }
    return starts.boxes;
}

void check_size(const ObjectBox& box) {
    if (box.width < kLeastSide || box.height < kLeastSide)
        throw Error(Outcome::usage,
                    fmt::format("The region of {:.0f} × {:.0f} pixels is too small to be tracked; "
                                "make it at least {} × {}",
                                box.width, box.height, kLeastSide, kLeastSide));
}

}  // namespace

std::vector<TrackJob> jobs_of(const ObjectTrack& object, BoxClock clock, const FilmMoment& film) {
    const std::vector<PlacedBox> starts = starts_of(object, clock, film);
    std::vector<TrackJob> jobs;
    TrackJob job;
    const auto finish = [&] {
        job.reader.path = film.film;
        job.reader.frame_rate = film.wanted_rate;
        if (!job.drawn.empty()) jobs.push_back(job);
        job = {};
    };
    for (std::size_t k = 0; k < starts.size(); ++k) {
        const std::int64_t time_us = time_of(starts[k], clock, film);
        if (starts[k].box.empty()) {
            job.to_us = time_us - kRounding_us;
            finish();
            continue;
        }
        const bool held_before = k > 0 && is_hold(starts[k - 1], starts[k]);
        const bool held_after = k + 1 < starts.size() && is_hold(starts[k], starts[k + 1]);
        const bool absent_before = k > 0 && starts[k - 1].box.empty();
        if (held_before || absent_before) job.from_us = time_us;
        const ObjectBox& box = starts[k].box;
        if (!(held_before && held_after)) {
            check_size(box);
            job.drawn.push_back({time_us, {box.left, box.top, box.width, box.height}});
        }
        if (!held_after) continue;
        job.to_us = time_us + kRounding_us;
        finish();
    }
    finish();
    // A hold to the film's end ends after the last frame.
    const std::int64_t after_us = microseconds(film.last_place(BoxClock::seconds));
    std::erase_if(jobs, [&](const TrackJob& part) { return part.drawn[0].time_us >= after_us; });
    if (jobs.empty())
        throw Error(Outcome::usage,
                    "There is nothing to follow: go to a frame in which the region has a box, or "
                    "draw one");
    return jobs;
}

namespace {

// The boxes of one part of the film, without those that were drawn.
void append_tracked(ObjectTrack& object, BoxClock clock, std::span<const PlacedBox> drawn,
                    const TrackReport& report) {
    const auto place_of = [&](const TrackedFrame& frame) {
        return clock == BoxClock::frames ? static_cast<double>(frame.number - 1)
                                         : rounded(frame.seconds, 1e6);
    };
    const auto& frames = report.frames;
    for (std::size_t k = 0; k < frames.size(); ++k) {
        const TrackBox& box = frames[k].box;
        const double place = place_of(frames[k]);
        const bool ends = std::ranges::any_of(report.cuts, [&](const TrackedFrame& cut) {
            return cut.number == frames[k].number &&
                   (k + 1 == frames.size() || frames[k + 1].number > cut.number + 1);
        });
        const double next =
            k + 1 < frames.size() && !ends ? place_of(frames[k + 1]) : place + kNear;
        const auto after = std::ranges::lower_bound(drawn, place - kNear, {}, &PlacedBox::place);
        const bool was_drawn = after != drawn.end() && after->place < next - kNear / 2;
        const TrackBox short_box{rounded(box.left, 100), rounded(box.top, 100),
                                 rounded(box.width, 100), rounded(box.height, 100)};
        const double confidence = std::min(rounded(frames[k].confidence, 1000), kMostTracked);
        if (!was_drawn) object.boxes.push_back(placed(object.id, place, short_box, confidence));
        if (ends)
            object.boxes.push_back(absent(
                object.id, clock == BoxClock::frames ? place + 1 : place + kNear, kMostTracked));
    }
}

}  // namespace

ObjectTrack followed(const ObjectTrack& object, BoxClock clock, const FilmMoment& film,
                     std::span<const TrackReport> reports) {
    const std::vector<PlacedBox> drawn = starts_of(object, clock, film);
    ObjectTrack result{.id = object.id, .name = object.name, .boxes = drawn};
    for (const TrackReport& report : reports) append_tracked(result, clock, drawn, report);
    std::ranges::stable_sort(result.boxes, {}, &PlacedBox::place);
    // Of two in one place, the first one was drawn.
    const auto twice = std::ranges::unique(result.boxes, {}, &PlacedBox::place);
    result.boxes.erase(twice.begin(), twice.end());
    return result;
}

// ---- the timeline and review ----

std::vector<double> drawn_places(const ObjectTrack& object) {
    std::vector<double> places;
    for (const PlacedBox& box : object.boxes)
        if (is_drawn(box)) places.push_back(box.place);
    return places;
}

std::vector<std::pair<double, double>> present_places(const ObjectTrack& object, double interval) {
    std::vector<std::pair<double, double>> places;
    bool open = false;
    for (const PlacedBox& box : object.boxes) {
        if (!box.box.empty() && !open) places.emplace_back(box.place, box.place);
        if (open) places.back().second = box.place;
        open = !box.box.empty();
    }
    if (open) places.back().second += interval;
    return places;
}

std::vector<std::pair<double, double>> uncertain_places(const ObjectTrack& object) {
    std::vector<std::pair<double, double>> places;
    bool open = false;
    for (const PlacedBox& box : object.boxes) {
        const bool uncertain = is_uncertain(box);
        if (uncertain && open)
            places.back().second = box.place;
        else if (uncertain)
            places.emplace_back(box.place, box.place);
        open = uncertain;
    }
    return places;
}

std::optional<UncertainBox> next_uncertain(const ObjectTracks& tracks, const FilmMoment& film,
                                           bool forwards) {
    const double here = film.place(tracks.clock);
    const double apart = film.interval(tracks.clock) / 2;
    std::optional<UncertainBox> found;
    const double to_frame_after_cut =
        tracks.clock == BoxClock::frames ? 0 : film.interval(tracks.clock) - kNear;
    for (std::size_t k = 0; k < tracks.objects.size(); ++k)
        for (const PlacedBox& box : tracks.objects[k].boxes) {
            const double place = is_cut(box) ? box.place + to_frame_after_cut : box.place;
            const double away = forwards ? place - here : here - place;
            if ((!is_uncertain(box) && !is_cut(box)) || away < apart) continue;
            if (!found || away < std::abs(found->place - here)) found = UncertainBox{k, place};
        }
    return found;
}

}  // namespace weft
