#include "app/gui/widgets/response_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <imgui.h>

#include <fmt/format.h>

#include "app/gui/widgets/small_widgets.h"
#include "filters/text/number_text.h"

namespace weft {
namespace {

constexpr int kMapSize = 48;
constexpr int kProfilePoints = 97;
constexpr double kRangeDecibels = 60;  // range below the maximum
constexpr int kTickDecibels = 20;

constexpr ImU32 kAlongX = IM_COL32(240, 130, 60, 255);
constexpr ImU32 kAlongY = IM_COL32(70, 150, 250, 255);
constexpr ImU32 kDiagonal = IM_COL32(90, 190, 110, 255);

// From dark blue through magenta to pale yellow, with increasing lightness.
const std::array<ImVec4, 5> kHeat{{{0.05F, 0.03F, 0.20F, 1},
                                   {0.35F, 0.07F, 0.43F, 1},
                                   {0.72F, 0.21F, 0.33F, 1},
                                   {0.97F, 0.55F, 0.13F, 1},
                                   {0.99F, 0.98F, 0.70F, 1}}};

ImU32 heat(double part) {
    const double at = std::clamp(part, 0.0, 1.0) * (kHeat.size() - 1);
    const auto k = std::min(static_cast<std::size_t>(at), kHeat.size() - 2);
    const auto rest = static_cast<float>(at - static_cast<double>(k));
    const auto mix = [&](float ImVec4::*c) {
        return kHeat[k].*c + (kHeat[k + 1].*c - kHeat[k].*c) * rest;
    };
    return ImGui::GetColorU32({mix(&ImVec4::x), mix(&ImVec4::y), mix(&ImVec4::z), 1});
}

// The frame of the profiles and its scales.
struct Plot {
    ImVec2 low = {}, high = {};
    double top = 0;  // decibels at the upper side

    float x(double part) const { return low.x + static_cast<float>(part) * (high.x - low.x); }
    float y(double db) const {
        const double part = std::clamp((top - db) / kRangeDecibels, 0.0, 1.0);
        return low.y + static_cast<float>(part) * (high.y - low.y);
    }
};

void draw_curve(const Plot& plot, const std::vector<double>& profile, ImU32 colour) {
    std::vector<ImVec2> points;
    const auto last = static_cast<double>(profile.size() - 1);
    for (std::size_t k = 0; k < profile.size(); ++k)
        points.push_back({plot.x(static_cast<double>(k) / last), plot.y(decibels(profile[k]))});
    ImGui::GetWindowDrawList()->AddPolyline(points.data(), static_cast<int>(points.size()), colour,
                                            0, 1.5F);
}

void draw_scales(const Plot& plot) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(plot.low, plot.high, ImGui::GetColorU32(ImGuiCol_FrameBg, 0.5F));
    const ImU32 line = faded_text_colour(0.15F);
    const ImU32 ink = packed(palette().dim_text);
    for (int k = 0; k * kTickDecibels < kRangeDecibels; ++k) {
        const double db = plot.top - k * kTickDecibels;
        list.AddLine({plot.low.x, plot.y(db)}, {plot.high.x, plot.y(db)}, line);
        list.AddText({plot.low.x + 3, plot.y(db)}, ink,
                     with_minus(fmt::format("{:.0f} dB", db)).c_str());
    }
    for (int k = 1; k < 4; ++k) {
        const float x = plot.x(k / 4.0);
        list.AddLine({x, plot.low.y}, {x, plot.high.y}, line);
    }
}

double strongest(const std::vector<double>& values) {
    return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

void draw_legend() {
    const std::array<std::pair<const char*, ImU32>, 3> names{
        {{"x", kAlongX}, {"y", kAlongY}, {"diagonal", kDiagonal}}};
    for (const auto& [name, colour] : names) {
        ImGui::PushStyleColor(ImGuiCol_Text, colour);
        plain_text(name);
        ImGui::PopStyleColor();
        ImGui::SameLine();
    }
    dim_text("0 to ½ cycle per pixel");
}

}  // namespace

ResponsePlot response_plot(const Taps& taps, double scale) {
    return {.map = frequency_response(taps, scale, kMapSize),
            .x = response_profile(taps, scale, FrequencyAxis::x, kProfilePoints),
            .y = response_profile(taps, scale, FrequencyAxis::y, kProfilePoints),
            .diagonal = response_profile(taps, scale, FrequencyAxis::diagonal, kProfilePoints)};
}

void draw_response_map(const ResponsePlot& plot, float side) {
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    const double top = decibels(strongest(plot.map.magnitude));
    const float cell = side / static_cast<float>(plot.map.size);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    for (int j = 0; j < plot.map.size; ++j)
        for (int i = 0; i < plot.map.size; ++i) {
            const double part = 1 - (top - decibels(plot.map.at(i, j))) / kRangeDecibels;
            const ImVec2 low{origin.x + cell * static_cast<float>(i),
                             origin.y + cell * static_cast<float>(j)};
            list.AddRectFilled(low, {low.x + cell + 0.5F, low.y + cell + 0.5F}, heat(part));
        }
    ImGui::InvisibleButton("map", {side, side});
    if (!ImGui::IsItemHovered()) return;
    const ImVec2 mouse = ImGui::GetMousePos();
    const auto index = [&](float offset) {
        return std::clamp(static_cast<int>(offset / cell), 0, plot.map.size - 1);
    };
    const int i = index(mouse.x - origin.x);
    const int j = index(mouse.y - origin.y);
    const auto cycles = [&](int k) {
        const int middle = plot.map.size / 2;
        return static_cast<double>(k - middle) / plot.map.size;
    };
    const double magnitude = plot.map.at(i, j);
    const auto text = [](const char* format, double value) {
        return with_minus(fmt::format(fmt::runtime(format), value));
    };
    tooltip(fmt::format("{}, {} cycles per pixel: ×{}, {}", text("{:.3f}", cycles(i)),
                        text("{:.3f}", cycles(j)), short_number(magnitude, 4),
                        text("{:.1f} dB", decibels(magnitude))));
}

void draw_response_profiles(const ResponsePlot& plot, float width, float height) {
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const double top = decibels(strongest(plot.map.magnitude));
    const Plot frame{low,
                     {low.x + width, low.y + height},
                     kTickDecibels / 2.0 * std::ceil(top / (kTickDecibels / 2.0) + 0.01)};
    draw_scales(frame);
    draw_curve(frame, plot.diagonal, kDiagonal);
    draw_curve(frame, plot.y, kAlongY);
    draw_curve(frame, plot.x, kAlongX);
    ImGui::Dummy({width, height});
    draw_legend();
}

}  // namespace weft
