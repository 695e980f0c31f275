// A part of the screen with two logarithmic axes.
#pragma once

#include <imgui.h>
#include <string>

#include "app/viewer/race/log_axis.h"

namespace weft {

struct LogPlot {
    ImVec2 from, to;
    LogAxis across, up;

    float x(double value) const {
        return from.x + static_cast<float>(across.clamped_share(value)) * (to.x - from.x);
    }
    float y(double value) const {
        return to.y - static_cast<float>(up.clamped_share(value)) * (to.y - from.y);
    }
};

using TickText = std::string (*)(double value);

// Lines at the ticks, with texts to the left of the plot and below it.
void draw_log_axes(ImDrawList& draw, const LogPlot& plot, TickText across, TickText up);

}  // namespace weft
