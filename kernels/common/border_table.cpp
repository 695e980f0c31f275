#include "kernels/common/border_table.h"

#include <algorithm>

namespace weft {

namespace {

// The remainder in 0..period-1, also for negative values.
int positive_remainder(int value, int period) {
    const int r = value % period;
    return r < 0 ? r + period : r;
}

}  // namespace

int border_source(int coordinate, int n, Border border) {
    if (coordinate >= 0 && coordinate < n) return coordinate;
    switch (border) {
        case Border::reflect101: {
            if (n == 1) return 0;
            const int r = positive_remainder(coordinate, 2 * n - 2);
            return r < n ? r : 2 * n - 2 - r;
        }
        case Border::reflect: {
            const int r = positive_remainder(coordinate, 2 * n);
            return r < n ? r : 2 * n - 1 - r;
        }
        case Border::replicate:
            return std::clamp(coordinate, 0, n - 1);
        case Border::wrap:
            return positive_remainder(coordinate, n);
        case Border::constant:
            return -1;
    }
    return -1;
}

std::vector<int> border_table(int n, int before, int after, Border border) {
    std::vector<int> table;
    table.reserve(static_cast<std::size_t>(before) + after + 1);
    for (int c = -before; c < 0; ++c) table.push_back(border_source(c, n, border));
    for (int c = n; c <= n + after; ++c) table.push_back(border_source(c, n, border));
    return table;
}

}  // namespace weft
