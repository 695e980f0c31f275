// Common matrices to start from.
#pragma once

#include <span>
#include <string_view>

#include "filters/matrix_text.h"

namespace weft {

struct MatrixPreset {
    std::string_view name;
    std::string_view help;                  // one line
    Matrix (*make)(int width, int height);  // of this size, unless `fixed` names the only one
    std::string_view fixed = {};            // "3×3", or "" for any size
    bool normalize = false;                 // a weighted mean: divide by the sum of the weights
};

std::span<const MatrixPreset> matrix_presets();

}  // namespace weft
