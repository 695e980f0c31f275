#include "app/gui/panels/stack_panel.h"

#include <algorithm>
#include <imgui.h>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/gui/widgets/icons.h"
#include "app/gui/widgets/small_widgets.h"
#include "app/viewer/edit/command_text.h"
#include "filters/ffmpeg_text.h"

namespace weft {
namespace {

constexpr float kMenuWidth = 12;  // in font heights

struct Panel {
    StackPanelState& state;
    StackEditor& editor;
    std::optional<double> tracked;  // see StepCard
    const PresetStore& presets;
    CommandFiles files;                // for the copied command
    const FrameInfo* frame = nullptr;  // of the shown picture, or null
};

CommandFiles shown_files(const std::shared_ptr<const MediaInfo>& media) {
    return media ? CommandFiles{.input = media->path, .frame_rate = media->wanted_rate}
                 : CommandFiles{};
}

void copy(const Panel& panel, const std::string& text, std::string_view what) {
    ImGui::SetClipboardText(text.c_str());
    panel.state.note = fmt::format("Copied {} to the clipboard", what);
}

void draw_copy_ffmpeg(const Panel& panel, const Stack& stack) {
    const FfmpegText ffmpeg = ffmpeg_text(stack);
    if (ImGui::MenuItem("Copy as ffmpeg filter", nullptr, false, ffmpeg.exists()))
        copy(panel, ffmpeg_option(ffmpeg.chain), "the ffmpeg filter");
    tooltip(fmt::format("{}{}", ffmpeg.exists() ? "" : "ffmpeg 5.1 cannot do this.\n",
                        fmt::join(ffmpeg.remarks, "\n")));
}

void paste(const Panel& panel) {
    const char* const clipboard = ImGui::GetClipboardText();
    panel.state.problem.clear();
    try {
        panel.editor.replace(clipboard == nullptr ? "" : clipboard);
    } catch (const FilterError& error) {
        panel.state.problem = error.what();
    }
}

void draw_copy_menu(const Panel& panel) {
    if (list_button("More")) ImGui::OpenPopup("copy");
    tooltip(
        "Copy the stack as text, as a command or as an ffmpeg filter; paste it; remove all steps");
    place_popup_below(kMenuWidth * ImGui::GetFontSize());
    if (!ImGui::BeginPopup("copy")) return;
    const Stack stack = panel.editor.active();
    ImGui::BeginDisabled(stack.empty());
    if (ImGui::MenuItem("Copy as weft command"))
        copy(panel, weft_command(panel.editor.request(), panel.files), "the weft command");
    draw_copy_ffmpeg(panel, stack);
    if (ImGui::MenuItem("Copy as text")) copy(panel, print_stack(stack, Names::typed), "the stack");
    ImGui::EndDisabled();
    ImGui::Separator();
    if (ImGui::MenuItem("Paste stack")) paste(panel);
    tooltip("Replaces all steps with the stack on the clipboard, such as gaussian=sigma=2,sobel");
    if (ImGui::MenuItem("Remove all steps", nullptr, false, !panel.editor.steps().empty()))
        panel.editor.clear();
    ImGui::EndPopup();
}

void draw_undo(StackEditor& editor) {
    ImGui::BeginDisabled(!editor.can_undo());
    if (bare_icon_button("##undo", Icon::undo, "Undo (Ctrl+Z)")) editor.undo();
    ImGui::EndDisabled();
    ImGui::SameLine(0, 0);
    ImGui::BeginDisabled(!editor.can_redo());
    if (bare_icon_button("##redo", Icon::redo, "Redo (Ctrl+Shift+Z)")) editor.redo();
    ImGui::EndDisabled();
}

void add(const Panel& panel, const FilterDef& filter) {
    const StepId id = panel.editor.add(filter, kMaxSteps);
    panel.state.unfold = id;
    if (id != 0) panel.state.regions.choose(id);
    if (id != 0 && std::ranges::any_of(filter.params, [&](const ParamDef& param) {
            return MatrixEdit::edits(filter, param);
        }))
        panel.state.matrix.step = id;
    panel.state.problem = id == 0 ? fmt::format("A stack has at most {} steps.", kMaxSteps) : "";
}

void draw_toolbar(const Panel& panel, StackPictures& pictures, const Playing& playing) {
    panel.state.filter_menu.first = panel.editor.steps().empty();
    if (const FilterDef* filter = draw_filter_menu(panel.state.filter_menu, pictures, playing))
        add(panel, *filter);
    same_line_if_fits(width_of_list_button("Presets"));
    draw_preset_menu({panel.state.preset_menu, panel.editor, panel.presets, pictures, playing,
                      panel.state.regions, panel.state.unfold});
    same_line_if_fits(width_of_list_button("More"));
    draw_copy_menu(panel);
    same_line_if_fits(2 * ImGui::GetFrameHeight());
    draw_undo(panel.editor);
}

void draw_stack_choice(StackPair& stacks) {
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
        if (k > 0) ImGui::SameLine();
        if (ImGui::RadioButton(stacks.side_name(k + 1).c_str(), stacks.edited == k))
            stacks.edited = k;
    }
}

void draw_empty() {
    ImGui::Spacing();
    ImGui::PushTextWrapPos(0);
    dim_text(
        "No filters yet: the original is shown. Add a filter above, load a preset, or paste a "
        "stack such as gaussian=sigma=2,sobel.");
    ImGui::PopTextWrapPos();
}

std::vector<UnfoldedParam> params_with_values(const StackEditor& editor) {
    std::vector<UnfoldedParam> found;
    for (const EditedStep& edited : editor.steps())
        for (const ParamDef* param : all_params(*edited.step.filter))
            if (param->advanced && edited.step.params.is_set(param->name))
                found.push_back({edited.id, param->name});
    return found;
}

void draw_steps(const Panel& panel) {
    StackPanelState& state = panel.state;
    if (!ImGui::IsAnyItemActive()) state.unfolded = params_with_values(panel.editor);
    std::vector<StepId> ids;
    for (const EditedStep& step : panel.editor.steps()) ids.push_back(step.id);
    for (StepId id : ids)
        draw_step_card({state.fields, state.matrix, state.regions, state.region_name,
                        state.unfolded, panel.editor, state.raced, state.region_action,
                        panel.tracked, panel.frame, state.unfold == id},
                       id);
    state.unfold = 0;
}

}  // namespace

std::optional<std::size_t> draw_filters(FiltersPanel& panel, StackPair& stacks,
                                        const Playing& playing, Toasts& toasts) {
    if (stacks.two) draw_stack_choice(stacks);
    StackPanelState& state = panel.of_stack[stacks.edited];
    const bool tracks = panel.tracked_stack == stacks.edited;
    const Panel edited{state,
                       stacks.current(),
                       tracks ? panel.tracker.progress() : std::nullopt,
                       panel.presets,
                       shown_files(playing.status.media),
                       playing.shown ? &playing.shown->info : nullptr};
    draw_toolbar(edited, panel.pictures, playing);
    draw_problem(state.problem);
    if (edited.editor.steps().empty()) draw_empty();
    draw_steps(edited);
    if (!state.note.empty()) toasts.note(state.note);
    state.note.clear();
    const std::vector<StepId> active = edited.editor.active_ids();
    const auto raced = std::ranges::find(active, std::exchange(state.raced, 0));
    if (raced == active.end()) return std::nullopt;
    return raced - active.begin();
}

}  // namespace weft
