#include "app/gui/panels/panels.h"

#include <array>
#include <cstdint>
#include <imgui.h>

#include "app/gui/panels/actions.h"
#include "app/gui/panels/gui.h"
#include "app/gui/widgets/small_widgets.h"

namespace weft {
namespace {

enum class Place : std::uint8_t { side, bottom };

struct Panel {
    Place place = Place::side;
    const char* title = "";
    void (*draw)(Gui&) = nullptr;
};

constexpr std::array kPanels = {
#define WEFT_PANEL(place, title, draw) Panel{Place::place, title, draw},
    WEFT_PANELS(WEFT_PANEL)
#undef WEFT_PANEL
};

void draw_tab(Gui& gui, const Panel& panel) {
    const bool wanted = gui.panels.wanted_tab == panel.draw;
    const ImGuiTabItemFlags flags = wanted ? ImGuiTabItemFlags_SetSelected : 0;
    if (!ImGui::BeginTabItem(panel.title, nullptr, flags)) return;
    ImGui::BeginChild("content");
    panel.draw(gui);
    ImGui::EndChild();
    ImGui::EndTabItem();
}

void draw_menu_of(Gui& gui, ActionGroup group) {
    if (!ImGui::BeginMenu(title(group).data())) return;
    for (const Action& action : actions()) {
        if (action.group != group) continue;
        if (ImGui::MenuItem(action.name.data(), action.keys[0].data(), false,
                            action.release == nullptr))
            action.run(gui);
    }
    ImGui::EndMenu();
}

}  // namespace

void draw_menu(Gui& gui) {
    if (!ImGui::BeginMainMenuBar()) return;
    using enum ActionGroup;
    for (const ActionGroup group : {file, playback, stack, view, panel, help})
        draw_menu_of(gui, group);
    ImGui::EndMainMenuBar();
}

void draw_side(Gui& gui) {
    const UiWindow window("##side", gui.layout.side);
    if (!window || !ImGui::BeginTabBar("tabs", ImGuiTabBarFlags_FittingPolicyScroll)) return;
    for (const Panel& panel : kPanels)
        if (panel.place == Place::side) draw_tab(gui, panel);
    gui.panels.wanted_tab = nullptr;
    ImGui::EndTabBar();
}

void draw_bottom(Gui& gui) {
    const UiWindow window("##bottom", gui.layout.bottom);
    if (!window) return;
    for (const Panel& panel : kPanels)
        if (panel.place == Place::bottom) panel.draw(gui);
}

}  // namespace weft
