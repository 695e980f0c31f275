#include "filters/where.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "filters/stack.h"
#include "filters/text/text_error.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

using testing::ElementsAre;

constexpr Length px(double value) {
    return {value, false};
}

constexpr Length percent(double value) {
    return {value, true};
}

FrameInfo frame(int width, int height, int rotation = 0) {
    FrameInfo info;
    info.width = width;
    info.height = height;
    info.planes = {{width, height, {Component::y}}};
    info.rotation_degrees = rotation;
    return info;
}

std::optional<Where> where_of(const std::string& params, const FrameInfo& info) {
    return weft::where_of(parse_stack("gaussian=" + params).front().params, info);
}

std::vector<unsigned> weights(const Where& where, const PixelRect& samples, Coverage coverage = {},
                              Lines lines = {}) {
    std::vector<std::uint16_t> list(static_cast<std::size_t>(samples.width * samples.height));
    fill_weights(where, samples, coverage, lines, {list.data(), samples.width});
    return {list.begin(), list.end()};
}

TEST(FiltersWhere, ReadsRegions) {
    EXPECT_THAT(parse_regions("120x60+300+200"),
                ElementsAre(RegionText{px(120), px(60), px(300), px(200)}));
    EXPECT_THAT(parse_regions("10%x5.5%-3%+40"),
                ElementsAre(RegionText{percent(10), percent(5.5), percent(-3), px(40)}));
    EXPECT_THAT(parse_regions("1x2+3+4|5x6-7-8"),
                ElementsAre(RegionText{px(1), px(2), px(3), px(4)},
                            RegionText{px(5), px(6), px(-7), px(-8)}));
}

struct BadText {
    std::string_view text;
    std::size_t place;
    std::string_view saying;
};

void expect_errors(void (*parse)(std::string_view), const std::vector<BadText>& rows) {
    for (const auto& [text, place, saying] : rows) {
        SCOPED_TRACE(std::string(text));
        try {
            parse(text);
            ADD_FAILURE() << "was accepted";
        } catch (const TextError& error) {
            EXPECT_EQ(error.offset(), place);
            EXPECT_THAT(error.what(), testing::HasSubstr(std::string(saying)));
        }
    }
}

TEST(FiltersWhere, NamesTheFaultOfARegion) {
    expect_errors([](std::string_view text) { (void)parse_regions(text); },
                  {{"x60+1+2", 0, "its width is missing"},
                   {"0x60+1+2", 0, "its width is 0"},
                   {"120", 3, "'x' and its height are missing"},
                   {"120x", 4, "its height is missing"},
                   {"120x60", 6, "its left side is missing"},
                   {"120x60+5", 8, "its upper side is missing"},
                   {"120x60+5+", 9, "its upper side is missing"},
                   {"120x60+5+6+7", 10, "a region ends with"},
                   {"1x1+0+0|", 8, "its width is missing"},
                   {"1.2.3x1+0+0", 0, "its width is not a number"},
                   {"99999999x1+0+0", 0, "more than any frame has"},
                   {"120x60+nan+2", 7, "its left side is missing"}});
    std::string many = "1x1+0+0";
    for (int k = 0; k < 1024; ++k) many += "|1x1+0+0";
    EXPECT_THROW(parse_regions(many), TextError);
}

TEST(FiltersWhere, ReadsLengths) {
    EXPECT_EQ(parse_length("4"), px(4));
    EXPECT_EQ(parse_length("4.5px"), px(4.5));
    EXPECT_EQ(parse_length("10%"), percent(10));
    for (const char* text : {"-1", "%", "px", "4%px", "1e9", "nan"})
        EXPECT_THROW(parse_length(text), TextError) << text;
}

TEST(FiltersWhere, NamesTheFaultOfAnExpression) {
    for (const char* text :
         {"between(t,2,5)+gte(n,100)", "1", "if (gt(t, 1e3), 5k, 0x1F)", "w*h*PI"})
        EXPECT_NO_THROW(check_enable_names(text)) << text;
    expect_errors(check_enable_names, {{"gt(x,2)", 3, "unknown name 'x'"},
                                       {"betwen(t,1,2)", 0, "did you mean 'between'?"},
                                       {"t+random(0)", 2, "unknown function 'random'"},
                                       {"st(0,t)", 0, "unknown function 'st'"},
                                       {"abs", 0, "unknown name 'abs'"},
                                       {"pos", 0, "unknown name 'pos'"}});
}

