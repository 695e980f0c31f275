#include "app/gui/widgets/param_field.h"

#include <algorithm>
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

constexpr double kSliderRange = 1024;  // wider ranges are divided logarithmically
constexpr std::size_t kLongestUnit = 3;

struct PlanesChoice {
    const char* planes;
    const char* label;
};
constexpr std::array kPlanesChoices{PlanesChoice{"all", "All"},
                                    PlanesChoice{"luma", "Luma"},
                                    PlanesChoice{"yrgb", "Luma, or red, green and blue"},
                                    PlanesChoice{"y", "Y"},
                                    PlanesChoice{"u+v", "Chroma"},
                                    PlanesChoice{"yuv", "Y, U and V"},
                                    PlanesChoice{"r", "Red"},
                                    PlanesChoice{"g", "Green"},
                                    PlanesChoice{"b", "Blue"},
                                    PlanesChoice{"a", "Alpha"}};

// The field that is currently drawn.
struct Field {
    ParamFieldState& state;
    StackEditor& editor;
    StepId step;
    const Params& params;  // valid until the editor is changed
    const ParamDef& param;
};

bool is_number(const ParamDef& param) {
    return param.kind == ParamKind::number || param.kind == ParamKind::integer;
}

bool is_wide(const ParamDef& param) {
    return param.max - param.min > kSliderRange;
}

// "px", "°"; longer ones are in the tooltip only, where they are not cut off.
std::string short_unit(const ParamDef& param) {
    if (param.unit == "degrees") return "°";
    return param.unit.size() <= kLongestUnit ? std::string(param.unit) : "";
}

// "2.5 px", "auto".
std::string value_text(const ParamDef& param, double value) {
    if (param.automatic == value) return "auto";
    const std::string unit = short_unit(param);
    return fmt::format("{}{}{}", short_number(value, 4), unit.empty() || unit == "°" ? "" : " ",
                       unit);
}

