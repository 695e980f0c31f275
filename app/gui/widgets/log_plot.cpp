#include "app/gui/widgets/log_plot.h"

#include <algorithm>
#include <cmath>

namespace weft {

void draw_log_axes(ImDrawList& draw, const LogPlot& plot, TickText across, TickText up) {
    const std::uint32_t line = ImGui::GetColorU32(ImGuiCol_Separator);
    const std::uint32_t text = ImGui::GetColorU32(ImGuiCol_TextDisabled);
    const float height = ImGui::GetTextLineHeight();
    const float wide = ImGui::CalcTextSize("0.05 ").x;
    for (const Tick& tick : ticks_of(plot.up, height / std::max(plot.to.y - plot.from.y, height))) {
        const float y = std::round(plot.y(tick.value));
        draw.AddLine({plot.from.x, y}, {plot.to.x, y}, line);
        if (!tick.labelled) continue;
        const std::string label = up(tick.value);
        draw.AddText({plot.from.x - ImGui::CalcTextSize((label + " ").c_str()).x, y - height / 2},
                     text, label.c_str());
    }
    for (const Tick& tick : ticks_of(plot.across, wide / std::max(plot.to.x - plot.from.x, wide))) {
        const float x = std::round(plot.x(tick.value));
        draw.AddLine({x, plot.from.y}, {x, plot.to.y}, line);
        if (!tick.labelled) continue;
        const std::string label = across(tick.value);
        draw.AddText({x - ImGui::CalcTextSize(label.c_str()).x / 2, plot.to.y}, text,
                     label.c_str());
    }
}

}  // namespace weft
