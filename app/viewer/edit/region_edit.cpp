#include "app/viewer/edit/region_edit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/media/libav/error.h"

namespace weft {
namespace {

// Corners first: they are grabbed where a small region's handles overlap.
constexpr std::array<RegionGrip, 8> kHandles{
    {{1, 1}, {-1, -1}, {1, -1}, {-1, 1}, {1, 0}, {0, 1}, {-1, 0}, {0, -1}}};

// Two ends of a region along one axis.
struct Span {
    double low = 0, high = 0;
};

// `side` is -1, 0 or 1, as in RegionGrip.
Span dragged(Span from, int side, bool whole, double by, double most) {
    const double low = std::round(from.low);
    const double high = std::max(std::round(from.high), low + 1);
    if (whole) {
        const double at = std::clamp(std::round(from.low + by), 1 - (high - low), most - 1);
        return {at, at + (high - low)};
    }
    if (side < 0) return {std::min(std::clamp(std::round(low + by), 0.0, most), high - 1), high};
    if (side > 0) return {low, std::max(std::clamp(std::round(high + by), 0.0, most), low + 1)};
    return {low, high};
}

PixelRect pixels(Span across, Span down) {
    return {static_cast<int>(across.low), static_cast<int>(down.low),
            static_cast<int>(across.high - across.low), static_cast<int>(down.high - down.low)};
}

Span touched(double a, double b, double most) {
    const double low = std::clamp(std::floor(std::min(a, b)), 0.0, most - 1);
    return {low, std::clamp(std::ceil(std::max(a, b)), low + 1, most)};
}

constexpr int kQuarterSides = 24;  // in a quarter of an ellipse, and in a corner

// An ellipse and everything within a distance of it along the rays from its centre.
std::vector<Point> around_ellipse(const RegionRect& box, double feather) {
    const Point centre{(box.left + box.right) / 2, (box.top + box.bottom) / 2};
    std::vector<Point> points;
    for (int k = 0; k < 4 * kQuarterSides; ++k) {
        const double turn = std::numbers::pi / 2 * k / kQuarterSides;
        const double x = (box.right - box.left) / 2 * std::cos(turn);
        const double y = (box.bottom - box.top) / 2 * std::sin(turn);
        const double more = 1 + feather / std::hypot(x, y);
        points.push_back({centre.x + x * more, centre.y + y * more});
    }
    return points;
}

// A rectangle and everything within a distance of it.
std::vector<Point> around_rectangle(const RegionRect& box, double feather) {
    std::vector<Point> points;
    for (int corner = 0; corner < 4; ++corner)
        for (int k = 0; k <= (feather > 0 ? kQuarterSides : 0); ++k) {
            const double turn = std::numbers::pi / 2 * (corner + 1.0 * k / kQuarterSides);
            points.push_back(
                {(corner == 0 || corner == 3 ? box.right : box.left) + feather * std::cos(turn),
                 (corner < 2 ? box.bottom : box.top) + feather * std::sin(turn)});
        }
    return points;
}

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::size_t bar = std::min(text.find('|'), text.size());
        parts.emplace_back(text.substr(0, bar));
        text.remove_prefix(std::min(bar + 1, text.size()));
    }
    return parts;
}

std::string region_text(const EditedStep* edited) {
    return edited == nullptr ? "" : edited->step.params.text("region");
}

std::vector<RegionRect> still_regions(const std::string& text, double width, double height) {
    if (text.empty()) return {};
    std::vector<RegionRect> regions;
    for (const RegionText& region : parse_regions(text)) {
        const double left = region.left.of(width);
        const double top = region.top.of(height);
        regions.push_back(
            {left, top, left + region.width.of(width), top + region.height.of(height)});
    }
    return regions;
}

// Ids change when another region is removed.
bool is_same_place(const PlacedBox& a, const PlacedBox& b) {
    ObjectBox box = a.box;
    box.id = b.box.id;
    return a.place == b.place && box == b.box;
}

