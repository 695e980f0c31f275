#include <algorithm>
#include <array>
#include <cctype>
#include <imgui.h>
#include <imgui_stdlib.h>
#include <string>
#include <string_view>

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

struct Gesture {
    std::string_view name, how;
};
constexpr std::array kGestures{
    Gesture{"Zoom at the pointer", "Wheel"},
    Gesture{"Zoom to a box", "Ctrl+drag"},
    Gesture{"Pan the picture", "Drag"},
    Gesture{"Move the line of a wipe", "Drag the line"},
    Gesture{"Move a region", "Drag its inside"},
    Gesture{"Resize a region", "Drag a handle"},
    Gesture{"Full screen", "Double click"},
};

// The rows of a search, with the title of a group in its first row.
struct Rows {
    const std::string& search;
    std::string_view last_title = {};

    void draw(std::string_view title, std::string_view name, std::string_view keys) {
        if (!contains(name, search) && !contains(keys, search) && !contains(title, search)) return;
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        if (title != last_title) dim_text(title);
        last_title = title;
        ImGui::TableNextColumn();
        plain_text(name);
        ImGui::TableNextColumn();
        plain_text(keys);
    }
};

void draw_rows(const KeyBindings& bindings, const std::string& search) {
    Rows rows{search};
    for (const Action& action : actions())
        rows.draw(title(action.group), action.name, key_text(bindings, action));
    for (const Gesture& gesture : kGestures) rows.draw("Mouse", gesture.name, gesture.how);
    if (!rows.last_title.empty()) return;
    ImGui::TableNextRow();
    ImGui::TableSetColumnIndex(1);
    plain_text("Nothing has this name.");
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
