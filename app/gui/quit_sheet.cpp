#include <imgui.h>

#include "app/gui/gui.h"
#include "app/gui/panels.h"
#include "app/gui/small_widgets.h"

namespace weft {

// A signal, and asking a second time, close the window without a question.
bool closes_now(Gui& gui) {
    if (!gui.window.wants_to_close()) return false;
    const bool asks = gui.export_panel.job.running() && !gui.options.stop.stop_requested();
    if (!asks || gui.panels.quit_asked) return true;
    gui.panels.quit_asked = true;
    gui.window.stay_open();
    return false;
}

void draw_quit(Gui& gui) {
    bool& asked = gui.panels.quit_asked;
    asked = asked && gui.export_panel.job.running();
    if (!asked) return;
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({size.x / 2, size.y / 2}, ImGuiCond_Always, {0.5F, 0.5F});
    if (ImGui::Begin("Quit", &asked,
                     ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_AlwaysAutoResize |
                         ImGuiWindowFlags_NoSavedSettings)) {
        plain_text("An export is running. Its unfinished file is removed if you quit.");
        if (ImGui::Button("Stop it and quit")) gui.window.ask_to_close();
        ImGui::SameLine();
        if (ImGui::Button("Keep exporting")) asked = false;
    }
    ImGui::End();
}

}  // namespace weft
