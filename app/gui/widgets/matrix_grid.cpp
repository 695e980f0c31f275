#include "app/gui/widgets/matrix_grid.h"

#include <algorithm>
#include <cmath>
#include <imgui.h>
#include <imgui_stdlib.h>
#include <utility>

#include <fmt/format.h>

#include "app/gui/widgets/small_widgets.h"
#include "filters/text/number_text.h"
#include "filters/text/text_error.h"

namespace weft {
namespace {

constexpr float kMaxCell = 4.0F;     // in font heights
constexpr float kNumberCell = 1.9F;  // the smallest cell that shows its number
constexpr float kFieldWidth = 5;
constexpr float kDragPixels = 6;  // mouse pixels per step
const ImVec4 kPositive{0.96F, 0.61F, 0.20F, 1.0F};
const ImVec4 kNegative{0.27F, 0.56F, 0.98F, 1.0F};

// The position of the grid on the screen.
struct Grid {
    const Matrix& matrix;
    double largest = 0;
    ImVec2 origin = {};
    float cell = 0;

    ImVec2 low(Cell at) const {
        return {origin.x + cell * static_cast<float>(at.x),
                origin.y + cell * static_cast<float>(at.y)};
    }
    ImVec2 high(Cell at) const { return low({.x = at.x + 1, .y = at.y + 1}); }

    Cell at(ImVec2 screen) const {
        const auto index = [&](float offset, int count) {
            return std::clamp(static_cast<int>(offset / cell), 0, count - 1);
        };
        return {.x = index(screen.x - origin.x, matrix.width),
                .y = index(screen.y - origin.y, matrix.height)};
    }
};

ImVec4 mixed(const ImVec4& a, const ImVec4& b, float part) {
    return {a.x + (b.x - a.x) * part, a.y + (b.y - a.y) * part, a.z + (b.z - a.z) * part, 1.0F};
}

// Hue shows the sign, strength the size; the root keeps small weights visible next to large ones.
ImVec4 cell_colour(double weight, double largest) {
    const ImVec4& ground = ImGui::GetStyleColorVec4(ImGuiCol_WindowBg);
    if (weight == 0 || largest == 0)
        return mixed(ground, ImGui::GetStyleColorVec4(ImGuiCol_Text), 0.1F);
    const auto part = static_cast<float>(std::sqrt(std::fabs(weight) / largest));
    return mixed(ground, weight > 0 ? kPositive : kNegative, 0.15F + 0.8F * part);
}

ImU32 ink_on(const ImVec4& colour) {
    const float light = 0.3F * colour.x + 0.6F * colour.y + 0.1F * colour.z;
    return light > 0.45F ? IM_COL32(0, 0, 0, 230) : IM_COL32(255, 255, 255, 230);
}

// As many digits as fit into the cell.
std::string cell_text(double weight, float width) {
    for (int digits = 5; digits > 0; --digits) {
        std::string text = fmt::format("{:.{}g}", weight, digits);
        if (text.starts_with("0.")) text.erase(0, 1);
        if (text.starts_with("-0.")) text.erase(1, 1);
        if (ImGui::CalcTextSize(text.c_str()).x <= width || digits == 1) return text;
    }
    return "";
}

// The number is left out where it is typed.
void draw_cell(const Grid& grid, Cell at, bool typed) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const double w = weight(grid.matrix, at);
    const ImVec4 colour = cell_colour(w, grid.largest);
    const ImVec2 low = grid.low(at);
    const ImVec2 high = grid.high(at);
    const float gap = grid.cell > 8 ? 1.0F : 0.0F;
    list.AddRectFilled(low, {high.x - gap, high.y - gap}, ImGui::GetColorU32(colour));
    if (typed || grid.cell < kNumberCell * ImGui::GetFontSize()) return;
    const std::string number = cell_text(w, grid.cell - 4);
    const ImVec2 size = ImGui::CalcTextSize(number.c_str());
    list.AddText({(low.x + high.x - gap - size.x) / 2, (low.y + high.y - gap - size.y) / 2},
                 w == 0 ? packed(palette().dim_text) : ink_on(colour), number.c_str());
}

void draw_cells(const Grid& grid, Cell selected, bool typing) {
    for (int y = 0; y < grid.matrix.height; ++y)
        for (int x = 0; x < grid.matrix.width; ++x)
            draw_cell(grid, {x, y}, typing && selected == Cell{x, y});
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const Cell anchor{.x = (grid.matrix.width - 1) / 2, .y = (grid.matrix.height - 1) / 2};
    list.AddRect(grid.low(anchor), grid.high(anchor), faded_text_colour(0.45F));
    list.AddRect(grid.low(selected), grid.high(selected), faded_text_colour(1), 0, 0, 2);
}

// One for whole numbers, otherwise a tenth of the largest weight's power of ten.
double step_of(const Grid& grid) {
    const bool whole = std::all_of(grid.matrix.weights.begin(), grid.matrix.weights.end(),
                                   [](double w) { return std::nearbyint(w) == w; });
    if (whole || grid.largest == 0) return 1;
    return std::pow(10, std::floor(std::log10(grid.largest)) - 1);
}

// Whole steps, without the rounding errors of adding tenths.
double stepped(double from, double steps, double step) {
    return std::strtod(fmt::format("{:.12g}", from + steps * step).c_str(), nullptr);
}

void start_typing(MatrixGridState& state, const Matrix& matrix, Cell cell) {
    state.selected = {.x = std::clamp(cell.x, 0, matrix.width - 1),
                      .y = std::clamp(cell.y, 0, matrix.height - 1)};
    state.typed = format_number(weight(matrix, state.selected));
    state.typing = state.typing_starts = true;
    state.problem.clear();
}

void drag(MatrixGridState& state, const Grid& grid, MatrixGridInput& input) {
    if (ImGui::IsItemActivated() && !ImGui::IsMouseDown(ImGuiMouseButton_Left))
        return start_typing(state, grid.matrix, state.selected);  // with the keyboard
    if (ImGui::IsItemActivated()) {
        state.selected = grid.at(ImGui::GetMousePos());
        state.dragged_from = weight(grid.matrix, state.selected);
        state.pressed = input.drag_begins = true;
    }
    if (ImGui::IsItemActive() && ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
        const ImVec2 moved = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, kDragPixels);
        const double steps = std::round(-moved.y / kDragPixels);
        const double value = stepped(state.dragged_from, steps, step_of(grid));
        if (moved.y != 0) state.pressed = false;
        if (moved.y != 0 && value != weight(grid.matrix, state.selected)) input.value = value;
    }
    input.drag_ends = ImGui::IsItemDeactivated();
    if (input.drag_ends && std::exchange(state.pressed, false))
        start_typing(state, grid.matrix, state.selected);
}

