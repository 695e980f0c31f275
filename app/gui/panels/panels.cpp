#include <algorithm>
#include <cmath>
#include <imgui.h>
#include <optional>

#include <fmt/format.h>

#include "app/gui/panels/actions.h"
#include "app/gui/panels/gui.h"
#include "app/gui/widgets/small_widgets.h"

namespace weft {
namespace {

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

namespace {

// The edge of a panel between it and the picture, in the panel's padding. It is dragged, or
// double-clicked for the automatic size, which is 0.
struct Edge {
    const Rect& panel;
    bool upright = false;  // at the left of the panel, otherwise on top
    double scale = 1;
};

void draw_handle(const Edge& edge, bool held) {
    const ImVec2 padding = ImGui::GetStyle().WindowPadding;
    const auto x = static_cast<float>(edge.panel.x);
    const auto y = static_cast<float>(edge.panel.y);
    const float length = std::round(3 * ImGui::GetFontSize());
    const float thick = std::max(std::round((edge.upright ? padding.x : padding.y) / 4), 2.0F);
    const ImVec2 size = edge.upright ? ImVec2{thick, length} : ImVec2{length, thick};
    const ImVec2 low =
        edge.upright ? ImVec2{std::round(x + padding.x / 2),
                              std::round(y + (static_cast<float>(edge.panel.height) - length) / 2)}
                     : ImVec2{std::round(x + (static_cast<float>(edge.panel.width) - length) / 2),
                              std::round(y + padding.y / 2)};
    ImGui::GetWindowDrawList()->AddRectFilled(low, {low.x + size.x, low.y + size.y},
                                              packed(held ? palette().mark : palette().outline));
}

void drag_edge(const Edge& edge, double& size) {
    const ImVec2 padding = ImGui::GetStyle().WindowPadding;
    const ImVec2 start = ImGui::GetCursorPos();
    const auto width = static_cast<float>(edge.panel.width);
    const auto height = static_cast<float>(edge.panel.height);
    ImGui::SetCursorPos({0, 0});
    // ImGui clips items at half the padding.
    const ImVec2 low = ImGui::GetWindowPos();
    ImGui::PushClipRect(low, {low.x + width, low.y + height}, false);
    ImGui::InvisibleButton("##edge",
                           edge.upright ? ImVec2{padding.x, height} : ImVec2{width, padding.y});
    const bool held = ImGui::IsItemActive();
    const bool reset = double_clicked();
    ImGui::PopClipRect();
    if (held || ImGui::IsItemHovered())
        ImGui::SetMouseCursor(edge.upright ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
    if (held && ImGui::IsMouseDragging(ImGuiMouseButton_Left)) {
        constexpr double kMost = 4000;
        const ImVec2 mouse = ImGui::GetIO().MousePos;
        const double dragged = edge.upright ? edge.panel.x + edge.panel.width - mouse.x
                                            : edge.panel.y + edge.panel.height - mouse.y;
        size = std::clamp(dragged / edge.scale, 1.0, kMost);
    }
    if (reset) size = 0;
    draw_handle(edge, held);
    ImGui::SetCursorPos(start);
}

// Draws a part of a panel into the whole width, and scrolls it. Returns the height of its content.
double draw_part(Gui& gui, void (*draw)(Gui&), const char* id, double height,
                 double height_before) {
    double needs = height_before;
    if (ImGui::BeginChild(id, {0, static_cast<float>(height)}, false,
                          ImGuiWindowFlags_NavFlattened)) {
        draw(gui);
        needs = ImGui::GetCursorPosY();
    }
    ImGui::EndChild();
    return needs;
}

// The open section with its foot, which leaves two lines for what scrolls in a low window.
void draw_open_section(Gui& gui, const PanelRow& section, double height) {
    OpenParts& panels = gui.panels;
    const double spacing = ImGui::GetStyle().ItemSpacing.y;
    const double least = 2 * ImGui::GetFrameHeight();
    const double foot = section.foot == nullptr
                            ? 0
                            : std::clamp(panels.foot_needs, 1.0, std::max(height - least, 1.0));
    const double foot_and_gap = section.foot == nullptr ? 0 : foot + spacing;
    const double body = std::max(height - foot_and_gap, 1.0);
    panels.section_needs = foot_and_gap + draw_part(gui, section.draw, section.title.data(), body,
                                                    panels.section_needs - foot_and_gap);
    if (section.foot != nullptr)
        panels.foot_needs = draw_part(gui, section.foot, "foot", foot, panels.foot_needs);
}

void draw_triangle(bool open) {
    const ImVec2 low = ImGui::GetItemRectMin();
    const float height = ImGui::GetItemRectMax().y - low.y;
    const auto at = [&](float x, float y) {
        return ImVec2{low.x + x * height, low.y + y * height};
    };
    const ImU32 colour = ImGui::GetColorU32(ImGuiCol_Text);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    if (open)
        list.AddTriangleFilled(at(0.3F, 0.4F), at(0.7F, 0.4F), at(0.5F, 0.65F), colour);
    else
        list.AddTriangleFilled(at(0.4F, 0.3F), at(0.65F, 0.5F), at(0.4F, 0.7F), colour);
}

// The bar with the section's title, which folds it. `status` is at the right end.
bool draw_section_bar(const std::string& title, const std::string& status, bool open) {
    const Palette& colours = palette();
    const float width = ImGui::GetContentRegionAvail().x;
    const float indent = ImGui::GetFrameHeight();
    ImGui::PushStyleColor(ImGuiCol_Button, packed(open ? colours.tab_active : colours.tab));
    ImGui::PushStyleColor(ImGuiCol_ButtonHovered, packed(colours.tab_hovered));
    ImGui::PushStyleColor(ImGuiCol_ButtonActive, packed(colours.tab_active));
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);
    const bool pressed = ImGui::Button(("##" + title).c_str(), {width, 0});
    ImGui::PopStyleVar();
    ImGui::PopStyleColor(3);
    draw_triangle(open);
    const ImVec2 low = ImGui::GetItemRectMin();
    const float y = low.y + ImGui::GetStyle().FramePadding.y;
    const ImU32 text = ImGui::GetColorU32(ImGuiCol_Text);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddText({low.x + indent, y}, text, title.c_str());
    const float end = low.x + width - ImGui::GetStyle().FramePadding.x;
    list.AddText({end - ImGui::CalcTextSize(status.c_str()).x, y}, text, status.c_str());
    return pressed;
}

// "34 %" while an export runs.
std::string status_of(const Gui& gui, const PanelRow& section) {
    if (section.title != "Export" || !gui.export_panel.queue.running()) return "";
    const std::optional<double> part = gui.export_panel.queue.status().pace.fraction;
    return part ? fmt::format("{:.0f} %", std::floor(*part * 100)) : "…";
}

void draw_section(Gui& gui, const PanelRow& section, double height) {
    OpenParts& panels = gui.panels;
    const bool open = panels.section == section.title;
    if (draw_section_bar(std::string(section.title), status_of(gui, section), open)) {
        panels.section = open ? "" : section.title;
        return;
    }
    if (open) draw_open_section(gui, section, height);
}

}  // namespace

void draw_side(Gui& gui) {
    const UiWindow window("##side", gui.layout.side, ImGuiWindowFlags_NoScrollbar);
    if (!window) return;
    OpenParts& panels = gui.panels;
    const float spacing = ImGui::GetStyle().ItemSpacing.y;
    double room = ImGui::GetContentRegionAvail().y;
    bool any_open = false;
    for (const PanelRow& panel : kPanels) {
        if (panel.place != Place::section) continue;
        any_open = any_open || panel.title == panels.section;
        room -= ImGui::GetFrameHeight() + spacing;
    }
    if (any_open) room -= spacing;
    const SideHeights heights = share_side(std::max(room, 2.0), panels.stack_needs,
                                           any_open ? std::max(panels.section_needs, 1.0) : 0);
    for (const PanelRow& panel : kPanels) {
        if (panel.place == Place::stack)
            panels.stack_needs =
                draw_part(gui, panel.draw, panel.title.data(), heights.stack, panels.stack_needs);
        if (panel.place == Place::section) draw_section(gui, panel, heights.section);
    }
    // After the controls, because Tab begins at the first item.
    drag_edge({.panel = gui.layout.side, .upright = true, .scale = gui.layout.scale},
              gui.panels.side_width);
}

void draw_bottom(Gui& gui) {
    const UiWindow window("##bottom", gui.layout.bottom);
    if (!window) return;
    drag_edge({.panel = gui.layout.bottom, .scale = gui.layout.scale}, gui.panels.bottom_height);
    for (const PanelRow& panel : kPanels)
        if (panel.place == Place::bottom) panel.draw(gui);
}

}  // namespace weft
