#include <algorithm>
#include <cmath>
#include <imgui.h>
#include <utility>

#include "app/gui/panels/gui.h"
#include "app/gui/panels/panels.h"
#include "app/viewer/screen/pixel_grid.h"

namespace weft {
namespace {

constexpr double kWheelFactor = 1.2;
constexpr float kHandleRadius = 11;  // the wipe's, at scale 1

ImVec2 vec(Point p) {
    return {static_cast<float>(p.x), static_cast<float>(p.y)};
}

// One half of the area.
Rect half(const Rect& area, bool right) {
    return {area.x + (right ? area.width / 2 : 0), area.y, area.width / 2, area.height};
}

bool is_split(const Gui& gui) {
    return gui.view.mode == CompareMode::side_by_side;
}

// The viewport under the mouse.
Rect viewport_at(const Gui& gui, Point screen) {
    const Rect& area = gui.layout.picture;
    if (!is_split(gui)) return area;
    return half(area, screen.x >= area.x + area.width / 2);
}

void follow_pointer(Gui& gui, const DisplayShape& shape) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    gui.pointer.screen = {mouse.x, mouse.y};
    const ScreenSize size = shape.display_size();
    const Rect viewport = viewport_at(gui, gui.pointer.screen);
    const Rect placed = place_picture(gui.view.zoom, size, viewport);
    gui.pointer.over_picture = !ImGui::GetIO().WantCaptureMouse &&
                               viewport.contains(gui.pointer.screen) &&
                               placed.contains(gui.pointer.screen);
    gui.pointer.coded = shape.to_coded(screen_to_display(gui.pointer.screen, placed, size));
}

void zoom_and_pan(Gui& gui, ScreenSize size) {
    const ImGuiIO& io = ImGui::GetIO();
    const Rect viewport = viewport_at(gui, gui.pointer.screen);
    if (io.MouseWheel != 0)
        gui.view.zoom = zoomed_at(gui.view.zoom, std::pow(kWheelFactor, io.MouseWheel),
                                  gui.pointer.screen, size, viewport);
    const bool drags =
        ImGui::IsMouseDown(ImGuiMouseButton_Right) || ImGui::IsMouseDown(ImGuiMouseButton_Middle);
    if (drags) gui.view.zoom = panned(gui.view.zoom, io.MouseDelta.x, io.MouseDelta.y, size);
}

void move_wipe(Gui& gui, ScreenSize size) {
    if (gui.view.mode != CompareMode::wipe || !ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;
    const Rect placed = place_picture(gui.view.zoom, size, gui.layout.picture);
    gui.view.wipe = wipe_through(gui.view.wipe_line, gui.pointer.screen, placed);
}

DrawRequest request_for(const Gui& gui, const DisplayShape& shape, const Rect& viewport,
                        DrawSide side) {
    const ScreenSize window = gui.window.size();
    const ScreenSize pixels = gui.window.framebuffer();
    const double density = window.width > 0 ? pixels.width / window.width : 1;
    const auto dense = [&](const Rect& r) {
        return Rect{r.x * density, r.y * density, r.width * density, r.height * density};
    };
    return {.viewport = dense(viewport),
            .placed = dense(place_picture(gui.view.zoom, shape.display_size(), viewport)),
            .shape = shape,
            .framebuffer_height = pixels.height,
            .view = gui.view,
            .side = side};
}

// Two triangles that point away from the line's middle; `along` is (0, 1) for an upright line.
void draw_arrows(ImVec2 middle, Point along, float radius, ImU32 colour) {
    const auto at = [&](double across, double forward) {
        return ImVec2(middle.x + radius * static_cast<float>(across * along.y + forward * along.x),
                      middle.y + radius * static_cast<float>(across * along.x + forward * along.y));
    };
    for (const double way : {-1.0, 1.0})
        ImGui::GetBackgroundDrawList()->AddTriangleFilled(at(0.7 * way, 0), at(0.2 * way, -0.4),
                                                          at(0.2 * way, 0.4), colour);
}

// The line, white with a dark outline so that it is visible on every picture, and a handle in the
// middle of its visible part.
void draw_handle(const Gui& gui, Point from, Point to) {
    const Rect& area = gui.layout.picture;
    const auto scale = static_cast<float>(gui.look.scale);
    const ImU32 white = IM_COL32(255, 255, 255, 255);
    const ImU32 dark = IM_COL32(0, 0, 0, 200);
    ImDrawList* list = ImGui::GetBackgroundDrawList();
    list->AddLine(vec(from), vec(to), dark, 4 * scale);
    list->AddLine(vec(from), vec(to), white, 2 * scale);
    const auto middle = [](double a, double b, double low, double size) {
        return (std::max(a, low) + std::min(b, low + size)) / 2;
    };
    const ImVec2 centre =
        vec({middle(from.x, to.x, area.x, area.width), middle(from.y, to.y, area.y, area.height)});
    const float radius = kHandleRadius * scale;
    list->AddCircleFilled(centre, radius + scale, dark);
    list->AddCircleFilled(centre, radius, white);
    const bool upright = gui.view.wipe_line == WipeOrientation::vertical;
    draw_arrows(centre, {upright ? 0.0 : 1.0, upright ? 1.0 : 0.0}, radius, dark);
}

void draw_wipe_line(const Gui& gui, ScreenSize size) {
    if (gui.view.mode != CompareMode::wipe || gui.view.held_original) return;
    const Rect& area = gui.layout.picture;
    const Rect placed = place_picture(gui.view.zoom, size, area);
    const Rect right = right_of_wipe(gui.view.wipe_line, gui.view.wipe, placed);
    const bool upright = gui.view.wipe_line == WipeOrientation::vertical;
    const Point end{right.x + (upright ? 0 : right.width), right.y + (upright ? right.height : 0)};
    ImDrawList* list = ImGui::GetBackgroundDrawList();
    list->PushClipRect(vec({area.x, area.y}), vec({area.x + area.width, area.y + area.height}));
    draw_handle(gui, {right.x, right.y}, end);
    list->PopClipRect();
}

// Near the line the mouse has the shape of a drag.
void show_wipe_cursor(const Gui& gui, ScreenSize size) {
    const Rect placed = place_picture(gui.view.zoom, size, gui.layout.picture);
    const Rect right = right_of_wipe(gui.view.wipe_line, gui.view.wipe, placed);
    const bool upright = gui.view.wipe_line == WipeOrientation::vertical;
    const double away = upright ? gui.pointer.screen.x - right.x : gui.pointer.screen.y - right.y;
    if (std::abs(away) <= kHandleRadius * gui.look.scale)
        ImGui::SetMouseCursor(upright ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
}

// Choosing light or dark text would need the pixels' colours: a shadow is legible on all.
void draw_values(const GridCell& cell) {
    ImDrawList* list = ImGui::GetBackgroundDrawList();
    const Rect& r = cell.place;
    list->AddRect(vec({r.x, r.y}), vec({r.x + r.width + 1, r.y + r.height + 1}),
                  IM_COL32(128, 128, 128, 90));
    const ImVec2 size = ImGui::CalcTextSize(cell.values.c_str());
    if (size.x > r.width || size.y > r.height) return;
    const Point at{r.x + (r.width - size.x) / 2, r.y + (r.height - size.y) / 2};
    list->AddText(vec({at.x + 1, at.y + 1}), IM_COL32(0, 0, 0, 220), cell.values.c_str());
    list->AddText(vec(at), IM_COL32(255, 255, 255, 235), cell.values.c_str());
}

void draw_grid(const Gui& gui, const DisplayShape& shape, const Rect& viewport, Side side) {
    const Rect placed = place_picture(gui.view.zoom, shape.display_size(), viewport);
    ImGui::GetBackgroundDrawList()->PushClipRect(
        vec({viewport.x, viewport.y}),
        vec({viewport.x + viewport.width, viewport.y + viewport.height}));
    for (const GridCell& cell :
         pixel_grid(gui.shown->info, gui.shown->side(side), {placed, viewport, shape}))
        draw_values(cell);
    ImGui::GetBackgroundDrawList()->PopClipRect();
}

// Each side of the wipe's line shows its own values.
void draw_grids(const Gui& gui, const DisplayShape& shape) {
    if (!gui.view.pixel_grid) return;
    const Rect& area = gui.layout.picture;
    const ViewState& view = gui.view;
    if (is_split(gui)) {
        draw_grid(gui, shape, half(area, false), view.left);
        draw_grid(gui, shape, half(area, true), view.right);
        return;
    }
    draw_grid(gui, shape, area, view.shown_alone());
}

void draw_spinner(const Gui& gui) {
    const Rect& area = gui.layout.picture;
    const double radius = 14 * gui.look.scale;
    const double turn = ImGui::GetTime() * 5;
    ImDrawList* list = ImGui::GetBackgroundDrawList();
    list->PathArcTo(vec({area.x + area.width / 2, area.y + area.height / 2}),
                    static_cast<float>(radius), static_cast<float>(turn),
                    static_cast<float>(turn + 4.5), 24);
    list->PathStroke(IM_COL32(255, 255, 255, 200), 0, static_cast<float>(3 * gui.look.scale));
}

// A double click whose first click was on the picture, too: that on a file's name opens the file
// and leaves the second click to its picture.
bool both_clicks(Pointer& pointer, bool here) {
    if (!ImGui::IsMouseClicked(ImGuiMouseButton_Left)) return false;
    const bool before = std::exchange(pointer.clicked_picture, here);
    return here && before && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
}

}  // namespace

void handle_picture_mouse(Gui& gui) {
    gui.pointer.over_picture = false;
    const auto shape = gui.picture_shape();
    if (shape) follow_pointer(gui, *shape);
    const bool here = shape && !ImGui::GetIO().WantCaptureMouse &&
                      gui.layout.picture.contains(gui.pointer.screen);
    const bool double_click = both_clicks(gui.pointer, here);
    if (!here) return;
    zoom_and_pan(gui, shape->display_size());
    move_wipe(gui, shape->display_size());
    if (gui.view.mode == CompareMode::wipe) show_wipe_cursor(gui, shape->display_size());
    if (double_click && gui.view.mode != CompareMode::wipe) {
        gui.view.fullscreen = !gui.view.fullscreen;
        gui.window.set_fullscreen(gui.view.fullscreen);
    }
}

void draw_over_picture(Gui& gui) {
    const PlayerStatus& status = gui.status;
    if (const auto shape = gui.picture_shape()) {
        draw_grids(gui, *shape);
        draw_wipe_line(gui, shape->display_size());
        draw_compare_labels(gui);
    }
    if (status.opening || status.seeking) draw_spinner(gui);
}

void render_picture(Gui& gui) {
    const auto shape = gui.picture_shape();
    if (!shape) return;
    gui.renderer.set_frame(gui.shown, gui.view);
    const Rect& area = gui.layout.picture;
    if (!is_split(gui)) {
        gui.renderer.draw(request_for(gui, *shape, area, DrawSide::as_view));
        return;
    }
    gui.renderer.draw(request_for(gui, *shape, half(area, false), DrawSide::left));
    gui.renderer.draw(request_for(gui, *shape, half(area, true), DrawSide::right));
}

}  // namespace weft