TEST(FiltersWhere, OtherParametersNeedARegion) {
    for (const char* text : {"shape=ellipse", "feather=3", "grow=2", "invert=1"})
        EXPECT_THROW(parse_stack(std::string("gaussian=") + text), FilterError) << text;
    for (const char* text :
         {"ids=3", "gap=hold", "region=1x1+0+0:ids=3", "boxes=a.txt:region=1x1+0+0"})
        EXPECT_THROW(parse_stack(std::string("gaussian=") + text), FilterError) << text;
    EXPECT_NO_THROW(parse_stack("gaussian=boxes=a.txt:ids=3|-1|12:gap=off:feather=2"));
    EXPECT_NO_THROW(parse_stack("gaussian=enable='gt(t,1)'"));
    EXPECT_FALSE(where_of("sigma=2", frame(8, 8)));
}

TEST(FiltersWhere, NoFilterHasAParameterOfThatName) {
    for (const auto list : {filters(), ffmpeg_filters()})
        for (const FilterDef& filter : list)
            for (const ParamDef& param : step_params()) {
                EXPECT_EQ(find_param(filter, param.name), &param) << filter.name;
                EXPECT_TRUE(param.advanced);
            }
}

TEST(FiltersWhere, ATextSurvivesPrinting) {
    const std::string text =
        "gaussian=sigma=3:region=10%x5%+1+2|3x4-5+6:shape=ellipse:feather=1.5:grow=3%:invert=1:"
        "enable='between(t,2,5)'";
    EXPECT_EQ(print_stack(parse_stack(text)), text);
    EXPECT_EQ(parse_stack(print_resolved(parse_stack(text))), parse_stack(text));
    // Stacks without regions are written as before there were any.
    EXPECT_EQ(print_resolved(parse_stack("box=2")).find("shape"), std::string::npos);
}

TEST(FiltersWhere, ARegionHasTheFullWeightAndTheRestNone) {
    const Where where = *where_of("region=2x1+1+1", frame(4, 3));
    EXPECT_THAT(weights(where, {0, 0, 4, 3}),
                ElementsAre(0, 0, 0, 0, 0, 65535, 65535, 0, 0, 0, 0, 0));
    EXPECT_EQ(reach_of(where, where.regions[0], 4, 3, {}), (PixelRect{1, 1, 2, 1}));
}

// A pixel is covered even if a region only touches it.
TEST(FiltersWhere, TouchedPixelsAreInside) {
    const Where where = *where_of("region=25%x50%+30%+0", frame(8, 2));
    // 2.4 to 4.4 pixels.
    EXPECT_EQ(reach_of(where, where.regions[0], 8, 2, {}), (PixelRect{2, 0, 3, 1}));
    const Where thirds = *where_of("region=33.333333333333%x100%+33.333333333333%+0", frame(9, 1));
    EXPECT_EQ(reach_of(thirds, thirds.regions[0], 9, 1, {}), (PixelRect{3, 0, 3, 1}));
}

// The centre of the pixel next to the region is half a pixel away from it.
TEST(FiltersWhere, AFeatherIsOutside) {
    const Where where = *where_of("region=1x1+2+0:feather=2", frame(5, 1));
    EXPECT_THAT(weights(where, {0, 0, 5, 1}), ElementsAre(16384, 49151, 65535, 49151, 16384));
}

TEST(FiltersWhere, ChromaTakesTheLargestWeightOfItsPixels) {
    const Where where = *where_of("region=1x1+1+1", frame(5, 3));
    EXPECT_THAT(weights(where, {0, 0, 3, 2}, {2, 2}), ElementsAre(65535, 0, 0, 0, 0, 0));
    const Where inverse = *where_of("region=1x1+1+1:invert=1", frame(5, 3));
    EXPECT_THAT(weights(inverse, {0, 0, 3, 2}, {2, 2}),
                ElementsAre(0, 65535, 65535, 65535, 65535, 65535));
}

TEST(FiltersWhere, FieldsHaveTheirOwnLines) {
    const Where where = *where_of("region=1x3+0+1", frame(1, 6));  // lines 1, 2 and 3
    EXPECT_EQ(reach_of(where, where.regions[0], 1, 3, {0, 2}), (PixelRect{0, 1, 1, 1}));
    EXPECT_EQ(reach_of(where, where.regions[0], 1, 3, {1, 2}), (PixelRect{0, 0, 1, 2}));
    EXPECT_THAT(weights(where, {0, 0, 1, 3}, {}, {0, 2}), ElementsAre(0, 65535, 0));
    EXPECT_THAT(weights(where, {0, 0, 1, 3}, {}, {1, 2}), ElementsAre(65535, 65535, 0));
}

