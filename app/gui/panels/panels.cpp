#include "app/gui/panels/panels.h"

#include <array>
#include <imgui.h>

#include "app/gui/panels/gui.h"
#include "app/gui/window/ui_window.h"

namespace weft {
namespace {

constexpr std::array kPanels = {
    Panel{"Filters", PanelPlace::side, draw_filters},
    Panel{"View", PanelPlace::side, draw_view},
    Panel{"Inspector", PanelPlace::side, draw_inspector},
    Panel{"Scopes", PanelPlace::side, draw_scopes},
    Panel{"Export", PanelPlace::side, draw_export},
    Panel{"Kernels", PanelPlace::bottom, draw_kernels},
};

void draw_tab(Gui& gui, const Panel& panel) {
    const bool wanted = gui.panels.wanted_tab == panel.name;
    const ImGuiTabItemFlags flags = wanted ? ImGuiTabItemFlags_SetSelected : 0;
    if (!ImGui::BeginTabItem(panel.name.data(), nullptr, flags)) return;
    ImGui::BeginChild("content");
    panel.draw(gui);
    ImGui::EndChild();
    ImGui::EndTabItem();
}

}  // namespace

std::span<const Panel> panels() {
    return kPanels;
}

void draw_side(Gui& gui) {
    const UiWindow window("##side", gui.layout.side);
    if (!window || !ImGui::BeginTabBar("tabs", ImGuiTabBarFlags_FittingPolicyScroll)) return;
    for (const Panel& panel : kPanels)
        if (panel.place == PanelPlace::side) draw_tab(gui, panel);
    gui.panels.wanted_tab = {};
    ImGui::EndTabBar();
}

void draw_bottom(Gui& gui) {
    const UiWindow window("##bottom", gui.layout.bottom);
    if (!window) return;
    for (const Panel& panel : kPanels)
        if (panel.place == PanelPlace::bottom) panel.draw(gui);
}

}  // namespace weft
