// The window itself: its size, its end, and a machine without a display.
#include <algorithm>
#include <utility>

#include "tests/gui/viewer.h"
#include "tests/viewer/shell/fake_portal.h"

namespace weft::gui {
namespace {

class GuiWindow : public GuiTest {};

constexpr double kLeft = 0.25, kLow = 0.73;

TEST_F(GuiWindow, ThePictureFollowsTheWindowsSizeAndKeepsItsShape) {
    Viewer viewer = view({clip(), "--window-size", "900x600"});
    const PixelRect before = viewer.clip_place();
    const std::vector<std::pair<int, int>> sizes = {
        {1200, 760}, {640, 760}, {1200, 300}, {900, 600}};
    for (const auto& [width, height] : sizes) {
        Screen::get().resize(viewer.window(), width, height);
        EXPECT_TRUE(eventually([&, wide = width, high = height] {
            const auto now = find_clip(Screen::get().shot());
            return viewer.place().width == wide && now && now->width <= wide &&
                   now->height <= high && (*now != before || wide == 900);
        })) << width
            << "×" << height;
    }
    EXPECT_TRUE(eventually([&] { return find_clip(Screen::get().shot()) == before; }));
    (void)viewer.quit();
}

TEST_F(GuiWindow, ThePictureIsTheLargestThing) {
    Viewer viewer = view({clip()});
    const PixelRect window = viewer.place();
    const PixelRect at = viewer.clip_place();
    EXPECT_GT(2 * at.width, window.width);
    EXPECT_GT(2 * at.height, window.height);
    (void)viewer.quit();
}

TEST_F(GuiWindow, ClosesByKeyByShortcutAndByTheDesktop) {
    Viewer by_key = view({clip()});
    (void)by_key.quit();
    Viewer by_shortcut = view({clip()});
    by_shortcut.press({"ctrl+q"});
    (void)by_shortcut.wait_for_end();
    Viewer by_desktop = view({});
    Screen::get().ask_to_close(by_desktop.window());
    (void)by_desktop.wait_for_end();
}

TEST_F(GuiWindow, WithoutADisplayItPrintsOneSentence) {
    cli::Command command = cli::weft_command({"view", clip()});
    command.env["DISPLAY"] = std::nullopt;
    command.env["WAYLAND_DISPLAY"] = std::nullopt;
    EXPECT_TRUE(cli::exits(cli::run(command), 1));
}

// As with the driver of a very old GPU, or with none.
TEST_F(GuiWindow, WithoutADriverItPrintsWhatToInstall) {
    cli::Command command = window_command({"view", clip()});
    command.env["MESA_GL_VERSION_OVERRIDE"] = "2.1";
    const cli::Result result = cli::run(command);
    EXPECT_TRUE(cli::exits(result, 1));
    EXPECT_TRUE(cli::contains(result.err, "install your GPU's OpenGL driver (Debian: libgl1, "))
        << result.err;
}

// "+" is Shift and "=" on the keyboard of the test's display.
TEST_F(GuiWindow, CtrlPlusMakesTextLarger) {
    Viewer viewer = view({clip()});
    const PixelRect before = viewer.clip_place();
    viewer.press({"ctrl+shift+equal", "ctrl+shift+equal", "ctrl+shift+equal"});
    EXPECT_TRUE(eventually([&] { return viewer.clip_place() != before; }));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// The ground of the side column, in the theme that is wanted.
testing::AssertionResult has_ground(const Viewer& viewer, Rgb ground) {
    const bool came = eventually([&] {
        const PixelRect all = viewer.place();
        const PixelRect side{all.x + all.width * 3 / 4, all.y, all.width / 4, all.height};
        return !areas_of(Screen::get().shot(), side, {ground}).empty();
    });
    return came ? testing::AssertionSuccess() : testing::AssertionFailure() << "another theme";
}

constexpr Rgb kDarkGround{0x17, 0x17, 0x1A};
constexpr Rgb kLightGround{0xEF, 0xEF, 0xF1};

TEST_F(GuiWindow, FollowsTheDesktopsThemeUntilTheUserChooses) {
    if (const std::string reason = test::PrivateBus::why_none(); !reason.empty())
        GTEST_SKIP() << reason;
    const test::PrivateBus bus(folder_.path());
    const test::FakePortal portal(bus.address(), 2);
    const Environment environment{{"DBUS_SESSION_BUS_ADDRESS", bus.address()}};
    Viewer first = view({clip()}, environment);
    EXPECT_TRUE(has_ground(first, kLightGround));
    portal.change_scheme(1);
    EXPECT_TRUE(has_ground(first, kDarkGround));
    portal.change_scheme(2);
    EXPECT_TRUE(has_ground(first, kLightGround));
    first.press({"ctrl+l"});
    EXPECT_TRUE(has_ground(first, kDarkGround));
    (void)first.quit();
    // The choice lasts, until the desktop is to be followed again.
    Viewer second = view({clip()}, environment);
    EXPECT_TRUE(has_ground(second, kDarkGround));
    second.press({"ctrl+shift+l"});
    EXPECT_TRUE(has_ground(second, kLightGround));
    EXPECT_EQ(second.quit()["errors"], nlohmann::json::array());
}

// The first page's, once it stays where it is.
PixelRect open_button(const Viewer& viewer) {
    std::vector<PixelRect> found;
    EXPECT_TRUE(eventually([&] {
        const PixelRect all = viewer.place();
        const PixelRect page{all.x, all.y, all.width * 6 / 10, all.height};
        const auto before =
            std::exchange(found, areas_of(Screen::get().shot(), page, {kPrimaryButton}));
        return !found.empty() && found == before;
    }));
    return found.empty() ? PixelRect{} : found.front();
}

// The scale of windows that open now is 2.
class FineDisplay {
 public:
    FineDisplay() { Screen::get().set_dpi(192); }
    ~FineDisplay() { Screen::get().set_dpi(96); }
    FineDisplay(const FineDisplay&) = delete;
    FineDisplay& operator=(const FineDisplay&) = delete;
};

// A size counts at scale 1, when it is given and when it is remembered; a window that would be
// larger than the screen becomes as large as the screen.
TEST_F(GuiWindow, KeepsItsSizeOnAFineDisplay) {
    const FineDisplay fine;
    Viewer first = view({clip(), "--window-size", "500x350"});
    const PixelRect place = first.place();
    EXPECT_EQ(place.width, 1000);
    EXPECT_EQ(place.height, 700);
    (void)first.quit();
    Viewer second = view({clip()});
    EXPECT_EQ(second.place(), place);
    (void)second.quit();
    Viewer third = view({clip(), "--window-size", "1000x700"});
    EXPECT_TRUE(eventually([&] { return third.place().height == 1024; }));
    EXPECT_EQ(third.place().width, 1280);
    (void)third.quit();
}

// The last column with text, from the window's left edge.
int end_of_menu_bar(const Viewer& viewer) {
    constexpr int kBar = 36, kInk = 100;
    const PixelRect all = viewer.place();
    const Screenshot shot = Screen::get().shot();
    const auto has_text = [&](int x) {
        for (int y = all.y; y < all.y + kBar; ++y)
            if (shot.at(all.x + x, y).g > kInk) return true;
        return false;
    };
    int end = all.width - 1;
    while (end > 0 && !has_text(end)) --end;
    return end;
}

constexpr const char* kShortName = "a.y4m";
constexpr const char* kLongName = "A rather long name, as cameras and archives give (2026).y4m";

class GuiMenuBar : public GuiTest {
 protected:
    int end_of_name(const std::string& name, const std::string& size) const {
        write_numbered_clip(path(name), kFrames);
        Viewer viewer = view({path(name), "--window-size", size});
        (void)viewer.clip_place();
        const int end = end_of_menu_bar(viewer);
        EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
        return end;
    }
};

// It loses its middle: it ends where a short name ends, at the right margin of the menu bar.
TEST_F(GuiMenuBar, ALongFileNameFits) {
    const FineDisplay fine;
    const int end = end_of_name(kShortName, "500x300");
    EXPECT_GT(end, 900);  // past the menus
    EXPECT_NEAR(end_of_name(kLongName, "500x300"), end, 1);
}

// A few letters and dots would name no file. The title has the name, too.
TEST_F(GuiMenuBar, AFileNameWithoutRoomForAWordIsLeftOut) {
    const FineDisplay fine;
    Viewer empty = view({"--window-size", "400x300"});
    (void)open_button(empty);
    const int menus = end_of_menu_bar(empty);
    (void)empty.quit();
    EXPECT_EQ(end_of_name(kLongName, "400x300"), menus);
    EXPECT_GT(end_of_name(kShortName, "400x300"), menus);
}

// Lines of text above the first page's button, right of the icon: its heading.
int lines_of_heading(const Viewer& viewer) {
    constexpr int kInk = 150;
    const PixelRect button = open_button(viewer);
    const PixelRect all = viewer.place();
    const Screenshot shot = Screen::get().shot();
    int lines = 0;
    bool in_line = false;
    for (int y = all.y + all.height / 10; y < button.y; ++y) {
        const bool before = in_line;
        in_line = false;
        for (int x = button.x + button.width; x < button.x + 3 * button.width; ++x)
            in_line |= shot.at(x, y).g > kInk;
        lines += in_line && !before ? 1 : 0;
    }
    return lines;
}

TEST_F(GuiWindow, TheHeadingOfTheFirstPageContinuesInTheNextLine) {
    Viewer wide = view({});
    EXPECT_EQ(lines_of_heading(wide), 1);
    (void)wide.quit();
    const FineDisplay fine;
    Viewer narrow = view({"--window-size", "400x300"});
    EXPECT_GT(lines_of_heading(narrow), 1);
    (void)narrow.quit();
}

// Widths of the buttons above the filters; the colour is also in the holes of their letters.
std::vector<int> widths_of_buttons(const Viewer& viewer) {
    constexpr int kLeastHeight = 30;
    const PixelRect all = viewer.place();
    const int left = all.width * 53 / 100;  // after the bar above the picture
    const PixelRect panel{all.x + left, all.y, all.width - left, all.height * 6 / 10};
    std::vector<int> widths;
    for (const PixelRect& area : areas_of(Screen::get().shot(), panel, {kPrimaryButton, kButton}))
        if (area.height >= kLeastHeight) widths.push_back(area.width);
    return widths;
}

// None is cut off at the panel's edge.
TEST_F(GuiWindow, ButtonsKeepTheirWidthInANarrowPanel) {
    const FineDisplay fine;
    Viewer viewer = view({clip(), "--window-size", "640x400"});
    (void)viewer.clip_place();
    std::vector<int> wide;
    ASSERT_TRUE(eventually([&] {
        wide = widths_of_buttons(viewer);
        return wide.size() == 3;
    })) << testing::PrintToString(wide);
    Screen::get().resize(viewer.window(), 800, 600);
    std::vector<int> narrow;
    EXPECT_TRUE(eventually([&] {
        narrow = widths_of_buttons(viewer);
        return viewer.place().width == 800 && narrow == wide;
    })) << testing::PrintToString(narrow)
        << ", not " << testing::PrintToString(wide);
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// Its window shows nothing but the title bar until the mouse button is released.
TEST_F(GuiWindow, AListDraggedOutOfTheWindowComesBack) {
    for (const char* key : {"question", "ctrl+o"}) {
        SCOPED_TRACE(key);
        Viewer viewer = view({clip()}, {{"PATH", ""}});
        (void)viewer.clip_place();
        const PixelRect at = viewer.place();
        viewer.press({key});
        PixelRect title;
        const auto find_title = [&] {
            const auto found = areas_of(Screen::get().shot(), at, {kTitleBar});
            if (!found.empty()) title = found.front();
            return !found.empty();
        };
        ASSERT_TRUE(eventually(find_title));
        const int top = title.y;
        viewer.drag(title.middle(), {title.middle().first, at.y + at.height - 2});
        EXPECT_TRUE(eventually([&] {
            const bool inside = find_title() && title.y > top && title.y < at.y + at.height / 2;
            return inside || !viewer.is_running();
        }));
        viewer.press({"Escape"});
        EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
    }
}

// Hardly a row of the lists is visible, or nothing.
TEST_F(GuiWindow, TheFloatingListsFitIntoATinyWindow) {
    for (const char* key : {"question", "ctrl+o", "F5"}) {
        SCOPED_TRACE(key);
        Viewer viewer = view({clip(), "-vf", "box"}, {{"PATH", ""}});
        (void)viewer.clip_place();
        viewer.press({key});
        viewer.press(std::vector<std::string>(14, "ctrl+shift+equal"));
        const std::vector<std::pair<int, int>> sizes = {
            {900, 150}, {238, 274}, {200, 700}, {200, 150}};
        for (const auto& [width, height] : sizes) {
            Screen::get().resize(viewer.window(), width, height);
            EXPECT_TRUE(eventually([&] {
                return Screen::get().answers(viewer.window(), std::chrono::seconds(1)) ||
                       !viewer.is_running();
            }));
        }
        viewer.press({"Escape"});
        EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
    }
}

// Typed letters are keys of the player otherwise: "q" quits, "d" shows the difference.
TEST_F(GuiWindow, HelpIsSearchedAtOnceAndOneEscapeClosesIt) {
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    viewer.press({"question"});
    EXPECT_TRUE(eventually([&] { return !find_clip(Screen::get().shot()); }));
    viewer.do_all({"type", "qd"});
    viewer.press({"Escape"});
    EXPECT_TRUE(viewer.shows_level(kLeft, kLow, screen_level(kDark), at));
    EXPECT_TRUE(viewer.is_running());
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// The list covers the picture and the panel. Escape in its search closes it, and nothing else.
TEST_F(GuiWindow, AListIsOpaqueAndOneEscapeClosesIt) {
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    viewer.press({"d"});
    EXPECT_TRUE(viewer.shows_level(kLeft, kLow, 128, at));
    const auto list_height = [&] {
        const std::vector<PixelRect> found =
            areas_of(Screen::get().shot(), viewer.place(), {kPopup});
        int height = 0;
        for (const PixelRect& area : found) height = std::max(height, area.height);
        return height;
    };
    viewer.press({"ctrl+f"});
    EXPECT_TRUE(eventually([&] { return list_height() > viewer.place().height / 4; }));
    viewer.press({"Escape"});
    EXPECT_TRUE(eventually([&] { return list_height() == 0; }));
    EXPECT_TRUE(viewer.shows_level(kLeft, kLow, 128, at));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// The text of all files that the window left in its home.
std::string left_text(const std::filesystem::path& home) {
    std::string text;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(home))
        if (entry.path().extension() == ".toml") text += cli::read_file(entry.path());
    return text;
}

TEST_F(GuiWindow, RemembersTheFolderAndOnlyFilesThatExist) {
    cli::write_file(path("shot_1.ppm"), "P6\n1 1\n255\nabc");
    Viewer viewer = view({clip(), path("missing.mkv"), path("shot_%d.ppm")});
    (void)viewer.clip_place();
    viewer.press({"greater"});
    (void)viewer.clip_place();
    viewer.press({"greater"});
    EXPECT_TRUE(eventually([&] { return !find_clip(Screen::get().shot()); }));
    (void)viewer.quit();
    const std::string text = left_text(folder_.path());
    EXPECT_TRUE(cli::contains(text, "shot_%d.ppm")) << text;
    EXPECT_TRUE(cli::contains(text, "last_folder = ")) << text;
    EXPECT_FALSE(cli::contains(text, "missing.mkv")) << text;
}

}  // namespace
}  // namespace weft::gui
