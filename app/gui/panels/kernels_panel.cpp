#include "app/gui/panels/kernels_panel.h"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <filesystem>
#include <imgui.h>
#include <imgui_stdlib.h>
#include <utility>

#include <fmt/format.h>

#include "app/gui/widgets/icons.h"
#include "app/gui/widgets/small_widgets.h"
#include "app/pipeline/folders.h"
#include "app/pipeline/version.h"
#include "app/viewer/race/race_rows.h"
#include "app/viewer/shell/folder_listing.h"

namespace weft {
namespace {

constexpr float kLowPanel = 9;        // in font heights: room for the table alone
constexpr float kPlotsShare = 0.34F;  // fraction of the panel's width

std::vector<StepNote> active_steps(const WorkerStatus& worker, std::size_t stack) {
    return stack < worker.stacks.size() ? worker.stacks[stack] : std::vector<StepNote>();
}

std::string step_label(const std::vector<StepNote>& steps, std::size_t step) {
    return step < steps.size() ? fmt::format("{}. {}", step + 1, steps[step].filter) : "no filter";
}

void draw_step_choice(KernelsPanel& panel, const std::vector<StepNote>& steps, float width) {
    ImGui::SetNextItemWidth(width);
    const std::string shown = step_label(steps, panel.settings.step);
    if (!ImGui::BeginCombo("##step", shown.c_str())) return;
    for (std::size_t k = 0; k < steps.size(); ++k)
        if (ImGui::Selectable(step_label(steps, k).c_str(), k == panel.settings.step))
            panel.settings.step = k;
    ImGui::EndCombo();
}

void draw_baseline_choice(KernelsPanel& panel, const StepResult& step, float width) {
    ImGui::SetNextItemWidth(width);
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
    tooltip("Before each measured launch, the same kernel runs once unmeasured");
    ImGui::SameLine();
    if (ImGui::RadioButton("cold", caches == CacheState::cold)) caches = CacheState::cold;
    tooltip("Caches are overwritten before each measured launch");
}

RaceOrigin origin_of(const StackEditor& stack, const std::string& input) {
    return {kVersion, input, print_stack(stack.active(), Names::typed)};
}

std::string input_of(const Playing& playing) {
    return playing.status.media ? playing.status.media->path : "";
}

// The panel, and the race that it shows.
struct Shown {
    KernelsPanel& panel;
    const RaceSnapshot& race;
    StackEditor& stack;
    std::vector<StepNote> steps;
    std::string input;
};

void draw_race_export(const Shown& shown) {
    KernelsPanel& panel = shown.panel;
    const std::optional<Overwrite> how =
        draw_save_sheet(panel.table_sheet, "Export…",
                        "Save the table: CSV if the name ends in .csv, otherwise JSON");
    if (!how) return;
    const RaceOrigin origin = origin_of(shown.stack, shown.input);
    const std::string& path = panel.table_sheet.path;
    save_in_background(panel, path, [race = shown.race, origin, path, how] {
        write_race(path, race, origin, *how);
    });
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

// In one row, where narrow windows have less for the lists, or in three.
void draw_controls(const Shown& shown, bool one_row) {
    constexpr float kStep = 9, kBaseline = 11;  // in font heights
    constexpr float kShare = 0.019F;            // of the panel's width per font height
    const float font = ImGui::GetFontSize();
    const float unit = one_row ? std::min(font, ImGui::GetWindowWidth() * kShare) : font;
    KernelsPanel& panel = shown.panel;
    ImGui::Checkbox("Race", &panel.racing);
    tooltip("Runs the step's kernels on each displayed frame, in addition to the planned ones");
    ImGui::SameLine();
    draw_step_choice(panel, shown.steps, kStep * unit);
    if (one_row) ImGui::SameLine();
    draw_baseline_choice(panel, shown.race.step, kBaseline * unit);
    ImGui::SameLine();
    draw_caches_choice(panel);
    if (one_row) ImGui::SameLine();
    if (ImGui::Button("Restart")) ++panel.settings.start;
    tooltip("Discards all samples");
    ImGui::SameLine();
    draw_race_export(shown);
    if (one_row) ImGui::SameLine();
    draw_record_choice(panel);
}

// The meaning of the marks, the progress, and how the numbers are measured. Empty without numbers.
std::string head_text(const RaceView& view) {
    if (view.race.step.kernels.empty()) return "";
    const char* clock =
        view.race.device.is_gpu() ? "Timed with GPU events" : "Timed with the steady clock";
    return fmt::format(
        "{}{}. {}: the kernel only, all planes, the newest {} samples without first launches.",
        view.recorded_as.empty() ? "" : fmt::format("Hollow marks: {}. ", view.recorded_as),
        progress_text(view.race), clock, RaceRounds::kWindow);
}

// Above the table of a high panel.
void draw_head(const Shown& shown, const RaceView& view) {
    draw_controls(shown, true);
    ImGui::SameLine();
    dim_line(head_text(view));
}

// Next to the table of a low panel, whose height is for kernels; opens upwards.
void draw_folded_head(const Shown& shown, const RaceView& view) {
    constexpr float kWidth = 26;  // in font heights
    const float width = kWidth * ImGui::GetFontSize();
    if (bare_icon_button("##controls", Icon::menu,
                         "The step, the baseline, the caches, saving the table"))
        ImGui::OpenPopup("race");
    ImGui::SetNextWindowSize({width, 0});
    ImGui::SetNextWindowPos(ImGui::GetItemRectMin(), ImGuiCond_Appearing, {0, 1});
    if (ImGui::BeginPopup("race")) {
        draw_controls(shown, false);
        ImGui::PushTextWrapPos(0);
        dim_text(head_text(view));
        ImGui::PopTextWrapPos();
        ImGui::EndPopup();
    }
    ImGui::SameLine();
}

// A plot next to the table.
struct PlotTab {
    const char* name;
    void (*draw)(const Shown&, const RaceView&, const Playing&);
};
constexpr std::array kPlots{
    PlotTab{"Why", [](const Shown& shown, const RaceView& view,
                      const Playing&) { draw_race_why(shown.panel, view); }},
    PlotTab{"Roofline", [](const Shown& shown, const RaceView& view,
                           const Playing&) { draw_race_roofline(shown.panel, view); }},
    PlotTab{"Sweep",
            [](const Shown& shown, const RaceView&, const Playing& playing) {
                draw_race_sweep(shown.panel, shown.stack, playing);
            }},
    PlotTab{"Over time", [](const Shown& shown, const RaceView& view,
                            const Playing&) { draw_race_curves(shown.panel, view); }},
    PlotTab{"Stages and GPU", [](const Shown& shown, const RaceView&, const Playing&) {
                draw_stage_times(shown.panel);
            }}};

bool tabs_fit() {
    const ImGuiStyle& style = ImGui::GetStyle();
    float width = 0;
    for (const PlotTab& plot : kPlots)
        width += ImGui::CalcTextSize(plot.name).x + 2 * style.FramePadding.x + 1 +
                 style.ItemInnerSpacing.x;
    return width <= ImGui::GetContentRegionAvail().x;
}

// A list in a narrow panel, where the tabs' names would be cut.
void draw_plots(const Shown& shown, const RaceView& view, const Playing& playing) {
    std::size_t& chosen = shown.panel.plot;
    if (!tabs_fit()) {
        ImGui::SetNextItemWidth(-FLT_MIN);
        if (begin_list("##plots", kPlots[chosen].name)) {
            for (std::size_t k = 0; k < kPlots.size(); ++k)
                if (ImGui::Selectable(kPlots[k].name, k == chosen)) chosen = k;
            ImGui::EndCombo();
        }
        return kPlots[chosen].draw(shown, view, playing);
    }
    if (!ImGui::BeginTabBar("plots")) return;
    for (std::size_t k = 0; k < kPlots.size(); ++k) {
        if (!ImGui::BeginTabItem(kPlots[k].name)) continue;
        chosen = k;
        kPlots[k].draw(shown, view, playing);
        ImGui::EndTabItem();
    }
    ImGui::EndTabBar();
}

// A race that has ended is not watched, because each reading redraws the window.
void note_clocks(KernelsPanel& panel, const RaceSnapshot& race) {
    if (!panel.racing || race.complete || race.step.kernels.empty()) return;
    std::int64_t samples = 0;
    for (const KernelResult& kernel : race.step.kernels)
        samples = std::max(samples, kernel.seconds.count());
    const GpuWatch::View view = panel.gpu_watch.view();
    panel.clocks.note(view.reading, view.readings, samples);
}

// Why no table is shown; empty if one is.
std::string why_no_race(const Shown& shown) {
    const RaceSnapshot& race = shown.race;
    if (!shown.panel.racing) return "The race is off.";
    if (shown.stack.active().empty()) return "Add a filter to race its kernels.";
    if (!race.trouble.empty()) return race.trouble;
    if (!race.step.kernels.empty()) return "";
    if (race.wants_frame) return "Waiting for a frame…";
    return race.step.work.empty() ? "Preparing the kernels…" : race.step.work;
}

}  // namespace

std::optional<Overwrite> draw_save_sheet(SaveSheet& sheet, const char* button,
                                         const char* explanation) {
    std::optional<Overwrite> how;
    if (ImGui::Button(button)) ImGui::OpenPopup(explanation);
    if (!ImGui::BeginPopup(explanation)) return how;
    ImGui::TextUnformatted(explanation);
    ImGui::SetNextItemWidth(ImGui::GetFontSize() * 24);
    if (ImGui::IsWindowAppearing()) {
        ImGui::SetKeyboardFocusHere();
        sheet.taken.clear();
    }
    const bool entered =
        ImGui::InputText("##path", &sheet.path, ImGuiInputTextFlags_EnterReturnsTrue);
    ImGui::SameLine();
    const bool asked = !sheet.taken.empty() && sheet.taken == sheet.path;
    const bool pressed = ImGui::Button(asked ? "Replace" : "Save");
    if (asked) dim_text("This file exists.");
    if (pressed || (entered && !asked)) {
        std::error_code error;
        const bool taken = !asked && std::filesystem::exists(sheet.path, error);
        sheet.taken = taken ? sheet.path : "";
        if (!taken) {
            how = asked ? Overwrite::replace : Overwrite::refuse;
            ImGui::CloseCurrentPopup();
        }
    }
    // Otherwise the first Escape would only leave the field.
    if (escape_pressed()) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
    return how;
}

void save_in_background(KernelsPanel& panel, const std::string& path, std::function<void()> write) {
    panel.exporting = std::jthread([&toasts = panel.toasts, path, write = std::move(write)] {
        try {
            write();
            toasts.note("Saved " + valid_utf8(absolute_path(path).string()));
        } catch (const std::exception& error) {
            toasts.error(error.what());
        }
        Window::wake();
    });
}

void update_race(KernelsPanel& panel, StackPair& stacks, Playing& playing, bool visible) {
    RaceSettings& wanted = panel.settings;
    wanted.enabled = panel.racing && visible;
    if (!wanted.enabled) wanted.map_of.clear();
    wanted.stack = stacks.edited;
    const std::size_t steps = stacks.current().active().size();
    wanted.step = std::min(wanted.step, std::max<std::size_t>(steps, 1) - 1);
    panel.race.set(wanted);
    std::optional<SweepRequest> sweep = std::exchange(panel.sweep_request, std::nullopt);
    panel.race.set_sweep(wanted.enabled ? std::move(sweep) : std::nullopt);
    const std::shared_ptr<const RaceSnapshot> race = panel.race.snapshot();
    if (std::exchange(panel.followed_revision, race->revision) != race->revision)
        panel.last_race.follow(*race, origin_of(stacks.current(), input_of(playing)));
    if (!race->wants_frame) panel.asked.reset();
    if (!race->wants_frame || !(race->settings == wanted) || panel.asked == wanted) return;
    const PlayerStatus& status = playing.status;
    if (!(status.paused || status.ended) || !playing.shown ||
        playing.player.serial() != playing.shown->played.serial)
        return;
    playing.player.refilter(playing.shown->played);
    panel.asked = wanted;
}

void draw_kernels(KernelsPanel& panel, StackPair& stacks, ViewState& view_state,
                  const Playing& playing, const WorkerStatus& worker) {
    const std::shared_ptr<const RaceSnapshot> race = panel.race.snapshot();
    const Shown shown{panel, *race, stacks.current(), active_steps(worker, stacks.edited),
                      input_of(playing)};
    const std::shared_ptr<const RaceRecord> opened = panel.record;  // its button may close it
    const RaceRecord* record = opened ? opened.get() : panel.last_race.get();
    const RaceSnapshot* recorded = record == nullptr ? nullptr : &step_next_to(*race, *record);
    const std::vector<RaceRow> rows = race_rows(*race, panel.order, recorded);
    RaceView view{*race, rows};
    if (opened) {
        view.record = recorded;
        view.record_work = work_of(*recorded, record->origin);
        view.recorded_as = fmt::format("{}, {}", recorded->device.name, view.record_work);
    } else if (record != nullptr) {
        view.recorded_as = "the last race here, weft " + record->origin.program;
    }
    const bool low = ImGui::GetWindowHeight() <= kLowPanel * ImGui::GetFontSize();
    if (!low) draw_head(shown, view);
    draw_problem(worker.error);
    if (low) draw_folded_head(shown, view);
    note_clocks(panel, *race);
    const float width = ImGui::GetContentRegionAvail().x;
    const float table = low ? width : std::round(width * (1 - kPlotsShare));
    if (ImGui::BeginChild("table", {table, 0}, false, ImGuiWindowFlags_NavFlattened)) {
        const std::string reason = why_no_race(shown);
        if (!reason.empty()) wrapped_text(reason);
        if (reason.empty() || view.record != nullptr) draw_kernels_table(panel, shown.stack, view);
    }
    ImGui::EndChild();
    if (!panel.pinned.empty())
        stacks.pin_kernel(panel.settings.step, std::exchange(panel.pinned, {}), view_state);
    if (low) return;
    ImGui::SameLine();
    if (ImGui::BeginChild("plots")) draw_plots(shown, view, playing);
    ImGui::EndChild();
}

}  // namespace weft
