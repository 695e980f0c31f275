// Matrices out of a clipboard.
#pragma once

#include <string_view>
#include <vector>

#include "filters/matrix_text.h"

namespace weft {

// One to four matrices as people copy them: -vf's grammar (filters/matrix_text.h); rows of a
// spreadsheet with tabs, ',' or ';' between the cells (then a ',' in a number is its point);
// numpy's and C's nested brackets, with what stands around them ("float k[3][3] = {{1, 2, 1}, …};",
// "array([[1., 2.]], dtype=float32)"). One flat list of a square number of numbers is a square.
// Throws TextError with a sentence; its offset has no meaning.
std::vector<Matrix> pasted_matrices(std::string_view text);

}  // namespace weft
