#include <algorithm>
#include <array>
#include <cmath>
#include <imgui.h>
#include <limits>

#include <fmt/format.h>

#include "app/gui/panels/kernels_panel.h"
#include "app/gui/widgets/small_widgets.h"
#include "app/pipeline/race/race_report.h"
#include "app/viewer/shell/kernel_colours.h"

namespace weft {
namespace {

constexpr std::size_t kRunning = 24;  // samples per point of a curve

// A part of the screen with a logarithmic vertical scale of seconds and a horizontal one of
// samples.
struct Plot {
    ImVec2 from, to;
    LogAxis axis;

    float x(std::size_t sample) const {
        const auto share = static_cast<float>(sample) / static_cast<float>(RaceRounds::kWindow - 1);
        return from.x + (to.x - from.x) * share;
    }
    float y(double seconds) const {
        return to.y - static_cast<float>(axis.clamped_share(seconds)) * (to.y - from.y);
    }
};

std::uint32_t with_alpha(std::uint32_t colour, std::uint32_t alpha) {
    return (colour & 0x00FFFFFFU) | alpha << 24U;
}

// Updates the band of each kernel in the race after the samples changed.
void follow(KernelsPanel& panel, const RaceView& view) {
    if (panel.drawn_revision == view.race.revision) return;
    panel.drawn_revision = view.race.revision;
    panel.curves.clear();
    for (const RaceRow& row : view.rows)
        if (row.races && row.measured())
            panel.curves[row.index] =
                running_band(view.race.step.kernels[row.index].seconds.kept(), kRunning);
}

// The range of all curves, without the noise of a single one filling the plot; false without any.
bool fit(Plot& plot, const KernelsPanel& panel) {
    constexpr double kSpan = 4;
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    for (const auto& [index, band] : panel.curves) {
        least = std::min(least, *std::ranges::min_element(band.median));
        most = std::max(most, *std::ranges::max_element(band.p95));
    }
    if (most <= 0) return false;
    plot.axis = axis_around(least, most, kSpan);
    return true;
}

// The times are left of the plot, so that no curve crosses them, and the samples below it.
void draw_axes(ImDrawList& draw, const Plot& plot) {
    const std::uint32_t line = ImGui::GetColorU32(ImGuiCol_Separator);
    const std::uint32_t text = ImGui::GetColorU32(ImGuiCol_TextDisabled);
    const float height = ImGui::GetFontSize();
    for (const Tick& tick : ticks_of(plot.axis, height / (plot.to.y - plot.from.y))) {
        const float y = std::round(plot.y(tick.value));
        draw.AddLine({plot.from.x, y}, {plot.to.x, y}, line);
        if (!tick.labelled) continue;
        const std::string label = tick_text_of_seconds(tick.value);
        draw.AddText({plot.from.x - ImGui::CalcTextSize((label + " ").c_str()).x, y - height / 2},
                     text, label.c_str());
    }
    draw.AddLine({plot.from.x, plot.to.y}, plot.to, line);
    const std::string last = std::to_string(RaceRounds::kWindow);
    draw.AddText({plot.from.x, plot.to.y}, text, "sample 1");
    draw.AddText({plot.to.x - ImGui::CalcTextSize(last.c_str()).x, plot.to.y}, text, last.c_str());
}

// Newest samples are at the right; the curves of a new race begin at the left.
void draw_curve(ImDrawList& draw, const Plot& plot, const RunningBand& band, std::uint32_t colour,
                bool pointed) {
    const std::uint32_t shade = with_alpha(colour, pointed ? 0x60 : 0x28);
    for (std::size_t k = 1; k < band.median.size(); ++k) {
        const float left = plot.x(k - 1);
        const float right = plot.x(k);
        draw.AddQuadFilled({left, plot.y(band.p95[k - 1])}, {right, plot.y(band.p95[k])},
                           {right, plot.y(band.median[k])}, {left, plot.y(band.median[k - 1])},
                           shade);
        draw.AddLine({left, plot.y(band.median[k - 1])}, {right, plot.y(band.median[k])}, colour,
                     pointed ? 2.5F : 1.3F);
    }
}

// Describes the curve nearest to the mouse.
void point_at_curve(KernelsPanel& panel, const RaceView& view, const Plot& plot) {
    const ImVec2 mouse = ImGui::GetMousePos();
    float nearest = ImGui::GetFontSize();
    for (const auto& [index, band] : panel.curves) {
        const float share = (mouse.x - plot.from.x) / (plot.to.x - plot.from.x);
        const auto last = static_cast<float>(RaceRounds::kWindow - 1);
        const auto sample = static_cast<std::size_t>(std::max(share * last, 0.0F));
        if (sample >= band.median.size()) continue;
        const float away = std::fabs(plot.y(band.median[sample]) - mouse.y);
        if (away > nearest) continue;
        nearest = away;
        panel.pointed = index;
        ImGui::SetTooltip("%s\nmedian %s, p95 %s of %zu samples",
                          view.race.step.kernels[index].kernel.c_str(),
                          duration_text(band.median[sample]).c_str(),
                          duration_text(band.p95[sample]).c_str(), kRunning);
    }
}

std::string reading_text(const GpuReading& now) {
    std::vector<std::string> parts;
    if (now.clock_mhz)
        parts.push_back(
            fmt::format("{} of {} MHz", *now.clock_mhz, now.most_clock_mhz.value_or(0)));
    if (now.memory_clock_mhz) parts.push_back(fmt::format("memory {} MHz", *now.memory_clock_mhz));
    if (now.memory_bytes && now.memory_used_bytes)
        parts.push_back(fmt::format("{:.1f} of {:.1f} GiB",
                                    static_cast<double>(*now.memory_used_bytes) / (1 << 30),
                                    static_cast<double>(*now.memory_bytes) / (1 << 30)));
    if (now.temperature_celsius) parts.push_back(fmt::format("{} °C", *now.temperature_celsius));
    if (now.power_watts)
        parts.push_back(
            fmt::format("{:.0f} of {:.0f} W", *now.power_watts, now.power_limit_watts.value_or(0)));
    return fmt::format("{}", fmt::join(parts, "  ·  "));
}

std::string slowed_text(const GpuReading& now) {
    return fmt::format("slowed down by {}", fmt::join(now.slowed_by, ", "));
}

void draw_gpu(GpuWatch& watch) {
    const GpuWatch::View view = watch.view();
    if (!view.why_not.empty()) {
        dim_text(view.why_not);
        return;
    }
    wrapped_text(reading_text(view.reading));
    if (!view.reading.slowed_by.empty())
        ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(packed(palette().error_text)), "%s",
                           slowed_text(view.reading).c_str());
}

// A line of the strip shows how much of its most the GPU had.
struct Share {
    const char* name;
    float (*of)(const GpuReading& reading);  // 0..1; 0 if unknown
};

constexpr std::array<Share, 2> kShares = {{
    {"clock",
     [](const GpuReading& reading) {
         const auto most = static_cast<float>(reading.most_clock_mhz.value_or(0));
         return most > 0 ? static_cast<float>(reading.clock_mhz.value_or(0)) / most : 0;
     }},
    {"power",
     [](const GpuReading& reading) {
         const double most = reading.power_limit_watts.value_or(0);
         return most > 0 ? static_cast<float>(reading.power_watts.value_or(0) / most) : 0;
     }},
}};

// Bars below the samples that they belong to, as high as the share; red while the GPU was slowed
// down.
void draw_clocks(const KernelsPanel& panel, const Plot& plot, float top) {
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const std::uint32_t text = ImGui::GetColorU32(ImGuiCol_TextDisabled);
    const float height = ImGui::GetFontSize();
    const std::int64_t newest = panel.clocks.entries().back().samples;
    const auto window = static_cast<std::int64_t>(RaceRounds::kWindow);
    const std::int64_t dropped = std::max<std::int64_t>(newest - window, 0);
    for (std::size_t line = 0; line < kShares.size(); ++line) {
        const float bottom = top + static_cast<float>(line + 1) * (height + 2);
        const std::string name = std::string(kShares[line].name) + " ";
        draw.AddText({plot.from.x - ImGui::CalcTextSize(name.c_str()).x, bottom - height}, text,
                     name.c_str());
        std::int64_t begin = dropped;
        for (const auto& [samples, reading] : panel.clocks.entries()) {
            const float share = std::clamp(kShares[line].of(reading), 0.0F, 1.0F);
            const ImVec2 from{plot.x(static_cast<std::size_t>(begin - dropped)),
                              bottom - share * height};
            const ImVec2 to{plot.x(static_cast<std::size_t>(samples - dropped)), bottom};
            draw.AddRectFilled(
                from, to,
                packed(reading.slowed_by.empty() ? palette().cached : palette().error_text));
            if (ImGui::IsWindowHovered() &&
                ImGui::IsMouseHoveringRect({from.x, bottom - height}, to))
                ImGui::SetTooltip("%s%s%s", reading_text(reading).c_str(),
                                  reading.slowed_by.empty() ? "" : "\n",
                                  reading.slowed_by.empty() ? "" : slowed_text(reading).c_str());
            begin = samples;
        }
        draw.AddLine({plot.from.x, bottom}, {plot.to.x, bottom},
                     ImGui::GetColorU32(ImGuiCol_Separator));
    }
}

}  // namespace

