#include <algorithm>
#include <array>
#include <imgui.h>

#include <fmt/format.h>

#include "app/gui/panels/kernels_panel.h"
#include "app/gui/widgets/small_widgets.h"
#include "app/pipeline/race/race_report.h"

namespace weft {
namespace {

struct Column {
    const char* name;
    const char* explanation;
    RaceColumn sorts_by;
};

constexpr std::array kColumns = {
    Column{"kernel", "Checked kernels take part; hover over one for its description",
           RaceColumn::kernel},
    Column{"", "Use: the step runs this kernel", RaceColumn::kernel},
    Column{"median", "Median time of the newest samples", RaceColumn::median},
    Column{"p95", "95th percentile of the newest samples", RaceColumn::p95},
    Column{"GB/s", "Throughput at the median: each sample read once and written once",
           RaceColumn::rate},
    Column{"of limit", "Throughput relative to a plain copy of the same bytes", RaceColumn::limit},
    Column{"speed-up", "Speed-up over the baseline; gray: within the noise", RaceColumn::speed_up},
    Column{"max error",
           "Largest difference from the reference, in sample levels; red: more than "
           "rounding explains",
           RaceColumn::error},
    Column{"differing", "Pixels that differ from the reference", RaceColumn::differing},
    Column{"note", "The reference, the baseline, or why a kernel cannot run", RaceColumn::kernel},
};
constexpr int kUse = 1;
constexpr int kMedian = 2;
constexpr int kLast = static_cast<int>(kColumns.size()) - 1;
constexpr float kFewRows = 6;

ImVec4 plain() {
    return ImGui::GetStyleColorVec4(ImGuiCol_Text);
}
ImVec4 red() {
    return ImGui::ColorConvertU32ToFloat4(packed(palette().error_text));
}
ImVec4 green() {
    return ImGui::ColorConvertU32ToFloat4(packed(palette().good_text));
}
ImVec4 dim() {
    return ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled);
}

// Columns with such text grow with it and never shrink, so that live numbers do not move the table.
void right_text(const std::string& text, const ImVec4& colour) {
    const float room = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x;
    if (room > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room);
    ImGui::TextColored(colour, "%s", text.c_str());
}

void right_cell(const std::string& text, const ImVec4& colour) {
    ImGui::TableNextColumn();
    right_text(text, colour);
}

void draw_header() {
    for (int k = 0; k <= kLast; ++k) {
        ImGuiTableColumnFlags flags = ImGuiTableColumnFlags_WidthFixed;
        if (k == kMedian) flags |= ImGuiTableColumnFlags_DefaultSort;
        if (k == kUse) flags |= ImGuiTableColumnFlags_NoSort;
        if (k == kLast) flags = ImGuiTableColumnFlags_WidthStretch | ImGuiTableColumnFlags_NoSort;
        ImGui::TableSetupColumn(kColumns[static_cast<std::size_t>(k)].name, flags);
    }
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
    for (int k = 0; k <= kLast; ++k) {
        if (!ImGui::TableSetColumnIndex(k)) continue;
        ImGui::PushID(k);
        ImGui::TableHeader(kColumns[static_cast<std::size_t>(k)].name);
        tooltip(kColumns[static_cast<std::size_t>(k)].explanation);
        ImGui::PopID();
    }
}

// The next redraw uses the new order of rows.
void take_order(RaceOrder& order) {
    const ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
    if (specs == nullptr || specs->SpecsCount == 0) return;
    order.column = kColumns[static_cast<std::size_t>(specs->Specs[0].ColumnIndex)].sorts_by;
    order.descending = specs->Specs[0].SortDirection == ImGuiSortDirection_Descending;
}

// All kernels except the reference can be deselected; an empty list would mean all.
void toggle(RaceSettings& settings, const StepResult& step, const std::string& name) {
    std::vector<std::string>& chosen = settings.kernels;
    if (chosen.empty())
        for (const KernelResult& kernel : step.kernels)
            if (kernel.why_not.empty()) chosen.push_back(kernel.kernel);
    if (std::erase(chosen, name) == 0) chosen.push_back(name);
    if (chosen.empty()) chosen.push_back(step.reference);
}

void draw_menu_of(RaceSettings& settings, const KernelResult& kernel) {
    if (!ImGui::BeginPopupContextItem("of kernel")) return;
    if (ImGui::MenuItem("Use as baseline")) settings.baseline = kernel.kernel;
    if (ImGui::MenuItem("Race only this kernel")) settings.kernels = {kernel.kernel};
    if (ImGui::MenuItem("Race all kernels")) settings.kernels.clear();
    ImGui::EndPopup();
}

void draw_name(KernelsPanel& panel, const RaceView& view, const RaceRow& row) {
    const StepResult& step = view.race.step;
    const KernelResult& kernel = step.kernels[row.index];
    bool checked = row.races;
    const bool always = kernel.kernel == step.reference || kernel.kernel == step.baseline;
    ImGui::BeginDisabled(always || !kernel.why_not.empty());
    if (ImGui::Checkbox("##races", &checked)) toggle(panel.settings, step, kernel.kernel);
    ImGui::EndDisabled();
    ImGui::SameLine();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float side = ImGui::GetFontSize() * 0.6F;
    const float top = at.y + ImGui::GetStyle().FramePadding.y + ImGui::GetFontSize() * 0.2F;
    if (row.races)
        ImGui::GetWindowDrawList()->AddRectFilled({at.x, top}, {at.x + side, top + side},
                                                  colour_of(row.index), side * 0.2F);
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + side * 1.5F);
    ImGui::AlignTextToFramePadding();
    ImGui::PushStyleColor(ImGuiCol_Text, row.races ? plain() : dim());
    if (ImGui::Selectable(kernel.kernel.c_str(), panel.pointed == row.index))
        panel.pointed = row.index;
    ImGui::PopStyleColor();
    if (ImGui::IsItemHovered()) {
        panel.pointed = row.index;
        if (const ConvKernel* known = find_kernel(kernel.kernel))
            tooltip(fmt::format("{}\n{}{}{}", known->summary, known->source,
                                kernel.why_not.empty() ? "" : "\nNot here: ", kernel.why_not));
    }
    if (kernel.why_not.empty()) draw_menu_of(panel.settings, kernel);
}

