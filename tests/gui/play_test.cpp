// Playing, pausing, stepping and seeking, by the numbers that the pictures show.
#include "tests/gui/viewer.h"

namespace weft::gui {
namespace {

class GuiPlay : public GuiTest {};

TEST_F(GuiPlay, PlaysToTheLastFrame) {
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    EXPECT_TRUE(viewer.shows(kFrames - 1, at));
    const nlohmann::json report = viewer.quit();
    EXPECT_GT(report["frames_shown"], 0);
    EXPECT_EQ(report["errors"], nlohmann::json::array());
    EXPECT_NE(report["opengl_renderer"], "");
}

// A GPU that filters and draws keeps its frames; everywhere else the reason is told.
TEST_F(GuiPlay, FramesStayOnTheGpuThatDraws) {
    Viewer viewer = view({clip(), "-vf", "box"});
    (void)viewer.place();
    const nlohmann::json report = viewer.quit();
    const bool gpu_draws =
        report["opengl_renderer"].get<std::string>().find("NVIDIA") != std::string::npos;
    const bool gpu_filters =
        report["device"].get<std::string>().find("NVIDIA") != std::string::npos;
    EXPECT_EQ(report["interop"], gpu_draws && gpu_filters) << report;
    EXPECT_EQ(report["interop"], report["why_no_interop"] == "") << report;
}

TEST_F(GuiPlay, StepsExactlyBothWays) {
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    for (const int number : {58, 57, 56, 55, 54}) {
        viewer.press({"comma"});
        ASSERT_TRUE(viewer.shows(number, at));
    }
    for (const int number : {55, 56, 57}) {
        viewer.press({"period"});
        ASSERT_TRUE(viewer.shows(number, at));
    }
    viewer.press({"comma", "comma", "comma", "period", "comma"});
    EXPECT_TRUE(viewer.shows(54, at));
    viewer.press({"Home"});
    ASSERT_TRUE(viewer.shows(0, at));
    viewer.press({"period"});
    EXPECT_TRUE(viewer.shows(1, at));
    (void)viewer.quit();
}

TEST_F(GuiPlay, GoesOnFromWhereItPaused) {
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    viewer.press({"comma"});
    ASSERT_TRUE(viewer.shows(58, at));
    viewer.press({"Home"});
    ASSERT_TRUE(viewer.shows(0, at));
    viewer.press({"space"});
    EXPECT_TRUE(viewer.shows(kFrames - 1, at));
    (void)viewer.quit();
}

TEST_F(GuiPlay, SeeksByASecond) {
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    viewer.press({"comma"});
    ASSERT_TRUE(viewer.shows(58, at));
    viewer.press({"shift+Left"});
    EXPECT_TRUE(viewer.shows(28, at));
    viewer.press({"shift+Right"});
    EXPECT_TRUE(viewer.shows(58, at));
    (void)viewer.quit();
}

// Somewhere in the window's last rows, half of the way across, is the middle of the clip.
TEST_F(GuiPlay, SeeksByAClickOnTheTimeline) {
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    const PixelRect window = viewer.place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    viewer.press({"comma"});
    ASSERT_TRUE(viewer.shows(kFrames - 2, at));
    int number = kFrames - 2;
    for (int up = 4; up < 90 && number > kFrames - 3; up += 6) {
        viewer.click(window.x + window.width / 2, window.y + window.height - up);
        viewer.do_all({"sleep", "0.5"});
        number = frame_number(Screen::get().shot(), at);
    }
    EXPECT_GE(number, kFrames / 2 - 4);
    EXPECT_LE(number, kFrames / 2 + 4);
    (void)viewer.quit();
}

TEST_F(GuiPlay, BeginsWhereItIsTold) {
    Viewer viewer = view({clip(), "-ss", "1.5"});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    EXPECT_LE(viewer.quit()["frames_shown"], kFrames / 4);
}

}  // namespace
}  // namespace weft::gui
