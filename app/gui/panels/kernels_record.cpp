#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/gui/panels/kernels_panel.h"
#include "app/gui/widgets/small_widgets.h"

namespace weft {

void open_record(KernelsPanel& panel, const std::string& path) {
    try {
        panel.record = std::make_shared<const RaceRecord>(read_race_record(path));
    } catch (const std::exception& problem) {
        panel.toasts.error(problem.what());
    }
}

void draw_record_choice(KernelsPanel& panel) {
    if (panel.record) {
        if (ImGui::Button("Close the record")) panel.record.reset();
        return;
    }
    constexpr float kWidth = 24;  // in font heights
    if (ImGui::Button("Open a record…")) ImGui::OpenPopup("record");
    tooltip("Shows a race that was saved as JSON, here or on another machine, next to this one");
    if (!ImGui::BeginPopup("record")) return;
    ImGui::TextUnformatted("The JSON of \"weft compare --json\" or of Export…");
    ImGui::SetNextItemWidth(ImGui::GetFontSize() * kWidth);
    if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
    const bool entered =
        ImGui::InputText("##path", &panel.record_path, ImGuiInputTextFlags_EnterReturnsTrue);
    ImGui::SameLine();
    if (ImGui::Button("Open") || entered) {
        open_record(panel, panel.record_path);
        ImGui::CloseCurrentPopup();
    }
    // Otherwise the first Escape would only leave the field.
    if (escape_pressed()) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
}

}  // namespace weft
