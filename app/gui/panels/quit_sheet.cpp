#include <imgui.h>

#include "app/gui/panels/gui.h"
#include "app/gui/panels/panels.h"
#include "app/gui/widgets/small_widgets.h"

namespace weft {
namespace {

bool marked_by_keys() {
    return ImGui::GetIO().NavVisible && ImGui::IsItemFocused();
}

// ImGui 1.86 presses a marked button only with Space.
bool answer_button(const char* label) {
    return ImGui::Button(label) || (marked_by_keys() && enter_pressed());
}

// False while it is closed.
bool begin_sheet(const char* name, bool& open) {
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({size.x / 2, size.y / 2}, ImGuiCond_Always, {0.5F, 0.5F});
    constexpr ImGuiWindowFlags kFlags =
        ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings;
    return ImGui::BeginPopupModal(name, &open, kFlags);  // closes it unless `open`
}

bool is_exporting(const Gui& gui) {
    return gui.export_panel.queue.running() || gui.export_panel.queue.waiting() > 0;
}

}  // namespace

// A signal, or a second request, closes the window without a question.
bool closes_now(Gui& gui) {
    if (!gui.window.wants_to_close()) return false;
    const bool asks = is_exporting(gui) && !gui.options.stop.stop_requested();
    if (!asks || gui.panels.quit_asked) return true;
    gui.panels.quit_asked = true;
    gui.window.stay_open();
    return false;
}

void draw_quit(Gui& gui) {
    constexpr const char* kSheet = "Quit?";
    bool& asked = gui.panels.quit_asked;
    asked = asked && is_exporting(gui);
    if (asked && !ImGui::IsPopupOpen(kSheet)) ImGui::OpenPopup(kSheet);
    if (!begin_sheet(kSheet, asked)) return;
    const ExportQueue& queue = gui.export_panel.queue;
    plain_text(unfinished_words(queue.running_export(), queue.waiting()));
    dim_text("Enter or Escape: keep exporting. q: stop and quit.");
    if (answer_button("Keep exporting")) asked = false;
    ImGui::SameLine();
    if (answer_button("Stop and quit")) gui.window.ask_to_close();
    const bool marked = ImGui::GetIO().NavVisible;
    if (escape_pressed() || (enter_pressed() && !marked)) asked = false;
    if (!asked) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
}

}  // namespace weft
