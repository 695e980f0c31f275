// Options of the view that have no room in the bar above the picture.
#include <cmath>
#include <imgui.h>
#include <string>

#include "app/gui/panels/panels.h"
#include "app/gui/panels/playing.h"
#include "app/gui/widgets/small_widgets.h"
#include "app/viewer/edit/stack_pair.h"
#include "app/viewer/shell/settings.h"

namespace weft {
namespace {

void draw_side_choice(const StackPair& stacks, const char* name, Side& side) {
    row_name(name);
    if (!begin_list((std::string("##") + name).c_str(), stacks.side_name(side))) return;
    const Side count = stacks.two ? 3 : 2;
    for (Side k = 0; k < count; ++k)
        if (ImGui::Selectable(stacks.side_name(k).c_str(), k == side)) side = k;
    ImGui::EndCombo();
}

void draw_wipe(ViewState& view) {
    bool lying = view.wipe_line == WipeOrientation::horizontal;
    row_name("Line");
    if (ImGui::Checkbox("horizontal, left side above", &lying))
        view.wipe_line = lying ? WipeOrientation::horizontal : WipeOrientation::vertical;
}

void draw_difference(ViewState& view) {
    auto gain = static_cast<float>(view.gain);
    if (number_row({.name = "Gain", .least = 1, .most = 64, .format = "×%.1f", .logarithmic = true},
                   gain))
        view.gain = gain;
    row_name("False colour");
    ImGui::Checkbox("##false colour", &view.false_colour);
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
    if (!begin_rows("memory")) return;
    if (number_row({.name = "Cache",
                    .least = kLeastFrameCacheMib,
                    .most = kMostMib,
                    .format = "%.0f MiB",
                    .logarithmic = true},
                   mib))
        playing.player.set_cache_budget(static_cast<std::size_t>(std::lround(mib)) << 20);
    tooltip("Memory for decoded frames, used for stepping back");
    end_rows();
}

}  // namespace

void draw_view(ViewState& view, StackPair& stacks, Playing& playing) {
    const bool alone = view.mode == CompareMode::single;
    if (begin_rows("sides")) {
        if (!alone) draw_side_choice(stacks, "Left", view.left);
        draw_side_choice(stacks, alone ? "Shown" : "Right", view.right);
        if (view.mode == CompareMode::wipe) draw_wipe(view);
        if (view.mode == CompareMode::difference) draw_difference(view);
        end_rows();
    }
    ImGui::Separator();
    draw_stacks(stacks, view);
    ImGui::Checkbox("Show pixel values at high zoom", &view.pixel_grid);
    ImGui::Separator();
    draw_memory(playing);
}

}  // namespace weft
