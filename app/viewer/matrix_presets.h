// Matrices that everybody starts from.
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
    bool normalize = false;                 // a mean of weights: to be divided by their sum
};

std::span<const MatrixPreset> matrix_presets();

}  // namespace weft
