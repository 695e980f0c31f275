#include <algorithm>
#include <cctype>
#include <imgui.h>
#include <imgui_stdlib.h>
#include <string>

#include "app/gui/panels/actions.h"
#include "app/gui/panels/panels.h"
#include "app/gui/widgets/small_widgets.h"

namespace weft {
namespace {

constexpr float kNeeds = 34;  // in font heights

bool contains(std::string_view text, std::string_view word) {
    return std::ranges::search(text, word, [](unsigned char a, unsigned char b) {
               return std::tolower(a) == std::tolower(b);
           }).begin() != text.end();
}

bool wanted(const Action& action, const std::string& keys, const std::string& search) {
    return search.empty() || contains(action.name, search) || contains(keys, search) ||
           contains(title(action.group), search);
}

void draw_rows(const KeyBindings& bindings, const std::string& search) {
    ActionGroup group{};
    bool first = true;
    for (const Action& action : actions()) {
        const std::string keys = key_text(bindings, action);
        if (!wanted(action, keys, search)) continue;
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        if (first || action.group != group) dim_text(title(action.group));
        first = false;
        group = action.group;
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(action.name.data());
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(keys.c_str());
    }
}

}  // namespace

void draw_help(HelpOverlay& help, const KeyBindings& bindings) {
    if (!help.open) return;
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({size.x / 2, size.y / 2}, ImGuiCond_Appearing, {0.5F, 0.5F});
    const float width = std::max(size.x * 0.5F, ImGui::GetFontSize() * kNeeds);
    ImGui::SetNextWindowSize({std::min(width, size.x), size.y * 0.8F}, ImGuiCond_Appearing);
    if (begin_floating("Keyboard shortcuts", help.open)) {
        if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
        // Without the keyboard in the search, Escape is a key of the list.
        if (escape_pressed() && ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows))
            help.open = false;
        ImGui::SetNextItemWidth(-1);
        ImGui::InputTextWithHint("##search", "Search", &help.search);
        ImGui::PushTextWrapPos(0);
        dim_text(
            "Tab and the arrow keys select a control in the panels, Space presses it, and Escape "
            "or a click returns the keyboard to the player.");
        ImGui::PopTextWrapPos();
        if (begin_scrolling_table("keys", 3, ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg)) {
            ImGui::TableSetupColumn("group", ImGuiTableColumnFlags_WidthFixed);
            ImGui::TableSetupColumn("action", ImGuiTableColumnFlags_WidthStretch);
            ImGui::TableSetupColumn("keys", ImGuiTableColumnFlags_WidthFixed);
            draw_rows(bindings, help.search);
            ImGui::EndTable();
        }
    }
    end_floating();
}

}  // namespace weft
