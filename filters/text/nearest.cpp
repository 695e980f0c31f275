#include "filters/text/nearest.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "filters/text/printable.h"

namespace weft {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> above(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(above.begin(), above.end(), 0U);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        std::swap(before, above);
        std::swap(above, row);
    }
    return above[b.size()];
}

std::string_view nearest_name(std::string_view word, const std::vector<std::string_view>& names) {
    constexpr std::size_t kLongest = 64;  // no name is longer; keeps hostile words cheap
    if (word.empty() || word.size() > kLongest) return {};
    std::string_view best;
    std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (std::string_view name : names) {
        const std::size_t distance = edit_distance(word, name);
        if (distance >= least || distance >= name.size()) continue;
        least = distance;
        best = name;
    }
    return best;
}

std::vector<std::string_view> nearest_names(std::string_view word,
                                            std::vector<std::string_view> names) {
    constexpr std::size_t kShown = 5;
    const auto rank = [&](std::string_view name) {
        const bool inside = !word.empty() && name.find(word) != std::string_view::npos;
        return inside ? 0 : edit_distance(word, name);
    };
    std::ranges::stable_sort(names, {}, rank);
    names.resize(std::min(names.size(), kShown));
    return names;
}

std::string suggestion(std::string_view word, const std::vector<std::string_view>& names) {
    const std::string_view name = nearest_name(word, names);
    return name.empty() ? ":" : fmt::format(": did you mean '{}'?", name);
}

std::string shown(std::string_view word) {
    constexpr std::size_t kMost = 40;
    std::size_t end = std::min(word.size(), kMost);
    while (end < word.size() && end > 0 && (static_cast<unsigned char>(word[end]) & 0xC0U) == 0x80U)
        --end;  // between two characters of UTF-8
    const std::string out = printable_line(word.substr(0, end));
    return end < word.size() ? out + "..." : out;
}

}  // namespace weft
