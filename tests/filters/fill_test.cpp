#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "filters/stack.h"

namespace weft {
namespace {

using C = Component;

FrameInfo frame(std::vector<C> components, int depth = 8, bool full_range = false) {
    FrameInfo info;
    info.width = info.height = 2;
    info.sample = depth == 8 ? SampleType::u8 : depth == 32 ? SampleType::f32 : SampleType::u16;
    info.depth_bits = depth;
    info.planes = {{2, 2, std::move(components)}};
    info.matrix = ColorMatrix::bt709;
    info.full_range = full_range;
    return info;
}

// The samples of a filled frame, rounded as a kernel does.
std::vector<long> filled(const std::string& color, const FrameInfo& info) {
    const Step step = parse_stack("fill=" + color).front();
    const Operation operation = step.filter->make(step.params, info);
    std::vector<long> samples;
    for (const ComponentTaps& component : std::get<Convolution>(operation.compute).components) {
        EXPECT_EQ(component.taps.front().weights, std::vector<float>{0});
        samples.push_back(std::lrint(component.bias));
    }
    return samples;
}

// Values of BT.709's colour bars, as in SMPTE RP 219 at full saturation.
TEST(FiltersFill, HasTheSamplesOfTheColour) {
    using testing::ElementsAre;
    const std::vector<C> yuv = {C::y, C::u, C::v};
    EXPECT_THAT(filled("black", frame(yuv)), ElementsAre(16, 128, 128));
    EXPECT_THAT(filled("white", frame(yuv)), ElementsAre(235, 128, 128));
    EXPECT_THAT(filled("red", frame(yuv)), ElementsAre(63, 102, 240));
    EXPECT_THAT(filled("00ff00", frame(yuv)), ElementsAre(173, 42, 26));
    EXPECT_THAT(filled("blue", frame(yuv)), ElementsAre(32, 240, 118));
    EXPECT_THAT(filled("white", frame(yuv, 10)), ElementsAre(940, 512, 512));
    EXPECT_THAT(filled("white", frame(yuv, 10, true)), ElementsAre(1023, 512, 512));
    EXPECT_THAT(filled("#FF8000", frame({C::b, C::g, C::r, C::a})), ElementsAre(255, 128, 0, 255));
    EXPECT_THAT(filled("0x0000ff", frame({C::r, C::g, C::b}, 16)), ElementsAre(0, 0, 65535));
    EXPECT_THAT(filled("white", frame({C::y, C::a}, 8, true)), ElementsAre(255, 255));
}

TEST(FiltersFill, NamesTheFaultOfAColour) {
    for (const auto& [text, saying] :
         std::map<std::string_view, std::string_view>{{"blac", "did you mean 'black'?"},
                                                      {"12345", "is no colour"},
                                                      {"#12345g", "'g' is no"}})
        try {
            parse_stack("fill=color='" + std::string(text) + "'");
            ADD_FAILURE() << text;
        } catch (const FilterError& error) {
            EXPECT_THAT(error.what(), testing::HasSubstr(std::string(saying)));
        }
}

TEST(FiltersFill, TakesTheMeanOfARegionsEdge) {
    const Step step = parse_stack("fill=edge:region=1x1+0+0").front();
    const Operation operation = step.filter->make(step.params, frame({C::y, C::u, C::v}));
    const auto& means = std::get<SampleMeans>(operation.compute);
    EXPECT_EQ(means.block_px, 0);
    EXPECT_EQ(means.otherwise, (std::vector<float>{16, 128, 128}));
    for (const auto& [text, saying] : std::map<std::string_view, std::string_view>{
             {"fill=edge", "needs a region"},
             {"fill=edge:region=1x1+0+0:invert=1", "invert"},
             {"fill=edge:planes=y:region=1x1+0+0", "every component"}})
        try {
            parse_stack(text);
            ADD_FAILURE() << text;
        } catch (const FilterError& error) {
            EXPECT_THAT(error.what(), testing::HasSubstr(std::string(saying)));
        }
}

}  // namespace
}  // namespace weft
