#include "app/viewer/view/window_layout.h"

#include <algorithm>

namespace weft {
namespace {

constexpr double kSideWidth = 340;
constexpr double kBottomHeight = 300;
constexpr double kTransportHeight = 64;
constexpr double kMostOfSide = 0.28;   // relative to the window's width
constexpr double kMostOfBottom = 0.4;  // relative to the height between menu and transport bar

}  // namespace

WindowLayout lay_out(const LayoutRequest& request) {
    const auto [width, height] = request.window;
    WindowLayout out;
    if (request.bare) {
        out.picture = {0, 0, width, height};
        return out;
    }
    const double menu = request.menu_height;
    const double transport = std::min(kTransportHeight * request.scale, height / 4);
    const double between = height - menu - transport;
    const double side =
        request.side_open ? std::min(kSideWidth * request.scale, width * kMostOfSide) : 0;
    const double bottom =
        request.bottom_open ? std::min(kBottomHeight * request.scale, between * kMostOfBottom) : 0;
    const double middle = std::max(between - bottom, 0.0);
    out.menu = {0, 0, width, menu};
    out.picture = {0, menu, width - side, middle};
    out.side = {width - side, menu, side, middle};
    out.bottom = {0, menu + middle, width, bottom};
    out.transport = {0, height - transport, width, transport};
    return out;
}

}  // namespace weft
