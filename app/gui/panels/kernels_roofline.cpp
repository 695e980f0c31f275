#include <algorithm>
#include <cmath>
#include <imgui.h>

#include <fmt/format.h>

#include "app/gui/panels/kernels_panel.h"
#include "app/gui/widgets/log_plot.h"
#include "app/gui/widgets/small_widgets.h"
#include "app/viewer/race/roofline.h"
#include "filters/text/number_text.h"

namespace weft {
namespace {

struct Plot : LogPlot {
    const Roofline& roofline;
};

std::string tick_text(double value) {
    for (const auto& [unit, letter] :
         {std::pair{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}})
        if (value > unit * 0.999) return short_number(value / unit) + letter;
    return short_number(value);
}

// A memory roof rises to its ridge with the arithmetic one, or to the end of the plot.
void draw_memory_roof(ImDrawList& draw, const Plot& plot, double bytes, double operations,
                      std::uint32_t colour) {
    if (bytes <= 0) return;
    const LogAxis& intensities = plot.roofline.intensities;
    const LogAxis& rates = plot.roofline.rates;
    const double first = std::max(intensities.least, rates.least / bytes);
    const double ridge = operations > 0 ? operations / bytes : intensities.most;
    const double last = std::min({intensities.most, ridge, rates.most / bytes});
    if (last <= first) return;
    draw.AddLine({plot.x(first), plot.y(first * bytes)}, {plot.x(last), plot.y(last * bytes)},
                 colour, 2);
}

enum class LabelPlace : std::uint8_t { above, below };

// From its ridge with the memory roof; named at its right end.
void draw_arithmetic_roof(ImDrawList& draw, const Plot& plot, const char* name, double operations,
                          LabelPlace place) {
    const std::uint32_t colour = ImGui::GetColorU32(ImGuiCol_Text);
    const Roofline& roofline = plot.roofline;
    if (operations <= 0) return;
    const double bytes = std::max(roofline.peak.bytes, roofline.copy_bytes);
    const double ridge = bytes > 0 ? operations / bytes : roofline.intensities.least;
    const float y = plot.y(operations);
    draw.AddLine({plot.x(ridge), y}, {plot.to.x, y}, colour, 2);
    const std::string label = fmt::format("{} {}", name, operations_text(operations));
    const float up = place == LabelPlace::above ? ImGui::GetTextLineHeight() + 1 : 0;
    draw.AddText({plot.to.x - ImGui::CalcTextSize(label.c_str()).x, y - up}, colour, label.c_str());
}

void draw_roofs(ImDrawList& draw, const Plot& plot, bool gpu) {
    const Roofline& roofline = plot.roofline;
    const std::uint32_t known = ImGui::GetColorU32(ImGuiCol_Text);
    const std::uint32_t measured = ImGui::GetColorU32(ImGuiCol_TextDisabled);
    const double most = std::max(roofline.peak.operations, roofline.peak.half_operations);
    draw_memory_roof(draw, plot, roofline.copy_bytes, most, measured);
    draw_memory_roof(draw, plot, roofline.peak.bytes, most, known);
    draw_arithmetic_roof(draw, plot, "fp32", roofline.peak.operations, LabelPlace::below);
    draw_arithmetic_roof(draw, plot, gpu ? "tensor fp16" : "16-bit integers",
                         roofline.peak.half_operations, LabelPlace::above);
}

// The vertical axis and, where they fit, the roofs that rise: the table's limits have them, too.
std::string heading(const Roofline& roofline, float width) {
    const std::string axis = "operations per second";
    const std::string whole = fmt::format("{}; memory {:.0f} GB/s, gray: copy {:.0f} GB/s", axis,
                                          roofline.peak.bytes * 1e-9, roofline.copy_bytes * 1e-9);
    return ImGui::CalcTextSize(whole.c_str()).x <= width ? whole : axis;
}

void draw_point(ImDrawList& draw, const Plot& plot, const RooflinePoint& point, bool pointed) {
    const std::uint32_t colour = colour_of(point.index);
    const float x = plot.x(point.intensity);
    const float radius = ImGui::GetFontSize() * (pointed ? 0.38F : 0.28F);
    draw.AddLine({x, plot.y(point.fastest)}, {x, plot.y(point.slowest)}, colour, 2);
    draw.AddCircleFilled({x, plot.y(point.rate)}, radius, colour);
    if (pointed)
        draw.AddCircle({x, plot.y(point.rate)}, radius + 2, ImGui::GetColorU32(ImGuiCol_Text));
}

void describe(const RaceView& view, const RooflinePoint& point) {
    const KernelResult& kernel = view.race.step.kernels[point.index];
    const double roof = roof_at(point.intensity, view.race.step.peak.bytes,
                                peak_operations(view.race.step.peak, kernel.arithmetic));
    ImGui::SetTooltip("%s\n%s, %s to %s\n%s operations per byte, %.0f %% of its roof",
                      kernel.kernel.c_str(), operations_text(point.rate).c_str(),
                      operations_text(point.slowest).c_str(),
                      operations_text(point.fastest).c_str(), short_number(point.intensity).c_str(),
                      100 * point.rate / roof);
}

// Describes the point nearest to the mouse.
void point_at(KernelsPanel& panel, const RaceView& view, const Plot& plot) {
    const ImVec2 mouse = ImGui::GetMousePos();
    const RooflinePoint* nearest = nullptr;
    float least = ImGui::GetFontSize();
    for (const RooflinePoint& point : plot.roofline.points) {
        const float away =
            std::hypot(plot.x(point.intensity) - mouse.x, plot.y(point.rate) - mouse.y);
        if (away >= least) continue;
        least = away;
        nearest = &point;
    }
    if (nearest == nullptr) return;
    panel.pointed = nearest->index;
    describe(view, *nearest);
}

}  // namespace

void draw_race_roofline(KernelsPanel& panel, const RaceView& view) {
    const Roofline roofline = roofline_of(view.race, view.rows);
    const UseTextSize size(TextSize::small);
    const ImVec2 from = ImGui::GetCursorScreenPos();
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float line = ImGui::GetTextLineHeight();
    const float labels = ImGui::CalcTextSize("500G ").x;
    const Plot plot{{{from.x + labels, from.y + line},
                     {from.x + room.x, from.y + room.y - 2 * line},
                     roofline.intensities,
                     roofline.rates},
                    roofline};
    if (roofline.points.empty() || plot.to.x - plot.from.x < labels ||
        plot.to.y - plot.from.y < 2 * line)
        return;
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const std::uint32_t text = ImGui::GetColorU32(ImGuiCol_TextDisabled);
    draw.AddText(from, text, heading(roofline, room.x).c_str());
    draw_log_axes(draw, plot, tick_text, tick_text);
    draw.AddText({plot.from.x, plot.to.y + line}, text, "operations per byte");
    draw_roofs(draw, plot, view.race.step.device.is_gpu());
    for (const RooflinePoint& point : roofline.points)
        draw_point(draw, plot, point, point.index == panel.pointed);
    ImGui::InvisibleButton("roofline", room);
    if (ImGui::IsItemHovered()) point_at(panel, view, plot);
}

}  // namespace weft
