// Options of the view that have no room in the bar above the picture.
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

void draw_memory(Playing& playing) {
    constexpr float kMostMib = 1 << 15;
    auto mib = static_cast<float>(playing.status.cache_budget >> 20);
    if (number_slider("Cache", mib, kLeastFrameCacheMib, kMostMib, fmt::format("{:.0f} MiB", mib),
                      ImGuiSliderFlags_Logarithmic))
        playing.player.set_cache_budget(static_cast<std::size_t>(std::lround(mib)) << 20);
    tooltip("Memory for decoded frames, used for stepping back");
}

}  // namespace

void draw_view(ViewState& view, StackPair& stacks, Playing& playing) {
    const bool alone = view.mode == CompareMode::single;
    if (!alone) draw_side_choice(stacks, "Left", view.left);
    draw_side_choice(stacks, alone ? "Shown" : "Right", view.right);
    if (view.mode == CompareMode::wipe) draw_wipe(view);
    if (view.mode == CompareMode::difference) draw_difference(view);
    ImGui::Separator();
    draw_stacks(stacks, view);
    ImGui::Checkbox("Show pixel values at high zoom", &view.pixel_grid);
    ImGui::Separator();
    draw_memory(playing);
}

}  // namespace weft
