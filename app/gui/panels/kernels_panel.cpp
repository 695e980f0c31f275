#include "app/gui/panels/kernels_panel.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <fmt/format.h>

#include "app/gui/panels/gui.h"
#include "app/gui/panels/panels.h"
#include "app/gui/widgets/small_widgets.h"
#include "app/pipeline/version.h"
#include "app/viewer/race/race_rows.h"
#include "app/viewer/shell/folder_listing.h"

namespace weft {
namespace {

constexpr float kLowPanel = 9;        // in font heights: room for the table alone
constexpr float kPlotsShare = 0.34F;  // fraction of the panel's width

// Less in narrow windows, where it is in one row with the buttons.
float combo_width(float font_heights) {
    constexpr float kShare = 0.019F;  // per font height, relative to the panel's width
    return font_heights * std::min(ImGui::GetFontSize(), ImGui::GetWindowWidth() * kShare);
}

std::vector<StepNote> active_steps(const Gui& gui) {
    const WorkerStatus status = gui.worker.status();
    return gui.edited < status.stacks.size() ? status.stacks[gui.edited] : std::vector<StepNote>();
}

std::string step_label(const std::vector<StepNote>& steps, std::size_t step) {
    return step < steps.size() ? fmt::format("{}. {}", step + 1, steps[step].filter) : "no filter";
}

void draw_step_choice(KernelsPanel& panel, const std::vector<StepNote>& steps) {
    ImGui::SetNextItemWidth(combo_width(9));
    const std::string shown = step_label(steps, panel.settings.step);
    if (!ImGui::BeginCombo("##step", shown.c_str())) return;
    for (std::size_t k = 0; k < steps.size(); ++k)
        if (ImGui::Selectable(step_label(steps, k).c_str(), k == panel.settings.step))
            panel.settings.step = k;
    ImGui::EndCombo();
}

void draw_baseline_choice(KernelsPanel& panel, const StepResult& step) {
    ImGui::SetNextItemWidth(combo_width(11));
    const std::string& baseline = panel.settings.baseline;
    const std::string shown = "vs. " + (baseline.empty() ? step.reference : baseline);
    if (ImGui::BeginCombo("##baseline", shown.c_str())) {
        if (ImGui::Selectable("reference", baseline.empty())) panel.settings.baseline.clear();
        for (const KernelResult& kernel : step.kernels)
            if (kernel.why_not.empty() &&
                ImGui::Selectable(kernel.kernel.c_str(), kernel.kernel == baseline))
                panel.settings.baseline = kernel.kernel;
        ImGui::EndCombo();
    }
    tooltip("Baseline of the speed-ups");
}

void draw_caches_choice(KernelsPanel& panel) {
    CacheState& caches = panel.settings.caches;
    if (ImGui::RadioButton("warm", caches == CacheState::warm)) caches = CacheState::warm;
    tooltip("Each measured launch follows an unmeasured one of the same kernel");
    ImGui::SameLine();
    if (ImGui::RadioButton("cold", caches == CacheState::cold)) caches = CacheState::cold;
    tooltip("Caches are overwritten before each measured launch");
}

// On a thread, because writing waits for the disk.
void start_export(Gui& gui, const RaceSnapshot& race, Overwrite overwrite) {
    const auto media = gui.status.media;
    RaceOrigin origin{kVersion, media ? media->path : "", print_stack(gui.stack().active())};
    gui.panels.kernels.exporting =
        std::jthread([&gui, race, origin, overwrite, path = gui.panels.kernels.export_path] {
            try {
                write_race(path, race, origin, overwrite);
                gui.note("Saved " + valid_utf8(std::filesystem::absolute(path).string()));
            } catch (const std::exception& error) {
                gui.error(error.what());
            }
            Window::wake();
        });
}

void draw_race_export(Gui& gui, const RaceSnapshot& race) {
    if (ImGui::Button("Export…")) ImGui::OpenPopup("export race");
    if (!ImGui::BeginPopup("export race")) return;
    ImGui::TextUnformatted("Save the table: CSV if the name ends in .csv, otherwise JSON");
    ImGui::SetNextItemWidth(ImGui::GetFontSize() * 24);
    KernelsPanel& panel = gui.panels.kernels;
    if (ImGui::IsWindowAppearing()) {
        ImGui::SetKeyboardFocusHere();
        panel.taken_path.clear();
    }
    const bool entered =
        ImGui::InputText("##path", &panel.export_path, ImGuiInputTextFlags_EnterReturnsTrue);
    ImGui::SameLine();
    const bool asked = !panel.taken_path.empty() && panel.taken_path == panel.export_path;
    const bool pressed = ImGui::Button(asked ? "Replace" : "Save");
    if (asked) dim_text("This file exists.");
    if (pressed || (entered && !asked)) {
        std::error_code error;
        const bool taken = !asked && std::filesystem::exists(panel.export_path, error);
        panel.taken_path = taken ? panel.export_path : "";
        if (!taken) {
            start_export(gui, race, asked ? Overwrite::replace : Overwrite::refuse);
            ImGui::CloseCurrentPopup();
        }
    }
    // Otherwise the first Escape would only leave the field.
    if (escape_pressed()) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
}

std::string progress_text(const RaceSnapshot& race) {
    std::int64_t least = -1;
    for (const KernelResult& kernel : race.step.kernels)
        if (kernel.why_not.empty() && takes_part(race.settings, race.step, kernel))
            least = least < 0 ? kernel.seconds.count() : std::min(least, kernel.seconds.count());
    return fmt::format("{} frame{}, at least {} samples per kernel{}", race.frames,
                       race.frames == 1 ? "" : "s", std::max<std::int64_t>(least, 0),
                       race.complete ? "; complete" : "");
}

void draw_controls(Gui& gui, const RaceSnapshot& race) {
    KernelsPanel& panel = gui.panels.kernels;
    ImGui::Checkbox("Race", &panel.racing);
    tooltip("Runs the step's kernels on each shown frame, in addition to the planned ones");
    ImGui::SameLine();
    draw_step_choice(panel, active_steps(gui));
    ImGui::SameLine();
    draw_baseline_choice(panel, race.step);
    ImGui::SameLine();
    draw_caches_choice(panel);
    ImGui::SameLine();
    if (ImGui::Button("Restart")) ++panel.settings.start;
    tooltip("Discards all samples");
    ImGui::SameLine();
    draw_race_export(gui, race);
    ImGui::SameLine();
    dim_line(progress_text(race));
}

// How the numbers are measured, and the computation.
void draw_legend(const RaceSnapshot& race) {
    const char* clock =
        race.device.is_gpu() ? "Timed with GPU events" : "Timed with the steady clock";
    dim_line(fmt::format(
        "{}: the kernel alone, all planes, the newest {} samples without first launches. "
        "Limit: a plain copy of the same bytes.",
        clock, RaceRounds::kWindow));
}

void draw_plots(Gui& gui, const RaceView& view) {
    KernelsPanel& panel = gui.panels.kernels;
    if (!ImGui::BeginTabBar("plots")) return;
    if (ImGui::BeginTabItem("Over time")) {
        draw_race_curves(panel, view);
        ImGui::EndTabItem();
    }
    if (ImGui::BeginTabItem("Roofline")) {
        draw_race_roofline(panel, view);
        ImGui::EndTabItem();
    }
    if (ImGui::BeginTabItem("Stages and GPU")) {
        draw_stage_times(gui);
        ImGui::EndTabItem();
    }
    ImGui::EndTabBar();
}

// Why no table is shown; empty if one is.
std::string why_no_race(Gui& gui, const RaceSnapshot& race) {
    if (!gui.panels.kernels.racing) return "The race is off.";
    if (gui.stack().active().empty()) return "Add a filter to race its kernels.";
    if (!race.trouble.empty()) return race.trouble;
    if (!race.step.kernels.empty()) return "";
    return race.wants_frame ? "Waiting for a frame…" : race.step.work;
}

}  // namespace

void hand_on_race(Gui& gui) {
    KernelsPanel& panel = gui.panels.kernels;
    RaceSettings& wanted = panel.settings;
    wanted.enabled = panel.racing && gui.panels.bottom_open && !gui.view.fullscreen;
    wanted.stack = gui.edited;
    const std::size_t steps = gui.stack().active().size();
    wanted.step = std::min(wanted.step, std::max<std::size_t>(steps, 1) - 1);
    gui.race.set(wanted);
    const std::shared_ptr<const RaceSnapshot> race = gui.race.snapshot();
    if (!race->wants_frame) panel.asked.reset();
    if (!race->wants_frame || !(race->settings == wanted) || panel.asked == wanted) return;
    const PlayerStatus& status = gui.status;
    if (!(status.paused || status.ended) || !gui.shown ||
        gui.player.serial() != gui.shown->played.serial)
        return;
    gui.player.refilter(gui.shown->played);
    panel.asked = wanted;
}

void draw_kernels(Gui& gui) {
    const std::shared_ptr<const RaceSnapshot> race = gui.race.snapshot();
    draw_controls(gui, *race);
    const bool low = ImGui::GetWindowHeight() <= kLowPanel * ImGui::GetFontSize();
    if (!low) draw_legend(*race);
    draw_problem(gui.worker.status().error);
    const std::vector<RaceRow> rows = race_rows(*race, gui.panels.kernels.order);
    const RaceView view{*race, rows};
    const float width = ImGui::GetContentRegionAvail().x;
    const float table = low ? width : std::round(width * (1 - kPlotsShare));
    if (ImGui::BeginChild("table", {table, 0}, false, ImGuiWindowFlags_NavFlattened)) {
        const std::string reason = why_no_race(gui, *race);
        if (reason.empty())
            draw_kernels_table(gui, view);
        else
            ImGui::TextWrapped("%s", reason.c_str());
    }
    ImGui::EndChild();
    if (low) return;
    ImGui::SameLine();
    if (ImGui::BeginChild("plots")) draw_plots(gui, view);
    ImGui::EndChild();
}

}  // namespace weft
