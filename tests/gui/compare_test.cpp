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

constexpr int kBelowBar = 56;  // from the window's top to the area of the picture

// The bars above a picture that is wider than its area are empty otherwise.
TEST_F(GuiCompare, SidesHaveNamesAndTheWipeAHandle) {
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    const PixelRect window = viewer.place();
    const auto has_text = [&](int left, int right) {
        const Screenshot shot = Screen::get().shot();
        for (int y = window.y + kBelowBar; y < at.y; ++y)
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

// Check boxes and radio buttons of the open section, once they stay.
std::vector<PixelRect> square_fields(const Viewer& viewer, std::size_t at_least) {
    const auto squares = [top = viewer.section_top()](std::vector<PixelRect> all) {
        std::erase_if(all, [top](const PixelRect& area) {
            return area.y < top || area.width > area.height * 5 / 4 ||
                   area.height > area.width * 5 / 4;
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
    viewer.click(square_fields(viewer, 2).at(0).middle());
    EXPECT_TRUE(viewer.shows_level(0.5 - kNear, kLow, (3 * dark + bright) / 4, at, 12));
    viewer.press({"F3"});
    // The buttons of both stacks, and the row of the only filter: its ground, the check box that
    // divides the ground, and the other part of it.
    const auto fields =
        viewer.side_areas({kField}, [](const auto& all) { return all.size() == 5; });
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
    EXPECT_TRUE(has_fields(5)) << "the buttons of both stacks";
    viewer.press({"c"});
    EXPECT_TRUE(has_fields(3));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// The original is on the left of the wipe's line.
TEST_F(GuiCompare, TheFirstFilterSwitchesTheWipeOnUntilTheUserChooses) {
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    viewer.do_all({"key", "ctrl+f", "type", "sobel"});
    viewer.press({"Return"});
    EXPECT_TRUE(viewer.shows_level(kRight, kLow, 0, at));
    EXPECT_TRUE(viewer.shows_level(kLeft, kLow, screen_level(kDark), at));
    viewer.press({"ctrl+z"});
    EXPECT_TRUE(viewer.shows_level(kRight, kLow, screen_level(kBright), at));
    viewer.press({"o", "ctrl+shift+z"});
    EXPECT_TRUE(viewer.shows_level(kRight, kLow, 0, at));
    EXPECT_TRUE(viewer.shows_level(kLeft, kLow, 0, at));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// The buttons above the picture that are not chosen, without those of the scale, from the left,
// once there are that many. The colour is also in the holes of their letters.
std::vector<PixelRect> bar_buttons(const Viewer& viewer, std::size_t count) {
    constexpr int kMenu = 21, kLeastHeight = 20;
    std::vector<PixelRect> found;
    EXPECT_TRUE(eventually([&] {
        const PixelRect window = viewer.place();
        viewer.move_to(window.x + window.width / 2, window.y + window.height - 2);  // none hovered
        const PixelRect bar{window.x, window.y + kMenu, window.width * 6 / 10, kBelowBar - kMenu};
        found = areas_of(Screen::get().shot(), bar, {kButton});
        std::erase_if(found, [](const PixelRect& area) { return area.height < kLeastHeight; });
        std::ranges::sort(found, {}, &PixelRect::x);
        return found.size() == count;
    })) << found.size()
        << " buttons";
    return found;
}

// The place of the original, once it is smaller than the clip alone: edges have other colours.
PixelRect smaller_original(const PixelRect& alone) {
    std::optional<PixelRect> seen;
    EXPECT_TRUE(eventually([&] {
        const auto before = std::exchange(seen, find_clip(Screen::get().shot()));
        return seen && seen == before && seen->width < alone.width;
    }));
    return seen.value_or(PixelRect{});
}

// Of five ways, the chosen one is left out. Then come Swap, if there are two sides, the button that
// shows the original, and those of the way.
TEST_F(GuiCompare, EveryWayIsChosenAndLeftByTheMouse) {
    Viewer viewer = view({clip(), "-vf", "sobel"});
    const PixelRect at = place_of_original(viewer);
    constexpr std::size_t kAlone = 5, kWipe = 7, kTwo = 6, kDifference = 8;
    const auto press = [&](std::size_t button, std::size_t of) {
        viewer.click(bar_buttons(viewer, of).at(button).middle());
    };
    const auto has_levels = [&](int left, int right) {
        EXPECT_TRUE(viewer.shows_level(kLeft, kLow, left, at));
        EXPECT_TRUE(viewer.shows_level(kRight, kLow, right, at));
    };
    press(0, kAlone);
    has_levels(screen_level(kDark), 0);
    press(4, kWipe);  // Swap
    has_levels(0, screen_level(kBright));
    press(4, kWipe);
    has_levels(screen_level(kDark), 0);
    press(0, kWipe);
    has_levels(0, 0);
    // The clip is wide, yet "Side" is what its name says at the first press.
    press(1, kAlone);
    const PixelRect left = smaller_original(at);
    EXPECT_LE(left.x + left.width, at.middle().first);
    press(2, kTwo);
    EXPECT_TRUE(eventually([&] { return smaller_original(at).width > left.width; }));
    press(0, kTwo);
    has_levels(0, 0);
    // The filtered picture is black in a black bar, which is darker than the darkest luma of video.
    const auto bar = [&] { return clip_pixel(Screen::get().shot(), at, 0.32, 0.3).g; };
    EXPECT_TRUE(eventually([&] { return bar() < 30; }));
    press(3, kAlone);
    EXPECT_TRUE(eventually([&] { return bar() > 40; }));
    press(0, kDifference);
    EXPECT_TRUE(eventually([&] { return bar() < 30; }));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// The clip is wider than its area, half of the height is larger than half of the width for it.
TEST_F(GuiCompare, AKeyStacksAWideFilm) {
    Viewer viewer = view({clip(), "-vf", "sobel"});
    const PixelRect at = place_of_original(viewer);
    viewer.press({"W"});
    const PixelRect upper = smaller_original(at);
    EXPECT_NEAR(upper.middle().first, at.middle().first, 1);
    viewer.press({"W"});
    EXPECT_TRUE(eventually([&] { return smaller_original(at).width < upper.width; }));
    EXPECT_LT(smaller_original(at).middle().first, at.middle().first);
    viewer.press({"W"});
    EXPECT_TRUE(viewer.shows_level(kLeft, kLow, 0, at));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// By its button, which is the last of five ways and the original.
TEST_F(GuiCompare, TheOriginalIsShownWhileItsButtonIsHeld) {
    Viewer viewer = view({clip(), "-vf", "sobel"});
    const PixelRect at = place_of_original(viewer);
    const auto [x, y] = bar_buttons(viewer, 5).back().middle();
    viewer.do_all({"mousemove", std::to_string(x), std::to_string(y), "mousedown", "1"});
    EXPECT_TRUE(viewer.shows_level(kRight, kLow, screen_level(kBright), at));
    viewer.do_all({"mouseup", "1"});
    EXPECT_TRUE(viewer.shows_level(kRight, kLow, 0, at));
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

// Above and below a clip at its actual size the area is empty, and is still the picture's.
TEST_F(GuiCompare, LeftDragsPanAndCtrlDragsZoomToABox) {
    Viewer viewer = view({clip()});
    const PixelRect fitted = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, fitted));
    viewer.press({"1"});
    ASSERT_TRUE(is_as_wide_as(kClipWidth));
    const PixelRect before = viewer.clip_place();
    const auto [x, y] = before.middle();
    viewer.drag({x, y}, {x + 32, y - 24});
    EXPECT_TRUE(eventually([&] {
        const auto now = find_clip(Screen::get().shot());
        return now && *now == PixelRect{before.x + 32, before.y - 24, before.width, before.height};
    }));
    viewer.do_all({"keydown", "ctrl"});
    viewer.drag({x - 150, y - 120}, {x + 150, y + 120});
    viewer.do_all({"keyup", "ctrl"});
    EXPECT_TRUE(is_as_wide_as(fitted.width));
    EXPECT_EQ(viewer.clip_place(), fitted);
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

TEST_F(GuiCompare, ADragBesideTheWipesLineLeavesItThere) {
    Viewer viewer = view({clip(), "-vf", "sobel"});
    const PixelRect at = place_of_original(viewer);
    viewer.press({"w"});
    ASSERT_TRUE(viewer.shows_level(kLeft, kLow, screen_level(kDark), at));
    const int y = at.y + at.height * 9 / 10;
    viewer.drag({at.x + at.width * 8 / 10, y}, {at.x + at.width / 10, y});
    viewer.press({"x"});  // seen after the drag
    EXPECT_TRUE(viewer.shows_level(kLeft, kLow, 0, at));
    EXPECT_TRUE(viewer.shows_level(0.45, kLow, 0, at));
    EXPECT_TRUE(viewer.shows_level(kRight, kLow, screen_level(kBright), at));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
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
