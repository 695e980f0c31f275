#include "app/viewer/edit/matrix_edit.h"

#include <algorithm>
#include <utility>

#include "app/viewer/edit/matrix_paste.h"
#include "filters/convolve_params.h"
#include "filters/text/text_error.h"

namespace weft {
namespace {

MatrixShape mode_of(const Params& params, std::size_t slot) {
    const auto found =
        std::find(kMatrixModes.begin(), kMatrixModes.end(), params.choice(kModeNames[slot]));
    return static_cast<MatrixShape>(found - kMatrixModes.begin());
}

// The matrices of one parameter, shaped by the step's mode and width.
std::vector<Matrix> read(const Params& params, std::size_t slot) {
    try {
        std::vector<Matrix> matrices;
        for (const MatrixText& text : params.matrices(kMatrixNames[slot]))
            matrices.push_back(shape_matrix(text, mode_of(params, slot + matrices.size()),
                                            params.integer("width")));
        return matrices;
    } catch (const TextError& error) {
        params.fail(kMatrixNames[slot], error.what(), error.offset());
    }
}

// The mode for a matrix of this shape: a single row would be parsed as a square's list.
std::string_view mode_for(const Matrix& matrix) {
    return matrix.height == 1 && matrix.width > 1 ? "row" : "auto";
}

}  // namespace

bool MatrixEdit::edits(const FilterDef& filter, const ParamDef& param) {
    return filter.name == "convolve" && param.kind == ParamKind::matrix;
}

MatrixEdit::MatrixEdit(const Params& params) : normalize_(params.boolean("normalize")) {
    if (params.is_set("file"))
        params.fail("file", "the matrices are in this file; without it they can be edited here");
    const std::vector<Matrix> first = read(params, 0);
    for (std::size_t slot = 0; slot < first.size(); ++slot) slots_[slot] = first[slot];
    for (std::size_t slot = 1; slot < kSlots; ++slot)
        if (params.is_set(kMatrixNames[slot])) slots_[slot] = read(params, slot).front();
    if (!slots_[0]) slots_[0] = filled_matrix(1, 1, 1);
}

const Matrix& MatrixEdit::matrix(std::size_t slot) const {
    return *slots_[edited(slot)];
}

void MatrixEdit::set_own(std::size_t slot, bool own) {
    if (slot == 0 || own == has_own(slot)) return;
    if (own)
        slots_[slot] = slots_[0];
    else
        slots_[slot].reset();
}

void MatrixEdit::set_cell(std::size_t slot, Cell cell, double value) {
    Matrix& matrix = *slots_[edited(slot)];
    for (Cell equal : equal_cells(matrix, cell, symmetry_)) set_weight(matrix, equal, value);
}

void MatrixEdit::set_matrix(std::size_t slot, Matrix matrix) {
    slots_[edited(slot)] = std::move(matrix);
}

void MatrixEdit::apply(std::size_t slot, const MatrixPreset& preset) {
    const Matrix& old = matrix(slot);
    set_matrix(slot, preset.make(old.width, old.height));
    normalize_ = normalize_ || preset.normalize;
}

void MatrixEdit::paste(std::size_t slot, std::string_view text) {
    std::vector<Matrix> matrices = pasted_matrices(text);
    if (matrices.size() == 1) return set_matrix(slot, std::move(matrices.front()));
    for (std::size_t k = 0; k < kSlots; ++k)
        slots_[k] = k < matrices.size() ? std::optional(std::move(matrices[k])) : std::nullopt;
}

std::vector<ParamText> MatrixEdit::texts() const {
    std::vector<ParamText> out{{"width", ""}, {"normalize", normalize_ ? "1" : ""}};
    const std::string_view first_mode = mode_for(*slots_[0]);
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
        const std::string_view mode = mode_for(matrix(slot));
        const bool inherits = slot == 0 ? mode == "auto" : mode == first_mode;
        out.push_back({kMatrixNames[slot], has_own(slot) ? matrix_text(*slots_[slot]) : ""});
        out.push_back({kModeNames[slot], inherits ? "" : std::string(mode)});
    }
    return out;
}

std::string matrix_text(const Matrix& matrix) {
    MatrixText text;
    const auto width = static_cast<std::ptrdiff_t>(matrix.width);
    for (int y = 0; y < matrix.height; ++y)
        text.rows.emplace_back(matrix.weights.begin() + y * width,
                               matrix.weights.begin() + (y + 1) * width);
    return print_matrices({text});
}

}  // namespace weft