Gap gap_of(const Params& params) {
    const std::string_view gap = params.choice("gap");
    return gap == "hold" ? Gap::hold : gap == "off" ? Gap::off : Gap::interpolate;
}

bool has_size(const RegionRect& region) {
    return region.right > region.left && region.bottom > region.top;
}

}  // namespace

RegionCanvas::RegionCanvas(const DisplayShape& shape, const Rect& on_screen) : placed(on_screen) {
    const bool lying = shape.rotation_degrees % 180 != 0;
    width = lying ? shape.height : shape.width;
    height = lying ? shape.width : shape.height;
}

Rect RegionCanvas::to_screen(const RegionRect& region) const {
    const double across = placed.width / width;
    const double down = placed.height / height;
    return {placed.x + region.left * across, placed.y + region.top * down,
            (region.right - region.left) * across, (region.bottom - region.top) * down};
}

Point RegionCanvas::to_pixels(Point screen) const {
    return {(screen.x - placed.x) / placed.width * width,
            (screen.y - placed.y) / placed.height * height};
}

Point handle_place(const Rect& box, RegionGrip grip) {
    return {box.x + box.width * (grip.across + 1) / 2, box.y + box.height * (grip.down + 1) / 2};
}

PixelRect dragged_region(const RegionRect& from, RegionGrip grip, Point moved,
                         const RegionCanvas& canvas) {
    return pixels(
        dragged({from.left, from.right}, grip.across, grip.whole(), moved.x, canvas.width),
        dragged({from.top, from.bottom}, grip.down, grip.whole(), moved.y, canvas.height));
}

PixelRect drawn_region(Point from, Point to, const RegionCanvas& canvas) {
    return pixels(touched(from.x, to.x, canvas.width), touched(from.y, to.y, canvas.height));
}

std::vector<Point> effect_outline(const Params& params, const RegionRect& region) {
    const double feather = params.number("feather");
    const Length grow = parse_length(params.text("grow"));
    if (!has_size(region) || (feather <= 0 && grow.value <= 0)) return {};
    const double across = grow.of(region.right - region.left);
    const double down = grow.of(region.bottom - region.top);
    const RegionRect grown{region.left - across, region.top - down, region.right + across,
                           region.bottom + down};
    return params.choice("shape") == "ellipse" ? around_ellipse(grown, feather)
                                               : around_rectangle(grown, feather);
}

std::string with_region(std::string_view text, std::size_t index, const PixelRect& region) {
    std::vector<std::string> parts = split(text);
    if (index >= parts.size()) parts.emplace_back();
    parts[std::min(index, parts.size() - 1)] =
        fmt::format("{}x{}{:+}{:+}", region.width, region.height, region.left, region.top);
    return fmt::format("{}", fmt::join(parts, "|"));
}

std::string without_region(std::string_view text, std::size_t index) {
    std::vector<std::string> parts = split(text);
    if (index < parts.size()) parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(index));
    return fmt::format("{}", fmt::join(parts, "|"));
}

void RegionEdit::choose(StepId step) {
    if (chosen_ == step) return;
    chosen_ = step;
    selected_ = 0;
    draws_ = redraws_ = false;
}

StepId RegionEdit::step(const StackEditor& editor) const {
    if (editor.find(chosen_) != nullptr) return chosen_;
    const auto& steps = editor.steps();
    const auto last = std::find_if(steps.rbegin(), steps.rend(), [](const EditedStep& edited) {
        return edited.step.params.is_set("region") || edited.step.params.is_set("boxes");
    });
    return last == steps.rend() ? 0 : last->id;
}

bool RegionEdit::moves(const StackEditor& editor, StepId step) const {
    const EditedStep* const edited = editor.find(step);
    return edited != nullptr && edited->step.params.is_set("boxes");
}

