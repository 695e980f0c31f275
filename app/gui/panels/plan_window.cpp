#include <algorithm>
#include <cmath>
#include <filesystem>
#include <imgui.h>

#include <fmt/format.h>

#include "app/gui/panels/panels.h"
#include "app/gui/widgets/small_widgets.h"
#include "app/viewer/shell/folder_listing.h"
#include "app/viewer/shell/toasts.h"

namespace weft {
namespace {

constexpr float kLeastWidth = 34;  // in font heights
constexpr float kBarHeight = 0.5F;

std::string name_of(const std::string& path) {
    return valid_utf8(std::filesystem::path(path).filename().string());
}

// Over the picture where that is large enough, otherwise over the whole window.
void place(const WindowLayout& layout) {
    const float font = ImGui::GetFontSize();
    Rect area = layout.picture;
    if (area.width < static_cast<double>(kLeastWidth * font)) {
        const ImVec2 all = ImGui::GetIO().DisplaySize;
        area = {0, layout.menu.height, all.x, all.y - layout.menu.height};
    }
    ImGui::SetNextWindowPos({static_cast<float>(area.x) + font, static_cast<float>(area.y) + font},
                            ImGuiCond_Appearing);
    ImGui::SetNextWindowSize(
        {static_cast<float>(area.width) - 2 * font, static_cast<float>(area.height) - 2 * font},
        ImGuiCond_Appearing);
}

// As wide as its place, and in the middle of a line of text as high as that.
void draw_bar(double fraction) {
    const float width = std::max(ImGui::GetContentRegionAvail().x, 1.0F);
    const float line = ImGui::GetTextLineHeight();
    const float height = std::round(kBarHeight * ImGui::GetFontSize());
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float top = at.y + std::round((line - height) / 2);
    const float end = at.x + width * static_cast<float>(fraction);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled({at.x, top}, {at.x + width, top + height}, packed(palette().field),
                       height / 2);
    if (fraction > 0)
        list.AddRectFilled({at.x, top}, {std::max(end, at.x + height), top + height},
                           packed(palette().mark), height / 2);
    ImGui::Dummy({width, line});
}

void draw_head(const PlanProgress& progress) {
    draw_bar(progress.fraction());
    ImGui::PushTextWrapPos(0);
    plain_text(progress.summary);
    dim_text(progress.pace);
    ImGui::PopTextWrapPos();
}

// Text that the rest of its cell cuts, with a tooltip then.
void cell_text(const std::string& text) {
    const float room = ImGui::GetContentRegionAvail().x;
    elided_text(text, room);
    if (ImGui::CalcTextSize(text.c_str()).x > room) tooltip(text);
}

void draw_state(const PlanFile& file, void (*draw)(const std::string&)) {
    const bool bad = file.failed() || file.state == PlannedState::damaged;
    ImGui::PushStyleColor(ImGuiCol_Text,
                          bad ? packed(palette().error_text) : packed(palette().dim_text));
    draw(valid_utf8(state_words(file)));
    ImGui::PopStyleColor();
}

// A click shows its details, another one hides them.
void draw_file(PlanPanel& panel, const PlanFile& file) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const bool selected = panel.selected == file.name;
    ImGui::PushID(file.name.c_str());
    if (ImGui::Selectable(fmt::format("{}", file.shard).c_str(), selected,
                          ImGuiSelectableFlags_SpanAllColumns))
        panel.selected = selected ? "" : file.name;
    ImGui::PopID();
    ImGui::TableNextColumn();
    cell_text(valid_utf8(file.name));
    ImGui::TableNextColumn();
    draw_state(file, cell_text);
}

// Draws the visible ones of `count` rows of the same height.
template <class Draw>
void draw_rows(std::size_t count, const Draw& draw) {
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(count));
    while (clipper.Step())
        for (int k = clipper.DisplayStart; k < clipper.DisplayEnd; ++k)
            draw(static_cast<std::size_t>(k));
}

constexpr ImGuiTableFlags kTable = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg;

// The selected file; null if none is, or if it is not in the list.
const PlanFile* selected_file(const PlanPanel& panel, const std::vector<const PlanFile*>& shown) {
    const auto found = std::ranges::find(shown, panel.selected, &PlanFile::name);
    return found == shown.end() ? nullptr : *found;
}

// Below the list, with all of both sentences.
void draw_details(const PlanFile& file) {
    ImGui::Separator();
    ImGui::PushTextWrapPos(0);
    plain_text(valid_utf8(file.name));
    draw_state(file, [](const std::string& words) { plain_text(words); });
    ImGui::PopTextWrapPos();
}

