#include "app/viewer/view/view_geometry.h"

#include <algorithm>

namespace weft {
namespace {

bool empty(ScreenSize size) {
    return size.width <= 0 || size.height <= 0;
}

Point middle(const Rect& rect) {
    return {rect.x + rect.width / 2, rect.y + rect.height / 2};
}

// The same view with explicit scale and centre.
ViewZoom spelled_out(const ViewZoom& zoom, ScreenSize picture, Rect viewport) {
    if (!zoom.fits()) return zoom;
    return {effective_scale(zoom, picture, viewport), {picture.width / 2, picture.height / 2}};
}

ViewZoom scaled_at(const ViewZoom& zoom, double scale, Point cursor, ScreenSize picture,
                   Rect viewport) {
    const ViewZoom now = spelled_out(zoom, picture, viewport);
    if (now.scale == 0) return zoom;
    const Point held = screen_to_display(cursor, place_picture(now, picture, viewport), picture);
    const Point m = middle(viewport);
    return {scale, {held.x - (cursor.x - m.x) / scale, held.y - (cursor.y - m.y) / scale}};
}

}  // namespace

ScreenSize DisplayShape::display_size() const {
    const ScreenSize upright{width * std::max(sample_aspect, 1.0),
                             height * std::max(1 / sample_aspect, 1.0)};
    const bool lying = rotation_degrees % 180 != 0;
    return lying ? ScreenSize{upright.height, upright.width} : upright;
}

Point DisplayShape::to_coded(Point display) const {
    const ScreenSize size = display_size();
    Point p{display.x / size.width, display.y / size.height};
    switch (rotation_degrees) {
        case 90:
            p = {p.y, 1 - p.x};
            break;
        case 180:
            p = {1 - p.x, 1 - p.y};
            break;
        case 270:
            p = {1 - p.y, p.x};
            break;
        default:
            break;
    }
    return {p.x * width, p.y * height};
}

Point DisplayShape::to_display(Point coded) const {
    const ScreenSize size = display_size();
    Point p{coded.x / width, coded.y / height};
    switch (rotation_degrees) {
        case 90:
            p = {1 - p.y, p.x};
            break;
        case 180:
            p = {1 - p.x, 1 - p.y};
            break;
        case 270:
            p = {p.y, 1 - p.x};
            break;
        default:
            break;
    }
    return {p.x * size.width, p.y * size.height};
}

double effective_scale(const ViewZoom& zoom, ScreenSize picture, Rect viewport) {
    if (!zoom.fits()) return zoom.scale;
    if (empty(picture) || empty({viewport.width, viewport.height})) return 0;
    return std::min(viewport.width / picture.width, viewport.height / picture.height);
}

Rect place_picture(const ViewZoom& zoom, ScreenSize picture, Rect viewport) {
    const ViewZoom now = spelled_out(zoom, picture, viewport);
    const Point m = middle(viewport);
    return {m.x - now.centre.x * now.scale, m.y - now.centre.y * now.scale,
            picture.width * now.scale, picture.height * now.scale};
}

ViewZoom zoomed_at(const ViewZoom& zoom, double factor, Point cursor, ScreenSize picture,
                   Rect viewport) {
    const double scale = effective_scale(zoom, picture, viewport) * factor;
    return scaled_at(zoom, std::clamp(scale, kLeastScale, kMostScale), cursor, picture, viewport);
}

ViewZoom one_to_one(const ViewZoom& zoom, Point cursor, ScreenSize picture, Rect viewport) {
    return scaled_at(zoom, 1, cursor, picture, viewport);
}

ViewZoom panned(const ViewZoom& zoom, double dx, double dy, ScreenSize picture) {
    if (zoom.fits()) return zoom;
    return {zoom.scale,
            {std::clamp(zoom.centre.x - dx / zoom.scale, 0.0, picture.width),
             std::clamp(zoom.centre.y - dy / zoom.scale, 0.0, picture.height)}};
}

Rect common_part(const Rect& a, const Rect& b) {
    const double left = std::max(a.x, b.x);
    const double top = std::max(a.y, b.y);
    const double right = std::min(a.x + a.width, b.x + b.width);
    const double bottom = std::min(a.y + a.height, b.y + b.height);
    return {left, top, std::max(right - left, 0.0), std::max(bottom - top, 0.0)};
}

ViewZoom zoomed_to(const ViewZoom& zoom, const Rect& box, const Rect& placed, ScreenSize picture,
                   Rect viewport) {
    const Rect seen = common_part(box, placed);
    if (empty({seen.width, seen.height}) || empty(picture)) return zoom;
    const double factor = std::min(viewport.width / seen.width, viewport.height / seen.height);
    return {std::clamp(factor * placed.width / picture.width, kLeastScale, kMostScale),
            screen_to_display(middle(seen), placed, picture)};
}

Point screen_to_display(Point screen, const Rect& placed, ScreenSize picture) {
    if (placed.width <= 0 || placed.height <= 0) return {};
    return {(screen.x - placed.x) / placed.width * picture.width,
            (screen.y - placed.y) / placed.height * picture.height};
}

Rect right_of_wipe(WipeOrientation line, double at, const Rect& placed) {
    Rect part = placed;
    if (line == WipeOrientation::vertical) {
        part.x += at * placed.width;
        part.width -= at * placed.width;
    } else {
        part.y += at * placed.height;
        part.height -= at * placed.height;
    }
    return part;
}

double wipe_in_view(WipeOrientation line, double at, const Rect& placed, const Rect& area) {
    const bool upright = line == WipeOrientation::vertical;
    const double begin = upright ? placed.x : placed.y;
    const double length = upright ? placed.width : placed.height;
    if (length == 0) return at;
    const double first = ((upright ? area.x : area.y) - begin) / length;
    const double last = first + (upright ? area.width : area.height) / length;
    const double inset = (std::min(last, 1.0) - std::max(first, 0.0)) / 20;
    return std::clamp(at, first > 0 ? first + inset : 0, last < 1 ? last - inset : 1);
}

double wipe_through(WipeOrientation line, Point screen, const Rect& placed) {
    const double at = line == WipeOrientation::vertical ? (screen.x - placed.x) / placed.width
                                                        : (screen.y - placed.y) / placed.height;
    return std::clamp(at, 0.0, 1.0);
}

namespace {

constexpr double kLeastSideWidth = 340;
constexpr double kMostSideWidth = 440;
constexpr double kSideShare = 0.24;  // share of the window's width
constexpr double kBottomHeight = 300;
constexpr double kSideNeeds = 300;  // its buttons
constexpr double kCompareHeight = 32;
constexpr double kTransportHeight = 64;
constexpr double kButtonsHeight = 40;  // a transport bar without a timeline
constexpr double kMotionHeight = 28;   // the strip above the timeline
constexpr double kMostOfSide = 0.28;   // relative to the window's width
constexpr double kMostForNeeds = 0.47;
constexpr double kMostInTinyWindow = 0.38;
constexpr double kTinyWindow = 600;
constexpr double kMostOfBottom = 0.4;     // relative to the height between menu and transport bar
constexpr double kMostOfCompare = 0.125;  // in low windows the picture needs its place
constexpr double kMostOfDragged = 0.8;
constexpr double kLeastOfDragged = 0.1;
constexpr double kMostOfDraggedSide = 0.7;
constexpr double kLeastOfDraggedSide = 0.15;

double side_width(const LayoutRequest& request) {
    if (!request.side_open) return 0;
    const double window = request.window.width;
    const double scale = request.scale;
    if (request.side_width > 0)
        return std::clamp(request.side_width * scale, window * kLeastOfDraggedSide,
                          window * kMostOfDraggedSide);
    const double most = window < kTinyWindow * scale ? kMostInTinyWindow : kMostForNeeds;
    const double needs = std::min(kSideNeeds * scale, window * most);
    const double wanted =
        std::clamp(window * kSideShare, kLeastSideWidth * scale, kMostSideWidth * scale);
    return std::min(wanted, std::max(window * kMostOfSide, needs));
}

// Next to a wide side column the bottom is lower: the picture has that part of the window's width.
double most_of_bottom(double picture_width) {
    constexpr double kLess = 0.95;
    return std::min(kMostOfBottom, kLess * picture_width / (1 + picture_width));
}

double bottom_height(const LayoutRequest& request, double between, double picture_width) {
    if (!request.bottom_open) return 0;
    if (request.bottom_height > 0)
        return std::clamp(request.bottom_height * request.scale, between * kLeastOfDragged,
                          between * kMostOfDragged);
    return std::min(kBottomHeight * request.scale, between * most_of_bottom(picture_width));
}

}  // namespace

WindowLayout lay_out(const LayoutRequest& request) {
    const auto [width, height] = request.window;
    WindowLayout out;
    out.scale = request.scale;
    const double menu = request.menu_height;
    const double bar = !request.timeline ? kButtonsHeight
                       : request.motion  ? kTransportHeight + kMotionHeight
                                         : kTransportHeight;
    const double transport = std::min(bar * request.scale, height / 4);
    const double between = std::max(height - menu - transport, 0.0);
    const double bar_height = kCompareHeight * request.scale;
    const double compare =
        request.compare && bar_height <= between * kMostOfCompare ? bar_height : 0;
    if (request.bare) {
        out.picture = {0, 0, width, height};
        if (!request.controls) return out;
        out.menu = {0, 0, width, menu};
        out.compare = {0, menu, width, compare};
        out.transport = {0, height - transport, width, transport};
        return out;
    }
    const double side = side_width(request);
    const double bottom = bottom_height(request, between - compare, (width - side) / width);
    const double middle = between - bottom;
    out.menu = {0, 0, width, menu};
    out.compare = {0, menu, width - side, compare};
    out.picture = {0, menu + out.compare.height, width - side, middle - out.compare.height};
    out.side = {width - side, menu, side, middle};
    out.bottom = {0, menu + middle, width, bottom};
    out.transport = {0, height - transport, width, transport};
    return out;
}

SideHeights share_side(double room, double stack_needs, double section_needs) {
    const double section = std::min(section_needs, std::max(room * 2 / 3, room - stack_needs));
    return {.stack = room - section, .section = section};
}

}  // namespace weft
