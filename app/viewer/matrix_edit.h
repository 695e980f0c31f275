// The matrices of a `convolve` step while they are edited, one for each component or one for all.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/viewer/matrix_ops.h"
#include "app/viewer/matrix_presets.h"
#include "filters/params.h"

namespace weft {

// A parameter's new text; empty: back to the default.
struct ParamText {
    std::string_view name;
    std::string text;
};

// Slot 0 is y or r and what the others take unless they have their own; then u or g, v or b, alpha.
// A value type: the window reads it from a step, edits it and writes texts() back to the step.
class MatrixEdit {
 public:
    static constexpr std::size_t kSlots = 4;

    // From a step of `convolve`. Throws FilterError if its matrices are in a file, and where they
    // have no shape.
    explicit MatrixEdit(const Params& params);

    const Matrix& matrix(std::size_t slot) const;  // the slot's own, or the first
    bool has_own(std::size_t slot) const { return slots_[slot].has_value(); }
    bool normalizes() const { return normalize_; }
    Symmetry symmetry() const { return symmetry_; }

    // Slot k > 0 gets a copy of the first matrix, or gives its own up.
    void set_own(std::size_t slot, bool own);

    // Changes of a slot without a matrix of its own change the first.
    void set_cell(std::size_t slot, Cell cell, double value);  // and those that are to equal it
    void set_matrix(std::size_t slot, Matrix matrix);
    void apply(std::size_t slot, const MatrixPreset& preset);  // in the matrix's present size
    void set_normalizes(bool normalize) { normalize_ = normalize; }
    // Of later set_cell(); what is there stays.
    void set_symmetry(Symmetry symmetry) { symmetry_ = symmetry; }

    // One matrix goes to the slot, several to the slots from the first on. Throws TextError.
    void paste(std::size_t slot, std::string_view text);

    // What the step's parameters have to become, in this order.
    std::vector<ParamText> texts() const;

 private:
    std::size_t edited(std::size_t slot) const { return has_own(slot) ? slot : 0; }

    std::array<std::optional<Matrix>, kSlots> slots_;  // the first always has one
    bool normalize_ = false;
    Symmetry symmetry_ = Symmetry::none;
};

// Rows by ';': the text that parse_matrices() reads back.
std::string matrix_text(const Matrix& matrix);

}  // namespace weft
