// The stack of filters, changed while the picture is there.
#include "tests/gui/viewer.h"

namespace weft::gui {
namespace {

constexpr double kLeft = 0.25, kRight = 0.75, kLow = 0.73;

class GuiFilters : public GuiTest {
 protected:
    // By the keyboard alone: the list is searched, the first hit taken.
    static void add_filter(const Viewer& viewer, const std::string& name) {
        viewer.do_all({"key", "ctrl+f", "sleep", "0.5", "type", "--delay", "60", name});
        viewer.do_all({"sleep", "0.3", "key", "Return"});
    }
};

TEST_F(GuiFilters, AFilterIsAddedUndoneAndRedone) {
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    add_filter(viewer, "sobel");
    EXPECT_TRUE(viewer.shows_level(kLeft, kLow, 0, at));
    EXPECT_TRUE(viewer.shows_level(kRight, kLow, 0, at));
    viewer.press({"ctrl+z"});
    EXPECT_TRUE(viewer.shows_level(kRight, kLow, screen_level(kBright), at));
    viewer.press({"ctrl+shift+z"});
    EXPECT_TRUE(viewer.shows_level(kRight, kLow, 0, at));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// Right of the clip, from top to bottom, until something that can be dragged makes the blur broad:
// the test knows nothing of the panel's layout.
TEST_F(GuiFilters, ASliderChangesThePicture) {
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    add_filter(viewer, "gaussian");
    const PixelRect window = viewer.place();
    constexpr double kAtStep = 0.5 + 0.7 / kClipWidth;
    constexpr double kBesideStep = 0.5 + 8.0 / kClipWidth;
    ASSERT_TRUE(viewer.shows_level(kAtStep, kLow, screen_level((kDark + kBright) / 2), at, 30));
    ASSERT_TRUE(viewer.shows_level(kBesideStep, kLow, screen_level(kBright), at));
    const auto is_broad = [&] {
        return clip_pixel(Screen::get().shot(), at, kBesideStep, kLow).g <
               screen_level(kBright) - 15;
    };
    const int side = window.width * 72 / 100;
    const int from = window.x + side + (window.width - side) / 2;
    const int to = window.x + window.width - 12;
    bool changed = false;
    for (int y = window.y + 30; y < window.y + window.height / 2 && !changed; y += 10) {
        viewer.drag({from, y}, {to, y});
        viewer.do_all({"sleep", "0.5"});
        changed = is_broad();
    }
    EXPECT_TRUE(changed) << "nothing in the side column changes the blur";
    (void)viewer.quit();
}

}  // namespace
}  // namespace weft::gui
