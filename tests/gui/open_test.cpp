// Files that come by argument and by drag and drop, good and bad.
#include "tests/gui/viewer.h"

namespace weft::gui {
namespace {

class GuiOpen : public GuiTest {};

TEST_F(GuiOpen, ABadFileIsAnErrorAndTheWindowLives) {
    cli::write_file(path("bad.mp4"), "this is no video");
    Viewer viewer = view({path("bad.mp4")});
    ASSERT_TRUE(Screen::get().drop(viewer.window(), clip()));
    const PixelRect at = viewer.clip_place();
    EXPECT_TRUE(viewer.shows(kFrames - 1, at));
    const nlohmann::json report = viewer.quit();
    ASSERT_EQ(report["errors"].size(), 1U) << report;
    EXPECT_TRUE(cli::contains(report["errors"][0], "bad.mp4")) << report;
}

TEST_F(GuiOpen, AnEmptyWindowTakesADroppedFile) {
    Viewer viewer = view({});
    ASSERT_TRUE(Screen::get().drop(viewer.window(), clip()));
    const PixelRect at = viewer.clip_place();
    EXPECT_TRUE(viewer.shows(kFrames - 1, at));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

TEST_F(GuiOpen, ADroppedFileReplacesTheOneThatPlays) {
    const std::string longer = path("longer.y4m");
    write_numbered_clip(longer, kFrames + 20);
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    ASSERT_TRUE(Screen::get().drop(viewer.window(), longer));
    EXPECT_TRUE(viewer.shows(kFrames + 19, at));
    (void)viewer.quit();
}

}  // namespace
}  // namespace weft::gui
