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
constexpr float kWidth = 32;  // in font heights
constexpr float kListRows = 14;
constexpr float kNameWidth = 9;

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

void refresh(PresetMenuState& state, const PresetStore& store) {
    state.presets = store.list();
}

void load(PresetMenuState& state, StackEditor& editor, const PresetStore& store,
          const StoredPreset& preset) {
    const bool loaded =
        try_to(state, [&] { editor.replace(store.load(preset.path.string()).stack); });
    if (!loaded) return;
    state.name = preset.own ? preset.name : "";
    state.description = preset.own ? preset.description : "";
    ImGui::CloseCurrentPopup();
}

void draw_own_menu(PresetMenuState& state, const PresetStore& store, const StoredPreset& preset) {
    if (!ImGui::BeginPopupContextItem("own")) return;
    state.own_menu = true;
    if (ImGui::MenuItem("Rename…")) {
        state.renamed = preset.name;
        state.new_name = preset.name;
    }
    if (ImGui::MenuItem("Delete") && try_to(state, [&] { store.remove(preset.name); }))
        refresh(state, store);
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

void draw_new_name(PresetMenuState& state, const PresetStore& store) {
    ImGui::SetNextItemWidth(-1);
    if (!ImGui::InputText("##new name", &state.new_name,
                          ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll))
        return;
    if (!try_to(state, [&] { store.rename(state.renamed, state.new_name); })) return;
    state.renamed.clear();
    refresh(state, store);
}

std::string help_of(const StoredPreset& preset) {
    return preset.problem.empty()
               ? fmt::format("{}\n\n{}{}", preset.stack, preset.path.string(),
                             preset.own ? "\nRight-click to rename or delete" : "")
               : preset.problem;
}

// True if it was chosen.
bool draw_row(PresetMenuState& state, const PresetStore& store, const StoredPreset& preset) {
    const bool usable = preset.problem.empty();
    const bool chosen = ImGui::Selectable(
        "##row", false, ImGuiSelectableFlags_DontClosePopups | ImGuiSelectableFlags_SpanAllColumns);
    tooltip(help_of(preset));
    if (preset.own) draw_own_menu(state, store, preset);
    ImGui::SameLine(0, 0);
    if (usable)
        plain_text(preset.name);
    else
        draw_problem(preset.name);
    ImGui::SameLine(ImGui::GetFontSize() * kNameWidth);
    dim_text(usable ? preset.description : "cannot be used");
    return chosen && usable;
}

void draw_list(PresetMenuState& state, StackEditor& editor, const PresetStore& store) {
    const float rows = std::min(kListRows, static_cast<float>(state.presets.size()) + 0.5F);
    ImGui::BeginChild(
        "list", {ImGui::GetFontSize() * kWidth, rows * ImGui::GetTextLineHeightWithSpacing()});
    const std::vector<StoredPreset> presets = state.presets;  // a row may change them
    for (const StoredPreset& preset : presets) {
        ImGui::PushID(preset.name.c_str());
        if (preset.name == state.renamed)
            draw_new_name(state, store);
        else if (draw_row(state, store, preset))
            load(state, editor, store, preset);
        ImGui::PopID();
    }
    ImGui::EndChild();
}

void draw_save(PresetMenuState& state, const StackEditor& editor, const PresetStore& store) {
    const Stack stack = editor.active();
    const bool replaces = !state.name.empty() && store.has_own(state.name);
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
        try_to(state, [&] { store.save(state.name, state.description, stack); })) {
        state.saved = state.name;
        refresh(state, store);
    }
    if (!state.saved.empty()) dim_text(fmt::format("Saved as {}", state.saved));
}

}  // namespace

void draw_preset_menu(PresetMenuState& state, StackEditor& editor, const PresetStore& store) {
    if (list_button("Presets") || state.open) {
        state.open = false;
        state.problem.clear();
        state.renamed.clear();
        state.saved.clear();
        refresh(state, store);
        ImGui::OpenPopup(kPopup);
    }
    tooltip("Load and save stacks, also for weft batch --preset");
    place_popup_below(ImGui::GetFontSize() * kWidth);
    if (!ImGui::BeginPopup(kPopup)) return;
    follow_escape(state);
    draw_list(state, editor, store);
    ImGui::Separator();
    draw_save(state, editor, store);
    draw_problem(state.problem);
    ImGui::EndPopup();
}

}  // namespace weft
