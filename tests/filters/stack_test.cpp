#include "filters/stack.h"

#include <cmath>

#include <gtest/gtest.h>

#include "filters/text/number_text.h"
#include "tests/filters/frames.h"

namespace weft {
namespace {

struct Text {
    std::string_view given;
    std::string_view printed;
};

// Spellings as users paste them, and the canonical text of each.
constexpr Text kTexts[]{
    {"gaussian=sigma=2,sobel=scale=1.5,convolve=matrix='0 -1 0; -1 5 -1; 0 -1 0':planes=y",
     "gaussian,sobel=scale=1.5,convolve=matrix='0 -1 0; -1 5 -1; 0 -1 0':planes=y"},
    {"gblur", "gaussian"},
    {"gblur=sigma=3:steps=1", "gaussian=sigma=3"},
    {"gblur=3:1:15:5", "gaussian=sigma=3:sigmaV=5"},
    {"gblur=sigma=2.50", "gaussian=sigma=2.5"},
    {"avgblur=5", "box=radius=5"},
    {"avgblur=sizeX=5:sizeY=3:planes=1", "box=radius=5:radius_y=3:planes=1"},
    {"avgblur=5:7:3", "box=radius=5:radius_y=3"},
    {"boxblur=3:2", "box=radius=3:power=2"},
    {"boxblur=luma_radius=4:lp=3", "box=radius=4:power=3"},
    {"box=5:2:3", "box=radius=5:radius_y=2:power=3"},
    {"unsharp=5:5:1.0:5:5:0.0", "unsharp"},
    {"unsharp=7:7:-2:7:7:-2",
     "unsharp=size_x=7:size_y=7:amount=-2:chroma_size_x=7:chroma_size_y=7:"
     "chroma_amount=-2"},
    {"unsharp=luma_msize_x=7:luma_msize_y=7:la=2.5", "unsharp=size_x=7:size_y=7:amount=2.5"},
    {"sobel=planes=15:scale=2:delta=10", "sobel=planes=all:scale=2:delta=10"},
    {"sobel=1:2:10", "sobel=planes=1:scale=2:delta=10"},
    {"tblend=all_mode=difference", "frame_difference=mode=difference"},
    {"tmix=frames=5:weights='1 2 3 2 1'", "temporal_average=frames=5:weights=1 2 3 2 1"},
    {"convolution=0m='0 -1 0 -1 5 -1 0 -1 0':0rdiv=1:0bias=0",
     "convolve=matrix=0 -1 0 -1 5 -1 0 -1 0"},
    {"convolution='0 0 0 0 1 0 0 0 0:0 1 0 1 -4 1 0 1 0'",
     "convolve=matrix=0 0 0 0 1 0 0 0 0:matrix1=0 1 0 1 -4 1 0 1 0"},
    {"convolution=0 0 0 0 1 0 0 0 0", "convolve=matrix=0 0 0 0 1 0 0 0 0"},
    {"convolve=matrix='1,2\n3,4'", "convolve=matrix='1 2; 3 4'"},
    {"convolve=matrix='1/4 1/2 1/4':mode=row", "convolve=matrix=0.25 0.5 0.25:mode=row"},
    {"  gaussian = sigma = 2 : planes = y ,\n sobel ", "gaussian=planes=y,sobel"},
    {"gaussian=sigma='3'", "gaussian=sigma=3"},
    {"'gaussian'='sigma=3:planes=y'", "gaussian=sigma=3:planes=y"},
    {"gaussian=si\\gma=3", "gaussian=sigma=3"},
    {"convolve=file=a\\,b.txt", "convolve=file='a,b.txt'"},
    {"convolve=file='a\\:b.txt'", "convolve=file='a\\:b.txt'"},
    {"convolve=file=a\\\\:b.txt", "convolve=file='a\\:b.txt'"},
    {"convolve=file='it\\'\\''s'", "convolve=file='it\\'\\''s'"},
    {"laplacian=absolute=no", "laplacian=absolute=0"},
    {"laplacian=absolute=true", "laplacian"},
    {"motion=15:45,disc=3", "motion=angle=45,disc=radius=3"},
};

TEST(FiltersStack, ReadsWhatUsersPaste) {
    for (const Text& text : kTexts) {
        SCOPED_TRACE(text.given);
        const Stack stack = parse_stack(text.given);
        EXPECT_EQ(print_stack(stack), text.printed);
        EXPECT_TRUE(parse_stack(text.printed) == stack);
        EXPECT_EQ(print_stack(parse_stack(text.printed)), text.printed);
    }
}

TEST(FiltersStack, DifferentStacksDiffer) {
    EXPECT_FALSE(parse_stack("gaussian=2") == parse_stack("gaussian=3"));
    EXPECT_FALSE(parse_stack("gaussian") == parse_stack("box"));
    EXPECT_FALSE(parse_stack("sobel") == parse_stack("sobel,sobel"));
    EXPECT_FALSE(parse_stack("convolve=matrix=1") == parse_stack("convolve=matrix=1:bias1=1"));
}

// A default that is written down decides, where other parameters would have decided.
TEST(FiltersStack, AWrittenDefaultThatDecidesIsKept) {
    const std::string decided = "unsharp=chroma_amount=1.4:planes=yrgb";
    EXPECT_EQ(print_stack(parse_stack(decided)), decided);
    EXPECT_NE(parse_stack(decided), parse_stack("unsharp=chroma_amount=1.4"));
}

TEST(FiltersStack, SixtyFourStepsAndNoMore) {
    std::string text = "sobel";
    for (int k = 1; k < 64; ++k) text += ",sobel";
    EXPECT_EQ(parse_stack(text).size(), 64U);
    EXPECT_THROW(parse_stack(text + ",sobel"), FilterError);
    EXPECT_THROW(parse_stack(std::string((1 << 20) + 1, 'a')), FilterError);
}

TEST(FiltersStack, CopiesAreIndependent) {
    Stack first = parse_stack("gaussian=sigma=3");
    const Stack second = first;
    first[0].params.set("sigma", "4");
    EXPECT_EQ(first[0].params.number("sigma"), 4);
    EXPECT_EQ(second[0].params.number("sigma"), 3);
    first[0].params.unset("sigma");
    EXPECT_EQ(first[0].params.number("sigma"), 2);
    EXPECT_FALSE(first[0].params.is_set("sigma"));
}

TEST(FiltersParams, WrongNamesInCodeAreBugs) {
    const Params params(*find_filter("gaussian"));
    EXPECT_THROW(params.number("nothing"), std::logic_error);
    EXPECT_THROW(params.integer("sigma"), std::logic_error);
}

TEST(FiltersParams, ANumberReachesTheFilterAsItWasSet) {
    const FilterDef& gaussian = *find_filter("gaussian");
    Params params(gaussian);
    for (const double sigma :
         {0.0, 1e-300, 0.1 + 0.2, 1.0 / 3, 2.5, std::nextafter(60.0, 0.0), 60.0}) {
        params.set("sigma", sigma);
        EXPECT_EQ(params.number("sigma"), sigma);
        EXPECT_EQ(params.text("sigma"), format_number(sigma));
        const Stack stack{{.filter = &gaussian, .params = params}};
        const Stack again = parse_stack(print_stack(stack));
        EXPECT_EQ(again[0].params.number("sigma"), sigma);
        EXPECT_TRUE(again == stack);
    }
}

// Either the parameters or the error's sentence.
template <class Value>
std::string result_of(const FilterDef& filter, const ParamDef& param, const Value& value) {
    try {
        Params params(filter);
        params.set(param.name, value);
        return print_step({.filter = &filter, .params = params});
    } catch (const FilterError& error) {
        return error.what();
    }
}

TEST(FiltersParams, ANumberIsTheSameAsItsText) {
    for (const FilterDef& filter : filters())
        for (const ParamDef& param : filter.params)
            for (const double value : {param.min, param.max, param.def, param.max + 1, -1.0, -0.0,
                                       0.5, 2.0, 8.0, 1e300, HUGE_VAL, std::nan("")})
                EXPECT_EQ(result_of(filter, param, value),
                          result_of(filter, param, format_number(value)))
                    << value;
}

TEST(FiltersParams, ErrorsOfNumbersPointAtTheFilter) {
    Params params(*find_filter("gaussian"));
    params.set("sigmaV", -0.5);
    try {
        params.filter().check(params);
        FAIL();
    } catch (const FilterError& error) {
        EXPECT_STREQ(error.what(), "gaussian: sigmaV: it must be 0 to 1024 px, or -1 for sigma");
        EXPECT_EQ(error.text(), "gaussian");
        EXPECT_EQ(error.position(), 0U);
    }
}

TEST(FiltersParams, ErrorsOfSingleValuesPointIntoTheValue) {
    Params params(*find_filter("convolve"));
    try {
        params.set("matrix", "1 2 x");
        FAIL();
    } catch (const FilterError& error) {
        EXPECT_EQ(error.text(), "1 2 x");
        EXPECT_EQ(error.position(), 4U);
    }
    EXPECT_THROW(params.set("nothing", "1"), FilterError);
}

// ---- names of ffmpeg's filters ----

struct Reading {
    std::string_view given;
    Names names;
    std::string_view typed;   // as print_stack() writes it for a command line
    std::string_view stored;  // and for a file
};

constexpr Reading kReadings[]{
    {"gblur=2", Names::typed, "gblur=sigma=2", "gblur@ffmpeg=sigma=2"},
    {"gblur=2", Names::stored, "gaussian", "gaussian"},
    {"gblur@ffmpeg", Names::stored, "gblur", "gblur@ffmpeg"},
    {"gblur@weft=3", Names::typed, "gaussian=sigma=3", "gaussian=sigma=3"},
    {"sobel=15:2", Names::typed, "sobel=planes=15:scale=2", "sobel@ffmpeg=planes=15:scale=2"},
    {"sobel=15:2", Names::stored, "sobel@weft=planes=all:scale=2", "sobel=planes=all:scale=2"},
    {"sobel@weft=direction=x", Names::typed, "sobel@weft=direction=x", "sobel=direction=x"},
    {"compass", Names::typed, "kirsch@weft", "kirsch"},
    {"boxblur=3:1", Names::typed, "boxblur=luma_radius=3:luma_power=1",
     "boxblur@ffmpeg=luma_radius=3:luma_power=1"},
    {"convolution='1|2|1':0mode=row", Names::typed, "convolution=0m=1 2 1:0mode=row",
     "convolution@ffmpeg=0m=1 2 1:0mode=row"},
    {"box,unsharp=lx=7", Names::typed, "box,unsharp=luma_msize_x=7",
     "box,unsharp@ffmpeg=luma_msize_x=7"},
};

TEST(FiltersStack, ReadsNamesAsTypedOrAsStored) {
    for (const Reading& row : kReadings) {
        SCOPED_TRACE(row.given);
        const Stack stack = parse_stack(row.given, row.names);
        EXPECT_EQ(print_stack(stack, Names::typed), row.typed);
        EXPECT_EQ(print_stack(stack, Names::stored), row.stored);
        EXPECT_EQ(parse_stack(row.typed, Names::typed), stack);
        EXPECT_EQ(parse_stack(row.stored, Names::stored), stack);
    }
    EXPECT_THROW(parse_stack("box@ffmpeg", Names::typed), FilterError);
    EXPECT_THROW(parse_stack("sobel@opencv", Names::typed), FilterError);
}

TEST(FiltersStack, ResolvesEveryValue) {
    constexpr Text kResolved[]{
        {"gaussian=sigma=2",
         "gaussian=sigma=2:steps=1:planes=all:sigmaV=-1:radius=0:border=reflect101:border_value=0"},
        {"gblur",
         "gblur@ffmpeg=sigma=0.5:steps=1:planes=15:sigmaV=-1:radius=0:border=replicate:"
         "border_value=0"},
        {"box=width=4",
         "box=radius_y=0:power=1:planes=all:width=4:height=0:border=reflect101:border_value=0"},
        {"temporal_average=weights='1 2'", "temporal_average=weights=1 2:scale=0:planes=all"},
        {"sobel@weft=direction=x",
         "sobel@weft=planes=luma:scale=1:delta=0:direction=x:border=reflect101:border_value=0"},
    };
    for (const auto& [text, resolved] : kResolved)
        EXPECT_EQ(print_resolved(parse_stack(text, Names::typed)), resolved);
    for (const char* text :
         {"unsharp@weft=chroma_amount=1", "unsharp=planes=y", "convolve=matrix='1 2 1':mode=row",
          "convolution='1 1 1 1 1 1 1 1 1'", "boxblur=2:1", "tblend", "sobel", "sobel@weft=15"}) {
        const Stack stack = parse_stack(text, Names::typed);
        const Stack again = parse_stack(print_resolved(stack));
        EXPECT_EQ(again, stack) << text;
        EXPECT_EQ(print_resolved(again), print_resolved(stack)) << text;
    }
    // Planes mean another thing here when they are given.
    EXPECT_EQ(print_resolved(parse_stack("unsharp@weft")).find("planes"), std::string::npos);
}

// The Gaussian has its second one, but not where its radius is given; a fill that covers alpha has
// the third.
TEST(FiltersStack, HasTheHighestDefinitionOfItsFilters) {
    for (const auto& [text, number] : {std::pair{"box,sobel", 1},
                                       {"box,gaussian", 2},
                                       {"gaussian=sigma=3,sobel", 2},
                                       {"gblur@ffmpeg", 2},
                                       {"gaussian=radius=3", 1},
                                       {"gblur@ffmpeg=radius=3,box", 1},
                                       {"fill=edge:region=9x9+0+0,gaussian", 3},
                                       {"fill=planes=rgb,gaussian", 2}})
        EXPECT_EQ(definition_of(parse_stack(text)), number) << text;
    EXPECT_EQ(definition_of({}), 1);
}

TEST(FiltersStack, RefusesWhatFfmpegsFiltersCannotDoHere) {
    constexpr Text kRefused[]{
        {"convolution='.5 1 .5':0mode=row", "use convolve"},
        {"convolution='1 2 3 4'", "a square has 9, 25 or 49"},
        {"convolution=matrix=1", "has no parameter 'matrix'"},
        {"boxblur=w/10", "luma_radius"},
        {"boxblur=255:2", "use several steps"},
        {"gblur=1025", "outside 0 to 1024"},
        {"tblend=all_mode=screen", "'screen' is not a choice"},
        {"tblend=all_expr='A*B'", "use all_mode"},
        {"tmix=100", "outside 1 to 32"},
        {"unsharp=4", "it must be odd"},
    };
    for (const auto& [text, why] : kRefused) {
        SCOPED_TRACE(text);
        try {
            parse_stack(text, Names::typed);
            ADD_FAILURE() << "it was accepted";
        } catch (const FilterError& error) {
            EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
        }
    }
}

TEST(FiltersStack, NamesEachDifferenceFromFfmpegOnce) {
    const auto count = [](std::string_view text) {
        return unlike_ffmpeg(parse_stack(text, Names::typed)).size();
    };
    EXPECT_EQ(count("gblur=2,gblur=1"), 1U);
    EXPECT_EQ(count("sobel,prewitt=planes=1"), 1U);
    EXPECT_EQ(count("tblend=all_mode=difference,tmix,boxblur,avgblur"), 1U);
    EXPECT_EQ(count("unsharp=la=1.5"), 0U);
    EXPECT_EQ(count("unsharp=la=3"), 1U);
    EXPECT_EQ(count("convolution='1 1 1 1 1 1 1 1 1':0rdiv=1/9"), 0U);
    EXPECT_EQ(count("convolution='1 1 1 1 1 1 1 1 1':0rdiv=1"), 1U);
    EXPECT_EQ(count("gaussian,sobel@weft,box"), 0U);
}

}  // namespace
}  // namespace weft
