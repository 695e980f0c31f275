#include <algorithm>
#include <imgui.h>

#include <fmt/format.h>

#include "app/gui/panels/kernels_panel.h"
#include "app/gui/widgets/small_widgets.h"
#include "app/pipeline/race/race_limits.h"

namespace weft {
namespace {

// The pointed row or, without one that was measured, the fastest; null if no kernel was measured.
const RaceRow* row_to_explain(const KernelsPanel& panel, const RaceView& view) {
    const auto measured = [](const RaceRow& row) { return row.races && row.measured(); };
    const auto pointed = std::ranges::find_if(
        view.rows, [&](const RaceRow& row) { return measured(row) && row.index == panel.pointed; });
    if (pointed != view.rows.end()) return &*pointed;
    const RaceRow* fastest = nullptr;
    for (const RaceRow& row : view.rows)
        if (measured(row) && !row.wrong &&
            (fastest == nullptr || row.median_seconds < fastest->median_seconds))
            fastest = &row;
    return fastest;
}

void draw_bar(const char* name, double seconds, double whole, std::uint32_t colour) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    dim_text(name, TextSize::body);
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(seconds > 0 ? duration_text(seconds).c_str() : "-");
    ImGui::TableNextColumn();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float part = static_cast<float>(std::min(seconds / whole, 1.0));
    ImGui::GetWindowDrawList()->AddRectFilled(
        at, {at.x + ImGui::GetContentRegionAvail().x * part, at.y + ImGui::GetTextLineHeight()},
        colour);
}

// The kernel's time, and how much of it each limit explains.
void draw_bars(const StepResult& step, const RaceRow& row) {
    const KernelResult& kernel = step.kernels[row.index];
    if (!ImGui::BeginTable("limits", 3)) return;
    ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthFixed);
    ImGui::TableSetupColumn("time", ImGuiTableColumnFlags_WidthFixed);
    ImGui::TableSetupColumn("bar", ImGuiTableColumnFlags_WidthStretch);
    const std::uint32_t gray = ImGui::GetColorU32(ImGuiCol_TextDisabled);
    const double whole = row.median_seconds;
    draw_bar(kernel.kernel.c_str(), whole, whole, colour_of(row.index));
    draw_bar("empty launch", step.empty.median_seconds(), whole, gray);
    draw_bar("copy", step.copy.median_seconds(), whole, gray);
    const double peak = peak_operations(step.peak, kernel.arithmetic);
    draw_bar("arithmetic", peak > 0 ? kernel.operations / peak : 0, whole, gray);
    ImGui::EndTable();
}

}  // namespace

void draw_race_why(const KernelsPanel& panel, const RaceView& view) {
    const RaceRow* row = row_to_explain(panel, view);
    if (row == nullptr || !ImGui::BeginChild("why")) {
        if (row != nullptr) ImGui::EndChild();
        return;
    }
    const StepResult& step = view.race.step;
    draw_bars(step, *row);
    for (const std::string& sentence : why(step, step.kernels[row->index])) wrapped_text(sentence);
    ImGui::EndChild();
}

}  // namespace weft
