#include <algorithm>
#include <array>

#include "filters/filter.h"
#include "filters/rows.h"

namespace weft {
namespace {

bool contains(std::span<const std::string_view> names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::span<const FilterDef> filters() {
    static const std::array list{
        kBoxFilter,      kGaussianFilter, kMotionFilter,          kDiscFilter,
        kSharpenFilter,  kUnsharpFilter,  kEmbossFilter,          kHighpassFilter,
        kSobelFilter,    kScharrFilter,   kPrewittFilter,         kRobertsFilter,
        kKirschFilter,   kRobinsonFilter, kGaborFilter,           kLaplacianFilter,
        kLogFilter,      kDogFilter,      kFrameDifferenceFilter, kTemporalAverageFilter,
        kConvolveFilter, kBankFilter,
    };
    return list;
}

const FilterDef* find_filter(std::string_view name) {
    const auto found = std::find_if(filters().begin(), filters().end(), [&](const FilterDef& row) {
        return row.name == name || contains(row.aliases, name);
    });
    return found == filters().end() ? nullptr : &*found;
}

const ParamDef* find_param(const FilterDef& filter, std::string_view name) {
    const auto found = std::find_if(
        filter.params.begin(), filter.params.end(),
        [&](const ParamDef& row) { return row.name == name || contains(row.aliases, name); });
    return found == filter.params.end() ? nullptr : &*found;
}

}  // namespace weft