// A number over a horizontal bar.
void draw_limit(const RaceRow& row, const ImVec4& colour) {
    ImGui::TableNextColumn();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float part = static_cast<float>(std::clamp(row.fraction_of_limit, 0.0, 1.0));
    ImGui::GetWindowDrawList()->AddRectFilled(
        at, {at.x + ImGui::GetContentRegionAvail().x * part, at.y + ImGui::GetTextLineHeight()},
        ImGui::GetColorU32(colour_of(row.index) & 0x50FFFFFFU));
    right_text(number_text(100 * row.fraction_of_limit, 0, " %"), colour);
}

void use(StackEditor& stack, std::size_t step, const std::string& kernel) {
    const std::vector<StepId> ids = stack.active_ids();
    if (step < ids.size()) stack.set_kernel(ids[step], kernel);
}

// The kernel selected by hand for the step that is raced.
std::string chosen_kernel(const StackEditor& stack, std::size_t step) {
    const std::vector<StepId> ids = stack.active_ids();
    return step < ids.size() ? stack.kernel(ids[step]) : "";
}

void draw_use(StackEditor& stack, const RaceView& view, const KernelResult& kernel) {
    ImGui::TableNextColumn();
    if (!kernel.why_not.empty()) return;
    const std::size_t step = view.race.settings.step;
    if (!kernel.planned) {
        if (ImGui::SmallButton("Use")) use(stack, step, kernel.kernel);
        tooltip("Use this kernel for the step");
    } else if (chosen_kernel(stack, step) == kernel.kernel) {
        if (ImGui::SmallButton("Automatic")) use(stack, step, "");
        tooltip("In use, chosen manually. Click to let the planner choose the kernel");
    } else {
        ImGui::TextUnformatted("in use");
    }
}

void draw_note(const StepResult& step, const KernelResult& kernel) {
    ImGui::TableNextColumn();
    std::string note = kernel.why_not;
    if (kernel.kernel == step.baseline) note = "baseline";
    if (kernel.kernel == step.reference) note = "reference";
    ImGui::TextColored(dim(), "%s", note.c_str());
    tooltip(kernel.why_not);
}

