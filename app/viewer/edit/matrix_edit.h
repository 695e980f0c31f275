// Edits the matrices of a `convolve` step, one for each component or one for all, and the presets
// to begin with.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/viewer/edit/matrix_ops.h"
#include "filters/matrix_text.h"
#include "filters/params.h"

namespace weft {

struct MatrixPreset {
    std::string_view name;
    std::string_view help;                  // one line
    Matrix (*make)(int width, int height);  // of this size, unless `fixed` names the only one
    std::string_view fixed = {};            // "3×3", or "" for any size
    bool normalize = false;                 // a weighted mean: divide by the sum of the weights
};

std::span<const MatrixPreset> matrix_presets();

// A parameter's new text; empty resets it to the default.
struct ParamText {
    std::string_view name;
    std::string text;
};

// What a step makes of the chroma of YUV frames. Chroma is neutral in the middle of its range, and
// a matrix with the sum 0 makes flat areas 0, which is green.
enum class Chroma : std::uint8_t {
    filtered,   // like luma
    luma_only,  // planes=luma: chroma becomes neutral
    offset,     // filtered, with the middle of the range added
    own,        // set in another way, or by matrices of their own
};
Chroma chroma_of(const Params& params);
// The parameters for a choice other than `own`. `middle` is that of chroma's range, in samples.
std::vector<ParamText> chroma_texts(Chroma choice, int middle);

// Slot 0 is y or r, and the default for the others; then u or g, v or b, alpha. A value type: the
// window reads it from a step, edits it and writes texts() back.
class MatrixEdit {
 public:
    static constexpr std::size_t kSlots = 4;

    // Whether this parameter is one of the edited matrices.
    static bool edits(const FilterDef& filter, const ParamDef& param);

    // Reads a `convolve` step. Throws FilterError if its matrices are in a file or have no valid
    // shape.
    explicit MatrixEdit(const Params& params);

    const Matrix& matrix(std::size_t slot) const;  // the slot's own, or the first
    bool has_own(std::size_t slot) const { return slots_[slot].has_value(); }
    bool normalizes() const { return normalize_; }
    Symmetry symmetry() const { return symmetry_; }

    // Gives slot k > 0 a copy of the first matrix, or drops its own.
    void set_own(std::size_t slot, bool own);

    // Changing a slot without its own matrix changes the first.
    void set_cell(std::size_t slot, Cell cell, double value);  // and cells tied by the symmetry
    void set_matrix(std::size_t slot, Matrix matrix);
    void apply(std::size_t slot, const MatrixPreset& preset);  // at the matrix's current size
    void set_normalizes(bool normalize) { normalize_ = normalize; }
    // Affects later set_cell() calls; existing weights stay.
    void set_symmetry(Symmetry symmetry) { symmetry_ = symmetry; }

    // A single matrix goes into `slot`, several fill the slots from the first. Throws TextError.
    void paste(std::size_t slot, std::string_view text);

    // For YUV frames: chroma becomes neutral when edits have made the sum of the matrix 0, and is
    // filtered again when they have made it another one. A choice that was made before stays.
    void keep_chroma_neutral();

    // The step's new parameters, to be set in this order.
    std::vector<ParamText> texts() const;

 private:
    std::size_t edited(std::size_t slot) const { return has_own(slot) ? slot : 0; }

    std::array<std::optional<Matrix>, kSlots> slots_;  // the first is always set
    bool normalize_ = false;
    bool sum_was_zero_ = false;               // when the step was read
    Chroma chroma_ = Chroma::own;             // of the step that was read
    std::vector<ParamText> texts_of_chroma_;  // to be set, if it changes
    Symmetry symmetry_ = Symmetry::none;
};

// Whether the sum is 0 up to rounding: flat areas become 0.
bool sums_to_zero(const Matrix& matrix);

// Rows separated by ';', as accepted by parse_matrices().
std::string matrix_text(const Matrix& matrix);

}  // namespace weft
