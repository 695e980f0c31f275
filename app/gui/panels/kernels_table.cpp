#include <algorithm>
#include <array>
#include <cmath>
#include <imgui.h>

#include <fmt/format.h>

#include "app/gui/panels/kernels_panel.h"
#include "app/gui/widgets/small_widgets.h"
#include "app/pipeline/race/race_limits.h"
#include "app/viewer/race/log_axis.h"

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
    Column{"##samples", "Each of the newest samples, on one axis for all rows; sorts by the spread",
           RaceColumn::spread},
    Column{"change",
           "The median against the hollow mark among the samples: the last race of the same work "
           "here, or the record that is open; gray: within the noise",
           RaceColumn::change},
    Column{
        "bound by",
        "The limit that leaves the least of the time unexplained: an empty launch, a copy of the "
        "same bytes, or the arithmetic at its peak; gray: less than half of the time",
        RaceColumn::bound},
    Column{"speed-up", "Speed-up over the baseline; gray: within the noise", RaceColumn::speed_up},
    Column{"max error",
           "Largest difference from the reference, in sample levels; red: more than "
           "rounding explains",
           RaceColumn::error},
    Column{"differing", "Pixels that differ from the reference", RaceColumn::differing},
    Column{
        "of peak",
        "The time that the device needs at its peak, by the median; above 100 % where caches hold "
        "the frame",
        RaceColumn::peak},
    Column{"GB/s", "Throughput at the median: each sample read once and written once",
           RaceColumn::rate},
    Column{"note", "The reference, the baseline, or why a kernel cannot run", RaceColumn::kernel},
};
constexpr int kUse = 1;
constexpr int kMedian = 2;
constexpr int kSamples = 3;
constexpr int kLast = static_cast<int>(kColumns.size()) - 1;
constexpr float kLeastSamples = 13;     // width of the samples, in font heights
constexpr float kSamplesShare = 0.22F;  // of the table's width
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

// The times at the ticks, in place of a title.
void draw_axis(const LogAxis& axis) {
    const float width = ImGui::GetContentRegionAvail().x;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float label = ImGui::CalcTextSize("500 ms ").x;
    for (const Tick& tick : ticks_of(axis, label / std::max(width, label))) {
        if (!tick.labelled) continue;
        const std::string text = tick_text_of_seconds(tick.value);
        const float middle = at.x + width * static_cast<float>(axis.share(tick.value));
        ImGui::GetWindowDrawList()->AddText(
            {middle - ImGui::CalcTextSize(text.c_str()).x / 2, at.y},
            ImGui::GetColorU32(ImGuiCol_TextDisabled), text.c_str());
    }
}

