#include "app/gui/panels/picture_area.h"

#include <algorithm>
#include <cmath>
#include <imgui.h>
#include <optional>
#include <utility>

#include "app/gui/widgets/small_widgets.h"
#include "app/viewer/screen/pixel_grid.h"
#include "app/viewer/view/view_parts.h"

namespace weft {
namespace {

constexpr double kWheelFactor = 1.2;
constexpr float kHandleRadius = 11;  // the wipe's, at scale 1
constexpr double kLeastBox = 8;      // to zoom to, at scale 1
constexpr float kMargin = 8;         // of the sign of a wait, at scale 1

ImVec2 vec(Point p) {
    return {static_cast<float>(p.x), static_cast<float>(p.y)};
}

void follow_pointer(Pointer& pointer, const ViewState& view, const DisplayShape& shape,
                    const Rect& area) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    pointer.screen = {mouse.x, mouse.y};
    const ScreenSize size = shape.display_size();
    const Rect viewport = viewport_at(view, size, area, pointer.screen);
    const Rect placed = place_picture(view.zoom, size, viewport);
    pointer.over_picture = !ImGui::GetIO().WantCaptureMouse && viewport.contains(pointer.screen) &&
                           placed.contains(pointer.screen);
    pointer.coded = shape.to_coded(screen_to_display(pointer.screen, placed, size));
}

// The wheel, and the buttons that always pan.
void zoom_and_pan(ViewState& view, const Pointer& pointer, ScreenSize size, const Rect& area) {
    const ImGuiIO& io = ImGui::GetIO();
    const Rect viewport = viewport_at(view, size, area, pointer.screen);
    if (io.MouseWheel != 0)
        view.zoom = zoomed_at(view.zoom, std::pow(kWheelFactor, io.MouseWheel), pointer.screen,
                              size, viewport);
    const bool drags =
        ImGui::IsMouseDown(ImGuiMouseButton_Right) || ImGui::IsMouseDown(ImGuiMouseButton_Middle);
    if (drags) view.zoom = panned(view.zoom, io.MouseDelta.x, io.MouseDelta.y, size);
}

// Whether a press here grabs the line of the wipe.
bool is_on_wipe_line(const ViewState& view, Point screen, ScreenSize size,
                     const WindowLayout& layout) {
    if (view.mode != CompareMode::wipe || view.held_original) return false;
    const Rect placed = place_picture(view.zoom, size, layout.picture);
    const double at = wipe_in_view(view, size, layout.picture);
    const Rect right = right_of_wipe(view.wipe_line, at, placed);
    const bool upright = view.wipe_line == WipeOrientation::vertical;
    const double away = upright ? screen.x - right.x : screen.y - right.y;
    return std::abs(away) <= kHandleRadius * layout.scale;
}

Rect dragged_box(const Pointer& pointer) {
    const Point& a = pointer.pressed;
    const Point& b = pointer.screen;
    return {std::min(a.x, b.x), std::min(a.y, b.y), std::abs(a.x - b.x), std::abs(a.y - b.y)};
}

// A click with Ctrl is no box.
bool is_box(const Rect& box, double scale) {
    const double least = kLeastBox * scale;
    return box.width >= least && box.height >= least;
}

// The picture under the mouse, with its layout.
struct Ground {
    const ViewState& view;
    const DisplayShape& shape;
    const WindowLayout& layout;
};

// The picture of the view's part at this place.
RegionCanvas canvas_at(Point screen, const Ground& on) {
    const ScreenSize size = on.shape.display_size();
    const Rect viewport = viewport_at(on.view, size, on.layout.picture, screen);
    return {on.shape, place_picture(on.view.zoom, size, viewport)};
}

// The part of a region that a press here would drag. The line of a wipe is above the inside of a
// region, which may fill the picture, and below the handles.
std::optional<RegionGrip> region_grip(const RegionTool& regions, Point screen, const Ground& on) {
    if (!regions.shown || ImGui::GetIO().KeyCtrl) return std::nullopt;
    if (regions.edit.draws(regions.editor)) return RegionGrip{1, 1};
    const std::optional<RegionGrip> grip = regions.edit.grip_at(
        regions.editor, canvas_at(screen, on), screen, region_reach(on.layout));
    const bool on_line = is_on_wipe_line(on.view, screen, on.shape.display_size(), on.layout);
    return grip && grip->whole() && on_line ? std::nullopt : grip;
}

void drag_region(Pointer& pointer, const RegionTool& regions, const Ground& on) {
    regions.edit.drag(regions.editor, canvas_at(pointer.pressed, on), pointer.screen);
    if (ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;
    regions.edit.release(regions.editor);
    pointer.drag = MouseDrag::none;
}

// Until the left button is released, also outside the picture.
void drag_picture(Pointer& pointer, ViewState& view, ScreenSize size, const WindowLayout& layout) {
    const Rect& area = layout.picture;
    const ImVec2 moved = ImGui::GetIO().MouseDelta;
    const bool released = !ImGui::IsMouseDown(ImGuiMouseButton_Left);
    switch (released && pointer.drag != MouseDrag::box ? MouseDrag::none : pointer.drag) {
        case MouseDrag::none:
        case MouseDrag::region:  // see drag_region()
            break;
        case MouseDrag::pan:
            view.zoom = panned(view.zoom, moved.x, moved.y, size);
            break;
        case MouseDrag::wipe:
            view.wipe =
                wipe_through(view.wipe_line, pointer.screen, place_picture(view.zoom, size, area));
            break;
        case MouseDrag::box: {
            const Rect box = dragged_box(pointer);
            const Rect viewport = viewport_at(view, size, area, pointer.pressed);
            if (released && is_box(box, layout.scale))
                view.zoom = zoomed_to(view.zoom, box, place_picture(view.zoom, size, viewport),
                                      size, viewport);
            break;
        }
    }
    if (released) pointer.drag = MouseDrag::none;
}

void begin_drag(Pointer& pointer, const RegionTool& regions, const Ground& on) {
    if (!ImGui::IsMouseClicked(ImGuiMouseButton_Left)) return;
    const Point& screen = pointer.pressed = pointer.screen;
    const bool on_region =
        region_grip(regions, screen, on) &&
        regions.edit.press(regions.editor, canvas_at(screen, on), screen, region_reach(on.layout));
    const bool on_line = is_on_wipe_line(on.view, screen, on.shape.display_size(), on.layout);
    pointer.drag = ImGui::GetIO().KeyCtrl ? MouseDrag::box
                   : on_region            ? MouseDrag::region
                   : on_line              ? MouseDrag::wipe
                                          : MouseDrag::pan;
}

DrawRequest request_for(const ViewPart& part, const ViewState& view, const Playing& playing,
                        const Window& window) {
    const DisplayShape shape = *playing.picture_shape();
    const double width = window.size().width;
    const ScreenSize pixels = window.framebuffer();
    const double density = width > 0 ? pixels.width / width : 1;
    const auto dense = [&](const Rect& r) {
        return Rect{r.x * density, r.y * density, r.width * density, r.height * density};
    };
    return {.part = {dense(part.viewport), dense(part.visible), part.side, part.minus},
            .placed = dense(place_picture(view.zoom, shape.display_size(), part.viewport)),
            .shape = shape,
            .framebuffer_height = pixels.height,
            .hdr = playing.hdr(),
            .gain = view.gain,
            .false_colour = view.false_colour};
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
void draw_handle(const WindowLayout& layout, Point from, Point to, bool upright) {
    const Rect& area = layout.picture;
    const auto scale = static_cast<float>(layout.scale);
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
    draw_arrows(centre, {upright ? 0.0 : 1.0, upright ? 1.0 : 0.0}, radius, dark);
}

void draw_wipe_line(const ViewState& view, const WindowLayout& layout, ScreenSize size) {
    if (view.mode != CompareMode::wipe || view.held_original) return;
    const Rect& area = layout.picture;
    const Rect placed = place_picture(view.zoom, size, area);
    const Rect right = right_of_wipe(view.wipe_line, wipe_in_view(view, size, area), placed);
    const bool upright = view.wipe_line == WipeOrientation::vertical;
    const Point end{right.x + (upright ? 0 : right.width), right.y + (upright ? right.height : 0)};
    ImDrawList* list = ImGui::GetBackgroundDrawList();
    list->PushClipRect(vec({area.x, area.y}), vec({area.x + area.width, area.y + area.height}));
    draw_handle(layout, {right.x, right.y}, end, upright);
    list->PopClipRect();
}

// Between two pictures with places of their own.
void draw_seam(const ViewState& view, const WindowLayout& layout) {
    const Rect& area = layout.picture;
    const double thick = std::round(2 * layout.scale);
    Rect seam = area;
    if (view.mode == CompareMode::side_by_side) {
        seam.x = std::round(area.x + area.width / 2 - thick / 2);
        seam.width = thick;
    } else if (view.mode == CompareMode::stacked) {
        seam.y = std::round(area.y + area.height / 2 - thick / 2);
        seam.height = thick;
    } else {
        return;
    }
    ImGui::GetBackgroundDrawList()->AddRectFilled(vec({seam.x, seam.y}),
                                                  vec({seam.x + seam.width, seam.y + seam.height}),
                                                  packed(kDarkPalette.outline));
}

ImGuiMouseCursor cursor_of(RegionGrip grip) {
    if (grip.whole()) return ImGuiMouseCursor_ResizeAll;
    if (grip.down == 0) return ImGuiMouseCursor_ResizeEW;
    if (grip.across == 0) return ImGuiMouseCursor_ResizeNS;
    return grip.across == grip.down ? ImGuiMouseCursor_ResizeNWSE : ImGuiMouseCursor_ResizeNESW;
}

// The mouse has the shape of what a press does.
void show_cursor(const ViewState& view, const Pointer& pointer, ScreenSize size,
                 const WindowLayout& layout) {
    const bool upright = view.wipe_line == WipeOrientation::vertical;
    const bool wipes =
        pointer.drag == MouseDrag::wipe ||
        (pointer.drag == MouseDrag::none && is_on_wipe_line(view, pointer.screen, size, layout));
    if (wipes)
        ImGui::SetMouseCursor(upright ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
    else if (pointer.drag == MouseDrag::pan && !view.zoom.fits())
        ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
}

}  // namespace

std::uint32_t component_colour(Component component) {
    switch (component) {
        case Component::y:
            return IM_COL32(255, 255, 255, 255);
        case Component::u:
        case Component::b:
            return IM_COL32(140, 190, 255, 255);
        case Component::v:
        case Component::r:
            return IM_COL32(255, 150, 140, 255);
        case Component::g:
            return IM_COL32(130, 230, 130, 255);
        case Component::a:
            return IM_COL32(200, 200, 200, 255);
    }
    return IM_COL32(255, 255, 255, 255);
}

namespace {

// A dark outline makes text legible on every pixel.
void draw_outlined(ImVec2 at, ImU32 colour, const std::string& text) {
    ImDrawList* list = ImGui::GetBackgroundDrawList();
    for (const auto& [dx, dy] : {std::pair(-1.0F, 0.0F), {1.0F, 0.0F}, {0.0F, -1.0F}, {0.0F, 1.0F}})
        list->AddText({at.x + dx, at.y + dy}, IM_COL32(0, 0, 0, 255), text.c_str());
    list->AddText(at, colour, text.c_str());
}

// One line per component, in the middle of the cell, where they fit.
void draw_values(const GridCell& cell) {
    const Rect& r = cell.place;
    ImGui::GetBackgroundDrawList()->AddRect(
        vec({r.x, r.y}), vec({r.x + r.width + 1, r.y + r.height + 1}), IM_COL32(128, 128, 128, 90));
    const float line = ImGui::GetTextLineHeight();
    const float height = line * static_cast<float>(cell.values.size());
    float width = 0;
    for (const ComponentText& value : cell.values)
        width = std::max(width, ImGui::CalcTextSize(value.text.c_str()).x);
    if (width > r.width || height > r.height) return;
    ImVec2 at = vec({r.x + (r.width - width) / 2, r.y + (r.height - height) / 2});
    for (const ComponentText& value : cell.values) {
        draw_outlined(at, component_colour(value.component), value.text);
        at.y += line;
    }
}

// The values of the pictures that are drawn below them.
void draw_grids(const ShownFrame& shown, const DisplayShape& shape, const ViewState& view,
                const Rect& area) {
    if (!view.pixel_grid) return;
    const ScreenSize size = shape.display_size();
    for (const ViewPart& part : view_parts(view, size, area))
        for (const GridCell& cell :
             pixel_grid(shown, {part, place_picture(view.zoom, size, part.viewport), shape}))
            draw_values(cell);
}

// A double click whose first click was on the picture, too: that on a file's name opens the file
// and leaves the second click to its picture.
bool both_clicks(Pointer& pointer, bool here) {
    if (!ImGui::IsMouseClicked(ImGuiMouseButton_Left)) return false;
    const bool before = std::exchange(pointer.clicked_picture, here);
    return here && before && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
}

}  // namespace

void handle_picture_mouse(Pointer& pointer, const PictureMouse& mouse) {
    const auto& [view, playing, layout, regions, window] = mouse;
    const Rect& area = layout.picture;
    pointer.over_picture = false;
    const auto shape = playing.picture_shape();
    if (shape) follow_pointer(pointer, view, *shape, area);
    const bool here = shape && !ImGui::GetIO().WantCaptureMouse && area.contains(pointer.screen);
    const bool double_click = both_clicks(pointer, here);
    if (!shape) return;
    const ScreenSize size = shape->display_size();
    const bool on_line = is_on_wipe_line(view, pointer.screen, size, layout);
    const Ground ground{view, *shape, layout};
    const std::optional<RegionGrip> grip = region_grip(regions, pointer.screen, ground);
    if (here) begin_drag(pointer, regions, ground);
    if (pointer.drag == MouseDrag::region)
        drag_region(pointer, regions, ground);
    else if (pointer.drag != MouseDrag::none)
        drag_picture(pointer, view, size, layout);
    if (!here) return;
    zoom_and_pan(view, pointer, size, area);
    if (grip && pointer.drag == MouseDrag::none)
        ImGui::SetMouseCursor(cursor_of(*grip));
    else
        show_cursor(view, pointer, size, layout);
    if (!double_click || on_line || grip) return;
    view.fullscreen = !view.fullscreen;
    window.set_fullscreen(view.fullscreen);
}

void draw_over_picture(const Playing& playing, const ViewState& view, const StackPair& stacks,
                       const WindowLayout& layout) {
    if (const auto shape = playing.picture_shape()) {
        draw_grids(*playing.shown, *shape, view, layout.picture);
        draw_seam(view, layout);
        draw_wipe_line(view, layout, shape->display_size());
        draw_compare_labels(*shape, view, stacks, layout);
    }
}

void draw_box(const Pointer& pointer, double scale) {
    const Rect box = dragged_box(pointer);
    if (pointer.drag != MouseDrag::box || !is_box(box, scale)) return;
    const ImVec2 from = vec({box.x, box.y});
    const ImVec2 to = vec({box.x + box.width, box.y + box.height});
    const auto line = static_cast<float>(scale);
    ImDrawList* list = ImGui::GetBackgroundDrawList();
    list->AddRect(from, to, IM_COL32(0, 0, 0, 200), 0, 0, 3 * line);
    list->AddRect(from, to, IM_COL32(255, 255, 255, 255), 0, 0, line);
}

// Draws in the middle of the upper edge, because the names of the sides are at its ends.
void draw_wait_sign(std::string_view awaited, const WindowLayout& layout) {
    if (awaited.empty()) return;
    const Rect& area = layout.picture;
    const std::string text(awaited);
    const float line = ImGui::GetTextLineHeight();
    const float gap = ImGui::GetStyle().FramePadding.x * 2;
    const float width = ImGui::CalcTextSize(text.c_str()).x + line + 3 * gap;
    const auto left = static_cast<float>(area.x + (area.width - width) / 2);
    const double above = std::max(area.y, layout.compare.y + layout.compare.height);
    const auto top = static_cast<float>(above + kMargin * layout.scale);
    const ImVec2 centre{left + gap + line / 2, top + gap / 2 + line / 2};
    const auto turn = static_cast<float>(ImGui::GetTime() * 5);
    ImDrawList* list = ImGui::GetBackgroundDrawList();
    list->AddRectFilled({left, top}, {left + width, top + line + gap}, packed(kDarkPalette.popup),
                        ImGui::GetStyle().FrameRounding);
    list->PathArcTo(centre, line * 0.4F, turn, turn + 4.5F, 24);
    list->PathStroke(packed(kDarkPalette.text), 0, 2 * static_cast<float>(layout.scale));
    list->AddText({left + 2 * gap + line, top + gap / 2}, packed(kDarkPalette.text), text.c_str());
}

void render_picture(PictureRenderer& renderer, const Playing& playing, const ViewState& view,
                    const Rect& area, const Window& window) {
    const auto shape = playing.picture_shape();
    if (!shape) return;
    renderer.set_frame(playing.shown);
    for (const ViewPart& part : view_parts(view, shape->display_size(), area))
        renderer.draw(request_for(part, view, playing, window));
}

}  // namespace weft
