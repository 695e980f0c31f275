// Matrices that a filter's parameter names a file of.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "filters/matrix_text.h"
#include "filters/params.h"

namespace weft {

// How the k-th matrix of the file is laid out; throws TextError.
using ShapeMatrix = std::function<Matrix(const MatrixText& text, std::size_t k)>;

// The one to `most` matrices of the file that the parameter `name` of kind file names. Throws
// FilterError at the parameter, with file:line:column where the text is at fault; nothing of a file
// that holds more than numbers is quoted.
std::vector<Matrix> file_matrices(const Params& params, std::string_view name, std::size_t most,
                                  const ShapeMatrix& shape);

}  // namespace weft