float details_height() {
    constexpr float kLines = 5;
    return kLines * ImGui::GetTextLineHeightWithSpacing() + ImGui::GetStyle().ItemSpacing.y;
}

void draw_list(PlanPanel& panel, const std::vector<const PlanFile*>& shown) {
    if (!begin_scrolling_table("files", 3, kTable)) return;
    ImGui::TableSetupColumn("Shard", ImGuiTableColumnFlags_WidthFixed);
    ImGui::TableSetupColumn("File", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("State", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableHeadersRow();
    draw_rows(shown.size(), [&](std::size_t k) { draw_file(panel, *shown[k]); });
    ImGui::EndTable();
}

void draw_files(PlanPanel& panel, const PlanProgress& progress) {
    ImGui::Checkbox("Unfinished files only", &panel.open_only);
    std::vector<const PlanFile*> shown;
    for (const PlanFile& file : progress.files)
        if (!panel.open_only || file.is_open()) shown.push_back(&file);
    if (shown.empty()) {
        dim_text(progress.files.empty() ? "The plan has no files." : "All files are finished.");
        return;
    }
    const PlanFile* const selected = selected_file(panel, shown);
    ImGui::BeginChild("list", {0, selected == nullptr ? 0 : -details_height()}, false,
                      ImGuiWindowFlags_NavFlattened);
    draw_list(panel, shown);
    ImGui::EndChild();
    if (selected == nullptr) return;
    ImGui::BeginChild("details", {0, 0}, false, ImGuiWindowFlags_NavFlattened);
    draw_details(*selected);
    ImGui::EndChild();
}

void draw_shard(const PlanShard& shard) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    plain_text(fmt::format("{}", shard.shard));
    ImGui::TableNextColumn();
    plain_text(fmt::format("{} of {}", shard.finished, shard.files));
    ImGui::TableNextColumn();
    draw_bar(static_cast<double>(shard.finished) / static_cast<double>(shard.files));
    ImGui::TableNextColumn();
    ImGui::PushStyleColor(ImGuiCol_Text, packed(palette().error_text));
    plain_text(problem_words(shard));
    ImGui::PopStyleColor();
}

void draw_shards(const PlanProgress& progress) {
    if (!begin_scrolling_table("shards", 4, kTable)) return;
    ImGui::TableSetupColumn("Shard", ImGuiTableColumnFlags_WidthFixed);
    ImGui::TableSetupColumn("Finished", ImGuiTableColumnFlags_WidthFixed);
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("Problems", ImGuiTableColumnFlags_WidthFixed);
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableHeadersRow();
    draw_rows(progress.shards.size(), [&](std::size_t k) { draw_shard(progress.shards[k]); });
    ImGui::EndTable();
}

void draw_tables(PlanPanel& panel, const PlanProgress& progress) {
    if (!ImGui::BeginTabBar("lists")) return;
    if (ImGui::BeginTabItem("Files")) {
        draw_files(panel, progress);
        ImGui::EndTabItem();
    }
    if (ImGui::BeginTabItem("Shards")) {
        draw_shards(progress);
        ImGui::EndTabItem();
    }
    ImGui::EndTabBar();
}

}  // namespace

std::string plan_title(const PlanPanel& panel) {
    const PlanWatch::View view = panel.watch.view();
    if (view.path.empty() || !view.progress) return name_of(view.path);
    const std::size_t files = view.progress->files.size();
    return fmt::format("{} of {}: {}", files - view.progress->open, files, name_of(view.path));
}

void poll_plan(PlanPanel& panel, Toasts& toasts) {
    if (const std::string sentence = panel.watch.take_error(); !sentence.empty())
        toasts.error(sentence);
}

void draw_plan(PlanPanel& panel, const WindowLayout& layout) {
    const PlanWatch::View view = panel.watch.view();
    if (view.path.empty()) return;
    place(layout);
    bool open = true;
    if (begin_floating(fmt::format("Plan {}###plan", name_of(view.path)).c_str(), open)) {
        if (escape_pressed() && ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows))
            open = false;
        if (view.progress) {
            draw_head(*view.progress);
            draw_tables(panel, *view.progress);
        } else {
            dim_text("Reading the plan and its receipts…");
        }
    }
    end_floating();
    if (!open) panel.watch.close();
}

}  // namespace weft
