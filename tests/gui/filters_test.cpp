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

}  // namespace
}  // namespace weft::gui