std::vector<RegionRect> RegionEdit::regions(const StackEditor& editor,
                                            const RegionCanvas& canvas) const {
    if (!moves(editor))
        return still_regions(region_text(editor.find(step(editor))), canvas.width, canvas.height);
    const auto tracks = this->tracks(editor);
    const Gap gap = gap_of(editor.find(step(editor))->step.params);
    std::vector<RegionRect> regions;
    for (const ObjectTrack& object : tracks->objects) {
        const auto box = box_in(object, tracks->clock, film_, gap);
        regions.push_back(
            box ? RegionRect{box->left, box->top, box->left + box->width, box->top + box->height}
                : RegionRect{});
    }
    if (!drag_ || !drag_->moving || !drag_->begun || drag_->step != step(editor)) return regions;
    if (drag_->adds) regions.emplace_back();
    const PixelRect& now = drag_->now;
    if (selected_ < regions.size())
        regions[selected_] = {static_cast<double>(now.left), static_cast<double>(now.top),
                              static_cast<double>(now.right()), static_cast<double>(now.bottom())};
    return regions;
}

std::size_t RegionEdit::selected(const StackEditor& editor) const {
    if (drag_ && drag_->begun) return selected_;
    const std::size_t count = moves(editor) ? tracks(editor)->objects.size()
                                            : split(region_text(editor.find(step(editor)))).size();
    return count == 0 ? 0 : std::min(selected_, count - 1);
}

std::shared_ptr<const ObjectTracks> RegionEdit::tracks(const StackEditor& editor) const {
    const EditedStep* const edited = editor.find(step(editor));
    if (edited == nullptr || !edited->step.params.is_set("boxes")) {
        auto still = std::make_shared<ObjectTracks>();
        for (const RegionRect& region :
             still_regions(region_text(edited), film_.width, film_.height))
            still->add_still(region, film_);
        return still;
    }
    const auto file = files_.load(edited->step.params.text("boxes"));
    if (!file) return std::make_shared<ObjectTracks>();
    if (!edited->step.params.is_set("ids")) return {file, &file->tracks};
    return std::make_shared<ObjectTracks>(
        file->tracks.only(parse_ids(edited->step.params.text("ids"))));
}

void RegionEdit::set_drawing(StepId step, bool wanted) {
    choose(step);
    draws_ = wanted;
    redraws_ = false;
}

bool RegionEdit::redraw(const StackEditor& editor) {
    if (drag_ || tracks(editor)->objects.empty()) return false;
    chosen_ = step(editor);
    draws_ = redraws_ = true;
    return true;
}

std::optional<RegionEdit::Hit> RegionEdit::hit(const StackEditor& editor,
                                               const RegionCanvas& canvas, Point screen,
                                               double reach) const {
    const std::vector<RegionRect> all = regions(editor, canvas);
    if (all.empty()) return std::nullopt;
    const std::size_t first = selected(editor);
    const Rect box = canvas.to_screen(all[first]);
    const bool here = has_size(all[first]);
    for (const RegionGrip grip : kHandles) {
        const Point at = handle_place(box, grip);
        if (here && std::abs(screen.x - at.x) <= reach && std::abs(screen.y - at.y) <= reach)
            return Hit{first, grip};
    }
    if (box.contains(screen)) return Hit{first, {}};
    for (std::size_t k = all.size(); k-- > 0;)
        if (canvas.to_screen(all[k]).contains(screen)) return Hit{k, {}};
    return std::nullopt;
}

std::optional<RegionGrip> RegionEdit::grip_at(const StackEditor& editor, const RegionCanvas& canvas,
                                              Point screen, double reach) const {
    const std::optional<Hit> found = hit(editor, canvas, screen, reach);
    return found ? std::optional(found->grip) : std::nullopt;
}

bool RegionEdit::press(const StackEditor& editor, const RegionCanvas& canvas, Point screen,
                       double reach) {
    if (drag_) return false;
    const StepId id = step(editor);
    const bool draws = this->draws(editor);
    const std::optional<Hit> found = hit(editor, canvas, screen, reach);
    if (!draws && !found) return false;
    const std::vector<RegionRect> all = regions(editor, canvas);
    const bool adds = draws && (!redraws_ || all.empty());
    selected_ = adds ? all.size() : draws ? selected(editor) : found->region;
    drag_ = Drag{.step = id,
                 .before = region_text(editor.find(id)),
                 .pressed = screen,
                 .least = draws ? reach : 0,
                 .draws = draws,
                 .adds = adds,
                 .moving = moves(editor, id)};
    if (draws) return true;
    drag_->from = all[selected_];
    drag_->grip = found->grip;
    return true;
}

