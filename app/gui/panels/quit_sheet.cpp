#include <imgui.h>

#include "app/gui/panels/panels.h"
#include "app/gui/widgets/small_widgets.h"
#include "app/gui/window/window.h"
#include "app/viewer/export/export_queue.h"

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

bool is_busy(const ExportQueue& queue) {
    return queue.running() || queue.waiting() > 0;
}

}  // namespace

// A signal, or a second request, closes the window without a question.
bool should_close(bool& question_shown, Window& window, const ExportQueue& queue,
                  const std::stop_token& stop) {
    if (!window.wants_to_close()) return false;
    const bool asks = is_busy(queue) && !stop.stop_requested();
    if (!asks || question_shown) return true;
    question_shown = true;
    window.stay_open();
    return false;
}

void draw_quit(bool& question_shown, Window& window, const ExportQueue& queue) {
    constexpr const char* kSheet = "Quit?";
    question_shown = question_shown && is_busy(queue);
    if (question_shown && !ImGui::IsPopupOpen(kSheet)) ImGui::OpenPopup(kSheet);
    if (!begin_sheet(kSheet, question_shown)) return;
    plain_text(unfinished_words(queue.running_export(), queue.waiting()));
    dim_text("Enter or Escape: keep exporting. q: stop and quit.");
    if (answer_button("Keep exporting")) question_shown = false;
    ImGui::SameLine();
    if (answer_button("Stop and quit")) window.ask_to_close();
    const bool marked = ImGui::GetIO().NavVisible;
    if (escape_pressed() || (enter_pressed() && !marked)) question_shown = false;
    if (!question_shown) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
}

}  // namespace weft
