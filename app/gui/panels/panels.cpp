#include <algorithm>
#include <cmath>
#include <imgui.h>

#include <fmt/format.h>

#include "app/gui/panels/actions.h"
#include "app/gui/panels/gui.h"
#include "app/gui/widgets/small_widgets.h"

namespace weft {
namespace {

void draw_tab(Gui& gui, const PanelRow& panel) {
    const bool wanted = gui.panels.wanted_tab == panel.title;
    const ImGuiTabItemFlags flags = wanted ? ImGuiTabItemFlags_SetSelected : 0;
    if (!ImGui::BeginTabItem(panel.title.data(), nullptr, flags)) return;
    ImGui::BeginChild("content", {0, 0}, false, ImGuiWindowFlags_NavFlattened);
    panel.draw(gui);
    ImGui::EndChild();
    ImGui::EndTabItem();
}

void draw_recent_menu(Gui& gui) {
    if (!ImGui::BeginMenu("Open recent")) return;
    draw_recent_files(gui.open_panel, gui.remembered.recent, gui.playlist);
    ImGui::Separator();
    if (ImGui::MenuItem("Forget these files", nullptr, false, !gui.open_panel.listed.empty())) {
        gui.remembered.recent.clear();
        gui.open_panel.listed.clear();
    }
    ImGui::EndMenu();
}

void draw_menu_of(Gui& gui, ActionGroup group) {
    if (!ImGui::BeginMenu(title(group).data())) return;
    for (const Action& action : actions()) {
        if (action.group != group) continue;
        if (action.line_above) ImGui::Separator();
        const bool ticked = action.ticked != nullptr && action.ticked(gui);
        const bool usable = action.usable == nullptr || action.usable(gui);
        if (ImGui::MenuItem(action.name.data(), first_key(gui.remembered.keys, action).c_str(),
                            ticked, usable && action.release == nullptr))
            action.run(gui);
        if (action.name == "Open…") draw_recent_menu(gui);
    }
    if (group == ActionGroup::help && ImGui::MenuItem("About weft")) gui.panels.about_open = true;
    ImGui::EndMenu();
}

// The open file's name at the right end, with its place in the playlist unless the next file was
// refused and this one stayed. A name that is too long for the bar loses its middle, and is left
// out if less than a word would remain: the title has it, too.
void draw_file_name(const Playing& playing, const Playlist& playlist) {
    const std::string name = playing.file_name();
    if (name.empty()) return;
    const std::size_t files = playlist.files().size();
    const bool listed = files > 1 && playlist.current() == playing.status.media->path;
    const std::string place =
        listed ? fmt::format("  ({} of {})", playlist.position() + 1, files) : "";
    const auto width = [](const std::string& text) { return ImGui::CalcTextSize(text.c_str()).x; };
    const float margin = ImGui::GetStyle().ItemSpacing.x;
    const float end = ImGui::GetWindowWidth() - 2 * margin;
    const float begin = ImGui::GetCursorPosX() + margin;
    constexpr float kLeast = 5;  // letters as wide as they are high
    if (end - begin < std::min(width(name), kLeast * ImGui::GetFontSize())) return;
    const std::string shown = elided_middle(
        name, [&](const std::string& text) { return width(text + place) <= end - begin; });
    ImGui::SameLine(std::max(end - width(shown + place), begin));
    plain_text(shown + place);
    tooltip(valid_utf8(playing.status.media->path));
}

}  // namespace

void draw_menu(Gui& gui) {
    if (!ImGui::BeginMainMenuBar()) return;
    using enum ActionGroup;
    for (const ActionGroup group : {file, playback, stack, view, panel, help})
        draw_menu_of(gui, group);
    draw_file_name(gui.playing, gui.playlist);
    ImGui::EndMainMenuBar();
}

void draw_side(Gui& gui) {
    const UiWindow window("##side", gui.layout.side);
    if (!window || !ImGui::BeginTabBar("tabs", ImGuiTabBarFlags_FittingPolicyScroll)) return;
    for (const PanelRow& panel : kPanels)
        if (panel.place == Place::side) draw_tab(gui, panel);
    gui.panels.wanted_tab = "";
    ImGui::EndTabBar();
}

namespace {

// The upper edge of the bottom panel, in its padding: dragged, or double-clicked for the automatic
// height.
void drag_edge(Gui& gui) {
    const Rect& bottom = gui.layout.bottom;
    const ImVec2 start = ImGui::GetCursorPos();
    ImGui::SetCursorPos({0, 0});
    ImGui::InvisibleButton("##edge", {static_cast<float>(bottom.width), start.y});
    const bool held = ImGui::IsItemActive();
    if (held || ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
    if (held && ImGui::IsMouseDragging(ImGuiMouseButton_Left)) {
        constexpr double kMost = 4000;
        const double height = bottom.y + bottom.height - ImGui::GetIO().MousePos.y;
        gui.panels.bottom_height = std::clamp(height / gui.layout.scale, 1.0, kMost);
    }
    if (double_clicked()) gui.panels.bottom_height = 0;
    const float middle = std::round(static_cast<float>(bottom.x + bottom.width / 2));
    const float y = std::round(static_cast<float>(bottom.y) + start.y / 2);
    const float length = std::round(3 * ImGui::GetFontSize());
    const float thick = std::max(std::round(start.y / 4), 2.0F);
    ImGui::GetWindowDrawList()->AddRectFilled({middle - length / 2, y},
                                              {middle + length / 2, y + thick},
                                              packed(held ? palette().mark : palette().line));
    ImGui::SetCursorPos(start);
}

}  // namespace

void draw_bottom(Gui& gui) {
    const UiWindow window("##bottom", gui.layout.bottom);
    if (!window) return;
    drag_edge(gui);
    for (const PanelRow& panel : kPanels)
        if (panel.place == Place::bottom) panel.draw(gui);
}

}  // namespace weft
