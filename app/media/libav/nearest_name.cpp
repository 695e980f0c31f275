#include "app/media/libav/nearest_name.h"

#include <algorithm>
#include <numeric>

namespace weft {
namespace {

constexpr std::size_t kShown = 5;

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

std::size_t rank(std::string_view typed, std::string_view name) {
    const bool inside = !typed.empty() && name.find(typed) != std::string_view::npos;
    return inside ? 0 : edit_distance(typed, name);
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view typed,
                                       const std::vector<std::string>& names) {
    std::vector<std::string> sorted = names;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](const auto& a, const auto& b) { return rank(typed, a) < rank(typed, b); });
    sorted.resize(std::min(sorted.size(), kShown));
    return sorted;
}

}  // namespace weft
