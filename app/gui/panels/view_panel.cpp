// Options of the view: the sides shown, how they are compared, the scale.
#include <array>
#include <cmath>
#include <imgui.h>

#include <fmt/format.h>

#include "app/gui/panels/gui.h"
#include "app/gui/panels/panels.h"
#include "app/gui/widgets/small_widgets.h"

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

void draw_side_choice(const Gui& gui, const char* label, Side& side) {
    if (!ImGui::BeginCombo(label, side_name(gui, side).c_str())) return;
    const Side count = gui.two_stacks ? 3 : 2;
    for (Side k = 0; k < count; ++k)
        if (ImGui::Selectable(side_name(gui, k).c_str(), k == side)) side = k;
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

void draw_stacks(Gui& gui) {
    bool two = gui.two_stacks;
    if (ImGui::Checkbox("Compare two stacks of filters", &two)) gui.set_two_stacks(two);
    tooltip(
        "The second stack starts as a copy of the first: change a parameter of it in the Filters "
        "panel.");
}

void draw_zoom(Gui& gui) {
    const auto shape = gui.picture_shape();
    if (!shape) return;
    const ScreenSize size = shape->display_size();
    const double scale = effective_scale(gui.view.zoom, size, gui.layout.picture);
    ImGui::Text(
        "%s", fmt::format("{:.0f} %{}", scale * 100, gui.view.zoom.fits() ? ", fit to window" : "")
                  .c_str());
    ImGui::SameLine();
    if (ImGui::SmallButton("Fit")) gui.view.zoom = {};
    ImGui::SameLine();
    if (ImGui::SmallButton("1:1")) gui.view.zoom = {1, {size.width / 2, size.height / 2}};
    ImGui::Checkbox("Show pixel values at high zoom", &gui.view.pixel_grid);
}

void draw_memory(Gui& gui) {
    constexpr float kMostMib = 1 << 15;
    auto mib = static_cast<float>(gui.status.cache_budget >> 20);
    if (number_slider("Cache", mib, kLeastFrameCacheMib, kMostMib, fmt::format("{:.0f} MiB", mib),
                      ImGuiSliderFlags_Logarithmic))
        gui.player.set_cache_budget(static_cast<std::size_t>(std::lround(mib)) << 20);
    tooltip("Memory for decoded frames, used for stepping back");
}

}  // namespace

void draw_view(Gui& gui) {
    draw_modes(gui.view);
    ImGui::Separator();
    if (gui.view.mode != CompareMode::single) draw_side_choice(gui, "Left", gui.view.left);
    const bool alone = gui.view.mode == CompareMode::single;
    draw_side_choice(gui, alone ? "Shown" : "Right", gui.view.right);
    if (gui.view.mode == CompareMode::wipe) draw_wipe(gui.view);
    if (gui.view.mode == CompareMode::difference) draw_difference(gui.view);
    ImGui::Separator();
    draw_stacks(gui);
    ImGui::Separator();
    draw_zoom(gui);
    ImGui::Separator();
    draw_memory(gui);
}

}  // namespace weft
