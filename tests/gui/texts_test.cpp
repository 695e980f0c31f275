// No text is cut, at any usual size of the window; and tests that read what panels show.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/gui/viewer.h"

namespace weft::gui {
namespace {

namespace fs = std::filesystem;

struct WindowSize {
    int width = 0, height = 0;
    int dpi = 96;
};

std::string name_of(const testing::TestParamInfo<WindowSize>& size) {
    return std::to_string(size.param.width) + "x" + std::to_string(size.param.height);
}

// A copy of the program, whose plug-in reports the texts that it shows.
class GuiTexts : public GuiTest, public testing::WithParamInterface<WindowSize> {
 protected:
    void SetUp() override {
        GuiTest::SetUp();
        if (IsSkipped()) return;
        const fs::path program = cli::weft_program();
        const fs::path plug_in = program.parent_path() / "libweft-watched-gui.so";
        if (!fs::exists(plug_in)) GTEST_SKIP() << "this build has no window that reports its texts";
        fs::create_directory(path("bin"));
        fs::copy_file(program, path("bin/weft"));
        fs::copy_file(plug_in, path("bin/libweft-gui.so"));
        before_ = program;
        setenv("WEFT_PROGRAM", path("bin/weft").c_str(), 1);
        Screen::get().set_dpi(GetParam().dpi);
    }
    void TearDown() override {
        Screen::get().set_dpi(96);
        if (!before_.empty()) setenv("WEFT_PROGRAM", before_.c_str(), 1);
        GuiTest::TearDown();
    }

    Viewer open(std::vector<std::string> words) const {
        fs::remove(path("texts.json"));
        words.insert(words.end(), {"--gpu", "off"});
        return view(std::move(words), {{"WEFT_TEST_TEXTS", path("texts.json")}});
    }
    void resize(const Viewer& viewer) const {
        const auto& [width, height, dpi] = GetParam();
        // A window that is still starting can set its own size after this one.
        constexpr int kLooks = 100;
        int look = 0;
        EXPECT_TRUE(eventually([&, w = width, h = height] {
            if (look++ % kLooks == 0) Screen::get().resize(viewer.window(), w, h);
            const nlohmann::json shown = report();
            return shown.is_object() && shown["width"] == w && shown["height"] == h;
        }));
    }

    // The texts with this one in them.
    std::vector<nlohmann::json> texts(const std::string& part) const {
        std::vector<nlohmann::json> found;
        const nlohmann::json shown = report();
        if (!shown.is_object()) return found;
        for (const nlohmann::json& text : shown["texts"])
            if (text["text"].get<std::string>().find(part) != std::string::npos)
                found.push_back(text);
        return found;
    }
    std::vector<std::string> cut_texts() const {
        constexpr double kRounding = 1;
        std::vector<std::string> cut;
        for (const nlohmann::json& text : texts(""))
            if (text["cut"] > kRounding) cut.push_back(text["text"]);
        return cut;
    }

    void click(const Viewer& viewer, const std::string& name) const {
        nlohmann::json found;
        ASSERT_TRUE(eventually([&] {
            const nlohmann::json before = found;
            for (const nlohmann::json& text : texts(name))
                if (text["text"] == name) found = text;
            return !found.is_null() && found == before;
        })) << name;
        press_at(viewer, found["x"], found["y"]);
    }
    // Moves a window that is larger than the screen.
    void press_at(const Viewer& viewer, int x, int y) const {
        constexpr int kWidth = 1280, kHeight = 1024;  // the size of the tests' screen
        const int left = std::min(kWidth / 2 - x, 0);
        const int top = std::min(kHeight / 2 - y, 0);
        viewer.do_all({"windowmove", std::to_string(viewer.window()), std::to_string(left),
                       std::to_string(top)});
        viewer.click({left + x, top + y});
    }

