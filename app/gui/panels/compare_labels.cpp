// Labels over a comparison: what each side shows, and what the colours of a difference mean.
#include <algorithm>
#include <array>
#include <imgui.h>
#include <string>

#include <fmt/format.h>

#include "app/gui/panels/picture_area.h"
#include "app/gui/widgets/small_widgets.h"
#include "app/viewer/view/view_parts.h"

namespace weft {
namespace {

constexpr float kMargin = 8;       // at scale 1
constexpr float kScaleWidth = 18;  // in font heights
constexpr float kOpacity = 0.85F;

// Light text on a dark ground in both themes: the picture around it may have any colour.
void draw_label(const std::string& text, ImVec2 corner) {
    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
    const float pad = ImGui::GetStyle().FramePadding.x;
    ImDrawList* list = ImGui::GetBackgroundDrawList();
    list->AddRectFilled(corner, {corner.x + size.x + 2 * pad, corner.y + size.y + pad},
                        packed(kDarkPalette.window, kOpacity), ImGui::GetStyle().FrameRounding);
    list->AddText({corner.x + pad, corner.y + pad / 2}, packed(kDarkPalette.text), text.c_str());
}

float label_width(const std::string& text) {
    return ImGui::CalcTextSize(text.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x;
}

float label_height() {
    return ImGui::GetTextLineHeight() + ImGui::GetStyle().FramePadding.x;
}

struct Corners {
    float left, top, right, bottom;
    float middle;  // the top of the lower half
};

// The corners of the picture's area, inside a margin.
Corners corners(const WindowLayout& layout, bool fullscreen) {
    const Rect& area = layout.picture;
    const double margin = kMargin * layout.scale;
    const double top = std::max(area.y, layout.compare.y + layout.compare.height);
    // The lowest line belongs to the values of the pixel under the mouse.
    const double bar =
        (fullscreen ? layout.transport.height : 0) + margin + static_cast<double>(label_height());
    return {static_cast<float>(area.x + margin), static_cast<float>(top + margin),
            static_cast<float>(area.x + area.width - margin),
            static_cast<float>(area.y + area.height - bar - margin),
            static_cast<float>(area.y + area.height / 2 + margin)};
}

// The ends of the colours that the shader makes of a difference, as steps from the lowest.
std::array<ImU32, 4> colours_of(const ViewState& view) {
    if (view.false_colour)
        return {IM_COL32(0, 0, 5, 255), IM_COL32(115, 28, 110, 255), IM_COL32(237, 105, 38, 255),
                IM_COL32(252, 255, 163, 255)};
    return {IM_COL32(0, 0, 0, 255), IM_COL32(85, 85, 85, 255), IM_COL32(170, 170, 170, 255),
            IM_COL32(255, 255, 255, 255)};
}

void draw_gradient(const ViewState& view, ImVec2 from, ImVec2 to) {
    const std::array<ImU32, 4> colours = colours_of(view);
    ImDrawList* list = ImGui::GetBackgroundDrawList();
    const float step = (to.x - from.x) / static_cast<float>(colours.size() - 1);
    for (std::size_t k = 0; k + 1 < colours.size(); ++k) {
        const float x = from.x + step * static_cast<float>(k);
        list->AddRectFilledMultiColor({x, from.y}, {x + step, to.y}, colours[k], colours[k + 1],
                                      colours[k + 1], colours[k]);
    }
    list->AddRect(from, to, packed(kDarkPalette.text));
}

// The difference that reaches the ends of the scale: a gain of 1 shows the full range.
std::array<std::string, 3> scale_texts(const ViewState& view) {
    const double most = 255 / view.gain;
    if (view.false_colour)
        return {"0", fmt::format("{:.3g}", most / 2), fmt::format("{:.3g} of 255", most)};
    return {fmt::format("−{:.3g}", most), "0", fmt::format("+{:.3g} of 255", most)};
}

void draw_scale(const ViewState& view, const Corners& place) {
    const float width = ImGui::GetFontSize() * kScaleWidth;
    const float height = ImGui::GetFontSize() * 0.8F;
    const std::array<std::string, 3> texts = scale_texts(view);
    const float below = place.bottom - label_height();
    const float left = place.right - width;  // toasts are at the left
    draw_gradient(view, {left, below - height}, {place.right, below});
    draw_label(texts[0], {left, below});
    draw_label(texts[1], {left + (width - label_width(texts[1])) / 2, below});
    draw_label(texts[2], {place.right - label_width(texts[2]), below});
}

// The line of a wipe at an edge of the picture leaves one side.
struct SidesInView {
    bool left = true, right = true;
};

SidesInView labelled_sides(const DisplayShape& shape, const ViewState& view, const Rect& area) {
    if (view.mode != CompareMode::wipe) return {};
    const double at = wipe_in_view(view, shape.display_size(), area);
    return {at > 0, at < 1};
}

// For wipe, side by side, and one above the other.
void draw_sides(const ViewState& view, const StackPair& stacks, const SidesInView& seen,
                const Corners& place) {
    const std::string right = stacks.side_name(view.right);
    if (seen.left) draw_label(stacks.side_name(view.left), {place.left, place.top});
    if (!seen.right) return;
    if (view.mode == CompareMode::stacked)
        draw_label(right, {place.left, place.middle});
    else if (view.mode == CompareMode::wipe && view.wipe_line == WipeOrientation::horizontal)
        draw_label(right, {place.left, place.bottom - label_height()});
    else
        draw_label(right, {place.right - label_width(right), place.top});
}

void draw_difference(const ViewState& view, const StackPair& stacks, const Corners& place) {
    draw_label(fmt::format("{} − {}, ×{:.3g}", stacks.side_name(view.right),
                           stacks.side_name(view.left), view.gain),
               {place.left, place.top});
    draw_scale(view, place);
}

}  // namespace

void draw_compare_labels(const DisplayShape& shape, const ViewState& view, const StackPair& stacks,
                         const WindowLayout& layout) {
    const Corners place = corners(layout, view.fullscreen);
    if (view.held_original) return draw_label(stacks.side_name(0), {place.left, place.top});
    switch (view.mode) {
        case CompareMode::single:
            return;
        case CompareMode::wipe:
        case CompareMode::side_by_side:
        case CompareMode::stacked:
            return draw_sides(view, stacks, labelled_sides(shape, view, layout.picture), place);
        case CompareMode::difference:
            return draw_difference(view, stacks, place);
    }
}

}  // namespace weft