void draw_numbers(const RaceView& view, const RaceRow& row) {
    const KernelResult& kernel = view.race.step.kernels[row.index];
    const ImVec4 colour = row.wrong ? red() : row.races ? plain() : dim();
    right_cell(median_text(kernel.seconds), row.fastest ? green() : colour);
    right_cell(p95_text(kernel.seconds), colour);
    right_cell(number_text(row.gigabytes_per_second, 1, ""), colour);
    draw_limit(row, colour);
    right_cell(number_text(row.speed_up, 2, "×"), row.ties_with_baseline ? dim() : colour);
    right_cell(error_text(kernel.error) + (row.wrong ? " wrong" : ""), colour);
    right_cell(differing_text(kernel.error), colour);
}

void draw_copy(const StepResult& step) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextColored(dim(), "copy of the same bytes");
    ImGui::TableNextColumn();
    right_cell(median_text(step.copy), dim());
    right_cell(p95_text(step.copy), dim());
    right_cell(number_text(gigabytes_per_second(step, step.copy), 1, ""), dim());
    right_cell("100 %", dim());
    for (int k = 0; k < 3; ++k) ImGui::TableNextColumn();
    ImGui::TableNextColumn();
    ImGui::TextColored(dim(), "the limit");
}

void draw_row(KernelsPanel& panel, StackEditor& stack, const RaceView& view, const RaceRow& row) {
    const KernelResult& kernel = view.race.step.kernels[row.index];
    ImGui::PushID(kernel.kernel.c_str());
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    draw_name(panel, view, row);
    draw_use(stack, view, kernel);
    draw_numbers(view, row);
    draw_note(view.race.step, kernel);
    ImGui::PopID();
}

// Folds the kernels that cannot run, which come last; true while they are unfolded.
bool unfolded(std::size_t count) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushStyleColor(ImGuiCol_Text, dim());
    const bool open = ImGui::TreeNodeEx(
        "cannot run", ImGuiTreeNodeFlags_SpanFullWidth | ImGuiTreeNodeFlags_NoTreePushOnOpen,
        "%zu cannot run here", count);
    ImGui::PopStyleColor();
    tooltip("The kernels that cannot run this step on this machine, and why");
    return open;
}

void draw_rows(KernelsPanel& panel, StackEditor& stack, const RaceView& view) {
    const auto first = std::ranges::find_if(view.rows, [&](const RaceRow& row) {
        return !view.race.step.kernels[row.index].why_not.empty();
    });
    const auto draw = [&](const RaceRow& row) { draw_row(panel, stack, view, row); };
    std::for_each(view.rows.begin(), first, draw);
    const auto count = static_cast<std::size_t>(view.rows.end() - first);
    if (count == 0 || !unfolded(count)) return;
    std::for_each(first, view.rows.end(), draw);
}

}  // namespace

// A low table is small, with thin scrollbars, and begins with the kernels.
void draw_kernels_table(KernelsPanel& panel, StackEditor& stack, const RaceView& view) {
    // Columns that users can resize would keep the width of their first numbers.
    constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Sortable | ImGuiTableFlags_RowBg |
                                       ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY |
                                       ImGuiTableFlags_BordersInnerV;
    const ImGuiStyle& style = ImGui::GetStyle();
    const bool low = ImGui::GetContentRegionAvail().y < kFewRows * ImGui::GetFrameHeight();
    const UseTextSize size(low ? TextSize::small : TextSize::body);
    ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, style.ScrollbarSize * (low ? 0.4F : 1.0F));
    // With the padding of buttons a row would be a third higher.
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {style.FramePadding.x, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_CellPadding,
                        {style.CellPadding.x, low ? style.CellPadding.y / 2 : style.CellPadding.y});
    if (begin_scrolling_table(low ? "low" : "high", kLast + 1, kFlags, 1)) {
        draw_header();
        take_order(panel.order);
        if (!low) draw_copy(view.race.step);
        draw_rows(panel, stack, view);
        if (low) draw_copy(view.race.step);
        ImGui::EndTable();
    }
    ImGui::PopStyleVar(3);
}

}  // namespace weft
