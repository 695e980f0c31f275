#include <gtest/gtest.h>

#include "tests/filters/frames.h"

namespace weft {
namespace {

TemporalBlend blend(std::string_view step, std::string_view on = "yuv420p") {
    return std::get<TemporalBlend>(test::make(step, test::frame(on)).compute);
}

TEST(FiltersTemporal, DifferenceOfNewestAndTheOneBefore) {
    const TemporalBlend plain = blend("frame_difference");
    EXPECT_EQ(plain.weights, (std::vector<float>{1, -1}));
    EXPECT_TRUE(plain.absolute);
    EXPECT_TRUE(plain.black_first);
    EXPECT_EQ(plain.scale, 1);
    EXPECT_EQ(plain.bias, 0);
    EXPECT_EQ(plain.threshold, 0);
    EXPECT_EQ(blend("tblend=all_mode=difference:gain=3").scale, 3);
    for (const char* step : {"frame_difference=signed", "tblend=all_mode=difference128",
                             "tblend=all_mode=grainextract"}) {
        EXPECT_FALSE(blend(step).absolute) << step;
        EXPECT_EQ(blend(step).bias, 128) << step;
        EXPECT_TRUE(blend(step).black_first) << step;
    }
    const Operation luma = test::make("frame_difference", test::frame("yuv420p"));
    EXPECT_EQ(luma.selection.filtered, std::vector<Component>{Component::y});
    EXPECT_TRUE(luma.selection.neutral_chroma);
    const Operation all = test::make("frame_difference=planes=all", test::frame("yuv420p"));
    EXPECT_EQ(all.selection.filtered.size(), 3U);
    EXPECT_FALSE(all.selection.neutral_chroma);
}

TEST(FiltersTemporal, AverageTakesTheOldestWeightFirst) {
    EXPECT_EQ(blend("temporal_average").weights, (std::vector<float>{1, 1, 1}));
    EXPECT_EQ(blend("temporal_average").scale, 1.0F / 3);
    EXPECT_EQ(blend("tmix=frames=4").weights.size(), 4U);
    EXPECT_EQ(blend("tmix=frames=3:weights='1 2 5'").weights, (std::vector<float>{5, 2, 1}));
    EXPECT_EQ(blend("tmix=frames=3:weights='1 2 5'").scale, 0.125F);
    EXPECT_EQ(blend("tmix=weights='1 2'").weights.size(), 2U);
    EXPECT_EQ(blend("tmix=3:'-1 1 0':1").scale, 1);
    EXPECT_FALSE(blend("tmix").black_first);
    EXPECT_EQ(blend("temporal_average=1").weights, std::vector<float>{1});
}

}  // namespace
}  // namespace weft