// The number in such a text, as the filter takes it.
std::string typed_value(const ParamDef& param, std::string text) {
    if (param.automatic && text == "auto") return format_number(*param.automatic);
    const std::string unit = short_unit(param);
    if (!unit.empty() && text.ends_with(unit)) text.resize(text.size() - unit.size());
    while (text.ends_with(' ')) text.pop_back();
    return text;
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

template <class Value>  // a text or a number
void set(const Field& field, const Value& value) {
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
void follow_item(const Field& field, bool changed, double value) {
    if (ImGui::IsItemActivated()) field.editor.begin_edit();
    if (double_clicked())
        reset(field);
    else if (changed && !is_frozen(field))
        set(field, value);
    if (ImGui::IsItemDeactivated()) end_edit(field);
}

bool can_be_computed(const Field& field, int value) {
    if (value < field.param.min || value > field.param.max) return false;
    Step step{.filter = &field.params.filter(), .params = field.params};
    step.params.set(field.param.name, value);
    return step_problem(step).empty();
}

// The value at which a slider stops if the filter rejects some values, such as even sizes.
int nearest_usable(const Field& field, int value) {
    for (int near : {value, value + 1, value - 1})
        if (can_be_computed(field, near)) return near;
    return value;
}

void draw_boolean(const Field& field) {
    bool value = field.params.boolean(field.param.name);
    if (ImGui::Checkbox("##value", &value)) set(field, value ? "1" : "0");
}

void draw_choice(const Field& field) {
    const ParamDef& param = field.param;
    const std::string current(field.params.choice(param.name));
    const std::string_view shown = choice_label(param, current);
    const bool open = begin_list("##value", std::string(shown));
    if (!open) return tooltip(fmt::format("{}={}", param.name, current));
    std::string chosen;
    for (std::size_t k = 0; k < param.choices.size(); ++k) {
        const std::string_view label = param.choice_labels[k];
        if (std::ranges::find(param.choice_labels.first(k), label) !=
            param.choice_labels.first(k).end())
            continue;
        if (ImGui::Selectable(std::string(label).c_str(), label == shown))
            chosen = param.choices[k];
        tooltip(fmt::format("{}={}", param.name, param.choices[k]));
    }
    ImGui::EndCombo();
    if (!chosen.empty()) set(field, chosen);
}

bool is_typed(const Field& field) {
    return field.state.typed_step == field.step && field.state.typed_param == field.param.name;
}

// A double click would select the unit alone, and typing would then replace nothing but that.
int select_all_on_double_click(ImGuiInputTextCallbackData* data) {
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) data->SelectAll();
    return 0;
}

// Text is applied at every letter, file names when they are complete. Text that the filter rejects
// stays in the field while it is typed, with the reason below.
void draw_typed(const Field& field, const std::string& current) {
    ParamFieldState& state = field.state;
    std::string shown = is_typed(field) ? state.typed : current;
    const bool number = is_number(field.param);
    note_glyphs(shown);
    const bool changed = ImGui::InputText(
        "##value", &shown,
        ImGuiInputTextFlags_AutoSelectAll | (number ? ImGuiInputTextFlags_CallbackAlways : 0),
        number ? select_all_on_double_click : nullptr);
    if (ImGui::IsItemActivated()) {
        field.editor.begin_edit();
        state.typed_step = field.step;
        state.typed_param = field.param.name;
    }
    if (is_typed(field)) state.typed = shown;
    const bool complete = field.param.kind != ParamKind::file;
    if (complete ? changed : ImGui::IsItemDeactivatedAfterEdit())
        set(field, number ? typed_value(field.param, shown) : shown);
    if (ImGui::IsItemDeactivated() && is_typed(field)) {  // else another field is active already
        end_edit(field);
        state.typed_step = 0;
    }
}

void draw_text(const Field& field) {
    draw_typed(field, field.params.text(field.param.name));
}

// The slider's ends; the number next to it takes the rest of a wide range that has both signs.
struct SliderRange {
    double least = 0, most = 0;
    bool logarithmic = false;
};

SliderRange slider_range(const ParamDef& param) {
    constexpr double kWideEnough = 256;
    if (!is_wide(param)) return {param.min, param.max, param.logarithmic};
    if (param.min >= 0) return {param.min, param.max, true};
    return {std::max(param.min, -kWideEnough), std::min(param.max, kWideEnough), true};
}

// Values of a slider are short: 2.35, not 2.3478260869565215.
double rounded(const Field& field, double value) {
    const ParamDef& param = field.param;
    if (param.kind == ParamKind::integer) {
        const int whole = static_cast<int>(std::lround(value));
        return ImGui::IsMouseDown(ImGuiMouseButton_Left) ? nearest_usable(field, whole) : whole;
    }
    if (param.automatic && *param.automatic < 0 && value < 0) return *param.automatic;
    return std::clamp(std::stod(fmt::format("{:.3g}", value)), param.min, param.max);
}

// The number is next to the slider, where the handle does not cover it, and can be typed.
void draw_slider(const Field& field, double value) {
    const ParamDef& param = field.param;
    const SliderRange range = slider_range(param);
    const std::string text = value_text(param, value);
    const float number = number_width();
    const float gap = ImGui::GetStyle().ItemInnerSpacing.x;
    ImGui::SetNextItemWidth(std::max(ImGui::GetContentRegionAvail().x - number - gap, 1.0F));
    const ImGuiSliderFlags flags =
        ImGuiSliderFlags_NoInput | ImGuiSliderFlags_NoRoundToFormat |
        (range.logarithmic ? ImGuiSliderFlags_Logarithmic : ImGuiSliderFlags_None);
    // Logarithms begin at the last digit of the format, whose text is next to the slider instead.
    const char* const format = param.kind == ParamKind::integer ? "%.0f" : "%.1f";
    ImGui::PushStyleColor(ImGuiCol_Text, 0);
    const bool changed = ImGui::SliderScalar("##slider", ImGuiDataType_Double, &value, &range.least,
                                             &range.most, format, flags);
    ImGui::PopStyleColor();
    follow_item(field, changed, rounded(field, value));
    ImGui::SameLine(0, gap);
    ImGui::SetNextItemWidth(-FLT_MIN);
    draw_typed(field, text);
}

void draw_number(const Field& field) {
    const ParamDef& param = field.param;
    const double value = param.kind == ParamKind::integer ? field.params.integer(param.name)
                                                          : field.params.number(param.name);
    draw_slider(field, value);
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
    for (const auto& [planes, label] : kPlanesChoices) {
        if (ImGui::Selectable(label)) chosen = planes;
        tooltip(fmt::format("{}={}", field.param.name, planes));
    }
    ImGui::EndCombo();
    if (!chosen.empty()) set(field, chosen);
}

void draw_value(const Field& field) {
    switch (field.param.kind) {
        case ParamKind::number:
        case ParamKind::integer:
            return draw_number(field);
        case ParamKind::boolean:
            return draw_boolean(field);
        case ParamKind::choice:
            return draw_choice(field);
        case ParamKind::planes:
            return draw_planes(field);
        case ParamKind::matrix:
        case ParamKind::file:
        case ParamKind::text:
            return draw_text(field);
    }
}

// A choice per line, "reflect101: Mirror".
std::string accepted(const ParamDef& param) {
    if (param.kind != ParamKind::choice) return accepts_text(param);
    std::string lines;
    for (std::size_t k = 0; k < param.choices.size(); ++k)
        lines +=
            fmt::format("{}{}: {}", k == 0 ? "" : "\n", param.choices[k], param.choice_labels[k]);
    return lines;
}

std::string help_of(const ParamDef& param) {
    const std::string def = default_text(param);
    return fmt::format("{}: {}\n\n{}\nDouble-click to reset{}", param.name, param.help,
                       accepted(param), def.empty() ? "" : " to " + def);
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
        plain_text(label_text(param));
    else
        dim_text(label_text(param), TextSize::body);
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