    // Waits for a text that is shown in this state.
    void expect_uncut(const Viewer& viewer, const std::string& shown) const {
        ASSERT_TRUE(eventually([&] { return !texts(shown).empty(); })) << shown << " is not shown";
        constexpr int kAlike = 5, kMost = 100;
        int alike = 0;
        int looks = 0;
        std::vector<std::string> cut;
        EXPECT_TRUE(eventually([&] {
            cut = cut_texts();
            alike = cut.empty() ? alike + 1 : 0;
            return alike == kAlike || ++looks == kMost || !viewer.is_running();
        }));
        EXPECT_THAT(cut, testing::IsEmpty()) << "where " << shown << " is shown";
    }

    nlohmann::json report() const {
        std::ifstream file(path("texts.json"));
        return nlohmann::json::parse(file, nullptr, false);
    }

 private:
    std::string before_;
};

struct Look {
    std::string key;    // or a text that is clicked
    std::string shown;  // from then on
};

TEST_P(GuiTexts, NoneIsCutInAPanel) {
    Viewer viewer = open({clip(), "-vf", "gaussian=sigma=2"});
    resize(viewer);
    expect_uncut(viewer, "+ Add filter");
    for (const auto& [key, shown] : {Look{"F4", "Point at the picture"},
                                     {"F6", "Compare two stacks"},
                                     {"F7", "Histogram"},
                                     {"F8", "Save video"},
                                     {"i", "decoded by"},
                                     {"w", "Filtered"},
                                     {"d", "Filtered − Original"},
                                     {"v", "Original"},
                                     {"c", "Second stack"},
                                     {"l", "  A 0:0"}}) {
        viewer.press({key});
        expect_uncut(viewer, shown);
    }
}

TEST_P(GuiTexts, NoneIsCutInAMenu) {
    Viewer viewer = open({clip(), "-vf", "gaussian=sigma=2"});
    resize(viewer);
    for (const auto& [key, shown] : {Look{"ctrl+f", "Search: blur"},
                                     {"ctrl+s", "Preset name"},
                                     {"ctrl+o", "Hidden files"},
                                     {"F1", "Keyboard shortcuts"}}) {
        viewer.press({key});
        expect_uncut(viewer, shown);
        viewer.press({"Escape"});
        EXPECT_TRUE(eventually([&] { return texts(shown).empty(); })) << key;
    }
    for (const auto& [title, shown] : {Look{"File", "Export…"},
                                       {"Playback", "Normal speed"},
                                       {"Filters", "Add filter…"},
                                       {"View", "Full screen"},
                                       {"Panels", "Filters alone"},
                                       {"Help", "About weft"},
                                       {"More", "Paste stack"}}) {
        click(viewer, title);
        expect_uncut(viewer, shown);
        viewer.press({"Escape"});
        EXPECT_TRUE(eventually([&] { return texts(shown).empty(); })) << title;
    }
    click(viewer, "Help");
    click(viewer, "About weft");
    expect_uncut(viewer, "MIT license");
}

// Each tab explains the race in another way.
TEST_P(GuiTexts, NoneIsCutInATabOfTheRace) {
    Viewer viewer = open({clip(), "-vf", "gaussian=sigma=2"});
    resize(viewer);
    viewer.press({"F5"});
    expect_uncut(viewer, "empty launch");
    std::string before = "Why";
    for (const auto& [tab, shown] : {Look{"Why", "empty launch"},
                                     {"Roofline", "operations per byte"},
                                     {"Sweep", "CSV…"},
                                     {"Over time", "sample 1"},
                                     {"Stages and GPU", "draw"}}) {
        if (texts(tab).empty()) {  // a list in a narrow panel
            click(viewer, before);
            expect_uncut(viewer, tab);
        }
        click(viewer, tab);
        expect_uncut(viewer, shown);
        before = tab;
    }
}

// From the menu at the right end of a step's header.
TEST_P(GuiTexts, NoneIsCutInTheMenuOfAStepAndInItsRace) {
    Viewer viewer = open({clip(), "-vf", "gaussian=sigma=2,sobel"});
    resize(viewer);
    expect_uncut(viewer, fmt::format("frame {}", kFrames - 1));  // then all parts have their place
    constexpr int kFromRight = 44;                               // the menu's button at scale 1
    press_at(viewer, GetParam().width - kFromRight * GetParam().dpi / 96,
             texts("Sobel").front()["y"]);
    expect_uncut(viewer, "Reset all parameters");
    click(viewer, "Race kernels");
    expect_uncut(viewer, "2. sobel");
}

// Their parameters are shown when they are new, as is the editor of a matrix.
TEST_P(GuiTexts, NoneIsCutInAFilter) {
    for (const auto& [filter, shown] :
         {Look{"gaussian", "Sigma"}, {"convolve", "Close the matrix"}}) {
        Viewer viewer = open({clip()});
        resize(viewer);
        viewer.do_all({"key", "ctrl+f", "type", filter});
        expect_uncut(viewer, filter);
        viewer.press({"Return"});
        expect_uncut(viewer, shown);
    }
}

TEST_P(GuiTexts, NoneIsCutOnTheFirstPage) {
    Viewer viewer = open({clip()});
    (void)viewer.quit();
    Viewer again = open({});
    resize(again);
    expect_uncut(again, "Recent files");
}

// The clip is black where the step acts, because it is flat, and the card shows the regions as
// text.
class GuiRegions : public GuiTexts {
 protected:
    // A step without a region, whose result is shown alone.
    void add_sobel(const Viewer& viewer) const {
        ASSERT_TRUE(viewer.shows(kFrames - 1, clip_));
        viewer.do_all({"key", "ctrl+f", "type", "sobel"});
        viewer.press({"Return", "o"});
        ASSERT_TRUE(shows(viewer, 90, 60, 0));
    }
    // The click moves the window, which returns to where clip_ was found.
    void begin_drawing(const Viewer& viewer) const {
        const PixelRect before = viewer.place();
        click(viewer, "Draw a region");
        ASSERT_TRUE(has("Cancel drawing"));
        viewer.do_all({"windowmove", std::to_string(viewer.window()), std::to_string(before.x),
                       std::to_string(before.y)});
        ASSERT_TRUE(eventually([&] { return viewer.place() == before; }));
    }
    // The screen's place of the upper left corner of a pixel of the clip, inside that pixel.
    std::pair<int, int> place(int x, int y) const {
        const auto on_screen = [](int at, int size, int pixels) {
            return static_cast<int>(std::ceil((at + 0.3) * size / pixels));
        };
        return {clip_.x + on_screen(x, clip_.width, kClipWidth),
                clip_.y + on_screen(y, clip_.height, kClipHeight)};
    }
    testing::AssertionResult shows(const Viewer& viewer, int x, int y, int level) const {
        return viewer.shows_level((x + 0.5) / kClipWidth, (y + 0.5) / kClipHeight, level, clip_);
    }
    bool has(const std::string& text) const {
        return eventually([&] { return !texts(text).empty(); });
    }
    bool lacks(const std::string& text) const {
        return eventually([&] { return texts(text).empty(); });
    }

