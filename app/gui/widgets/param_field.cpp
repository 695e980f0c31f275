#include "app/gui/widgets/param_field.h"

#include <array>
#include <cfloat>
#include <cmath>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <fmt/format.h>

#include "app/gui/widgets/small_widgets.h"
#include "filters/text/number_text.h"

namespace weft {
namespace {

constexpr double kSliderRange = 1024;  // wider ranges are dragged, not slid
constexpr std::array kUsualPlanes{"all", "luma", "yrgb", "y", "u+v", "yuv", "r", "g", "b", "a"};

// The field that is currently drawn.
struct Field {
    ParamFieldState& state;
    StackEditor& editor;
    StepId step;
    const Params& params;  // valid until the editor is changed
    const ParamDef& param;
};

bool is_wide(const ParamDef& param) {
    return param.max - param.min > kSliderRange;
}

std::string with_unit(std::string format, const ParamDef& param) {
    if (!param.unit.empty()) format += fmt::format(" {}", param.unit);
    return format;
}

bool is_frozen(const Field& field) {
    return field.state.frozen_step == field.step && field.state.frozen_param == field.param.name;
}

void freeze(const Field& field) {
    field.state.frozen_step = field.step;
    field.state.frozen_param = field.param.name;
}

// The sentence without the names of the filter and the parameter, which are shown next to it.
std::string sentence(const Field& field, const FilterError& error) {
    const std::string names = fmt::format("{}: {}: ", field.params.filter().name, field.param.name);
    const std::string what = error.what();
    return what.starts_with(names) ? what.substr(names.size()) : what;
}

void set(const Field& field, const std::string& value) {
    ParamFieldState& state = field.state;
    const std::optional<FilterError> error = field.editor.set(field.step, field.param.name, value);
    state.problem = error ? sentence(field, *error) : "";
    state.refused_step = field.step;
    state.refused_param = field.param.name;
}

void reset(const Field& field) {
    field.state.problem.clear();
    freeze(field);
    field.editor.reset(field.step, field.param.name);
}

// Ends the step of undo that began with the item. Escape, which makes ImGui release an item,
// reverts it.
void end_edit(const Field& field) {
    const bool taken_back = escape_pressed();
    if (taken_back)
        field.editor.cancel_edit();
    else
        field.editor.end_edit();
    if (taken_back) freeze(field);
}

// Handles edits of the last item: one step of undo from its activation on.
void follow_item(const Field& field, bool changed, const std::string& value) {
    if (ImGui::IsItemActivated()) field.editor.begin_edit();
    if (double_clicked())
        reset(field);
    else if (changed && !is_frozen(field))
        set(field, value);
    if (ImGui::IsItemDeactivated()) end_edit(field);
}

void draw_number(const Field& field) {
    const ParamDef& param = field.param;
    double value = field.params.number(param.name);
    const std::string format = with_unit("%.4g", param);
    const bool changed =
        is_wide(param)
            ? ImGui::DragScalar("##value", ImGuiDataType_Double, &value,
                                static_cast<float>(std::fmax(std::fabs(value), 1) * 0.01),
                                &param.min, &param.max, format.c_str())
            : ImGui::SliderScalar("##value", ImGuiDataType_Double, &value, &param.min, &param.max,
                                  format.c_str());
    follow_item(field, changed, format_number(value));
}

bool can_be_computed(const Field& field, int value) {
    if (value < field.param.min || value > field.param.max) return false;
    Step step{.filter = &field.params.filter(), .params = field.params};
    step.params.set(field.param.name, std::to_string(value));
    return step_problem(step).empty();
}

// The value at which a slider stops if the filter rejects some values, such as even sizes.
int nearest_usable(const Field& field, int value) {
    for (int near : {value, value + 1, value - 1})
        if (can_be_computed(field, near)) return near;
    return value;
}

void draw_integer(const Field& field) {
    const ParamDef& param = field.param;
    int value = field.params.integer(param.name);
    const auto min = static_cast<int>(param.min);
    const auto max = static_cast<int>(param.max);
    const std::string format = with_unit("%d", param);
    const bool changed = is_wide(param)
                             ? ImGui::DragInt("##value", &value, 0.3F, min, max, format.c_str())
                             : ImGui::SliderInt("##value", &value, min, max, format.c_str());
    const bool slides = changed && ImGui::IsMouseDown(ImGuiMouseButton_Left);
    follow_item(field, changed, std::to_string(slides ? nearest_usable(field, value) : value));
}

void draw_boolean(const Field& field) {
    bool value = field.params.boolean(field.param.name);
    if (ImGui::Checkbox("##value", &value)) set(field, value ? "1" : "0");
}

void draw_choice(const Field& field) {
    const std::string current(field.params.choice(field.param.name));
    if (!ImGui::BeginCombo("##value", current.c_str())) return;
    std::string chosen;
    for (std::string_view choice : field.param.choices)
        if (ImGui::Selectable(std::string(choice).c_str(), choice == current)) chosen = choice;
    ImGui::EndCombo();
    if (!chosen.empty()) set(field, chosen);
}

bool is_typed(const Field& field) {
    return field.state.typed_step == field.step && field.state.typed_param == field.param.name;
}

// Text is applied at every letter, file names when they are complete. Text that the filter rejects
// stays in the field while it is typed, with the reason below.
void draw_text(const Field& field) {
    ParamFieldState& state = field.state;
    std::string shown = is_typed(field) ? state.typed : field.params.text(field.param.name);
    const bool changed = ImGui::InputText("##value", &shown, ImGuiInputTextFlags_AutoSelectAll);
    if (ImGui::IsItemActivated()) {
        field.editor.begin_edit();
        state.typed_step = field.step;
        state.typed_param = field.param.name;
    }
    if (is_typed(field)) state.typed = shown;
    const bool complete = field.param.kind != ParamKind::file;
    if (complete ? changed : ImGui::IsItemDeactivatedAfterEdit()) set(field, shown);
    if (ImGui::IsItemDeactivated() && is_typed(field)) {  // else another field is active already
        end_edit(field);
        state.typed_step = 0;
    }
}

void draw_planes(const Field& field) {
    const float button = ImGui::GetFrameHeight();
    ImGui::SetNextItemWidth(-button);
    draw_text(field);
    ImGui::SameLine(0, 0);
    if (!ImGui::BeginCombo("##usual", "",
                           ImGuiComboFlags_NoPreview | ImGuiComboFlags_PopupAlignLeft))
        return;
    std::string chosen;
    for (const char* planes : kUsualPlanes)
        if (ImGui::Selectable(planes)) chosen = planes;
    ImGui::EndCombo();
    if (!chosen.empty()) set(field, chosen);
}

void draw_value(const Field& field) {
    switch (field.param.kind) {
        case ParamKind::number:
            return draw_number(field);
        case ParamKind::integer:
            return draw_integer(field);
        case ParamKind::boolean:
            return draw_boolean(field);
        case ParamKind::choice:
            return draw_choice(field);
        case ParamKind::planes:
            return draw_planes(field);
        case ParamKind::matrix:
        case ParamKind::file:
            return draw_text(field);
    }
}

std::string help_of(const ParamDef& param) {
    const std::string def = default_text(param);
    return fmt::format("{}\n\n{}{}\nDouble-click to reset{}", param.help, accepts_text(param),
                       def.empty() ? "" : " to " + def,
                       param.kind == ParamKind::number || param.kind == ParamKind::integer
                           ? "; Ctrl+click to type a number"
                           : "");
}

}  // namespace

void draw_param_field(ParamFieldState& state, StackEditor& editor, const EditedStep& step,
                      const ParamDef& param) {
    if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) state.frozen_step = 0;
    const Params params = step.step.params;  // edits replace the editor's object
    const Field field{state, editor, step.id, params, param};
    ImGui::PushID(param.name.data());
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();
    if (params.is_set(param.name))
        plain_text(param.name);
    else
        dim_text(param.name);
    if (double_clicked()) reset(field);
    tooltip(help_of(param));
    ImGui::TableNextColumn();
    ImGui::SetNextItemWidth(-FLT_MIN);
    draw_value(field);
    if (state.refused_step == field.step && state.refused_param == param.name)
        draw_problem(state.problem);
    ImGui::PopID();
}

}  // namespace weft
