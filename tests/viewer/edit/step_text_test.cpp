#include "app/viewer/edit/step_text.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

Step step_of(std::string_view text) {
    return parse_stack(text).front();
}

TEST(ViewerStepText, HeadingsAreWords) {
    for (const auto& [text, heading] : {std::pair("gaussian", "Gaussian"),
                                        {"frame_difference", "Frame difference"},
                                        {"log", "LoG"},
                                        {"dog", "DoG"},
                                        {"sobel@weft", "Sobel (weft)"}})
        EXPECT_EQ(heading_of(*step_of(text).filter), heading);
}

TEST(ViewerStepText, AFoldedStepShowsItsStrength) {
    EXPECT_EQ(summary_of(step_of("gaussian")), "Sigma 2 px");
    EXPECT_EQ(summary_of(step_of("gaussian=sigma=2")), "Sigma 2 px");
    EXPECT_EQ(summary_of(step_of("gaussian=sigma=5:planes=y")), "Sigma 5 px, Channels y");
}

}  // namespace
}  // namespace weft