    PixelRect clip_;
};

// From the pixel 96, 60 to the pixel 127, 89; then by 16 pixels to the right; then by the lower
// right corner to 8 pixels more each way.
TEST_P(GuiRegions, ARegionIsDrawnMovedResizedAndUndone) {
    Viewer viewer = open({clip()});
    clip_ = viewer.clip_place();
    ASSERT_NO_FATAL_FAILURE(add_sobel(viewer));
    const int bright = screen_level(kBright);
    ASSERT_NO_FATAL_FAILURE(begin_drawing(viewer));
    viewer.drag(place(96, 60), place(127, 89));
    EXPECT_TRUE(has("32x30+96+60"));
    EXPECT_TRUE(has("Draw a region"));
    EXPECT_TRUE(shows(viewer, 104, 82, 0));
    EXPECT_TRUE(shows(viewer, 138, 82, bright));
    viewer.drag(place(112, 70), place(128, 70));
    EXPECT_TRUE(has("32x30+112+60"));
    EXPECT_TRUE(shows(viewer, 104, 82, bright));
    EXPECT_TRUE(shows(viewer, 138, 82, 0));
    viewer.drag(place(144, 90), place(152, 94));
    EXPECT_TRUE(has("40x34+112+60"));
    EXPECT_TRUE(shows(viewer, 148, 82, 0));
    for (const char* before : {"32x30+112+60", "32x30+96+60"}) {
        viewer.press({"ctrl+z"});
        EXPECT_TRUE(has(before));
    }
    viewer.press({"ctrl+z"});
    EXPECT_TRUE(lacks("32x30"));
    EXPECT_TRUE(shows(viewer, 138, 82, 0));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

TEST_P(GuiRegions, TheSizeIsShownDuringADragThatEscapeTakesBack) {
    Viewer viewer = open({clip()});
    clip_ = viewer.clip_place();
    ASSERT_NO_FATAL_FAILURE(add_sobel(viewer));
    ASSERT_NO_FATAL_FAILURE(begin_drawing(viewer));
    viewer.press({"Escape"});
    EXPECT_TRUE(has("Draw a region"));
    ASSERT_NO_FATAL_FAILURE(begin_drawing(viewer));
    const auto [x, y] = place(96, 60);
    viewer.do_all({"mousemove", std::to_string(x), std::to_string(y), "mousedown", "1"});
    const auto [to_x, to_y] = place(127, 89);
    viewer.move_to(to_x, to_y);
    EXPECT_TRUE(has("32 × 30"));
    viewer.press({"Escape"});
    EXPECT_TRUE(lacks("32 × 30"));
    EXPECT_TRUE(lacks("32x30+96+60"));
    viewer.do_all({"mouseup", "1"});
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

TEST_P(GuiRegions, DeleteRemovesTheSelectedOne) {
    Viewer viewer = open({clip()});
    clip_ = viewer.clip_place();
    ASSERT_NO_FATAL_FAILURE(add_sobel(viewer));
    for (const auto& [from, to] :
         {std::pair(place(10, 60), place(29, 79)), {place(110, 60), place(129, 79)}}) {
        ASSERT_NO_FATAL_FAILURE(begin_drawing(viewer));
        viewer.drag(from, to);
        ASSERT_TRUE(lacks("Cancel drawing"));
    }
    EXPECT_TRUE(has("20x20+10+60|20x20+110+60"));
    viewer.click(place(20, 70));
    viewer.press({"Delete"});
    EXPECT_TRUE(lacks("20x20+10+60"));
    EXPECT_TRUE(has("20x20+110+60"));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// On the left, where the wipe of the first filter would show the original.
TEST_P(GuiRegions, ADrawnRegionIsNotBehindAWipe) {
    Viewer viewer = open({clip()});
    clip_ = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, clip_));
    viewer.do_all({"key", "ctrl+f", "type", "sobel"});
    viewer.press({"Return"});
    ASSERT_TRUE(shows(viewer, 120, 75, 0));
    ASSERT_NO_FATAL_FAILURE(begin_drawing(viewer));
    viewer.drag(place(10, 60), place(39, 89));
    EXPECT_TRUE(shows(viewer, 20, 82, 0));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// The keys of one kind are one step of undo each, because each was released.
TEST_P(GuiRegions, KeysMoveAndResizeTheSelectedOne) {
    Viewer viewer = open({clip()});
    clip_ = viewer.clip_place();
    ASSERT_NO_FATAL_FAILURE(add_sobel(viewer));
    ASSERT_NO_FATAL_FAILURE(begin_drawing(viewer));
    viewer.drag(place(96, 60), place(127, 89));
    EXPECT_TRUE(has("32x30+96+60"));
    viewer.press({"ctrl+Right", "ctrl+Right", "ctrl+Up"});
    EXPECT_TRUE(has("32x30+98+59"));
    viewer.press({"ctrl+shift+Down", "ctrl+shift+Left"});
    EXPECT_TRUE(has("31x31+98+59"));
    viewer.press({"ctrl+z", "ctrl+z", "ctrl+z"});
    EXPECT_TRUE(has("32x30+98+60"));
    // Left alone would go back to the first frame.
    viewer.do_all({"keydown", "ctrl", "keydown", "Left", "sleep", "1", "keyup", "ctrl", "sleep",
                   "0.5", "keyup", "Left"});
    EXPECT_TRUE(lacks("32x30+98+60"));
    EXPECT_TRUE(viewer.shows(kFrames - 1, clip_));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// Its first letter makes it a parameter that is shown outside of "More". The letters after it must
// not go to the player, whose key 2 would change nothing that is seen.
TEST_P(GuiRegions, AFoldedFieldKeepsTheKeyboard) {
    Viewer viewer = open({clip()});
    clip_ = viewer.clip_place();
    ASSERT_NO_FATAL_FAILURE(add_sobel(viewer));
    ASSERT_NO_FATAL_FAILURE(begin_drawing(viewer));
    viewer.drag(place(96, 60), place(127, 89));
    ASSERT_TRUE(has("32x30+96+60"));
    click(viewer, "More");
    ASSERT_TRUE(has("Grow"));
    constexpr int kToField = 150;
    const nlohmann::json label = texts("Grow").front();
    press_at(viewer, label["x"].get<int>() + kToField, label["y"]);
    viewer.do_all({"key", "ctrl+a", "type", "12%"});
    viewer.press({"Return"});
    EXPECT_TRUE(has("12%"));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// In the middle of the clip, where an edge stands still.
class GuiMovingRegions : public GuiRegions {
 protected:
    void draw_region(const Viewer& viewer) {
        clip_ = viewer.clip_place();
        ASSERT_NO_FATAL_FAILURE(add_sobel(viewer));
        ASSERT_NO_FATAL_FAILURE(begin_drawing(viewer));
        viewer.drag(place(60, 60), place(99, 89));
        ASSERT_TRUE(has("40x30+60+60"));
    }
};

TEST_P(GuiMovingRegions, TrackMakesBoxesAsOneStepOfUndo) {
    Viewer viewer = open({clip()});
    ASSERT_NO_FATAL_FAILURE(draw_region(viewer));
    viewer.press({"ctrl+t"});
    EXPECT_TRUE(has(".boxes"));
    EXPECT_TRUE(lacks("40x30+60+60"));
    EXPECT_TRUE(has("Followed through"));
    EXPECT_TRUE(shows(viewer, 70, 75, 0));
    EXPECT_TRUE(shows(viewer, 120, 75, screen_level(kBright)));
    viewer.press({"ctrl+z"});
    EXPECT_TRUE(has("40x30+60+60"));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// It is held in the last frame; the drag there moves it by 40 pixels to the right. In the first
// frame it ends: then nothing is filtered, and not the whole picture.
TEST_P(GuiMovingRegions, AreHeldDraggedAndEnded) {
    Viewer viewer = open({clip()});
    ASSERT_NO_FATAL_FAILURE(draw_region(viewer));
    viewer.press({"h"});
    EXPECT_TRUE(has(".boxes"));
    const int bright = screen_level(kBright);
    EXPECT_TRUE(shows(viewer, 70, 75, 0));
    EXPECT_TRUE(shows(viewer, 120, 75, bright));
    viewer.drag(place(85, 70), place(125, 70));
    EXPECT_TRUE(shows(viewer, 70, 75, screen_level(kDark)));
    EXPECT_TRUE(shows(viewer, 120, 75, 0));
    viewer.press({"n"});
    EXPECT_TRUE(has("No uncertain frame follows"));
    viewer.press({"Home"});
    ASSERT_TRUE(viewer.shows(0, clip_));
    EXPECT_TRUE(shows(viewer, 70, 75, 0));
    viewer.press({"shift+Delete"});
    EXPECT_TRUE(shows(viewer, 90, 75, bright));
    viewer.press({"ctrl+z"});
    EXPECT_TRUE(shows(viewer, 90, 75, 0));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// The field is to the right of its label.
TEST_P(GuiMovingRegions, AreDrawnAgainAndNamed) {
    Viewer viewer = open({clip()});
    ASSERT_NO_FATAL_FAILURE(draw_region(viewer));
    EXPECT_TRUE(texts("Name of").empty());
    viewer.press({"h", "r"});
    EXPECT_TRUE(has("Cancel drawing"));
    viewer.drag(place(105, 60), place(134, 89));
    EXPECT_TRUE(has("Draw a region"));
    EXPECT_TRUE(shows(viewer, 70, 75, screen_level(kDark)));
    EXPECT_TRUE(shows(viewer, 125, 82, 0));
    ASSERT_TRUE(has("Name of 1"));
    constexpr int kToField = 150;
    const nlohmann::json label = texts("Name of 1").front();
    press_at(viewer, label["x"].get<int>() + kToField, label["y"]);
    viewer.do_all({"type", "my car"});
    viewer.press({"Return"});
    EXPECT_TRUE(eventually([&] { return texts("my car").size() == 2; })) << "field and picture";
    viewer.press({"Escape", "ctrl+z"});
    EXPECT_TRUE(lacks("my car"));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// While a second one is drawn, it is the selected one and has no boxes yet.
TEST_P(GuiMovingRegions, AnotherOneIsDrawn) {
    Viewer viewer = open({clip()});
    ASSERT_NO_FATAL_FAILURE(draw_region(viewer));
    viewer.press({"h"});
    ASSERT_TRUE(has("Name of 1"));
    ASSERT_NO_FATAL_FAILURE(begin_drawing(viewer));
    const auto move_to = [&](int x, int y) {
        const auto [left, top] = place(x, y);
        viewer.do_all({"mousemove", std::to_string(left), std::to_string(top)});
    };
    move_to(130, 60);
    viewer.do_all({"mousedown", "1"});
    move_to(140, 70);
    move_to(150, 80);
    EXPECT_TRUE(lacks("Name of"));
    viewer.do_all({"mouseup", "1"});
    EXPECT_TRUE(has("Name of 2"));
    EXPECT_TRUE(shows(viewer, 70, 75, 0));
    EXPECT_TRUE(shows(viewer, 145, 75, 0));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// Boxes of one film are no boxes of another one.
TEST_P(GuiMovingRegions, AnotherFilmIsPointedOut) {
    fs::copy_file(clip(), path("other-film.y4m"));
    Viewer viewer = open({clip(), path("other-film.y4m")});
    ASSERT_NO_FATAL_FAILURE(draw_region(viewer));
    viewer.press({"h"});
    EXPECT_TRUE(has(".boxes"));
    EXPECT_TRUE(texts("The boxes were made for").empty());
    viewer.press({"greater"});
    EXPECT_TRUE(has("The boxes were made for clip.y4m"));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

class GuiTab : public GuiTexts {};

// The first step, with any section open below it: Up is "Add filter" then.
TEST_P(GuiTab, BeginsAtTheTopOfTheColumn) {
    Viewer viewer = open({clip(), "-vf", "gaussian=sigma=2"});
    viewer.press({"F8"});
    ASSERT_TRUE(eventually([&] { return !texts("Save video").empty(); }));
    viewer.press({"Tab"});
    viewer.press({"Up", "space"});
    EXPECT_TRUE(eventually([&] { return !texts("Search: blur").empty(); }));
}

class GuiOverlay : public GuiTexts {};

// The tile opens a film, in which the next drag draws the region that is blurred.
TEST_P(GuiOverlay, TheTileForAFaceBeginsWithARegion) {
    fs::copy_file(clip(), path("film.y4m"));
    Viewer viewer = open({});
    click(viewer, "Blur a face or a plate");
    ASSERT_TRUE(eventually([&] { return !texts("Hidden files").empty(); }));
    viewer.do_all({"type", path("film.y4m")});
    viewer.press({"Return"});
    EXPECT_TRUE(eventually([&] { return !texts("Drag a box around").empty(); }));
    EXPECT_FALSE(texts("Cancel drawing").empty());
    viewer.press({"Escape"});
    EXPECT_TRUE(eventually([&] { return !texts("Draw a region").empty(); }));
    EXPECT_TRUE(texts("Drag a box").empty());
}

// A film that plays on would take the object away from the mouse.
TEST_P(GuiOverlay, TheFilmPausesForTheFirstRegion) {
    constexpr int kLong = 600;
    write_numbered_clip(path("long-film.y4m"), kLong);
    Viewer viewer = open({path("long-film.y4m")});
    viewer.do_all({"key", "ctrl+f", "type", "sobel"});
    viewer.press({"Return", "Home"});
    click(viewer, "Draw a region");
    ASSERT_TRUE(eventually([&] { return !texts("Drag a box around").empty(); }));
    std::string frame;
    constexpr int kAlike = 20;
    int alike = 0;
    EXPECT_TRUE(eventually([&] {
        const auto shown = texts("frame ");
        const std::string now = shown.empty() ? "" : shown.front()["text"].get<std::string>();
        alike = now == frame && !now.empty() ? alike + 1 : 0;
        frame = now;
        return alike == kAlike;
    }));
    EXPECT_EQ(frame.find(fmt::format("frame {}", kLong - 1)), std::string::npos) << frame;
}

// A patch moves in the third of four seconds. The strip of motion is above the timeline, and both
// are as wide as the window.
TEST_P(GuiOverlay, AClickOnMotionGoesToItsBeginning) {
    const std::string film = path("patch.mkv");
    const std::string scene =
        "[0]trim=end_frame=1,loop=99:1:0,setpts=N/25/TB[a];"
        "[1]trim=end_frame=1,loop=99:1:0,setpts=N/25/TB[b];"
        "[a][b]overlay=x=20+100*clip(t-2\\,0\\,1):y=70:eval=frame";
    ASSERT_EQ(cli::run({"ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=4",
                        "-f", "lavfi", "-i", "mandelbrot=s=40x40:r=25", "-filter_complex", scene,
                        "-frames:v", "100", "-c:v", "ffv1", film})
                  .exit_code,
              0);
    Viewer viewer = open({film});
    ASSERT_TRUE(eventually([&] { return !texts("frame 99").empty(); }));
    viewer.press({"M"});
    const PixelRect window = viewer.place();
    constexpr int kStrip = 80;  // from the window's lower edge, at scale 1
    const int y = window.y + window.height - kStrip;
    viewer.move_to(window.x + window.width * 5 / 8, y);
    EXPECT_TRUE(eventually([&] { return !texts("Motion from 0:02.0").empty(); }));
    viewer.click({window.x + window.width * 5 / 8, y});
    EXPECT_TRUE(eventually([&] { return !texts("0:02.0").empty() && texts("frame 99").empty(); }));
    viewer.press({"g"});
    EXPECT_TRUE(eventually([&] { return !texts("No motion follows").empty(); }));
    viewer.press({"M"});
    EXPECT_TRUE(eventually([&] { return texts("Motion from").empty(); }));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// The next drag draws the region that such a preset covers.
TEST_P(GuiOverlay, APresetThatNeedsARegionBeginsWithIt) {
    fs::create_directories(path("warpweft/presets"));
    cli::write_file(path("warpweft/presets/0 cover.toml"), "needs_region = true\nstack = 'fill'\n");
    Viewer viewer = open({clip()});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    viewer.press({"ctrl+s"});
    click(viewer, "0 cover");
    EXPECT_TRUE(eventually([&] { return !texts("Drag a box around").empty(); }));
    EXPECT_FALSE(texts("Cancel drawing").empty());
    viewer.press({"Escape"});
    EXPECT_TRUE(eventually([&] { return !texts("Draw a region").empty(); }));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// It has neither a rate nor, without filters, times of kernels.
TEST_P(GuiOverlay, ShowsWhatAPictureHas) {
    const std::string picture = path("still.png");
    ASSERT_EQ(cli::run({"ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48",
                        "-frames:v", "1", picture})
                  .exit_code,
              0);
    Viewer viewer = open({picture});
    viewer.press({"i"});
    ASSERT_TRUE(eventually([&] { return !texts("decoded by").empty(); }));
    EXPECT_TRUE(texts("frames/s").empty());
    EXPECT_TRUE(texts("kernels alone").empty());
    viewer.press({"F8"});
    EXPECT_TRUE(eventually([&] { return !texts("Save picture").empty(); }));
    EXPECT_TRUE(texts("video").empty());
}

// Who looks for a way to zoom does not know whether it is a key.
TEST_P(GuiOverlay, TheListOfKeysHasTheMouse) {
    Viewer viewer = open({clip()});
    viewer.press({"F1"});
    ASSERT_TRUE(eventually([&] { return !texts("Keyboard shortcuts").empty(); }));
    viewer.press({"z", "o", "o", "m"});
    EXPECT_TRUE(eventually([&] { return texts("Play or pause").empty(); }));
    EXPECT_FALSE(texts("Zoom in").empty());
    EXPECT_FALSE(texts("Ctrl+drag").empty());
    EXPECT_TRUE(texts("Pan the picture").empty());
    viewer.press({"q"});
    EXPECT_TRUE(eventually([&] { return !texts("Nothing has this name.").empty(); }));
}

// Without a filter there are no numbers whose origin could be told.
TEST_P(GuiOverlay, ARaceOfNothingAsksForAFilter) {
    Viewer viewer = open({clip()});
    viewer.press({"F5"});
    ASSERT_TRUE(eventually([&] { return !texts("Add a filter to race").empty(); }));
    EXPECT_TRUE(texts("samples per kernel").empty());
    EXPECT_TRUE(texts("Timed with").empty());
}

TEST_P(GuiTab, TheFirstClickIntoARememberedSectionCounts) {
    Viewer before = open({clip()});
    before.press({"F8"});
    ASSERT_TRUE(eventually([&] { return !texts("Save video").empty(); }));
    (void)before.quit();
    Viewer viewer = open({clip()});
    click(viewer, "Set A");
    EXPECT_TRUE(eventually([&] { return !texts("A 0:0").empty(); }));
}

INSTANTIATE_TEST_SUITE_P(OneSize, GuiRegions, testing::Values(WindowSize{1280, 720}), name_of);
INSTANTIATE_TEST_SUITE_P(OneSize, GuiMovingRegions, testing::Values(WindowSize{1280, 720}),
                         name_of);
INSTANTIATE_TEST_SUITE_P(OneSize, GuiTab, testing::Values(WindowSize{1280, 720}), name_of);
INSTANTIATE_TEST_SUITE_P(OneSize, GuiOverlay, testing::Values(WindowSize{1280, 720}), name_of);
INSTANTIATE_TEST_SUITE_P(Sizes, GuiTexts,
                         testing::Values(WindowSize{800, 600}, WindowSize{1280, 720},
                                         WindowSize{1600, 900}, WindowSize{1920, 1080},
                                         WindowSize{2560, 1440, 192}),
                         name_of);

}  // namespace
}  // namespace weft::gui
