// Playing, pausing, stepping and seeking, by the numbers that the pictures show.
#include <cstdlib>
#include <filesystem>
#include <fstream>

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

// Frames stay on a GPU that both filters and draws; otherwise the report gives the reason.
TEST_F(GuiPlay, FramesStayOnTheGpuThatDraws) {
    Viewer viewer = view({clip(), "-vf", "box"});
    (void)viewer.place();
    const nlohmann::json report = viewer.quit();
    const bool gpu_draws =
        report["opengl_renderer"].get<std::string>().find("NVIDIA") != std::string::npos;
    const bool gpu_filters =
        report["device"].get<std::string>().find("NVIDIA") != std::string::npos;
    EXPECT_EQ(report["interop"], gpu_draws && gpu_filters) << report;
    EXPECT_EQ(report["interop"], report["why_no_interop"].get<std::string>().empty()) << report;
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

TEST_F(GuiPlay, ResumesWhereItPaused) {
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

// A at frame 0, B at frame 15.
TEST_F(GuiPlay, LoopsFromAToB) {
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    viewer.press({"comma", "Home"});
    ASSERT_TRUE(viewer.shows(0, at));
    viewer.press({"l"});
    for (int k = 0; k < 15; ++k) viewer.press({"period"});
    ASSERT_TRUE(viewer.shows(15, at));
    viewer.press({"l", "space"});
    EXPECT_TRUE(eventually([&] { return frame_number(Screen::get().shot(), at) < 5; }));
    bool inside = true;
    for (int look = 0; look < 100; ++look)
        inside = inside && frame_number(Screen::get().shot(), at) < 15;
    EXPECT_TRUE(inside);
    (void)viewer.quit();
}

// The buttons at the left below the timeline.
std::vector<PixelRect> transport_buttons(const Viewer& viewer) {
    const PixelRect window = viewer.place();
    const int top = window.y + window.height * 9 / 10;
    return areas_of(Screen::get().shot(),
                    {window.x, top, window.width / 2, window.y + window.height - top}, {kButton});
}

// Its presses set A at frame 0 and B at frame 15, and end the loop. It is inverted during the loop.
TEST_F(GuiPlay, TheLoopHasAButton) {
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    viewer.press({"comma", "Home"});
    ASSERT_TRUE(viewer.shows(0, at));
    std::vector<PixelRect> buttons;
    ASSERT_TRUE(eventually([&] { return (buttons = transport_buttons(viewer)).size() == 4; }));
    constexpr int kLeastTarget = 24;
    for (const PixelRect& button : buttons)  // with the outline, which has another colour
        EXPECT_GE(std::min(button.width, button.height) + 2, kLeastTarget);
    const PixelRect loop = first_row(buttons).back();
    const auto inverted = [&] {
        return !areas_of(Screen::get().shot(), loop, {kPlayedTime}).empty();
    };
    viewer.click(loop.middle());
    for (int k = 0; k < 15; ++k) viewer.press({"period"});
    ASSERT_TRUE(viewer.shows(15, at));
    EXPECT_FALSE(inverted());
    viewer.click(loop.middle());
    EXPECT_TRUE(eventually(inverted));
    viewer.press({"space"});
    EXPECT_TRUE(eventually([&] { return frame_number(Screen::get().shot(), at) < 5; }));
    viewer.click(loop.middle());
    EXPECT_TRUE(viewer.shows(kFrames - 1, at));
    EXPECT_FALSE(inverted());
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// The settings of these tests switch this off; without them it is on.
TEST_F(GuiPlay, AShortClipLoopsUntilItsKeyEndsThat) {
    std::filesystem::remove(path("warpweft/settings.toml"));
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    const auto number = [&] { return frame_number(Screen::get().shot(), at); };
    for (int round = 0; round < 2; ++round) {
        EXPECT_TRUE(eventually([&] { return number() > kFrames * 2 / 3; })) << round;
        EXPECT_TRUE(eventually([&] { return number() < kFrames / 3; })) << round;
    }
    viewer.press({"L"});
    EXPECT_TRUE(viewer.shows(kFrames - 1, at));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
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

// The difference without a filter is gray: once it is visible, all earlier keys have been handled.
TEST_F(GuiPlay, SpacePlaysAndPauses) {
    constexpr int kLong = 240;
    write_numbered_clip(path("longer.y4m"), kLong);
    Viewer viewer = view({path("longer.y4m"), "-ss", "7"});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kLong - 1, at));
    viewer.press({"comma", "Home"});
    ASSERT_TRUE(viewer.shows(0, at));
    viewer.press({"space", "space", "d"});
    const auto number_after_a_look = [&] {
        EXPECT_TRUE(viewer.shows_level(0.25, 0.73, 128, at));
        viewer.press({"d"});
        EXPECT_TRUE(viewer.shows_level(0.25, 0.73, screen_level(kDark), at));
        return frame_number(Screen::get().shot(), at);
    };
    const int stands_at = number_after_a_look();
    EXPECT_LT(stands_at, kLong - 1);
    viewer.press({"d"});
    EXPECT_EQ(number_after_a_look(), stands_at);
    viewer.press({"space"});
    EXPECT_TRUE(viewer.shows(kLong - 1, at));
    (void)viewer.quit();
}

// The part of the timeline before the shown frame.
std::vector<PixelRect> played_time(const PixelRect& window) {
    const int tenth = window.height / 10;
    return areas_of(Screen::get().shot(), {window.x, window.y + 9 * tenth, window.width, tenth},
                    {kPlayedTime});
}

// Halfway across is the middle of the clip, which was played to its end.
TEST_F(GuiPlay, SeeksByAClickOnTheTimeline) {
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    const PixelRect window = viewer.place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    std::vector<PixelRect> timeline;
    ASSERT_TRUE(eventually([&] {
        timeline = played_time(window);
        return !timeline.empty() && timeline.front().width > window.width / 2;
    }));
    viewer.click({window.x + window.width / 2, timeline.front().middle().second});
    EXPECT_TRUE(eventually(
        [&] { return std::abs(frame_number(Screen::get().shot(), at) - kFrames / 2) <= 1; }));
    EXPECT_TRUE(eventually([&] {
        const auto played = played_time(window);
        return !played.empty() && std::abs(played.front().width - window.width / 2) <= 16;
    }));
    EXPECT_EQ(viewer.quit()["seek_response"]["count"], 1) << "press and release are one seek";
}

// The sides of the thumbnail's border are in the empty bar between the clip and the timeline.
// Neither the timeline nor the buttons below it are covered.
TEST_F(GuiPlay, TheThumbnailIsAboveTheTimeline) {
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    const PixelRect window = viewer.place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    std::vector<PixelRect> timeline;
    ASSERT_TRUE(eventually([&] {
        timeline = played_time(window);
        return !timeline.empty() && timeline.front().width > window.width / 2;
    }));
    const auto border_pixels = [&](int top, int bottom) {
        const Screenshot shot = Screen::get().shot();
        int count = 0;
        for (int y = top; y < bottom; ++y)
            for (int x = window.x; x < window.x + window.width; ++x) {
                const Rgb c = shot.at(x, y);
                count += c.r > 200 && c.b > 200 && c.g < 60 ? 1 : 0;
            }
        return count;
    };
    const int end_of_clip = at.y + at.height + 1;
    EXPECT_EQ(border_pixels(end_of_clip, window.y + window.height), 0);
    viewer.move_to(window.x + window.width / 2, timeline.front().middle().second);
    EXPECT_TRUE(eventually([&] { return border_pixels(end_of_clip, timeline.front().y - 4) > 0; }));
    EXPECT_EQ(border_pixels(timeline.front().y, window.y + window.height), 0);
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// Controls disappear by themselves, and return with the mouse.
TEST_F(GuiPlay, TheMouseShowsControlsInFullScreen) {
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    viewer.move_to(at.x + at.width / 2, at.y + at.height / 2);  // at an edge they would stay
    viewer.press({"f"});
    EXPECT_TRUE(eventually([&] { return played_time(viewer.place()).empty(); }));
    const PixelRect window = viewer.place();
    for (int x = 0; x < 2; ++x) {
        viewer.move_to(window.x + window.width / 2 + x, window.y + window.height / 2);
        EXPECT_TRUE(eventually([&] { return !played_time(viewer.place()).empty(); }));
        EXPECT_TRUE(eventually([&] { return played_time(viewer.place()).empty(); }));
    }
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// The first click closes a menu here, or opens a file whose picture gets the second one.
TEST_F(GuiPlay, ADoubleClickFillsTheScreenOnlyIfBothClicksAreOnThePicture) {
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    const PixelRect window = viewer.place();
    const std::vector<std::string> twice = {"click", "--repeat", "2", "--delay", "60", "1"};
    viewer.click({window.x + 20, window.y + 10});
    viewer.move_to(at.middle().first, at.middle().second);
    viewer.do_all(twice);
    viewer.do_all({"sleep", "1"});
    EXPECT_EQ(viewer.clip_place(), at);
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

TEST_F(GuiPlay, AStillPictureHasNoPlayerControls) {
    cli::write_file(path("still.ppm"), "P6 64 64 255\n" + std::string(64 * 64 * 3, 'x'));
    Viewer video = view({clip()});
    (void)video.clip_place();
    EXPECT_TRUE(eventually([&] { return transport_buttons(video).size() == 4; }));
    (void)video.quit();
    Viewer still = view({path("still.ppm")});
    EXPECT_TRUE(eventually([&] { return still.title() == "still.ppm — weft"; }));
    const PixelRect place = still.place();
    EXPECT_TRUE(eventually([&] {  // the picture is there
        return Screen::get().shot().at(place.x + place.width / 3, place.y + place.height / 2) ==
               Rgb{'x', 'x', 'x'};
    }));
    EXPECT_TRUE(transport_buttons(still).empty());
    EXPECT_EQ(still.quit()["errors"], nlohmann::json::array());
}

TEST_F(GuiPlay, StartsAtTheGivenTime) {
    Viewer viewer = view({clip(), "-ss", "1.5"});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    EXPECT_LE(viewer.quit()["frames_shown"], kFrames / 4);
}

TEST_F(GuiPlay, TheUsersKeysReplaceTheBuiltInOnes) {
    std::filesystem::create_directory(path("warpweft"));
    std::ofstream(path("warpweft/keys.conf")) << "z frame-back-step\n"
                                                 "HOME ignore\n"
                                                 "Ctrl+g seek 0 absolute\n"
                                                 "y no-such-command\n";
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    viewer.press({"z", "z"});
    ASSERT_TRUE(viewer.shows(57, at));
    viewer.press({"Home", "comma"});
    EXPECT_TRUE(viewer.shows(56, at)) << "Home is not ignored, or ',' is lost";
    viewer.press({"ctrl+g"});
    EXPECT_TRUE(viewer.shows(0, at));
    const nlohmann::json errors = viewer.quit()["errors"];
    ASSERT_EQ(errors.size(), 1U) << errors;
    EXPECT_NE(errors[0].get<std::string>().find("keys.conf:4: "), std::string::npos) << errors;
}

// Its slider would be over the text. The window's scale is 2.
TEST_F(GuiPlay, TheVolumeLeavesTheTextItsRoom) {
    struct NormalDpi {
        ~NormalDpi() { Screen::get().set_dpi(96); }
    } normal;
    Screen::get().set_dpi(192);
    Viewer viewer = view({clip(), "--window-size", "400x300"});
    (void)viewer.clip_place();
    const auto bar = [&] {
        const PixelRect all = viewer.place();
        return PixelRect{all.x, all.y + all.height * 4 / 5, all.width, all.height / 5};
    };
    const auto sliders = [&] {
        return areas_of(Screen::get().shot(), bar(), {kSliderGrab}).size();
    };
    const auto ink = [&] {
        constexpr int kInk = 150;
        const PixelRect in = bar();
        const Screenshot shot = Screen::get().shot();
        int count = 0;
        for (int y = in.y; y < in.y + in.height; ++y)
            for (int x = in.x; x < in.x + in.width; ++x) count += shot.at(x, y).g > kInk ? 1 : 0;
        return count;
    };
    const auto whole_buttons = [&] {
        std::vector<PixelRect> areas = areas_of(Screen::get().shot(), bar(), {kButton});
        std::erase_if(areas, [](const PixelRect& area) { return area.width != area.height; });
        return areas.size();
    };
    EXPECT_TRUE(eventually([&] { return sliders() == 0; }));
    // The text of a loop would move the button of the sound out of the window.
    const int before = ink();
    viewer.press({"l"});
    EXPECT_TRUE(eventually([&] { return ink() != before; }));
    EXPECT_EQ(whole_buttons(), 5U);
    Screen::get().resize(viewer.window(), 1200, 600);
    EXPECT_TRUE(eventually([&] { return sliders() == 1; }));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

}  // namespace
}  // namespace weft::gui
