#include "app/gui/panels/matrix_editor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <imgui.h>

#include <fmt/format.h>

#include "app/gui/widgets/small_widgets.h"
#include "filters/convolve_params.h"
#include "filters/text/number_text.h"
#include "filters/text/text_error.h"

namespace weft {
namespace {

constexpr float kMostGridSide = 24;  // in font heights
constexpr float kFactorWidth = 3.5F;
constexpr std::array kSlotNames{"y / r", "u / g", "v / b", "alpha"};
constexpr std::array kSymmetryNames{"No symmetry", "Left = right", "Top = bottom",
                                    "Both ways",   "Half turn",    "Quarter turns"};

// The step's matrices while the editor is drawn; `changed` if they must be written back.
struct Session {
    MatrixEditorState& state;
    MatrixEdit edit;
    bool changed = false;

    const Matrix& matrix() const { return edit.matrix(state.slot); }
    void replace(Matrix matrix) {
        edit.set_matrix(state.slot, std::move(matrix));
        changed = true;
    }
};

void write(StackEditor& editor, StepId id, const MatrixEdit& edit) {
    for (const ParamText& text : edit.texts()) {
        const EditedStep* const step = editor.find(id);
        if (step == nullptr) return;
        const Params& params = step->step.params;
        const std::string now = params.is_set(text.name) ? params.text(text.name) : "";
        if (now != text.text) editor.set(id, text.name, text.text);
    }
}

void draw_tabs(Session& session) {
    if (!ImGui::BeginTabBar("slots")) return;
    for (std::size_t slot = 0; slot < MatrixEdit::kSlots; ++slot) {
        const std::string label = fmt::format("{}{}###{}", kSlotNames[slot],
                                              session.edit.has_own(slot) ? "" : " =", slot);
        const bool open = ImGui::BeginTabItem(label.c_str());
        if (!session.edit.has_own(slot)) tooltip("The same matrix as y / r");
        if (!open) continue;
        session.state.slot = slot;
        ImGui::EndTabItem();
    }
    ImGui::EndTabBar();
    const std::size_t slot = session.state.slot;
    if (slot == 0) return;
    bool own = session.edit.has_own(slot);
    if (ImGui::Checkbox("Separate matrix", &own)) {
        session.edit.set_own(slot, own);
        session.changed = true;
    }
    tooltip("If unchecked, this component uses the first matrix.");
}

void draw_size(Session& session) {
    const Matrix& matrix = session.matrix();
    int width = matrix.width;
    int height = matrix.height;
    const float field = 5.2F * ImGui::GetFontSize();
    ImGui::SetNextItemWidth(field);
    // Typed sizes apply after Enter: on the way to 15, a width of 1 would lose all columns.
    constexpr ImGuiInputTextFlags kWhenEntered = ImGuiInputTextFlags_EnterReturnsTrue;
    bool resized_now = ImGui::InputInt("×##width", &width, 2, 1, kWhenEntered);
    tooltip("Columns, 1 to 63; hold Ctrl to change by one");
    ImGui::SameLine();
    ImGui::SetNextItemWidth(field);
    resized_now = ImGui::InputInt("##height", &height, 2, 1, kWhenEntered) || resized_now;
    tooltip("Rows, 1 to 63; hold Ctrl to change by one");
    if (resized_now) session.replace(resized(matrix, width, height));
}

void draw_presets(Session& session) {
    ImGui::SetNextItemWidth(7.5F * ImGui::GetFontSize());
    if (!ImGui::BeginCombo("##preset", "Preset", ImGuiComboFlags_HeightLargest)) return;
    for (const MatrixPreset& preset : matrix_presets()) {
        const std::string name = preset.fixed.empty()
                                     ? std::string(preset.name)
                                     : fmt::format("{}  {}", preset.name, preset.fixed);
        if (ImGui::Selectable(name.c_str())) {
            session.edit.apply(session.state.slot, preset);
            session.changed = true;
        }
        tooltip(preset.help);
    }
    ImGui::EndCombo();
}

void draw_symmetry(Session& session) {
    MatrixEditorState& state = session.state;
    const auto chosen = static_cast<std::size_t>(state.symmetry);
    ImGui::SetNextItemWidth(8.5F * ImGui::GetFontSize());
    if (ImGui::BeginCombo("##symmetry", kSymmetryNames[chosen], ImGuiComboFlags_HeightLargest)) {
        for (std::size_t k = 0; k < kSymmetryNames.size(); ++k)
            if (ImGui::Selectable(kSymmetryNames[k], k == chosen))
                state.symmetry = static_cast<Symmetry>(k);
        ImGui::EndCombo();
    }
    tooltip("Cells that are edited together");
    ImGui::SameLine();
    ImGui::BeginDisabled(state.symmetry == Symmetry::none);
    if (ImGui::Button("Symmetrize")) session.replace(symmetrized(session.matrix(), state.symmetry));
    ImGui::EndDisabled();
    tooltip("Replaces each weight with the mean of the cells that are edited together");
}

struct Tool {
    const char* name;
    const char* help;
    Matrix (*apply)(const Matrix&);
};

Matrix negated_matrix(const Matrix& matrix) {
    return scaled(matrix, -1);
}

constexpr std::array<Tool, 6> kTools{{
    {"Transpose", "Swaps rows and columns", transposed},
    {"Rotate", "Rotates the matrix by 90 degrees clockwise", turned_clockwise},
    {"Flip ↔", "Mirrors the matrix horizontally", mirrored_left_right},
    {"Flip ↕", "Mirrors the matrix vertically", mirrored_top_bottom},
    {"Negate", "Changes the sign of all weights", negated_matrix},
    {"Sum to 1", "Divides by the sum or, if it is 0, by half the sum of the absolute weights",
     normalized},
}};

float width_of_button(const char* label) {
    return ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x;
}

void draw_tools(Session& session) {
    for (const Tool& tool : kTools) {
        if (&tool != kTools.data()) same_line_if_fits(width_of_button(tool.name));
        if (ImGui::Button(tool.name)) session.replace(tool.apply(session.matrix()));
        tooltip(tool.help);
    }
    const float factor = kFactorWidth * ImGui::GetFontSize();
    same_line_if_fits(width_of_button("Multiply") + 2 + factor);
    if (ImGui::Button("Multiply")) session.replace(scaled(session.matrix(), session.state.factor));
    tooltip("Multiplies all weights by the number to the right");
    ImGui::SameLine(0, 2);
    ImGui::SetNextItemWidth(factor);
    ImGui::InputDouble("##factor", &session.state.factor, 0, 0, "%.6g");
    tooltip("Factor for Multiply");
}

void draw_clipboard(Session& session) {
    if (ImGui::Button("Paste")) {
        const char* const clipboard = ImGui::GetClipboardText();
        session.state.problem.clear();
        try {
            session.edit.paste(session.state.slot, clipboard == nullptr ? "" : clipboard);
            session.changed = true;
        } catch (const TextError& error) {
            session.state.problem = fmt::format("Clipboard: {}", error.what());
        }
    }
    tooltip(
        "Pastes rows of numbers from a spreadsheet, numpy, C or -vf; up to four matrices, one per "
        "component");
    ImGui::SameLine();
    if (ImGui::Button("Copy")) ImGui::SetClipboardText(matrix_text(session.matrix()).c_str());
}

// The factor applied to the sums of this slot.
double total_scale(const Params& params, const MatrixFacts& facts, const MatrixEdit& edit,
                   std::size_t slot) {
    const double scale = params.number(kScaleNames[slot]);
    const bool divides = edit.normalizes() && std::fabs(facts.sum) > 1e-9 * facts.absolute_sum;
    return divides ? scale / facts.sum : scale;
}

const MatrixAnalysis& analysed(Session& session, const Params& params) {
    std::optional<MatrixAnalysis>& kept = session.state.analysis;
    const bool same = kept && kept->matrix == session.matrix();
    const MatrixFacts facts = same ? kept->facts : matrix_facts(session.matrix());
    const double scale = total_scale(params, facts, session.edit, session.state.slot);
    if (!same || kept->scale != scale)
        kept = MatrixAnalysis{session.matrix(), scale, facts,
                              response_plot(matrix_taps(session.matrix()), scale)};
    return *kept;
}

std::string rank_text(const MatrixFacts& facts) {
    if (facts.separable) return "rank 1: separable, computed in two passes";
    if (facts.rank == 1) return "rank 1 except for rounding: computed in one pass";
    return fmt::format("rank {} of {}", facts.rank, facts.singular_values.size());
}

void draw_facts(const MatrixAnalysis& analysis) {
    const MatrixFacts& facts = analysis.facts;
    ImGui::PushTextWrapPos(0);
    plain_text(fmt::format("Sum {:.6g}, absolute {:.6g}, scale {:.4g}", facts.sum,
                           facts.absolute_sum, analysis.scale));
    tooltip("Sum of the weights, sum of their absolute values, and the factor for the result");
    dim_text(rank_text(facts));
    std::string values = "Singular values:";
    for (double value : facts.singular_values) values += fmt::format(" {:.4g}", value);
    tooltip(values);
    dim_text(facts.exact_sums
                 ? "integer weights: bit-identical on every device"
                 : "rounded sums: devices may differ by one level, which later steps can amplify");
    ImGui::PopTextWrapPos();
}

bool has_chroma(const FrameInfo* frame) {
    return frame != nullptr && !frame->is_rgb() && frame->sample != SampleType::f32 &&
           std::ranges::any_of(frame->planes, [](const PlaneInfo& plane) {
               return std::ranges::find(plane.components, Component::u) != plane.components.end();
           });
}

void draw_grid(Session& session, StackEditor& editor, const MatrixFacts& facts) {
    MatrixGridState& grid = session.state.grid;
    const float side =
        std::min(ImGui::GetContentRegionAvail().x, kMostGridSide * ImGui::GetFontSize());
    const MatrixGridInput input = draw_matrix_grid(grid, session.matrix(), facts.largest, side);
    draw_problem(grid.problem);
    if (input.drag_begins) editor.begin_edit();
    if (input.value) {
        session.edit.set_symmetry(session.state.symmetry);
        session.edit.set_cell(session.state.slot, grid.selected, *input.value);
        session.changed = true;
    }
    if (input.drag_ends) {
        write(editor, session.state.step, session.edit);
        editor.end_edit();
    }
}

// The map, and next to it the profiles.
void draw_response(const MatrixAnalysis& analysis) {
    if (!ImGui::TreeNodeEx("Frequency response", ImGuiTreeNodeFlags_NoTreePushOnOpen)) return;
    const float gap = ImGui::GetStyle().ItemSpacing.x;
    const float half = std::floor(
        (std::min(ImGui::GetContentRegionAvail().x, kMostGridSide * ImGui::GetFontSize()) - gap) /
        2);
    ImGui::BeginGroup();
    draw_response_map(analysis.response, half);
    ImGui::EndGroup();
    ImGui::SameLine(0, gap);
    draw_response_profiles(analysis.response, half, half);
}

void draw_content(Session& session, StackEditor& editor, const Params& params) {
    draw_tabs(session);
    draw_size(session);
    draw_presets(session);
    ImGui::SameLine();
    draw_clipboard(session);
    draw_problem(session.state.problem);
    const MatrixAnalysis& analysis = analysed(session, params);
    draw_grid(session, editor, analysis.facts);
    draw_facts(analysis);
    draw_symmetry(session);
    draw_tools(session);
    draw_response(analysis);
}

// Writes one step of undo, or a part of the current drag.
void write_back(Session& session, StackEditor& editor, const FrameInfo* frame) {
    if (!session.changed) return;
    if (has_chroma(frame)) session.edit.keep_chroma_neutral();
    const bool dragging = ImGui::IsMouseDown(ImGuiMouseButton_Left) && ImGui::IsAnyItemActive();
    if (!dragging) editor.begin_edit();
    write(editor, session.state.step, session.edit);
    if (!dragging) editor.end_edit();
}

}  // namespace

void draw_matrix_editor(MatrixEditorState& state, StackEditor& editor, const FrameInfo* frame) {
    const EditedStep* const step = editor.find(state.step);
    if (step == nullptr) return;
    const Params params = step->step.params;
    ImGui::PushID("matrix");
    try {
        Session session{state, MatrixEdit(params)};
        draw_content(session, editor, params);
        write_back(session, editor, frame);
    } catch (const FilterError& error) {
        draw_problem(error.what());
    }
    ImGui::PopID();
}

namespace {

struct ChromaRow {
    Chroma choice;
    const char* label;
    const char* help;
};
constexpr std::array kChromaRows{
    ChromaRow{Chroma::luma_only, "Luma only", "Chroma becomes neutral: a gray picture"},
    ChromaRow{Chroma::offset, "Offset chroma",
              "The matrix filters chroma, too, and the middle of its range is added"},
    ChromaRow{
        Chroma::filtered, "As it is",
        "The matrix makes flat chroma 0, which is green: right for a picture that is computed "
        "with, wrong for one that is looked at"}};

// Whether all components take a first matrix whose sum is 0.
bool has_zero_sum(const Params& params) {
    try {
        return sums_to_zero(MatrixEdit(params).matrix(0));
    } catch (const FilterError&) {
        return false;  // its matrices are in a file
    }
}

}  // namespace

void draw_chroma_choice(StackEditor& editor, const EditedStep& step, const FrameInfo* frame) {
    const Params& params = step.step.params;
    if (!has_chroma(frame) || !has_zero_sum(params)) return;
    const Chroma now = chroma_of(params);
    if (now == Chroma::own) return;
    const StepId id = step.id;
    dim_text(now == Chroma::filtered ? "The sum is 0: flat chroma becomes green."
                                     : "The sum is 0. Chroma:");
    std::optional<Chroma> chosen;
    for (const ChromaRow& row : kChromaRows) {
        if (&row != kChromaRows.data())
            same_line_if_fits(ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x +
                              ImGui::CalcTextSize(row.label).x);
        if (ImGui::RadioButton(row.label, now == row.choice)) chosen = row.choice;
        tooltip(row.help);
    }
    if (!chosen) return;
    editor.begin_edit();
    for (const ParamText& text : chroma_texts(*chosen, 1 << (frame->depth_bits - 1)))
        editor.set(id, text.name, text.text);
    editor.end_edit();
}

}  // namespace weft
