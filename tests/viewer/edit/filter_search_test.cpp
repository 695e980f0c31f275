#include "app/viewer/edit/filter_search.h"

#include <string>

#include <gtest/gtest.h>

namespace weft {
namespace {

std::string names(std::string_view query) {
    std::string out;
    for (const FilterDef* filter : found_filters(query))
        out += (out.empty() ? "" : " ") + name_of(*filter, Names::typed);
    return out;
}

// A new filter's summary may match too, after these.
struct Row {
    std::string_view query;
    std::string_view first;
};

constexpr Row kRows[]{
    {"gblur", "gblur"},
    {"Gauss", "gaussian gblur log dog"},
    {"sharp", "sharpen unsharp"},
    {"blur line", "motion"},
    {"convolution", "convolution"},
    {"compass largest", "kirsch@weft robinson"},
    {"sobel", "sobel sobel@weft"},
    {"matrix", "convolve bank"},
    {"soften", "gaussian box motion disc"},
    {"outline", "sobel@weft scharr@weft"},
    {"own kernel", "convolve bank"},
};

// People who type a plain word expect the customary filter for it.
constexpr Row kPlainWords[]{
    {"blur", "gaussian avgblur boxblur"},
    {"Blur ", "gaussian"},
    {"blu", "gaussian"},
    {"bl", "gaussian"},
    {"smooth", "gaussian box"},
    {"sharpen", "sharpen unsharp"},
    {"sharpness", "unsharp"},
    {"detail", "unsharp"},
    {"edge", "sobel@weft"},
    {"edges", "sobel@weft"},
    {"contour", "sobel@weft"},
    {"bokeh", "disc"},
    {"boxblur", "boxblur"},
    {"own matrix", "convolve"},
    {"kernel", "convolve"},
    {"black", "fill"},
    {"cover", "fill"},
    {"mosaic", "pixelate"},
};

TEST(ViewerFilterSearch, FindsNamesAliasesAndSummaries) {
    for (const Row& row : kRows)
        EXPECT_TRUE(names(row.query).starts_with(row.first))
            << row.query << ": " << names(row.query);
    for (const Row& row : kPlainWords)
        EXPECT_TRUE(names(row.query).starts_with(row.first))
            << row.query << ": " << names(row.query);
    EXPECT_EQ(names("nothing like this"), "");
    for (const char* blank : {"", "  "})
        EXPECT_EQ(found_filters(blank).size(), filters().size() + ffmpeg_filters().size());
    for (const auto list : {filters(), ffmpeg_filters()})
        for (const FilterDef& filter : list)
            EXPECT_EQ(found_filters(name_of(filter, Names::typed)).front(), &filter) << filter.name;
}

}  // namespace
}  // namespace weft
