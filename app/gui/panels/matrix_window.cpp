#include "app/gui/panels/matrix_window.h"

#include <algorithm>
#include <array>
#include <imgui.h>

#include <fmt/format.h>

#include "app/gui/widgets/small_widgets.h"
#include "filters/convolve_params.h"
#include "filters/text/number_text.h"
#include "filters/text/text_error.h"

namespace weft {
namespace {

constexpr float kGridSide = 21;  // in font heights, unless the program's window is smaller
constexpr float kResponseSide = 13;
constexpr float kAboveGrid = 11;
constexpr float kBesideGrid = 18;
constexpr float kLeastSide = 7;
constexpr std::array kSlotNames{"y / r", "u / g", "v / b", "alpha"};
constexpr std::array kSymmetryNames{"No symmetry", "Left = right", "Top = bottom",
                                    "Both ways",   "Half turn",    "Quarter turns"};

// The side of the grid, in pixels.
float grid_side() {
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    const float font = ImGui::GetFontSize();
    const float room = std::min(size.y / font - kAboveGrid, size.x / font - kBesideGrid);
    return font * std::clamp(room, kLeastSide, kGridSide);
}

// The window's matrices while it is drawn; `changed` if they must be written back.
struct Session {
    MatrixWindowState& state;
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
    const float field = 6.2F * ImGui::GetFontSize();
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
    MatrixWindowState& state = session.state;
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

void draw_tools(Session& session) {
    for (const Tool& tool : kTools) {
        if (ImGui::Button(tool.name)) session.replace(tool.apply(session.matrix()));
        tooltip(tool.help);
        ImGui::SameLine();
    }
    if (ImGui::Button("Multiply")) session.replace(scaled(session.matrix(), session.state.factor));
    tooltip("Multiplies all weights by the number to the right");
    ImGui::SameLine(0, 2);
    ImGui::SetNextItemWidth(3.5F * ImGui::GetFontSize());
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
    ImGui::SameLine();
    bool normalizes = session.edit.normalizes();
    if (ImGui::Checkbox("Normalize", &normalizes)) {
        session.edit.set_normalizes(normalizes);
        session.changed = true;
    }
    tooltip(
        "Divides the result by the sum of the matrix unless it is 0; the weights do not change");
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
    plain_text(fmt::format("Sum {:.6g}, absolute {:.6g}, scale {:.4g}", facts.sum,
                           facts.absolute_sum, analysis.scale));
    tooltip("Sum of the weights, sum of their absolute values, and the factor for the result");
    plain_text(rank_text(facts));
    std::string values = "Singular values:";
    for (double value : facts.singular_values) values += fmt::format(" {:.4g}", value);
    tooltip(values);
    plain_text(
        facts.exact_sums
            ? "integer weights: bit-identical on every device"
            : "rounded sums: devices may differ by one level, which later steps can amplify");
}

void draw_grid(Session& session, StackEditor& editor, const MatrixFacts& facts) {
    MatrixGridState& grid = session.state.grid;
    const MatrixGridInput input =
        draw_matrix_grid(grid, session.matrix(), facts.largest, grid_side());
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

void draw_analysis(const MatrixAnalysis& analysis) {
    const float side = kResponseSide / kGridSide * grid_side();
    ImGui::BeginGroup();
    draw_response_map(analysis.response, side);
    draw_response_profiles(analysis.response, side, 0.6F * side);
    ImGui::EndGroup();
}

void draw_content(Session& session, StackEditor& editor, const Params& params) {
    draw_tabs(session);
    draw_size(session);
    ImGui::SameLine();
    draw_presets(session);
    ImGui::SameLine();
    draw_clipboard(session);
    draw_tools(session);
    draw_symmetry(session);
    draw_problem(session.state.problem);
    ImGui::Separator();
    const MatrixAnalysis& analysis = analysed(session, params);
    ImGui::BeginGroup();
    draw_grid(session, editor, analysis.facts);
    ImGui::EndGroup();
    ImGui::SameLine(0, 2 * ImGui::GetStyle().ItemSpacing.x);
    ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), grid_side()));
    ImGui::BeginGroup();
    draw_facts(analysis);
    draw_analysis(analysis);
    ImGui::EndGroup();
}

// Writes one step of undo, or a part of the current drag.
void write_back(const Session& session, StackEditor& editor) {
    if (!session.changed) return;
    const bool dragging = ImGui::IsMouseDown(ImGuiMouseButton_Left) && ImGui::IsAnyItemActive();
    if (!dragging) editor.begin_edit();
    write(editor, session.state.step, session.edit);
    if (!dragging) editor.end_edit();
}

}  // namespace

void draw_matrix_window(MatrixWindowState& state, StackEditor& editor) {
    const EditedStep* const step = editor.find(state.step);
    if (step == nullptr) {
        state.step = 0;
        return;
    }
    const Params params = step->step.params;
    const std::string title =
        fmt::format("Matrix of step {}###matrix", editor.index_of(state.step) + 1);
    bool open = true;
    ImGui::SetNextWindowPos({3 * ImGui::GetFontSize(), 4 * ImGui::GetFontSize()},
                            ImGuiCond_FirstUseEver);
    constexpr int kFlags = ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_HorizontalScrollbar;
    if (begin_floating(title.c_str(), open, kFlags)) {
        try {
            Session session{state, MatrixEdit(params)};
            draw_content(session, editor, params);
            write_back(session, editor);
        } catch (const FilterError& error) {
            draw_problem(error.what());
        }
    }
    end_floating();
    if (!open) state.step = 0;
}

}  // namespace weft