std::uint32_t colour_of(std::size_t kernel) {
    return packed(kernel_colour(kernel, palette()));
}

std::uint32_t colour_of(std::string_view kernel) {
    const auto all = conv_kernels();
    const auto found = std::ranges::find(all, kernel, &ConvKernel::name);
    return colour_of(static_cast<std::size_t>(found - all.begin()));
}

void draw_race_curves(KernelsPanel& panel, const RaceView& view) {
    follow(panel, view);
    const ImVec2 from = ImGui::GetCursorScreenPos();
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float line = ImGui::GetTextLineHeight();
    const float labels = ImGui::CalcTextSize("500 ms ").x;
    const float clocks =
        panel.clocks.entries().empty() ? 0 : static_cast<float>(kShares.size()) * (line + 2);
    Plot plot{{from.x + labels, from.y + line / 2},
              {from.x + room.x, from.y + room.y - line - clocks},
              {}};
    if (plot.to.x - plot.from.x < labels || plot.to.y - plot.from.y < 2 * line) return;
    if (!fit(plot, panel)) return;
    if (clocks > 0) draw_clocks(panel, plot, plot.to.y + line);
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    draw_axes(draw, plot);
    for (const auto& [index, band] : panel.curves)
        if (index != panel.pointed) draw_curve(draw, plot, band, colour_of(index), false);
    for (const auto& [index, band] : panel.curves)  // last, on top of the others
        if (index == panel.pointed) draw_curve(draw, plot, band, colour_of(index), true);
    ImGui::InvisibleButton("curves", {room.x, room.y - clocks});
    if (ImGui::IsItemHovered()) point_at_curve(panel, view, plot);
}

void draw_stage_times(KernelsPanel& panel) {
    const StageTimes::Table table = panel.stage_times.table();
    if (ImGui::BeginTable("stages", 4, ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingStretchSame)) {
        for (const char* name : {"stage", "median", "p95", "frames"}) ImGui::TableSetupColumn(name);
        ImGui::TableHeadersRow();
        for (std::size_t k = 0; k < table.size(); ++k) {
            ImGui::TableNextRow();
            for (const std::string& text : {std::string(kStageNames[k]), median_text(table[k]),
                                            p95_text(table[k]), std::to_string(table[k].count())}) {
                ImGui::TableNextColumn();
                ImGui::TextUnformatted(text.c_str());
            }
        }
        ImGui::EndTable();
    }
    draw_gpu(panel.gpu_watch);
}

}  // namespace weft
