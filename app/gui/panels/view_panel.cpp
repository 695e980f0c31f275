// Options of the view: the sides shown, how they are compared, the scale.
#include <array>
#include <cmath>
#include <imgui.h>

#include <fmt/format.h>

#include "app/gui/panels/panels.h"
#include "app/gui/panels/playing.h"
#include "app/gui/widgets/small_widgets.h"
#include "app/viewer/edit/stack_pair.h"
#include "app/viewer/shell/settings.h"

namespace weft {
namespace {

struct ModeRow {
    CompareMode mode;
    const char* name;
    const char* help;
};

constexpr std::array kModes = {
    ModeRow{CompareMode::single, "One picture", "Shows only one side"},
    ModeRow{CompareMode::wipe, "Wipe", "Drag the line across the picture"},
    ModeRow{CompareMode::side_by_side, "Side by side", "Both sides zoom and pan together"},
    ModeRow{CompareMode::difference, "Difference", "Right minus left; gray means equal"},
};

void draw_modes(ViewState& view) {
    for (const ModeRow& row : kModes) {
        if (ImGui::RadioButton(row.name, view.mode == row.mode)) view.mode = row.mode;
        tooltip(row.help);
    }
}

void draw_side_choice(const StackPair& stacks, const char* label, Side& side) {
    if (!ImGui::BeginCombo(label, stacks.side_name(side).c_str())) return;
    const Side count = stacks.two ? 3 : 2;
    for (Side k = 0; k < count; ++k)
        if (ImGui::Selectable(stacks.side_name(k).c_str(), k == side)) side = k;
    ImGui::EndCombo();
}

void draw_wipe(ViewState& view) {
    bool lying = view.wipe_line == WipeOrientation::horizontal;
    if (ImGui::Checkbox("Horizontal line, left side above", &lying))
        view.wipe_line = lying ? WipeOrientation::horizontal : WipeOrientation::vertical;
}

void draw_difference(ViewState& view) {
    auto gain = static_cast<float>(view.gain);
    if (number_slider("Gain", gain, 1, 64, fmt::format("×{:.1f}", gain),
                      ImGuiSliderFlags_Logarithmic))
        view.gain = gain;
    ImGui::Checkbox("False colour", &view.false_colour);
}

void draw_stacks(StackPair& stacks, ViewState& view) {
    bool two = stacks.two;
    if (ImGui::Checkbox("Compare two stacks of filters", &two)) stacks.set_two(two, view);
    tooltip(
        "The second stack starts as a copy of the first: change a parameter of it in the Filters "
        "panel.");
}

void draw_zoom(ViewState& view, const std::optional<DisplayShape>& shape, const Rect& picture) {
    if (!shape) return;
    const ScreenSize size = shape->display_size();
    const double scale = effective_scale(view.zoom, size, picture);
    ImGui::Text(
        "%s",
        fmt::format("{:.0f} %{}", scale * 100, view.zoom.fits() ? ", fit to window" : "").c_str());
    ImGui::SameLine();
    if (ImGui::SmallButton("Fit")) view.zoom = {};
    ImGui::SameLine();
    if (ImGui::SmallButton("1:1")) view.zoom = {1, {size.width / 2, size.height / 2}};
    ImGui::Checkbox("Show pixel values at high zoom", &view.pixel_grid);
}

void draw_memory(Playing& playing) {
    constexpr float kMostMib = 1 << 15;
    auto mib = static_cast<float>(playing.status.cache_budget >> 20);
    if (number_slider("Cache", mib, kLeastFrameCacheMib, kMostMib, fmt::format("{:.0f} MiB", mib),
                      ImGuiSliderFlags_Logarithmic))
        playing.player.set_cache_budget(static_cast<std::size_t>(std::lround(mib)) << 20);
    tooltip("Memory for decoded frames, used for stepping back");
}

}  // namespace

void draw_view(ViewState& view, StackPair& stacks, Playing& playing, const Rect& picture) {
    draw_modes(view);
    ImGui::Separator();
    if (view.mode != CompareMode::single) draw_side_choice(stacks, "Left", view.left);
    const bool alone = view.mode == CompareMode::single;
    draw_side_choice(stacks, alone ? "Shown" : "Right", view.right);
    if (view.mode == CompareMode::wipe) draw_wipe(view);
    if (view.mode == CompareMode::difference) draw_difference(view);
    ImGui::Separator();
    draw_stacks(stacks, view);
    ImGui::Separator();
    draw_zoom(view, playing.picture_shape(), picture);
    ImGui::Separator();
    draw_memory(playing);
}

}  // namespace weft
