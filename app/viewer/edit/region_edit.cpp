#include "app/viewer/edit/region_edit.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

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
    draws_ = false;
}

StepId RegionEdit::step(const StackEditor& editor) const {
    if (editor.find(chosen_) != nullptr) return chosen_;
    const auto& steps = editor.steps();
    const auto last = std::find_if(steps.rbegin(), steps.rend(), [](const EditedStep& edited) {
        return edited.step.params.is_set("region");
    });
    return last == steps.rend() ? 0 : last->id;
}

std::vector<RegionRect> RegionEdit::regions(const StackEditor& editor,
                                            const RegionCanvas& canvas) const {
    const std::string text = region_text(editor.find(step(editor)));
    if (text.empty()) return {};
    std::vector<RegionRect> regions;
    for (const RegionText& region : parse_regions(text)) {
        const double left = region.left.of(canvas.width);
        const double top = region.top.of(canvas.height);
        regions.push_back({left, top, left + region.width.of(canvas.width),
                           top + region.height.of(canvas.height)});
    }
    return regions;
}

std::size_t RegionEdit::selected(const StackEditor& editor) const {
    const std::size_t count = split(region_text(editor.find(step(editor)))).size();
    return count == 0 ? 0 : std::min(selected_, count - 1);
}

void RegionEdit::set_drawing(StepId step, bool wanted) {
    choose(step);
    draws_ = wanted;
}

std::optional<RegionEdit::Hit> RegionEdit::hit(const StackEditor& editor,
                                               const RegionCanvas& canvas, Point screen,
                                               double reach) const {
    const std::vector<RegionRect> all = regions(editor, canvas);
    if (all.empty()) return std::nullopt;
    const std::size_t first = selected(editor);
    const Rect box = canvas.to_screen(all[first]);
    for (const RegionGrip grip : kHandles) {
        const Point at = handle_place(box, grip);
        if (std::abs(screen.x - at.x) <= reach && std::abs(screen.y - at.y) <= reach)
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
    const StepId id = step(editor);
    const bool draws = this->draws(editor);
    const std::optional<Hit> found = hit(editor, canvas, screen, reach);
    if (!draws && !found) return false;
    const std::vector<RegionRect> all = regions(editor, canvas);
    drag_ = Drag{.step = id,
                 .before = region_text(editor.find(id)),
                 .pressed = screen,
                 .least = draws ? reach : 0,
                 .draws = draws};
    selected_ = draws ? all.size() : found->region;
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
    if (!drag_ || (!drag_->begun && !moves(*drag_, screen))) return;
    if (!drag_->begun) editor.begin_edit();
    drag_->begun = true;
    const Point from = canvas.to_pixels(drag_->pressed);
    const Point to = canvas.to_pixels(screen);
    const PixelRect region = drag_->draws ? drawn_region(from, to, canvas)
                                          : dragged_region(drag_->from, drag_->grip,
                                                           {to.x - from.x, to.y - from.y}, canvas);
    (void)editor.set(drag_->step, "region", with_region(drag_->before, selected_, region));
}

void RegionEdit::release(StackEditor& editor) {
    if (!drag_) return;
    if (drag_->begun) editor.end_edit();
    if (drag_->begun) draws_ = false;
    drag_.reset();
}

bool RegionEdit::cancel(StackEditor& editor) {
    if (!drag_) {
        const bool drew = draws(editor);
        draws_ = false;
        return drew;
    }
    if (drag_->begun) editor.cancel_edit();
    drag_.reset();
    draws_ = false;
    return true;
}

bool RegionEdit::remove(StackEditor& editor) {
    const StepId id = step(editor);
    const std::string text = region_text(editor.find(id));
    if (text.empty() || drag_) return false;
    (void)editor.set(id, "region", without_region(text, selected(editor)));
    return true;
}

}  // namespace weft
