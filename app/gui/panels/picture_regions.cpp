// The regions of a step, drawn over the picture.
#include <algorithm>
#include <array>
#include <cmath>
#include <imgui.h>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "app/gui/panels/picture_area.h"
#include "app/gui/widgets/small_widgets.h"
#include "app/viewer/view/view_parts.h"

namespace weft {
namespace {

constexpr float kHandle = 4;  // from a handle's middle to its side, at scale 1
constexpr double kReach = 7;  // likewise, to where the mouse grabs it
constexpr int kEllipseSides = 96;

// White with a dark outline is visible on every picture.
constexpr ImU32 kWhite = IM_COL32(255, 255, 255, 255);
constexpr ImU32 kDark = IM_COL32(0, 0, 0, 200);
constexpr ImU32 kFaintDark = IM_COL32(0, 0, 0, 100);

// Apart from one another and from white, also for most people who see fewer colours (Okabe and
// Ito).
constexpr std::array kColours{IM_COL32(86, 180, 233, 255),  IM_COL32(230, 159, 0, 255),
                              IM_COL32(0, 190, 140, 255),   IM_COL32(240, 228, 66, 255),
                              IM_COL32(225, 140, 190, 255), IM_COL32(240, 110, 50, 255)};

ImU32 faint(ImU32 colour) {
    constexpr ImU32 kAlpha = 180;
    return (colour & ~IM_COL32_A_MASK) | kAlpha << IM_COL32_A_SHIFT;
}

ImVec2 vec(Point p) {
    return {static_cast<float>(p.x), static_cast<float>(p.y)};
}

std::vector<ImVec2> ellipse_in(const Rect& box) {
    std::vector<ImVec2> points;
    for (int k = 0; k < kEllipseSides; ++k) {
        const double turn = 2 * std::numbers::pi * k / kEllipseSides;
        points.push_back(vec({box.x + box.width / 2 * (1 + std::cos(turn)),
                              box.y + box.height / 2 * (1 + std::sin(turn))}));
    }
    return points;
}

void draw_outline(const Rect& box, bool ellipse, ImU32 colour, float scale) {
    ImDrawList* list = ImGui::GetBackgroundDrawList();
    const std::vector<ImVec2> points =
        ellipse ? ellipse_in(box)
                : std::vector<ImVec2>{vec({box.x, box.y}), vec({box.x + box.width, box.y}),
                                      vec({box.x + box.width, box.y + box.height}),
                                      vec({box.x, box.y + box.height})};
    const int count = static_cast<int>(points.size());
    list->AddPolyline(points.data(), count, kDark, ImDrawFlags_Closed, 3 * scale);
    list->AddPolyline(points.data(), count, colour, ImDrawFlags_Closed, scale);
}

// Where the effect ends, in one thin line.
void draw_effect(const std::vector<Point>& outline, const RegionCanvas& canvas, ImU32 colour,
                 float scale) {
    std::vector<ImVec2> points;
    for (const Point& corner : outline) {
        const Rect at = canvas.to_screen({corner.x, corner.y, corner.x, corner.y});
        points.push_back(vec({at.x, at.y}));
    }
    const int count = static_cast<int>(points.size());
    ImDrawList* list = ImGui::GetBackgroundDrawList();
    list->AddPolyline(points.data(), count, kFaintDark, ImDrawFlags_Closed, 2 * scale);
    list->AddPolyline(points.data(), count, faint(colour), ImDrawFlags_Closed, scale);
}

void draw_handles(const Rect& box, ImU32 colour, float scale) {
    ImDrawList* list = ImGui::GetBackgroundDrawList();
    const float half = kHandle * scale;
    for (const int down : {-1, 0, 1})
        for (const int across : {-1, 0, 1}) {
            if (across == 0 && down == 0) continue;
            const ImVec2 at = vec(handle_place(box, {across, down}));
            const auto square = [&](float from_middle, ImU32 with) {
                list->AddRectFilled({at.x - from_middle, at.y - from_middle},
                                    {at.x + from_middle, at.y + from_middle}, with);
            };
            square(half + scale, kDark);
            square(half, colour);
        }
}

// Writes the name of the region, or its number among several, in the upper left corner of the box.
void draw_name(const Rect& box, const ObjectTrack& object, ImU32 colour, float scale) {
    const std::string text = object.name.empty() ? fmt::format("{}", object.id) : object.name;
    note_glyphs(text);
    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
    const float pad = 3 * scale;
    const ImVec2 at = vec({box.x + kHandle * scale, box.y + kHandle * scale});
    ImDrawList* list = ImGui::GetBackgroundDrawList();
    list->AddRectFilled(at, {at.x + size.x + 2 * pad, at.y + size.y}, colour,
                        ImGui::GetStyle().FrameRounding);
    list->AddText({at.x + pad, at.y}, IM_COL32(0, 0, 0, 255), text.c_str());
}

// Below the box, or where the picture's area ends.
void draw_size(const Rect& box, const RegionRect& region, const Rect& within, float scale) {
    const std::string text =
        fmt::format("{:.0f} × {:.0f}", region.right - region.left, region.bottom - region.top);
    const float pad = 4 * scale;
    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
    const double width = size.x + 2 * pad;
    const double height = size.y + pad;
    const ImVec2 at = vec({std::clamp(box.x + (box.width - width) / 2, within.x,
                                      std::max(within.x, within.x + within.width - width)),
                           std::clamp(box.y + box.height + 2 * kHandle * scale, within.y,
                                      std::max(within.y, within.y + within.height - height))});
    ImDrawList* list = ImGui::GetBackgroundDrawList();
    list->AddRectFilled(at, {at.x + static_cast<float>(width), at.y + static_cast<float>(height)},
                        packed(kDarkPalette.window, 0.9F), ImGui::GetStyle().FrameRounding);
    list->AddText({at.x + pad, at.y + pad / 2}, packed(kDarkPalette.text), text.c_str());
}

// In the middle of the upper edge, because the names of the sides are at its ends.
void draw_hint(const WindowLayout& layout) {
    const std::string text = "Drag a box around the part to filter; Escape cancels";
    const auto scale = static_cast<float>(layout.scale);
    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
    const float pad = 8 * scale;
    const Rect& area = layout.picture;
    const ImVec2 at = vec({area.x + (area.width - size.x) / 2,
                           std::max(area.y, layout.compare.y + layout.compare.height) + 2 * pad});
    ImDrawList* list = ImGui::GetBackgroundDrawList();
    list->AddRectFilled({at.x - pad, at.y - pad / 2},
                        {at.x + size.x + pad, at.y + size.y + pad / 2}, packed(kDarkPalette.popup),
                        ImGui::GetStyle().FrameRounding);
    list->AddText(at, packed(kDarkPalette.text), text.c_str());
}

}  // namespace

std::uint32_t region_colour(std::size_t index, std::size_t count) {
    return count < 2 ? kWhite : kColours[index % kColours.size()];
}

double region_reach(const WindowLayout& layout) {
    return kReach * layout.scale;
}

void draw_regions(const RegionTool& regions, const DisplayShape& shape, const ViewState& view,
                  const WindowLayout& layout) {
    const EditedStep* const edited = regions.editor.find(regions.edit.step(regions.editor));
    if (!regions.shown || edited == nullptr) return;
    const bool ellipse = edited->step.params.choice("shape") == "ellipse";
    const auto scale = static_cast<float>(layout.scale);
    const ScreenSize size = shape.display_size();
    const std::size_t selected = regions.edit.selected(regions.editor);
    const auto tracks = regions.edit.tracks(regions.editor);
    for (const ViewPart& part : view_parts(view, size, layout.picture)) {
        const RegionCanvas canvas(shape, place_picture(view.zoom, size, part.viewport));
        const std::vector<RegionRect> all = regions.edit.regions(regions.editor, canvas);
        const Rect& seen = part.visible;
        ImGui::GetBackgroundDrawList()->PushClipRect(
            vec({seen.x, seen.y}), vec({seen.x + seen.width, seen.y + seen.height}));
        for (std::size_t k = 0; k < all.size(); ++k) {
            if (all[k].right <= all[k].left) continue;  // it has no box in this frame
            const Rect box = canvas.to_screen(all[k]);
            const ImU32 colour = region_colour(k, all.size());
            draw_effect(effect_outline(edited->step.params, all[k]), canvas, colour, scale);
            draw_outline(box, ellipse, colour, scale);
            if (k < tracks->objects.size() && (all.size() > 1 || !tracks->objects[k].name.empty()))
                draw_name(box, tracks->objects[k], colour, scale);
            if (k == selected) draw_handles(box, colour, scale);
            if (k == selected && regions.edit.drags()) draw_size(box, all[k], part.viewport, scale);
        }
        ImGui::GetBackgroundDrawList()->PopClipRect();
    }
    if (regions.edit.draws(regions.editor) && !regions.edit.drags()) draw_hint(layout);
}

}  // namespace weft
