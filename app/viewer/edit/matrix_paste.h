// Parses matrices from the clipboard.
#pragma once

#include <string_view>
#include <vector>

#include "filters/matrix_text.h"

namespace weft {

// One to four matrices in common formats: -vf's grammar (filters/matrix_text.h); spreadsheet rows
// with tabs, ',' or ';' between the cells (with ';', a ',' is the decimal point); nested brackets
// of numpy and C with the code around them ("float k[3][3] = {{1, 2, 1}, …};", "array([[1., 2.]],
// dtype=float32)"). A flat list whose length is a square number becomes a square. Throws TextError
// with a sentence; its offset has no meaning.
std::vector<Matrix> pasted_matrices(std::string_view text);

}  // namespace weft
