// Filters, the wipe and the zoom, at places whose pixels are known.
#include <algorithm>
#include <utility>

#include "tests/gui/viewer.h"

namespace weft::gui {
namespace {

class GuiCompare : public GuiTest {
 protected:
    // Finds the unfiltered clip while the key that shows the original is held.
    static PixelRect place_of_original(const Viewer& viewer) {
        viewer.hold("e");
        const PixelRect at = viewer.clip_place();
        viewer.let_go("e");
        return at;
    }
};

constexpr double kLeft = 0.25, kRight = 0.75, kLow = 0.73;

// Flat areas have no edges and their luma becomes black; the sides of the step do not.
TEST_F(GuiCompare, ShowsTheFilterAndTheOriginalWhileItsKeyIsHeld) {
    Viewer viewer = view({clip(), "-vf", "sobel"});
    const PixelRect at = place_of_original(viewer);
    EXPECT_TRUE(viewer.shows_level(kLeft, kLow, 0, at));
    EXPECT_TRUE(viewer.shows_level(kRight, kLow, 0, at));
    EXPECT_TRUE(viewer.shows_level(0.5, kLow, 255, at, 60));
    viewer.hold("e");
    EXPECT_TRUE(viewer.shows_level(kLeft, kLow, screen_level(kDark), at));
    EXPECT_TRUE(viewer.shows_level(kRight, kLow, screen_level(kBright), at));
    viewer.let_go("e");
    EXPECT_TRUE(viewer.shows_level(kRight, kLow, 0, at));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

TEST_F(GuiCompare, ABlurIsAsWideAsItsBox) {
    Viewer viewer = view({clip(), "-vf", "box=radius=10"});
    const PixelRect at = place_of_original(viewer);
    const int dark = screen_level(kDark);
    const int bright = screen_level(kBright);
    EXPECT_TRUE(viewer.shows_level(0.5, kLow, (dark + bright) / 2, at, 12));
    EXPECT_TRUE(viewer.shows_level(0.5 + 5.5 / kClipWidth, kLow, (dark + 3 * bright) / 4, at, 12));
    EXPECT_TRUE(viewer.shows_level(kLeft, kLow, dark, at));
    EXPECT_TRUE(viewer.shows_level(kRight, kLow, bright, at));
    (void)viewer.quit();
}

TEST_F(GuiCompare, TheWipeFollowsTheMouse) {
    Viewer viewer = view({clip(), "-vf", "sobel"});
    const PixelRect at = place_of_original(viewer);
    ASSERT_TRUE(viewer.shows_level(kRight, kLow, 0, at));
    viewer.press({"w"});
    EXPECT_TRUE(viewer.shows_level(kLeft, kLow, screen_level(kDark), at));
    EXPECT_TRUE(viewer.shows_level(kRight, kLow, 0, at));
    const int y = at.y + at.height / 2;
    viewer.drag({at.x + at.width / 2, y}, {at.x + at.width * 9 / 10, y});
    EXPECT_TRUE(viewer.shows_level(kRight, kLow, screen_level(kBright), at));
    viewer.drag({at.x + at.width * 9 / 10, y}, {at.x + at.width / 10, y});
    EXPECT_TRUE(viewer.shows_level(kLeft, kLow, 0, at));
    viewer.press({"w"});
    (void)viewer.quit();
}

// The bars above a picture that is wider than its area are empty otherwise.
TEST_F(GuiCompare, SidesHaveNamesAndTheWipeAHandle) {
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    const PixelRect window = viewer.place();
    const auto has_text = [&](int left, int right) {
        const Screenshot shot = Screen::get().shot();
        for (int y = window.y + 30; y < at.y; ++y)
            for (int x = left; x < right; ++x)
                if (shot.at(x, y).g > 200) return true;
        return false;
    };
    const int middle = at.x + at.width / 2;
    const int end = at.x + at.width;
    EXPECT_FALSE(has_text(at.x, end));
    viewer.press({"w"});
    EXPECT_TRUE(eventually([&] { return has_text(at.x, middle) && has_text(middle, end); }));
    EXPECT_TRUE(viewer.shows_level(0.5, 0.5 + 7.0 / at.height, 255, at));
    viewer.press({"d"});
    EXPECT_TRUE(eventually([&] { return has_text(at.x, middle) && !has_text(middle, end); }));
    viewer.press({"d"});
    EXPECT_TRUE(eventually([&] { return !has_text(at.x, end); }));
    (void)viewer.quit();
}

// Check boxes and radio buttons of the side column, once they stay.
std::vector<PixelRect> square_fields(const Viewer& viewer, std::size_t at_least) {
    const auto squares = [](std::vector<PixelRect> all) {
        std::erase_if(all, [](const PixelRect& area) {
            return area.width > area.height * 5 / 4 || area.height > area.width * 5 / 4;
        });
        return all;
    };
    std::vector<PixelRect> before;
    return squares(viewer.side_areas({kField}, [&](const std::vector<PixelRect>& all) {
        const bool stays = std::exchange(before, all) == all;
        return stays && squares(all).size() >= at_least;
    }));
}

// The second stack starts as a copy, and the Filters panel chooses the stack to change: here the
// only step of the first one is switched off.
TEST_F(GuiCompare, TwoStacksAreChangedInTheFiltersPanel) {
    Viewer viewer = view({clip(), "-vf", "box=radius=10"});
    const PixelRect at = place_of_original(viewer);
    const int dark = screen_level(kDark);
    const int bright = screen_level(kBright);
    constexpr double kNear = 5.5 / kClipWidth;
    viewer.press({"F6"});
    viewer.click(square_fields(viewer, 5).at(3).middle());  // after the ways not chosen
    EXPECT_TRUE(viewer.shows_level(0.5 - kNear, kLow, (3 * dark + bright) / 4, at, 12));
    viewer.press({"F3"});
    // The button of the other stack, and the row of the only filter: its ground on both sides of
    // the outlined check box, and the box. The chosen stack's button is filled.
    const auto fields =
        viewer.side_areas({kField}, [](const auto& all) { return all.size() == 4; });
    viewer.click(fields.at(0).middle());
    viewer.click(fields.at(3).middle());
    EXPECT_TRUE(viewer.shows_level(0.5 - kNear, kLow, dark, at));
    EXPECT_TRUE(viewer.shows_level(0.5 + kNear, kLow, (dark + 3 * bright) / 4, at, 12));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

TEST_F(GuiCompare, AKeyComparesTwoStacks) {
    Viewer viewer = view({clip(), "-vf", "box=radius=10"});
    (void)place_of_original(viewer);
    viewer.press({"F3"});
    const auto has_fields = [&](std::size_t count) {
        return viewer.side_areas({kField}, [&](const auto& all) { return all.size() == count; })
                   .size() == count;
    };
    EXPECT_TRUE(has_fields(3));
    viewer.press({"c"});
    EXPECT_TRUE(has_fields(4)) << "the button of the other stack";
    viewer.press({"c"});
    EXPECT_TRUE(has_fields(3));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

TEST_F(GuiCompare, TheDifferenceWithoutFiltersIsMiddleGray) {
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    viewer.press({"d"});
    EXPECT_TRUE(viewer.shows_level(kLeft, kLow, 128, at));
    EXPECT_TRUE(viewer.shows_level(kRight, kLow, 128, at));
    viewer.press({"d"});
    EXPECT_TRUE(viewer.shows_level(kRight, kLow, screen_level(kBright), at));
    (void)viewer.quit();
}

// Waits until the whole clip is visible with that width.
testing::AssertionResult is_as_wide_as(int width) {
    int seen = 0;
    const bool right = eventually([&] {
        seen = find_clip(Screen::get().shot()).value_or(PixelRect{}).width;
        return seen == width;
    });
    return right ? testing::AssertionSuccess()
                 : testing::AssertionFailure() << seen << " wide, not " << width;
}

TEST_F(GuiCompare, ZoomsToActualSizeAndBack) {
    Viewer viewer = view({clip()});
    const PixelRect fitted = viewer.clip_place();
    ASSERT_GT(fitted.width, 3 * kClipWidth);
    viewer.press({"1"});
    EXPECT_TRUE(is_as_wide_as(kClipWidth));
    viewer.press({"2"});
    EXPECT_TRUE(is_as_wide_as(fitted.width));
    (void)viewer.quit();
}

// The place under the mouse stays there: the step in the lower half, which fills the middle of the
// picture once it is large enough.
TEST_F(GuiCompare, TheWheelZoomsOnTheCursor) {
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    const int x = at.x + at.width / 2 + 20;
    const int y = at.y + at.height * 73 / 100;
    viewer.move_to(x, y);
    viewer.do_all(
        {"keydown", "ctrl", "click", "--repeat", "6", "--delay", "60", "4", "keyup", "ctrl"});
    EXPECT_TRUE(eventually([] { return !find_clip(Screen::get().shot()); }));
    EXPECT_TRUE(viewer.shows_level(0.5 - 100.0 / at.width, kLow, screen_level(kDark), at));
    EXPECT_TRUE(viewer.shows_level(0.5 + 100.0 / at.width, kLow, screen_level(kBright), at));
    viewer.press({"2"});
    EXPECT_TRUE(is_as_wide_as(at.width));
    (void)viewer.quit();
}

}  // namespace
}  // namespace weft::gui
