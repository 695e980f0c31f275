// Finds the factors, a column and a row, of rank-one matrices.
#pragma once

#include "filters/taps.h"

namespace weft {

// `taps` with row and column filled in if the weights are of rank one up to one float rounding
// each. Whole-number weights get whole-number factors, so that sums stay exact. Otherwise `taps`
// as it is. All-zero weights have no factors.
Taps with_factors(Taps taps);

}  // namespace weft