void draw_header(const LogAxis& axis, float table_width) {
    const float samples =
        std::max(kLeastSamples * ImGui::GetFontSize(), std::round(kSamplesShare * table_width));
    for (int k = 0; k <= kLast; ++k) {
        ImGuiTableColumnFlags flags = ImGuiTableColumnFlags_WidthFixed;
        if (k == kMedian) flags |= ImGuiTableColumnFlags_DefaultSort;
        if (k == kUse) flags |= ImGuiTableColumnFlags_NoSort;
        if (k == kLast) flags |= ImGuiTableColumnFlags_NoSort;
        ImGui::TableSetupColumn(kColumns[static_cast<std::size_t>(k)].name, flags,
                                k == kSamples ? samples : 0);
    }
    ImGui::TableSetupScrollFreeze(1, 1);
    ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
    for (int k = 0; k <= kLast; ++k) {
        if (!ImGui::TableSetColumnIndex(k)) continue;
        ImGui::PushID(k);
        if (k == kSamples) draw_axis(axis);
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

void draw_menu_of(KernelsPanel& panel, const KernelResult& kernel) {
    if (!ImGui::BeginPopupContextItem("of kernel")) return;
    RaceSettings& settings = panel.settings;
    if (ImGui::MenuItem("Compare with the kernel in use in the wipe", nullptr, false,
                        !kernel.planned))
        panel.pinned = kernel.kernel;
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
    if (kernel.why_not.empty()) draw_menu_of(panel, kernel);
}

// The cell of a row's samples.
struct Strip {
    ImVec2 at, size;
    const LogAxis& axis;

    float x(double seconds) const {
        return at.x + size.x * static_cast<float>(axis.clamped_share(seconds));
    }
};

Strip begin_strip(const LogAxis& axis) {
    ImGui::TableNextColumn();
    const Strip strip{ImGui::GetCursorScreenPos(),
                      {ImGui::GetContentRegionAvail().x, ImGui::GetTextLineHeight()},
                      axis};
    for (const Tick& tick : ticks_of(axis, 0)) {
        const float x = strip.x(tick.value);
        ImGui::GetWindowDrawList()->AddLine({x, strip.at.y}, {x, strip.at.y + strip.size.y},
                                            ImGui::GetColorU32(ImGuiCol_Separator, 0.5F));
    }
    return strip;
}

// Hollow, and larger than the mark of the median, which may be at the same place.
void draw_recorded(const Strip& strip, double seconds, std::uint32_t colour) {
    const float half = std::round(strip.size.y * 0.2F);
    const float middle = std::round(strip.x(seconds));
    ImGui::GetWindowDrawList()->AddRect({middle - half, strip.at.y},
                                        {middle + half, strip.at.y + strip.size.y}, colour);
}

// Each sample is a stroke, and the median a longer one. `recorded_seconds` 0: no mark.
void draw_samples(const Samples& samples, const LogAxis& axis, std::uint32_t colour,
                  double recorded_seconds = 0) {
    constexpr std::uint32_t kStroke = 0x60FFFFFFU;
    const Strip strip = begin_strip(axis);
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const float bottom = strip.at.y + strip.size.y;
    const float inset = strip.size.y * 0.2F;
    for (const double seconds : samples.kept())
        draw.AddLine({strip.x(seconds), strip.at.y + inset}, {strip.x(seconds), bottom - inset},
                     colour & kStroke);
    if (samples.count() > 0) {
        const float middle = std::round(strip.x(samples.median_seconds()));
        draw.AddRectFilled({middle - 1, strip.at.y}, {middle + 1, bottom}, colour);
    }
    if (recorded_seconds > 0)
        draw_recorded(strip, recorded_seconds, ImGui::GetColorU32(ImGuiCol_TextDisabled));
    ImGui::Dummy(strip.size);
    if (samples.count() > 0)
        tooltip(fmt::format("5th to 95th percentile: {}\nmedian {}, newest {} of {} samples",
                            spread_text(samples), median_text(samples), samples.kept().size(),
                            samples.count()));
}

// A record has no samples. A line shows its 5th to its 95th percentile, and a mark the median.
void draw_recorded_samples(const Samples& samples, const LogAxis& axis, std::uint32_t colour) {
    const Strip strip = begin_strip(axis);
    if (samples.count() > 0) {
        const float middle = std::round(strip.at.y + strip.size.y / 2);
        ImGui::GetWindowDrawList()->AddLine({strip.x(samples.quantile_seconds(0.05)), middle},
                                            {strip.x(samples.p95_seconds()), middle}, colour, 2);
        draw_recorded(strip, samples.median_seconds(), colour);
    }
    ImGui::Dummy(strip.size);
    if (samples.count() > 0)
        tooltip(fmt::format("5th to 95th percentile: {}\nmedian {}, of {} samples",
                            spread_text(samples), median_text(samples), samples.count()));
}

// Green and red where the kernel became faster or slower.
void draw_change(const RaceView& view, const RaceChange& change) {
    const bool known = change.ratio > 0 && !change.tie;
    right_cell(change_text(change), !known ? dim() : change.ratio < 1 ? green() : red());
    if (change.ratio > 0)
        tooltip(fmt::format("{} in {}", duration_text(change.recorded_seconds), view.recorded_as));
}

// The limit over a bar of its part of the kernel's time.
void draw_bound(const RaceRow& row, std::uint32_t colour) {
    ImGui::TableNextColumn();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float part = static_cast<float>(std::clamp(row.bound.fraction, 0.0, 1.0));
    ImGui::GetWindowDrawList()->AddRectFilled(
        at, {at.x + ImGui::GetContentRegionAvail().x * part, at.y + ImGui::GetTextLineHeight()},
        ImGui::GetColorU32(colour & 0x50FFFFFFU));
    right_text(bound_text(row.bound), row.races && explains(row.bound) ? plain() : dim());
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

void draw_numbers(const RaceView& view, const RaceRow& row, const LogAxis& axis) {
    const KernelResult& kernel = view.race.step.kernels[row.index];
    const ImVec4 colour = row.wrong ? red() : row.races ? plain() : dim();
    const std::uint32_t own = colour_of(kernel.kernel);
    right_cell(median_text(kernel.seconds), row.fastest ? green() : colour);
    if (view.record == &view.race)
        draw_recorded_samples(kernel.seconds, axis, own);
    else
        draw_samples(kernel.seconds, axis, own, row.change.recorded_seconds);
    draw_change(view, row.change);
    draw_bound(row, own);
    right_cell(number_text(row.speed_up, 2, "×"), row.ties_with_baseline ? dim() : colour);
    right_cell(error_text(kernel.error) + (row.wrong ? " wrong" : ""), colour);
    right_cell(differing_text(kernel.error), colour);
    right_cell(number_text(100 * row.fraction_of_peak, 0, " %"), colour);
    right_cell(number_text(row.gigabytes_per_second, 1, ""), colour);
}

// A limit of the device, which no kernel passes.
struct LimitRow {
    const char* name;
    const char* explanation;
    Limit limit;
    const Samples* samples;  // null: computed
    std::string time;
    std::string rate;
    std::string operations;  // in place of samples
};

void draw_limit(const LimitRow& row, const LogAxis& axis) {
    constexpr int kOfKernels = 4;  // columns between the limit and the rate
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextColored(dim(), "%s", row.name);
    tooltip(row.explanation);
    ImGui::TableNextColumn();
    right_cell(row.time, dim());
    if (row.samples != nullptr) {
        draw_samples(*row.samples, axis, ImGui::GetColorU32(ImGuiCol_TextDisabled));
    } else {
        ImGui::TableNextColumn();
        ImGui::TextColored(dim(), "%s", row.operations.c_str());
    }
    ImGui::TableNextColumn();
    right_cell(std::string(name_of(row.limit)), dim());
    for (int k = 0; k < kOfKernels; ++k) ImGui::TableNextColumn();
    right_cell(row.rate, dim());
}

void draw_limits(const StepResult& step, const LogAxis& axis) {
    const auto rate = [](double bytes) { return number_text(bytes * 1e-9, 1, ""); };
    draw_limit(
        {.name = "empty launch",
         .explanation = step.device.is_gpu() ? "A kernel that computes nothing, for each plane"
                                             : "A job without work for all threads, for each plane",
         .limit = Limit::launch,
         .samples = &step.empty,
         .time = median_text(step.empty),
         .rate = "",
         .operations = ""},
        axis);
    draw_limit({.name = "copy of the same bytes",
                .explanation = "Each sample read once and written once, as every kernel has to",
                .limit = Limit::memory,
                .samples = &step.copy,
                .time = median_text(step.copy),
                .rate = rate(1e9 * gigabytes_per_second(step, step.copy)),
                .operations = ""},
               axis);
    draw_limit(
        {.name = "peak of the device",
         .explanation = step.device.is_gpu()
                            ? "The rates of this GPU's memory and units at their highest clocks"
                            : "A copy that no cache holds, and multiply-adds of all cores, as "
                              "measured here",
         .limit = Limit::arithmetic,
         .samples = nullptr,
         .time = peak_time_text(step),
         .rate = rate(step.peak.bytes),
         .operations = operations_text(step.peak.operations)},
        axis);
}

// True in the row whose first cell begins here.
bool mouse_in_row() {
    const float top = ImGui::GetCursorScreenPos().y - ImGui::GetStyle().CellPadding.y;
    const float height = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
    const float mouse = ImGui::GetMousePos().y;
    return ImGui::IsWindowHovered() && mouse >= top && mouse < top + height;
}

void draw_row(KernelsPanel& panel, StackEditor& stack, const RaceView& view, const RaceRow& row,
              const LogAxis& axis) {
    const KernelResult& kernel = view.race.step.kernels[row.index];
    ImGui::PushID(kernel.kernel.c_str());
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    if (row.races && mouse_in_row()) panel.settings.map_of = kernel.kernel;
    draw_name(panel, view, row);
    draw_use(stack, view, kernel);
    draw_numbers(view, row, axis);
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

void draw_rows(KernelsPanel& panel, StackEditor& stack, const RaceView& view, const LogAxis& axis) {
    const auto first = std::ranges::find_if(view.rows, [&](const RaceRow& row) {
        return !view.race.step.kernels[row.index].why_not.empty();
    });
    const auto draw = [&](const RaceRow& row) { draw_row(panel, stack, view, row, axis); };
    std::for_each(view.rows.begin(), first, draw);
    const auto count = static_cast<std::size_t>(view.rows.end() - first);
    if (count == 0 || !unfolded(count)) return;
    std::for_each(first, view.rows.end(), draw);
}

}  // namespace

// The rows of the open record, below its device.
void draw_record(const RaceView& view, const RaceOrder& order, const LogAxis& axis) {
    ImGui::TableNextRow();
    ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, ImGui::GetColorU32(ImGuiCol_TableHeaderBg));
    ImGui::TableSetColumnIndex(0);
    plain_text(view.record->device.name);
    if (ImGui::TableSetColumnIndex(kSamples)) dim_line(view.record_work);
    const std::vector<RaceRow> rows = race_rows(*view.record, order);
    const RaceView record{*view.record, rows, "", view.record};
    ImGui::PushID("record");
    draw_limits(record.race.step, axis);
    for (const RaceRow& row : rows) {
        if (!row.measured()) continue;
        const KernelResult& kernel = record.race.step.kernels[row.index];
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        plain_text(kernel.kernel);
        ImGui::TableNextColumn();
        if (kernel.planned) ImGui::TextUnformatted("in use");
        draw_numbers(record, row, axis);
        draw_note(record.race.step, kernel);
    }
    ImGui::PopID();
}

// A low table is small, with thin scrollbars, and begins with the kernels.
void draw_kernels_table(KernelsPanel& panel, StackEditor& stack, const RaceView& view) {
    // Columns that users can resize would keep the width of their first numbers.
    constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Sortable | ImGuiTableFlags_RowBg |
                                       ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY |
                                       ImGuiTableFlags_BordersInnerV;
    const ImGuiStyle& style = ImGui::GetStyle();
    const float width = ImGui::GetContentRegionAvail().x;
    const bool low = ImGui::GetContentRegionAvail().y < kFewRows * ImGui::GetFrameHeight();
    const UseTextSize size(low ? TextSize::small : TextSize::body);
    ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, style.ScrollbarSize * (low ? 0.4F : 1.0F));
    // With the padding of buttons a row would be a third higher.
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {style.FramePadding.x, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_CellPadding,
                        {style.CellPadding.x, low ? style.CellPadding.y / 2 : style.CellPadding.y});
    if (begin_scrolling_table(low ? "low" : "high", kLast + 1, kFlags, 1)) {
        const LogAxis axis = samples_axis(view.race, view.rows, view.record);
        const bool live = !view.race.step.kernels.empty();
        draw_header(axis, width);
        take_order(panel.order);
        panel.settings.map_of.clear();
        if (live && !low) draw_limits(view.race.step, axis);
        draw_rows(panel, stack, view, axis);
        if (live && low) draw_limits(view.race.step, axis);
        if (view.record != nullptr) draw_record(view, panel.order, axis);
        ImGui::EndTable();
    }
    ImGui::PopStyleVar(3);
}

}  // namespace weft
