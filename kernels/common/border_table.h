// Sources of the samples beyond the ends of an axis. All border arithmetic of the GPU kernels is
// here, on the host: a kernel only looks up.
#pragma once

#include <vector>

#include "filters/operation.h"

namespace weft {

// The index in 0..n-1 that `coordinate` (any value) takes its sample from, or -1 where that is the
// constant border value. Reflects as often as needed; an axis of length 1 always gives 0.
int border_source(int coordinate, int n, Border border);

// Entry k of the first `before` entries: the source of coordinate k - before. Entry before + k: the
// source of coordinate n + k, 0 <= k < after. One unused entry closes the table, so that it is
// never empty.
std::vector<int> border_table(int n, int before, int after, Border border);

}  // namespace weft