bool RegionEdit::moves(const Drag& drag, Point screen) {
    return std::abs(screen.x - drag.pressed.x) > drag.least ||
           std::abs(screen.y - drag.pressed.y) > drag.least;
}

// The step of undo begins with the first movement: a field that loses the keyboard by the press
// ends a step of its own after it.
void RegionEdit::drag(StackEditor& editor, const RegionCanvas& canvas, Point screen) {
    if (!drag_ || drag_->by_keys || (!drag_->begun && !moves(*drag_, screen))) return;
    const Point from = canvas.to_pixels(drag_->pressed);
    const Point to = canvas.to_pixels(screen);
    const PixelRect region = drag_->draws ? drawn_region(from, to, canvas)
                                          : dragged_region(drag_->from, drag_->grip,
                                                           {to.x - from.x, to.y - from.y}, canvas);
    place(editor, region);
}

bool RegionEdit::move_by(StackEditor& editor, const RegionCanvas& canvas, RegionGrip grip,
                         Point by) {
    if (drag_ && !drag_->by_keys) return false;
    if (drag_ && drag_->grip != grip) release(editor);
    if (!drag_) {
        const std::vector<RegionRect> all = regions(editor, canvas);
        const std::size_t index = selected(editor);
        if (index >= all.size() || !has_size(all[index])) return false;
        const StepId id = step(editor);
        selected_ = index;
        drag_ = Drag{.step = id,
                     .before = region_text(editor.find(id)),
                     .from = all[index],
                     .grip = grip,
                     .by_keys = true,
                     .moving = moves(editor, id)};
    }
    drag_->moved = {drag_->moved.x + by.x, drag_->moved.y + by.y};
    place(editor, dragged_region(drag_->from, grip, drag_->moved, canvas));
    return true;
}

void RegionEdit::place(StackEditor& editor, const PixelRect& region) {
    if (!drag_->begun && !drag_->moving) editor.begin_edit();
    drag_->begun = true;
    if (drag_->moving)
        drag_->now = region;
    else
        (void)editor.set(drag_->step, "region", with_region(drag_->before, selected_, region));
}

void RegionEdit::release(StackEditor& editor) {
    if (!drag_) return;
    const Drag drag = *std::exchange(drag_, std::nullopt);
    if (!drag.begun) return;
    draws_ = redraws_ = false;
    if (drag.moving)
        keep_box(editor, drag);
    else
        editor.end_edit();
}

// A new region is shown in the whole film, and was drawn in this frame.
void RegionEdit::keep_box(StackEditor& editor, const Drag& drag) {
    ObjectTracks next = *tracks(editor);
    const PixelRect& box = drag.now;
    if (drag.adds)
        next.add_still({static_cast<double>(box.left), static_cast<double>(box.top),
                        static_cast<double>(box.right()), static_cast<double>(box.bottom())},
                       film_);
    if (selected_ >= next.objects.size()) return;
    draw_box(next.objects[selected_], next.clock, film_, box);
    store(editor, drag.step, next);
}

bool RegionEdit::cancel(StackEditor& editor) {
    if (!drag_) {
        const bool drew = draws(editor);
        draws_ = redraws_ = false;
        return drew;
    }
    if (drag_->begun && !drag_->moving) editor.cancel_edit();
    drag_.reset();
    draws_ = redraws_ = false;
    return true;
}

bool RegionEdit::remove(StackEditor& editor) {
    const StepId id = step(editor);
    if (drag_) return false;
    if (moves(editor, id)) {
        ObjectTracks next = *tracks(editor);
        if (next.objects.empty()) return false;
        next.objects.erase(next.objects.begin() + static_cast<std::ptrdiff_t>(selected(editor)));
        store(editor, id, next);
        return true;
    }
    const std::string text = region_text(editor.find(id));
    if (text.empty()) return false;
    (void)editor.set(id, "region", without_region(text, selected(editor)));
    return true;
}

