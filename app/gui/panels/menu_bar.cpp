#include <imgui.h>

#include "app/gui/panels/actions.h"
#include "app/gui/panels/gui.h"
#include "app/gui/panels/panels.h"

namespace weft {
namespace {

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

}  // namespace weft
