#include "app/viewer/edit/matrix_edit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "app/viewer/edit/matrix_ops.h"
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

Chroma chroma_of(const Params& params) {
    const std::string planes = params.canonical(*find_param(params.filter(), "planes"));
    const bool own_matrices = params.is_set("matrix1") || params.is_set("matrix2");
    const bool offset = params.is_set("bias1") || params.is_set("bias2");
    if (own_matrices || (planes != "all" && planes != "luma")) return Chroma::own;
    if (planes == "luma") return Chroma::luma_only;
    if (!offset) return params.number("bias") == 0 ? Chroma::filtered : Chroma::own;
    return params.number("bias1") == params.number("bias2") ? Chroma::offset : Chroma::own;
}

std::vector<ParamText> chroma_texts(Chroma choice, int middle) {
    const std::string offset = choice == Chroma::offset ? std::to_string(middle) : "";
    return {{"planes", choice == Chroma::luma_only ? "luma" : ""},
            {"bias1", offset},
            {"bias2", offset}};
}

bool MatrixEdit::edits(const FilterDef& filter, const ParamDef& param) {
    return filter.name == "convolve" && param.kind == ParamKind::matrix;
}

MatrixEdit::MatrixEdit(const Params& params) : normalize_(params.boolean("normalize")) {
    if (params.is_set("file"))
        params.fail("file", "the matrices are in this file; remove it to edit them here");
    const std::vector<Matrix> first = read(params, 0);
    for (std::size_t slot = 0; slot < first.size(); ++slot) slots_[slot] = first[slot];
    for (std::size_t slot = 1; slot < kSlots; ++slot)
        if (params.is_set(kMatrixNames[slot])) slots_[slot] = read(params, slot).front();
    if (!slots_[0]) slots_[0] = filled_matrix(1, 1, 1);
    sum_was_zero_ = sums_to_zero(*slots_[0]);
    chroma_ = chroma_of(params);
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

void MatrixEdit::keep_chroma_neutral() {
    const bool zero = sums_to_zero(*slots_[0]);
    if (zero == sum_was_zero_ || has_own(1) || has_own(2)) return;
    if (zero && chroma_ == Chroma::filtered) texts_of_chroma_ = chroma_texts(Chroma::luma_only, 0);
    if (!zero && chroma_ == Chroma::luma_only) texts_of_chroma_ = chroma_texts(Chroma::filtered, 0);
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
    out.insert(out.end(), texts_of_chroma_.begin(), texts_of_chroma_.end());
    return out;
}

bool sums_to_zero(const Matrix& matrix) {
    const MatrixFacts facts = matrix_facts(matrix);
    return std::fabs(facts.sum) <= 1e-9 * facts.absolute_sum;
}

std::string matrix_text(const Matrix& matrix) {
    MatrixText text;
    const auto width = static_cast<std::ptrdiff_t>(matrix.width);
    for (int y = 0; y < matrix.height; ++y)
        text.rows.emplace_back(matrix.weights.begin() + y * width,
                               matrix.weights.begin() + (y + 1) * width);
    return print_matrices({text});
}

namespace {

Matrix three(std::initializer_list<double> weights) {
    return {.width = 3, .height = 3, .weights = weights};
}

Matrix identity(int width, int height) {
    Matrix out = filled_matrix(width, height, 0);
    set_weight(out, {.x = (out.width - 1) / 2, .y = (out.height - 1) / 2}, 1);
    return out;
}

Matrix box(int width, int height) {
    return filled_matrix(width, height, 1);
}

// A bell that reaches 3 sigma at the sides.
Matrix gaussian(int width, int height) {
    Matrix out = filled_matrix(width, height, 0);
    const auto bell = [](int at, int side) {
        const double x = at - (side - 1) / 2.0;
        const double sigma = std::max(side, 2) / 6.0;
        return std::exp(-x * x / (2 * sigma * sigma));
    };
    for (int y = 0; y < out.height; ++y)
        for (int x = 0; x < out.width; ++x)
            set_weight(out, {x, y}, bell(x, out.width) * bell(y, out.height));
    return scaled(out, 1 / weight(out, {(out.width - 1) / 2, (out.height - 1) / 2}));
}

// Ones on the diagonal from the lower left to the upper right.
Matrix diagonal(int width, int height) {
    Matrix out = filled_matrix(width, height, 0);
    for (int x = 0; x < out.width; ++x) {
        const int from_below = out.width == 1 ? 0 : x * (out.height - 1) / (out.width - 1);
        set_weight(out, {x, out.height - 1 - from_below}, 1);
    }
    return out;
}

Matrix binomial3(int, int) {
    return three({1, 2, 1, 2, 4, 2, 1, 2, 1});
}
Matrix sharpen(int, int) {
    return three({0, -1, 0, -1, 5, -1, 0, -1, 0});
}
Matrix sharpen8(int, int) {
    return three({-1, -1, -1, -1, 9, -1, -1, -1, -1});
}
Matrix emboss(int, int) {
    return three({-2, -1, 0, -1, 1, 1, 0, 1, 2});
}
Matrix laplacian4(int, int) {
    return three({0, 1, 0, 1, -4, 1, 0, 1, 0});
}
Matrix laplacian8(int, int) {
    return three({1, 1, 1, 1, -8, 1, 1, 1, 1});
}
Matrix sobel_x(int, int) {
    return three({-1, 0, 1, -2, 0, 2, -1, 0, 1});
}
Matrix sobel_y(int, int) {
    return three({-1, -2, -1, 0, 0, 0, 1, 2, 1});
}

constexpr std::string_view kThree = "3×3";

constexpr std::array<MatrixPreset, 12> kPresets{{
    {"identity", "unchanged picture", identity},
    {"box", "mean of all covered pixels", box, "", true},
    {"gaussian", "bell curve, three sigma at the edges", gaussian, "", true},
    {"binomial", "1 2 1 by 1 2 1, the smallest bell curve in integers", binomial3, kThree, true},
    {"diagonal", "motion blur from corner to corner", diagonal, "", true},
    {"sharpen", "with four neighbours", sharpen, kThree},
    {"sharpen 8", "with eight neighbours", sharpen8, kThree},
    {"emboss", "relief lit from the upper left, added to the picture", emboss, kThree},
    {"laplacian", "second derivative, four neighbours", laplacian4, kThree},
    {"laplacian 8", "second derivative, eight neighbours", laplacian8, kThree},
    {"sobel x", "horizontal derivative", sobel_x, kThree},
    {"sobel y", "vertical derivative", sobel_y, kThree},
}};

}  // namespace

std::span<const MatrixPreset> matrix_presets() {
    return kPresets;
}

}  // namespace weft
