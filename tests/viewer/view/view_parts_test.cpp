#include "app/viewer/view/view_parts.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr ScreenSize kPicture{200, 100};
constexpr Rect kArea{10, 20, 400, 300};  // fits at twice the size, at y 70 to 270

TEST(ViewerParts, OnePictureFillsTheArea) {
    EXPECT_EQ(view_parts({}, kPicture, kArea), (std::vector<ViewPart>{{kArea, kArea, 1, {}}}));
}

TEST(ViewerParts, AWipeDividesTheAreaAtItsLine) {
    ViewState view;
    view.mode = CompareMode::wipe;
    view.wipe = 0.25;
    EXPECT_EQ(view_parts(view, kPicture, kArea),
              (std::vector<ViewPart>{{kArea, {10, 20, 100, 300}, 0, {}},
                                     {kArea, {110, 20, 300, 300}, 1, {}}}));
    view.wipe_line = WipeOrientation::horizontal;
    EXPECT_EQ(view_parts(view, kPicture, kArea),
              (std::vector<ViewPart>{{kArea, {10, 20, 400, 100}, 0, {}},
                                     {kArea, {10, 120, 400, 200}, 1, {}}}));
}

// 0.65 to 0.85 of the width are in view, and the line in the middle is left of them: it is drawn a
// twentieth of the area inside.
TEST(ViewerParts, BothSidesOfAZoomedWipeAreInSight) {
    ViewState view;
    view.mode = CompareMode::wipe;
    view.zoom = {10, {150, 50}};
    const auto parts = view_parts(view, kPicture, kArea);
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_NEAR(parts[0].visible.width, 20, 1e-9);
    EXPECT_NEAR(parts[1].visible.x, 30, 1e-9);
    EXPECT_NEAR(parts[1].visible.width, 380, 1e-9);
    EXPECT_NEAR(wipe_in_view(view, kPicture, kArea), 0.66, 1e-12);
}

TEST(ViewerParts, SideBySideHasTwoHalvesOfTheirOwn) {
    ViewState view;
    view.mode = CompareMode::side_by_side;
    const Rect left{10, 20, 200, 300};
    const Rect right{210, 20, 200, 300};
    EXPECT_EQ(view_parts(view, kPicture, kArea),
              (std::vector<ViewPart>{{left, left, 0, {}}, {right, right, 1, {}}}));
}

TEST(ViewerParts, AStackHasTwoHalvesOfItsOwn) {
    ViewState view;
    view.mode = CompareMode::stacked;
    const Rect upper{10, 20, 400, 150};
    const Rect lower{10, 170, 400, 150};
    EXPECT_EQ(view_parts(view, kPicture, kArea),
              (std::vector<ViewPart>{{upper, upper, 0, {}}, {lower, lower, 1, {}}}));
    EXPECT_EQ(viewport_at(view, kPicture, kArea, {50, 300}), lower);
    EXPECT_EQ(viewport_at(view, kPicture, kArea, {5, 5}), upper);
}

// In an area of 400 × 300, the halves have 200 × 300 or 400 × 150. A square is larger in the first
// ones, a picture of 2:1 in the second ones; the limit is 4:3, the area's own shape.
TEST(ViewerParts, WideFilmsAreLargerOneAboveTheOther) {
    EXPECT_FALSE(stacked_is_larger({100, 100}, kArea));
    EXPECT_FALSE(stacked_is_larger({130, 100}, kArea));
    EXPECT_TRUE(stacked_is_larger({137, 100}, kArea));
    EXPECT_TRUE(stacked_is_larger({200, 100}, kArea));
}

TEST(ViewerParts, FiltersSwitchTheWipeOnAndOffUntilTheUserChooses) {
    ViewState view;
    view.follow_filters(true);
    EXPECT_EQ(view.mode, CompareMode::wipe);
    view.follow_filters(false);
    EXPECT_EQ(view.mode, CompareMode::single);
    view.choose(CompareMode::difference);
    view.follow_filters(true);
    EXPECT_EQ(view.mode, CompareMode::difference);
    view.follow_filters(false);
    EXPECT_EQ(view.mode, CompareMode::difference);
}

TEST(ViewerParts, ADifferenceIsTheRightSideMinusTheLeft) {
    ViewState view;
    view.mode = CompareMode::difference;
    view.left = 1;
    view.right = 2;
    EXPECT_EQ(view_parts(view, kPicture, kArea), (std::vector<ViewPart>{{kArea, kArea, 2, 1}}));
}

TEST(ViewerParts, EveryPartShowsTheOriginalWhileItIsHeld) {
    ViewState view;
    view.left = 1;
    view.right = 2;
    view.held_original = true;
    using enum CompareMode;
    for (const CompareMode mode : {single, wipe, side_by_side, stacked, difference}) {
        view.mode = mode;
        for (const ViewPart& part : view_parts(view, kPicture, kArea)) {
            EXPECT_EQ(part.side, 0U);
            EXPECT_FALSE(part.minus);
        }
    }
}

}  // namespace
}  // namespace weft
