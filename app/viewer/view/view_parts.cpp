#include "app/viewer/view/view_parts.h"

#include <algorithm>

namespace weft {
namespace {

struct Halves {
    Rect first, second;
};

// Divides an area by a line at `at`: an x if the line is vertical, else a y.
Halves halves(const Rect& area, WipeOrientation line, double at) {
    Halves cut{area, area};
    if (line == WipeOrientation::vertical) {
        const double x = std::clamp(at, area.x, area.x + area.width);
        cut.first.width = x - area.x;
        cut.second = {x, area.y, area.x + area.width - x, area.height};
    } else {
        const double y = std::clamp(at, area.y, area.y + area.height);
        cut.first.height = y - area.y;
        cut.second = {area.x, y, area.width, area.y + area.height - y};
    }
    return cut;
}

std::vector<ViewPart> wipe_parts(const ViewState& view, ScreenSize picture, const Rect& area) {
    const Rect right = right_of_wipe(view.wipe_line, wipe_in_view(view, picture, area),
                                     place_picture(view.zoom, picture, area));
    const bool upright = view.wipe_line == WipeOrientation::vertical;
    const Halves cut = halves(area, view.wipe_line, upright ? right.x : right.y);
    return {{area, cut.first, view.left, {}}, {area, cut.second, view.right, {}}};
}

// Each half of the area has a picture of its own; `line` is between them.
std::vector<ViewPart> halves_of(const ViewState& view, const Rect& area, WipeOrientation line) {
    const bool upright = line == WipeOrientation::vertical;
    const Halves cut =
        halves(area, line, upright ? area.x + area.width / 2 : area.y + area.height / 2);
    return {{cut.first, cut.first, view.left, {}}, {cut.second, cut.second, view.right, {}}};
}

std::vector<ViewPart> shown_parts(const ViewState& view, ScreenSize picture, const Rect& area) {
    switch (view.mode) {
        case CompareMode::single:
            return {{area, area, view.right, {}}};
        case CompareMode::wipe:
            return wipe_parts(view, picture, area);
        case CompareMode::side_by_side:
            return halves_of(view, area, WipeOrientation::vertical);
        case CompareMode::stacked:
            return halves_of(view, area, WipeOrientation::horizontal);
        case CompareMode::difference:
            return {{area, area, view.right, view.left}};
    }
    return {};
}

}  // namespace

std::vector<ViewPart> view_parts(const ViewState& view, ScreenSize picture, const Rect& area) {
    std::vector<ViewPart> parts = shown_parts(view, picture, area);
    if (!view.held_original) return parts;
    for (ViewPart& part : parts) {
        part.side = 0;
        part.minus.reset();
    }
    return parts;
}

double wipe_in_view(const ViewState& view, ScreenSize picture, const Rect& area) {
    const Rect placed = place_picture(view.zoom, picture, area);
    return wipe_in_view(view.wipe_line, view.wipe, placed, area);
}

Rect viewport_at(const ViewState& view, ScreenSize picture, const Rect& area, Point screen) {
    const std::vector<ViewPart> parts = view_parts(view, picture, area);
    for (const ViewPart& part : parts)
        if (part.visible.contains(screen)) return part.viewport;
    return parts.front().viewport;
}

bool stacked_is_larger(ScreenSize picture, const Rect& area) {
    const Rect upper{area.x, area.y, area.width, area.height / 2};
    const Rect left{area.x, area.y, area.width / 2, area.height};
    return effective_scale({}, picture, upper) > effective_scale({}, picture, left);
}

}  // namespace weft
