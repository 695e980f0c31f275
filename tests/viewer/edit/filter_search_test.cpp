#include "app/viewer/edit/filter_search.h"

#include <string>

#include <gtest/gtest.h>

namespace weft {
namespace {

std::string names(std::string_view query) {
    std::string out;
    for (const FilterDef* filter : found_filters(query))
        out += (out.empty() ? "" : " ") + std::string(filter->name);
    return out;
}

struct Row {
    std::string_view query;
    std::string_view found;
};

constexpr Row kRows[]{
    {"gblur", "gaussian box"},    {"Gauss", "gaussian log dog"},
    {"sharp", "sharpen unsharp"}, {"blur line", "motion"},
    {"convolution", "convolve"},  {"compass largest", "kirsch robinson"},
    {"nothing like this", ""},
};

TEST(ViewerFilterSearch, FindsNamesAliasesAndSummaries) {
    for (const Row& row : kRows) EXPECT_EQ(names(row.query), row.found) << row.query;
    EXPECT_EQ(found_filters("").size(), filters().size());
    EXPECT_EQ(found_filters("  ").size(), filters().size());
    for (const FilterDef& filter : filters())
        EXPECT_EQ(found_filters(filter.name).front(), &filter) << filter.name;
}

}  // namespace
}  // namespace weft
