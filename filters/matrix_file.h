// Matrices from a file that a filter's parameter names.
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

// The 1 to `most` matrices of the file named by the parameter `name` of kind file. Throws
// FilterError at the parameter, with file:line:column if the text is wrong; files with more than
// numbers are never quoted.
std::vector<Matrix> file_matrices(const Params& params, std::string_view name, std::size_t most,
                                  const ShapeMatrix& shape);

}  // namespace weft
