#include <algorithm>
#include <imgui.h>
#include <imgui_stdlib.h>
#include <utility>

#include <fmt/format.h>

#include "app/gui/panels/stack_panel.h"
#include "app/gui/widgets/icons.h"
#include "app/gui/widgets/small_widgets.h"
#include "app/media/libav/error.h"

namespace weft {
namespace {

constexpr const char* kPopup = "presets";
constexpr float kWidth = 32;     // in font heights
constexpr float kRowsBelow = 7;  // controls below the list, and problems

// Runs work that may fail, and keeps the error's sentence.
template <class Work>
bool try_to(PresetMenuState& state, const Work& work) {
    state.problem.clear();
    try {
        work();
        return true;
    } catch (const FilterError& error) {
        state.problem = error.what();
    } catch (const Error& error) {
        state.problem = error.what();
    }
    return false;
}

// With pictures of the frame that is shown.
void refresh(const PresetMenu& menu) {
    menu.state.presets = menu.store.list();
    std::vector<Stack> stacks;
    for (const StoredPreset& preset : menu.state.presets)
        if (preset.problem.empty()) stacks.push_back(preset.stack);
    menu.pictures.previews.ask(menu.playing.shown, menu.playing.status.media, std::move(stacks));
}

void load(const PresetMenu& menu, const StoredPreset& preset) {
    PresetMenuState& state = menu.state;
    bool needs_region = false;
    const bool loaded = try_to(state, [&] {
        const Preset found = menu.store.load(preset.path.string());
        menu.editor.replace(found.stack);
        needs_region = found.needs_region;
    });
    if (!loaded) return;
    if (needs_region) {
        menu.unfold = menu.editor.steps().back().id;
        menu.regions.set_drawing(menu.unfold, true);
    }
    state.name = preset.own ? preset.name : "";
    state.description = preset.own ? preset.description : "";
    ImGui::CloseCurrentPopup();
}

void draw_own_menu(const PresetMenu& menu, const StoredPreset& preset) {
    if (!ImGui::BeginPopupContextItem("own")) return;
    PresetMenuState& state = menu.state;
    state.own_menu = true;
    if (ImGui::MenuItem("Rename…")) {
        state.renamed = preset.name;
        state.new_name = preset.name;
    }
    if (ImGui::MenuItem("Delete") && try_to(state, [&] { menu.store.remove(preset.name); }))
        refresh(menu);
    ImGui::EndPopup();
}

// Closes the innermost of a preset's menu, the field for its new name, and the list. ImGui closes
// menus before they are drawn.
void follow_escape(PresetMenuState& state) {
    const bool closed_menu = std::exchange(state.own_menu, false);
    if (!escape_pressed() || closed_menu) return;
    if (state.renamed.empty()) ImGui::CloseCurrentPopup();
    state.renamed.clear();
}

void draw_new_name(const PresetMenu& menu) {
    PresetMenuState& state = menu.state;
    ImGui::SetNextItemWidth(-1);
    if (!ImGui::InputText("##new name", &state.new_name,
                          ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll))
        return;
    if (!try_to(state, [&] { menu.store.rename(state.renamed, state.new_name); })) return;
    state.renamed.clear();
    refresh(menu);
}

std::string help_of(const StoredPreset& preset) {
    return preset.problem.empty()
               ? fmt::format("{}\n\n{}{}", print_stack(preset.stack, Names::typed),
                             preset.path.string(),
                             preset.own ? "\nRight-click to rename or delete" : "")
               : preset.problem;
}

// True if it was chosen.
bool draw_row(const PresetMenu& menu, const StoredPreset& preset) {
    const bool usable = preset.problem.empty();
    const bool chosen = draw_stack_row({.name = preset.name,
                                        .line = usable ? preset.description : "cannot be used",
                                        .stack = preset.stack,
                                        .usable = usable},
                                       menu.playing.shown ? &menu.pictures : nullptr);
    tooltip(help_of(preset));
    if (preset.own) draw_own_menu(menu, preset);
    return chosen && usable;
}

void draw_list(const PresetMenu& menu) {
    const float row = stack_row_height() + ImGui::GetStyle().ItemSpacing.y;
    const float room = ImGui::GetIO().DisplaySize.y - ImGui::GetCursorScreenPos().y -
                       kRowsBelow * ImGui::GetFrameHeightWithSpacing();
    const float height = row * std::max(static_cast<float>(menu.state.presets.size()), 1.0F);
    ImGui::BeginChild("list",
                      {ImGui::GetFontSize() * kWidth, std::min(height, std::max(room, row))});
    const std::vector<StoredPreset> presets = menu.state.presets;  // a row may change them
    for (const StoredPreset& preset : presets) {
        ImGui::PushID(preset.name.c_str());
        if (preset.name == menu.state.renamed)
            draw_new_name(menu);
        else if (draw_row(menu, preset))
            load(menu, preset);
        ImGui::PopID();
    }
    ImGui::EndChild();
}

void draw_save(const PresetMenu& menu) {
    PresetMenuState& state = menu.state;
    const Stack stack = menu.editor.active();
    const bool replaces = !state.name.empty() && menu.store.has_own(state.name);
    const char* const label = replaces ? "Replace" : "Save";
    const float button = ImGui::CalcTextSize("Replace").x + 2 * ImGui::GetStyle().FramePadding.x;
    ImGui::SetNextItemWidth(ImGui::GetFontSize() * kWidth - button -
                            ImGui::GetStyle().ItemSpacing.x);
    if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
    note_glyphs(state.name + state.description);
    bool save = ImGui::InputTextWithHint("##name", "Preset name", &state.name,
                                         ImGuiInputTextFlags_EnterReturnsTrue);
    ImGui::SameLine();
    ImGui::BeginDisabled(state.name.empty() || stack.empty());
    save = ImGui::Button(label, {button, 0}) || save;
    ImGui::EndDisabled();
    tooltip(stack.empty() ? "The stack has no steps to save." : "Disabled steps are not saved.");
    ImGui::SetNextItemWidth(ImGui::GetFontSize() * kWidth);
    ImGui::InputTextWithHint("##description", "Description (one line)", &state.description);
    if (save && !state.name.empty() &&
        try_to(state, [&] { menu.store.save(state.name, state.description, stack); })) {
        state.saved = state.name;
        refresh(menu);
    }
    if (!state.saved.empty()) dim_text(fmt::format("Saved as {}", state.saved));
}

}  // namespace

void draw_preset_menu(const PresetMenu& menu) {
    PresetMenuState& state = menu.state;
    if (list_button("Presets") || state.open) {
        state.open = false;
        state.problem.clear();
        state.renamed.clear();
        state.saved.clear();
        menu.pictures.textures.clear();
        refresh(menu);
        ImGui::OpenPopup(kPopup);
    }
    tooltip("Load and save stacks, also for weft batch --preset");
    place_popup_below(ImGui::GetFontSize() * kWidth);
    if (!ImGui::BeginPopup(kPopup)) return;
    follow_escape(state);
    draw_list(menu);
    ImGui::Separator();
    draw_save(menu);
    draw_problem(state.problem);
    ImGui::EndPopup();
}

}  // namespace weft
