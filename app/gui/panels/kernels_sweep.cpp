#include <algorithm>
#include <cmath>
#include <imgui.h>

#include <fmt/format.h>

#include "app/gui/panels/kernels_panel.h"
#include "app/gui/widgets/log_plot.h"
#include "app/gui/widgets/small_widgets.h"
#include "app/pipeline/race/race_report.h"
#include "app/pipeline/version.h"
#include "app/viewer/race/sweep.h"
#include "filters/text/number_text.h"

namespace weft {
namespace {

constexpr const char* kCsv = "CSV…";
constexpr const char* kSavePicture = "Save picture";

// A part of the screen with a sweep's plot.
struct Plot : LogPlot {
    const SweepResult& sweep;
    const SweepPlot& lines;

    const std::string& name(std::size_t kernel) const {
        return sweep.points.front().race->step.kernels[kernel].kernel;
    }
};

std::string tick_text(double value) {
    return short_number(value, 4);
}

// After the last parameter, the width.
std::vector<std::string> choices_of(const FilterDef& filter) {
    std::vector<std::string> names;
    for (const ParamDef* param : sweep_params(filter)) names.emplace_back(param->name);
    names.emplace_back();
    return names;
}

// Narrow panels leave less for the list, so that the buttons next to it fit.
void draw_param_choice(KernelsPanel& panel, SweepRequest& request) {
    constexpr float kWidth = 10, kLeastWidth = 4;  // in font heights
    const ImGuiStyle& style = ImGui::GetStyle();
    const float buttons = ImGui::CalcTextSize((std::string(kCsv) + kSavePicture).c_str()).x +
                          4 * style.FramePadding.x + 2 * style.ItemSpacing.x;
    const float width =
        std::clamp(ImGui::GetContentRegionAvail().x - buttons, kLeastWidth * ImGui::GetFontSize(),
                   kWidth * ImGui::GetFontSize());
    const std::vector<std::string> choices = choices_of(*request.step.filter);
    request.param = choices[std::min(panel.swept, choices.size() - 1)];
    ImGui::SetNextItemWidth(width);
    if (!ImGui::BeginCombo("##swept", sweep_label(request).c_str())) return;
    for (std::size_t k = 0; k < choices.size(); ++k) {
        SweepRequest other = request;
        other.param = choices[k];
        if (ImGui::Selectable(sweep_label(other).c_str(), other.param == request.param))
            panel.swept = k;
    }
    ImGui::EndCombo();
}

void draw_sweep_export(KernelsPanel& panel, const std::shared_ptr<const SweepResult>& sweep) {
    SaveSheet& sheet = panel.sweep_sheet;
    const std::optional<Overwrite> how = draw_save_sheet(sheet, kCsv, "Save the sweep as CSV");
    if (!how) return;
    const RaceOrigin origin{kVersion, "generated pixels", print_step(sweep->request->step)};
    save_in_background(panel, sheet.path, [sweep, origin, path = sheet.path, how] {
        write_sweep(path, *sweep, origin, *how);
    });
}

// The step and where it ran, for readers of a saved picture.
std::string heading(const SweepResult& sweep) {
    const SweepRequest& request = *sweep.request;
    const RaceSnapshot& race = *sweep.points.front().race;
    const std::string size = request.param.empty()
                                 ? ""
                                 : fmt::format(", {}×{}", request.info.width, request.info.height);
    return fmt::format("{}{}, {} caches, {}; ring: planned", request.step.filter->name, size,
                       request.caches == CacheState::cold ? "cold" : "warm", race.device.name);
}

// Short, next to the buttons.
std::string state_text(const SweepResult& sweep, bool playing) {
    if (sweep.complete) return "";
    return playing ? "pause to measure"
                   : fmt::format("{} of {}", sweep.points.size(), sweep.values);
}

// Planned kernels have rings, and wrong results crosses.
void draw_mark(ImDrawList& draw, const Plot& plot, const SweepMark& mark, std::uint32_t colour) {
    const float radius = std::round(ImGui::GetFontSize() * 0.16F);
    const ImVec2 at{plot.x(mark.value), plot.y(mark.seconds)};
    if (mark.planned) draw.AddCircle(at, 2.4F * radius, ImGui::GetColorU32(ImGuiCol_Text), 0, 1.5F);
    if (!mark.wrong) return draw.AddCircleFilled(at, radius, colour);
    const std::uint32_t red = packed(palette().error_text);
    const float arm = 2 * radius;
    draw.AddLine({at.x - arm, at.y - arm}, {at.x + arm, at.y + arm}, red, 2);
    draw.AddLine({at.x - arm, at.y + arm}, {at.x + arm, at.y - arm}, red, 2);
}

void draw_line(ImDrawList& draw, const Plot& plot, const SweepLine& line, bool pointed) {
    const std::uint32_t colour = colour_of(line.kernel);
    for (std::size_t k = 1; k < line.marks.size(); ++k) {
        const SweepMark& a = line.marks[k - 1];
        const SweepMark& b = line.marks[k];
        draw.AddLine({plot.x(a.value), plot.y(a.seconds)}, {plot.x(b.value), plot.y(b.seconds)},
                     colour, pointed ? 2.5F : 1.3F);
    }
    for (const SweepMark& mark : line.marks) draw_mark(draw, plot, mark, colour);
}

constexpr float kSquare = 0.6F;   // in heights of a line
constexpr float kSquareRoom = 1;  // likewise

// The names at the right, after their colours, each at the height of its line's end or as near as
// there is room.
void draw_names(ImDrawList& draw, const Plot& plot, std::optional<std::size_t> pointed) {
    struct Label {
        float y;
        std::size_t kernel;
    };
    const float height = ImGui::GetTextLineHeight();
    std::vector<Label> labels;
    for (const SweepLine& line : plot.lines.lines)
        labels.push_back({plot.y(line.marks.back().seconds) - height / 2, line.kernel});
    std::ranges::sort(labels, {}, &Label::y);
    for (std::size_t k = 1; k < labels.size(); ++k)
        labels[k].y = std::max(labels[k].y, labels[k - 1].y + height);
    float below = plot.to.y;  // the axis is named there
    for (auto label = labels.rbegin(); label != labels.rend(); ++label)
        below = label->y = std::min(label->y, below - height);
    for (const Label& label : labels) {
        if (label.y < plot.from.y - height) continue;
        const float left = plot.to.x + height / 2;
        const float side = std::round(height * kSquare);
        const float top = label.y + std::round((height - side) / 2);
        draw.AddRectFilled({left, top}, {left + side, top + side}, colour_of(label.kernel));
        draw.AddText(
            {left + height * kSquareRoom, label.y},
            ImGui::GetColorU32(label.kernel == pointed ? ImGuiCol_Text : ImGuiCol_TextDisabled),
            plot.name(label.kernel).c_str());
    }
}

// A dashed line from the crossing down to its value.
void draw_crossover(ImDrawList& draw, const Plot& plot, const Crossover& crossover) {
    const std::uint32_t colour = ImGui::GetColorU32(ImGuiCol_Text);
    const float x = std::round(plot.x(crossover.value));
    const float dash = std::round(ImGui::GetFontSize() * 0.25F);
    const float top = plot.y(crossover.seconds);
    const int dashes = static_cast<int>(std::ceil((plot.to.y - top) / (2 * dash)));
    for (int k = 0; k < dashes; ++k) {
        const float y = top + static_cast<float>(2 * k) * dash;
        draw.AddLine({x, y}, {x, std::min(y + dash, plot.to.y)}, colour);
    }
    const float half = dash;
    draw.AddTriangleFilled({x - half, plot.to.y}, {x, plot.to.y - 2 * half}, {x + half, plot.to.y},
                           colour);
}

// The times at the value, the fastest first.
std::string times_text(const SweepResult& sweep, const SweepPoint& point) {
    std::string text =
        fmt::format("{}: {}", sweep_label(*sweep.request), short_number(point.value, 4));
    for (const RaceRow& row : race_rows(*point.race, {})) {
        const KernelResult& kernel = point.race->step.kernels[row.index];
        if (!row.races || !row.measured()) continue;
        text += fmt::format("\n{}  {}{}{}", duration_text(row.median_seconds), kernel.kernel,
                            kernel.planned ? "  (planned)" : "", row.wrong ? "  wrong" : "");
    }
    return text;
}

// The values nearest to the mouse, and the nearest line.
void point_at(KernelsPanel& panel, ImDrawList& draw, const Plot& plot) {
    const ImVec2 mouse = ImGui::GetMousePos();
    const auto away = [&](const SweepPoint& point) {
        return std::fabs(plot.x(point.value) - mouse.x);
    };
    const SweepPoint& point = *std::ranges::min_element(plot.sweep.points, {}, away);
    const float x = std::round(plot.x(point.value));
    draw.AddLine({x, plot.from.y}, {x, plot.to.y}, ImGui::GetColorU32(ImGuiCol_TextDisabled));
    float least = ImGui::GetFontSize();
    for (const SweepLine& line : plot.lines.lines)
        for (const SweepMark& mark : line.marks) {
            const float distance = std::fabs(plot.y(mark.seconds) - mouse.y);
            if (mark.value != point.value || distance >= least) continue;
            least = distance;
            panel.pointed = line.kernel;
        }
    ImGui::SetTooltip("%s", times_text(plot.sweep, point).c_str());
}

// The width of the texts to the right of the plot.
float widest_text(const SweepResult& sweep, const SweepPlot& lines) {
    float widest = ImGui::CalcTextSize(sweep_label(*sweep.request).c_str()).x;
    for (const SweepLine& line : lines.lines) {
        const std::string& name = sweep.points.front().race->step.kernels[line.kernel].kernel;
        widest = std::max(
            widest, ImGui::CalcTextSize(name.c_str()).x + kSquareRoom * ImGui::GetTextLineHeight());
    }
    return widest;
}

// Fills the rest of the window.
void draw_plot(KernelsPanel& panel, const SweepResult& sweep) {
    const UseTextSize size(TextSize::small);
    const SweepPlot lines = sweep_plot(sweep);
    constexpr float kRoomForText = 8;  // in lines; lower panels have the plot alone
    if (ImGui::GetContentRegionAvail().y > kRoomForText * ImGui::GetTextLineHeight()) {
        dim_line(heading(sweep));
        dim_line(sweep_sentence(sweep, lines));
    }
    const ImVec2 from = ImGui::GetCursorScreenPos();
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float line = ImGui::GetTextLineHeight();
    const float left = ImGui::CalcTextSize("500 ms ").x;
    const float right = widest_text(sweep, lines) + line;
    const Plot plot{{{from.x + left, from.y + line / 2},
                     {from.x + room.x - right, from.y + room.y - line},
                     lines.values,
                     lines.times},
                    sweep,
                    lines};
    if (plot.to.x - plot.from.x < left || plot.to.y - plot.from.y < 2 * line) return;
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    draw_log_axes(draw, plot, tick_text, tick_text_of_seconds);
    for (const Crossover& crossover : lines.crossovers) draw_crossover(draw, plot, crossover);
    for (const SweepLine& drawn : lines.lines)
        draw_line(draw, plot, drawn, drawn.kernel == panel.pointed);
    draw_names(draw, plot, panel.pointed);
    draw.AddText({plot.to.x + line / 2, plot.to.y}, ImGui::GetColorU32(ImGuiCol_TextDisabled),
                 sweep_label(*sweep.request).c_str());
    ImGui::InvisibleButton("sweep", room);
    if (ImGui::IsItemHovered()) point_at(panel, draw, plot);
}

// The part of the window from here to the end of the panel.
Rect rest_of_panel() {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 size = ImGui::GetContentRegionAvail();
    const ImVec2 scale = ImGui::GetIO().DisplayFramebufferScale;
    return {std::floor(at.x * scale.x), std::floor(at.y * scale.y), std::floor(size.x * scale.x),
            std::floor(size.y * scale.y)};
}

}  // namespace

void draw_race_sweep(KernelsPanel& panel, const StackEditor& stack, const Playing& playing) {
    const Stack active = stack.active();
    if (panel.settings.step >= active.size() || !playing.shown || !panel.racing) return;
    SweepRequest request{.step = active[panel.settings.step],
                         .info = playing.shown->info,
                         .kernels = panel.settings.kernels,
                         .caches = panel.settings.caches,
                         .start = panel.settings.start};
    draw_param_choice(panel, request);
    const std::shared_ptr<const SweepResult> sweep = panel.race.sweep();
    const bool known = sweep->request && same_sweep(*sweep->request, request);
    panel.sweep_request = std::move(request);
    if (!known) return;
    const PlayerStatus& status = playing.status;
    const std::string state = state_text(*sweep, !status.paused && !status.ended);
    if (sweep->points.empty()) return wrapped_text(sweep->trouble.empty() ? state : sweep->trouble);
    ImGui::SameLine();
    draw_sweep_export(panel, sweep);
    ImGui::SameLine();
    const bool save = ImGui::Button(kSavePicture);
    ImGui::SameLine();
    dim_line(state);
    if (save) panel.picture_wanted = rest_of_panel();
    draw_plot(panel, *sweep);
}

}  // namespace weft