void hover(const Grid& grid) {
    if (!ImGui::IsItemHovered() || ImGui::IsItemActive()) return;
    const Cell under = grid.at(ImGui::GetMousePos());
    tooltip(fmt::format("column {}, row {}: {}", under.x - (grid.matrix.width - 1) / 2,
                        under.y - (grid.matrix.height - 1) / 2,
                        format_number(weight(grid.matrix, under))));
}

int note_tab(ImGuiInputTextCallbackData* data) {
    *static_cast<bool*>(data->UserData) = true;
    return 0;
}

// The typed number, or nothing if it is invalid.
std::optional<double> typed_value(MatrixGridState& state) {
    try {
        state.problem.clear();
        return parse_number(state.typed);
    } catch (const TextError& error) {
        state.problem = error.what();
        return std::nullopt;
    }
}

// Enter moves downwards, Tab to the right, until the end of the matrix.
std::optional<Cell> next_cell(const MatrixGridState& state, const Matrix& matrix, bool tab) {
    const Cell next{.x = state.selected.x + (tab ? 1 : 0), .y = state.selected.y + (tab ? 0 : 1)};
    const bool inside = next.x < matrix.width && next.y < matrix.height;
    return inside ? std::optional(next) : std::nullopt;
}

// The text field over the selected cell.
void type(MatrixGridState& state, const Grid& grid, MatrixGridInput& input) {
    // In the middle of the cell, and over its neighbours where it is wider, but not past the grid.
    const float width = std::max(grid.cell, kFieldWidth * ImGui::GetFontSize());
    const float end = grid.origin.x + grid.cell * static_cast<float>(grid.matrix.width);
    const ImVec2 low = grid.low(state.selected);
    const float lower = std::round((grid.cell - ImGui::GetFrameHeight()) / 2);
    ImGui::SetCursorScreenPos(
        {std::max(std::min(low.x, end - width), grid.origin.x), low.y + lower});
    ImGui::SetNextItemWidth(width);
    if (state.typing_starts) ImGui::SetKeyboardFocusHere();
    bool tab = false;
    ImGui::PushID(state.selected.y * grid.matrix.width + state.selected.x);
    const bool entered =
        ImGui::InputText("##weight", &state.typed,
                         ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll |
                             ImGuiInputTextFlags_CallbackCompletion,
                         note_tab, &tab);
    const bool left = !state.typing_starts && ImGui::IsItemDeactivated();
    ImGui::PopID();
    state.typing_starts = false;
    if (!entered && !tab && !left) return;
    state.typing = false;
    if (left && escape_pressed()) return;
    input.value = typed_value(state);
    if (input.value && (entered || tab)) state.next = next_cell(state, grid.matrix, tab);
}

}  // namespace

MatrixGridInput draw_matrix_grid(MatrixGridState& state, const Matrix& matrix, double largest,
                                 float side) {
    const auto longer = static_cast<float>(std::max(matrix.width, matrix.height));
    const float cell = std::floor(std::min(side / longer, kMaxCell * ImGui::GetFontSize()));
    const Grid grid{matrix, largest, ImGui::GetCursorScreenPos(), std::max(cell, 3.0F)};
    state.selected.x = std::min(state.selected.x, matrix.width - 1);
    state.selected.y = std::min(state.selected.y, matrix.height - 1);
    if (state.next) start_typing(state, matrix, *std::exchange(state.next, std::nullopt));
    const ImVec2 size{grid.cell * static_cast<float>(matrix.width),
                      grid.cell * static_cast<float>(matrix.height)};
    MatrixGridInput input;
    ImGui::InvisibleButton("grid", size);
    drag(state, grid, input);
    hover(grid);
    draw_cells(grid, state.selected, state.typing);
    if (state.typing) type(state, grid, input);
    ImGui::SetCursorScreenPos({grid.origin.x, grid.origin.y + size.y});
    ImGui::Dummy({size.x, ImGui::GetStyle().ItemSpacing.y});
    return input;
}

}  // namespace weft