// ---- regions that move ----

void RegionEdit::store(StackEditor& editor, StepId step, const ObjectTracks& tracks) {
    std::string path;
    try {
        if (!tracks.objects.empty()) path = files_.save(tracks, film_.film);
    } catch (const Error& error) {
        problem_ = error.what();
        return;
    }
    editor.begin_edit();
    (void)editor.set(step, "region", "");
    (void)editor.set(step, "ids", "");  // the new file has these objects alone
    (void)editor.set(step, "boxes", path);
    editor.end_edit();
}

template <class Edit>
bool RegionEdit::edit_selected(StackEditor& editor, const Edit& edit) {
    ObjectTracks next = *tracks(editor);
    if (film_.film.empty() || next.objects.empty() || drag_) return false;
    if (!edit(next.objects[selected(editor)], next.clock)) return false;
    store(editor, step(editor), next);
    return true;
}

bool RegionEdit::rename(StackEditor& editor, std::int64_t id, std::string name) {
    ObjectTracks next = *tracks(editor);
    const auto object = std::ranges::find(next.objects, id, &ObjectTrack::id);
    if (!moves(editor) || drag_ || object == next.objects.end()) return false;
    std::ranges::replace(name, '\n', ' ');
    object->name = std::move(name);
    store(editor, step(editor), next);
    return true;
}

bool RegionEdit::hold(StackEditor& editor) {
    return edit_selected(editor, [&](ObjectTrack& object, BoxClock clock) {
        return hold_box(object, clock, film_);
    });
}

bool RegionEdit::delete_from_here(StackEditor& editor) {
    return edit_selected(editor, [&](ObjectTrack& object, BoxClock clock) {
        delete_boxes(object, clock, film_);
        return true;
    });
}

bool RegionEdit::track(const StackEditor& editor) {
    const auto all = tracks(editor);
    if (film_.film.empty() || all->objects.empty() || drag_) return false;
    const ObjectTrack& object = all->objects[selected(editor)];
    const StepId id = step(editor);
    const bool waits = std::ranges::any_of(to_follow_, [&](const Followed& followed) {
        return followed.step == id &&
               std::ranges::equal(object.boxes, followed.boxes, is_same_place);
    });
    if (waits) return true;
    try {
        to_follow_.push_back({.step = id,
                              .boxes = object.boxes,
                              .film = film_,
                              .jobs = jobs_of(object, all->clock, film_)});
        return true;
    } catch (const Error& error) {
        problem_ = error.what();
        return false;
    }
}

bool RegionEdit::end_track(StackEditor& editor, std::span<const TrackReport> reports) {
    if (to_follow_.empty()) return false;
    const Followed before = std::move(to_follow_.front());
    to_follow_.erase(to_follow_.begin());
    if (reports.empty()) return false;
    const StepId chosen = std::exchange(chosen_, before.step);
    ObjectTracks next = editor.find(before.step) == nullptr ? ObjectTracks() : *tracks(editor);
    chosen_ = chosen;
    const auto object = std::ranges::find_if(next.objects, [&](const ObjectTrack& now) {
        return std::ranges::equal(now.boxes, before.boxes, is_same_place);
    });
    if (object == next.objects.end() || before.film.film != film_.film) {
        problem_ = "The region was changed while it was followed: press Track again";
        return false;
    }
    *object = followed(*object, next.clock, before.film, reports);
    store(editor, before.step, next);
    return true;
}

std::optional<double> RegionEdit::review(const StackEditor& editor, bool forwards) {
    const auto all = tracks(editor);
    const std::optional<UncertainBox> next = next_uncertain(*all, film_, forwards);
    if (!next) return std::nullopt;
    selected_ = next->object;
    return film_.seconds_of(all->clock, next->place);
}

}  // namespace weft
