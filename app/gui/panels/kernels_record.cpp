#include <filesystem>
#include <imgui.h>
#include <imgui_stdlib.h>
#include <utility>

#include "app/gui/panels/kernels_panel.h"
#include "app/gui/widgets/small_widgets.h"
#include "app/pipeline/folders.h"

namespace weft {
namespace {

// In the folder of the last record.
void ask_for_record(KernelsPanel& panel) {
    const std::string program = find_dialog_program();
    if (program.empty()) {
        panel.types_record = true;
        return;
    }
    const std::filesystem::path folder = absolute_path(panel.record_path).parent_path();
    try {
        panel.record_dialog.open(
            program, {.title = "Open a record",
                      .start = (folder / "").string(),
                      .filters = {{"Records of races", {"*.json"}}, {"All files", {"*"}}}});
    } catch (const Error& error) {
        panel.toasts.error(error.what());
        panel.types_record = true;
    }
}

}  // namespace

void open_record(KernelsPanel& panel, const std::string& path) {
    panel.record_path = path;
    try {
        panel.record = std::make_shared<const RaceRecord>(read_race_record(path));
    } catch (const std::exception& problem) {
        panel.toasts.error(problem.what());
    }
}

void poll_record(KernelsPanel& panel) {
    const std::optional<DialogAnswer> answer = panel.record_dialog.poll();
    if (!answer) return;
    panel.types_record = !answer->error.empty();
    if (panel.types_record) panel.toasts.error(answer->error);
    if (!answer->paths.empty()) open_record(panel, answer->paths.front());
}

void draw_record_choice(KernelsPanel& panel) {
    if (panel.record) {
        if (ImGui::Button("Close the record")) panel.record.reset();
        return;
    }
    constexpr float kWidth = 24;  // in font heights
    if (ImGui::Button("Open a record…")) ask_for_record(panel);
    tooltip("Shows a race that was saved as JSON, here or on another machine, next to this one");
    if (std::exchange(panel.types_record, false)) ImGui::OpenPopup("record");
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
