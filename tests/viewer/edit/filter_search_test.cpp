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

// A new filter's summary may match too, after these.
struct Row {
    std::string_view query;
    std::string_view first;
};

constexpr Row kRows[]{
    {"gblur", "gaussian box"},    {"Gauss", "gaussian log dog"},
    {"sharp", "sharpen unsharp"}, {"blur line", "motion"},
    {"convolution", "convolve"},  {"compass largest", "kirsch robinson"},
    {"matrix", "convolve bank"},  {"soften", "gaussian box motion disc"},
    {"outline", "sobel scharr"},  {"own kernel", "convolve bank"},
};

// People who type a plain word expect the customary filter for it.
constexpr Row kPlainWords[]{
    {"blur", "gaussian box"}, {"Blur ", "gaussian box"},  {"blu", "gaussian"},
    {"bl", "gaussian"},       {"smooth", "gaussian box"}, {"sharpen", "sharpen unsharp"},
    {"sharpness", "unsharp"}, {"detail", "unsharp"},      {"edge", "sobel"},
    {"edges", "sobel"},       {"contour", "sobel"},       {"bokeh", "disc"},
    {"boxblur", "box"},       {"own matrix", "convolve"}, {"kernel", "convolve"},
};

TEST(ViewerFilterSearch, FindsNamesAliasesAndSummaries) {
    for (const Row& row : kRows) EXPECT_TRUE(names(row.query).starts_with(row.first)) << row.query;
    for (const Row& row : kPlainWords)
        EXPECT_TRUE(names(row.query).starts_with(row.first))
            << row.query << ": " << names(row.query);
    EXPECT_EQ(names("nothing like this"), "");
    EXPECT_EQ(found_filters("").size(), filters().size());
    EXPECT_EQ(found_filters("  ").size(), filters().size());
    for (const FilterDef& filter : filters())
        EXPECT_EQ(found_filters(filter.name).front(), &filter) << filter.name;
}

}  // namespace
}  // namespace weft