// A region is given as a viewer sees the picture; a player turns the coded one clockwise.
TEST(FiltersWhere, RegionsTurnWithThePicture) {
    const struct {
        int rotation = 0;
        PixelRect want;  // in the coded 8×4 picture
    } rows[] = {{0, {0, 0, 2, 1}}, {90, {0, 2, 1, 2}}, {180, {6, 3, 2, 1}}, {270, {7, 0, 1, 2}}};
    for (const auto& [rotation, want] : rows) {
        const Where where = *where_of("region=2x1+0+0", frame(8, 4, rotation));
        EXPECT_EQ(reach_of(where, where.regions[0], 8, 4, {}), want) << rotation;
    }
}

TEST(FiltersWhere, ARegionOutsideOfTheFrameIsAnError) {
    EXPECT_EQ(where_of("region=4x4+6+6|1x1+8+0", frame(8, 8))->regions.size(), 1U);
    try {
        (void)where_of("region=4x4+8+0", frame(8, 8));
        FAIL();
    } catch (const FilterError& error) {
        EXPECT_STREQ(error.what(), "gaussian: region: lies outside the frame of 8×8");
        EXPECT_EQ(error.position(), std::string("gaussian=region=").size());
    }
}

TEST(FiltersWhere, ReadsIds) {
    EXPECT_THAT(parse_ids("3|-1|12"), ElementsAre(3, -1, 12));
    expect_errors([](std::string_view text) { (void)parse_ids(text); },
                  {{"", 0, "'' is not the number"},
                   {"3|", 2, "'' is not the number"},
                   {"3|x", 2, "'x' is not the number"},
                   {"-2", 0, "'-2' is not the number"}});
}

TEST(FiltersWhere, BoxesMoveTheRegions) {
    const test::TemporaryFolder folder;
    const std::string file =
        folder.write("boxes.txt", "1,1,0,0,2,2\n5,1,4,2,2,2\n1,2,90,90,2,2\n").string();
    const auto regions = [&](const std::string& params, const FrameInfo& info, std::int64_t n) {
        std::vector<PixelRect> list;
        const Where where = *where_of("boxes='" + file + "':" + params, info);
        for (const RegionRect& region : where.moving->at({.number = n}))
            list.push_back(reach_of(where, region, info.width, info.height, {}));
        return list;
    };
    EXPECT_THAT(regions("ids=1", frame(8, 8), 0), ElementsAre(PixelRect{0, 0, 2, 2}));
    // 2.0 and 1.0 half way; frame 3 is at 3.0 and 1.5, so its rows are touched.
    EXPECT_THAT(regions("ids=1", frame(8, 8), 2), ElementsAre(PixelRect{2, 1, 2, 2}));
    EXPECT_THAT(regions("ids=1", frame(8, 8), 3), ElementsAre(PixelRect{3, 1, 2, 3}));
    EXPECT_THAT(regions("ids=1:gap=off", frame(8, 8), 3), ElementsAre());
    EXPECT_THAT(regions("grow=50%", frame(8, 8), 4), ElementsAre(PixelRect{3, 1, 4, 4}));
    // A box that does not meet the frame is left out.
    EXPECT_THAT(regions("grow=0", frame(8, 8), 0), ElementsAre(PixelRect{0, 0, 2, 2}));
    EXPECT_THAT(regions("ids=1", frame(8, 8, 90), 4), ElementsAre(PixelRect{2, 2, 2, 2}));
    EXPECT_THROW(where_of("boxes='" + file + "':ids=7", frame(8, 8)), FilterError);
    EXPECT_THROW(where_of("boxes=/nowhere.txt", frame(8, 8)), FilterError);
}

TEST(FiltersWhere, NumbersOfFramesCountWhereTheyAreUsed) {
    EXPECT_TRUE(counts_frames(parse_stack("box=1,gaussian=enable='gt(n,2)'")));
    EXPECT_FALSE(counts_frames(parse_stack("box=1,gaussian=enable='between(t,2,3)'")));
}

}  // namespace
}  // namespace weft
