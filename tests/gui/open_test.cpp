// Good and bad files, opened by argument, by drag and drop, and by the dialogs.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "tests/gui/viewer.h"

namespace weft::gui {
namespace {

class GuiOpen : public GuiTest {
 protected:
    // A dialog program that records its arguments, prints the answer and exits. The viewer's PATH
    // must be its folder.
    void write_dialog(const std::string& name, const std::string& answer, int exit_code) const {
        const std::filesystem::path program = programs() / name;
        std::filesystem::create_directories(programs());
        cli::write_file(program, "#!/bin/sh\nprintf '%s\\n' \"$@\" >" + asked(name) +
                                     "\nprintf '%s\\n' '" + answer + "'\nexit " +
                                     std::to_string(exit_code) + "\n");
        std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    }
    std::filesystem::path programs() const { return path("programs"); }
    std::string asked(const std::string& name) const { return path(name + "-was-asked"); }
    Viewer empty_view(const std::string& desktop = "") const {
        return view({}, {{"PATH", programs().string()}, {"XDG_CURRENT_DESKTOP", desktop}});
    }
    // The clip's place in a window that began with the first page, which has its thumbnail among
    // the recent files until the first frame is there.
    static PixelRect opened_clip(const Viewer& viewer) {
        EXPECT_TRUE(eventually([&] { return viewer.title() == "clip.y4m — weft"; }));
        PixelRect place;
        EXPECT_TRUE(eventually([&] {
            place = viewer.clip_place();
            return place.width > viewer.place().width / 3;
        }));
        return place;
    }
};

TEST_F(GuiOpen, ABadFileIsAnErrorAndTheWindowStays) {
    cli::write_file(path("bad.mp4"), "this is no video");
    Viewer viewer = view({path("bad.mp4")});
    ASSERT_TRUE(Screen::get().drop(viewer.window(), clip()));
    const PixelRect at = viewer.clip_place();
    EXPECT_TRUE(viewer.shows(kFrames - 1, at));
    const nlohmann::json report = viewer.quit();
    ASSERT_EQ(report["errors"].size(), 1U) << report;
    EXPECT_TRUE(cli::contains(report["errors"][0], "bad.mp4")) << report;
}

// In the upper half of the window, where a toast would not be, until another file opens.
TEST_F(GuiOpen, TheFirstPageShowsWhyAFileWasRefused) {
    cli::write_file(path("bad.mp4"), "this is no video");
    Viewer viewer = view({path("bad.mp4")});
    const PixelRect window = viewer.place();
    const PixelRect page{window.x, window.y + 30, window.width * 7 / 10, window.height / 2 - 30};
    const auto is_on_page = [&] {
        const auto found = areas_of(Screen::get().shot(), page, {kPopup});
        return std::ranges::any_of(
            found, [&](const PixelRect& area) { return area.width > page.width / 3; });
    };
    EXPECT_TRUE(eventually(is_on_page));
    ASSERT_TRUE(Screen::get().drop(viewer.window(), clip()));
    (void)viewer.clip_place();
    EXPECT_FALSE(is_on_page());
    const nlohmann::json errors = viewer.quit()["errors"];
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_TRUE(cli::contains(errors[0], "contains text")) << errors;
}

// An installation whose sample is the clip.
class GuiTrials : public GuiTest {
 protected:
    void SetUp() override {
        GuiTest::SetUp();
        if (IsSkipped()) return;
        namespace fs = std::filesystem;
        const fs::path program = cli::weft_program();
        fs::create_directories(path("installed/bin"));
        fs::create_directories(path("installed/share/warpweft/presets"));
        for (const char* name : {"weft", "libweft-gui.so"})
            fs::copy_file(program.parent_path() / name, path("installed/bin/") + name);
        fs::copy_file(clip(), path("installed/share/warpweft/sample.mp4"));
        before_ = program;
        setenv("WEFT_PROGRAM", path("installed/bin/weft").c_str(), 1);
    }
    void TearDown() override {
        if (!before_.empty()) setenv("WEFT_PROGRAM", before_.c_str(), 1);
        GuiTest::TearDown();
    }
    // The middles of the three tiles. The last one has the bars of a race, the longest of which is
    // 0.84 as wide as a tile, and begins 0.08 of the width after its left edge.
    static std::vector<std::pair<int, int>> tiles(const Viewer& viewer) {
        constexpr int kGap = 8;
        const PixelRect window = viewer.place();
        const PixelRect page{window.x, window.y + 30, window.width * 7 / 10,
                             window.height * 9 / 10 - 30};
        Screen::get().put_pointer_aside();  // a tooltip would cover the bars
        std::vector<PixelRect> bars;
        EXPECT_TRUE(eventually([&] {
            const auto before = std::exchange(
                bars, areas_of(Screen::get().shot(), page, {kSliderGrab, kPlayedTime}));
            return bars.size() == 5 && bars == before;
        })) << bars.size();
        bars.resize(5);
        const double width = bars[4].width / 0.84;
        const int x = static_cast<int>(bars[4].x + (0.5 - 0.08) * width);
        const int step = static_cast<int>(width) + kGap;
        const int y = bars[2].middle().second;
        return {{x - 2 * step, y}, {x - step, y}, {x, y}};
    }

 private:
    std::string before_;
};

// A blur, edges, which flat areas do not have, and a race, for which a panel opens below the
// picture.
TEST_F(GuiTrials, ATileOpensTheSampleWithAStackAndAView) {
    for (const int chosen : {0, 1, 2}) {
        SCOPED_TRACE(chosen);
        Viewer viewer = view({"--gpu", "off"});
        viewer.click(tiles(viewer).at(static_cast<std::size_t>(chosen)));
        EXPECT_TRUE(eventually([&] { return viewer.title() == "sample.mp4 — weft"; }));
        viewer.hold("e");
        const PixelRect at = viewer.clip_place();
        viewer.let_go("e");
        const bool low = at.y + at.height < viewer.place().y + viewer.place().height * 2 / 3;
        EXPECT_EQ(low, chosen == 2) << "the race is open";
        // The clip is dark to the left of its middle, where the wipe is, and bright to the right.
        const auto level = [&](double x) {
            return Screen::get()
                .shot()
                .at(at.x + static_cast<int>(x * at.width), at.y + at.height * 73 / 100)
                .g;
        };
        EXPECT_TRUE(eventually([&] {
            return chosen == 1 ? level(0.9) < 10
                               : level(0.9) > 180 && level(0.51) < level(0.9) - 10;
        })) << "it is not filtered";
        EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
        std::filesystem::remove_all(path("warpweft"));
    }
}

TEST_F(GuiOpen, AnEmptyWindowTakesADroppedFile) {
    Viewer viewer = view({});
    ASSERT_TRUE(Screen::get().drop(viewer.window(), clip()));
    const PixelRect at = viewer.clip_place();
    EXPECT_TRUE(viewer.shows(kFrames - 1, at));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// By argument and by drag and drop: the clip is the only film in its folder.
TEST_F(GuiOpen, AFolderOpensAsTheFilesInIt) {
    const std::filesystem::path folder = path("films");
    std::filesystem::create_directory(folder);
    std::filesystem::copy_file(clip(), folder / "inside.y4m");
    cli::write_file(folder / "notes.txt", "no film");
    for (const bool dropped : {false, true}) {
        Viewer viewer = dropped ? view({}) : view({folder.string()});
        if (dropped) {
            ASSERT_TRUE(Screen::get().drop(viewer.window(), folder));
        }
        EXPECT_TRUE(eventually([&] { return viewer.title() == "inside.y4m — weft"; })) << dropped;
        EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
    }
}

// Two names in a script that the own font lacks look different at the right end of the menu bar:
// with question marks in place of letters they would not. A slow window may show those first.
TEST_F(GuiOpen, NamesInOtherScriptsAreLegible) {
    if (!std::filesystem::exists("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"))
        GTEST_SKIP() << "DejaVu Sans, which has Armenian letters, is not installed";
    std::vector<std::uint8_t> first;
    for (const std::string name : {"\u0561\u0561\u0561.y4m", "\u0570\u0570\u0570.y4m"}) {
        std::filesystem::copy_file(clip(), path(name));
        Viewer viewer = view({path(name)});
        (void)viewer.clip_place();
        const PixelRect window = viewer.place();
        std::vector<std::uint8_t> before;
        std::vector<std::uint8_t> pixels;
        EXPECT_TRUE(eventually([&] {
            before = std::exchange(pixels, {});
            const Screenshot shot = Screen::get().shot();
            for (int y = window.y; y < window.y + 20; ++y)
                for (int x = window.x + window.width / 2; x < window.x + window.width; ++x)
                    pixels.push_back(static_cast<std::uint8_t>(shot.at(x, y).g));
            return pixels == before && pixels != first;
        })) << name;
        EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
        first = pixels;
    }
}

TEST_F(GuiOpen, TheTitleNamesTheFile) {
    Viewer viewer = view({});
    EXPECT_EQ(viewer.title(), "weft");
    ASSERT_TRUE(Screen::get().drop(viewer.window(), clip()));
    EXPECT_TRUE(eventually([&] { return viewer.title() == "clip.y4m — weft"; }));
    (void)viewer.quit();
}

TEST_F(GuiOpen, TheFirstPageHasAButtonThatOpensFiles) {
    write_dialog("zenity", clip(), 0);
    Viewer viewer = empty_view();
    const PixelRect window = viewer.place();
    const PixelRect page{window.x, window.y + window.height / 10, window.width * 7 / 10,
                         window.height * 8 / 10};
    // The page moves while it is loaded, so that a click may miss the button.
    ASSERT_TRUE(eventually([&] {
        const auto buttons = areas_of(Screen::get().shot(), page, {kPrimaryButton});
        if (!buttons.empty()) viewer.click(buttons.front().middle());
        return viewer.title() == "clip.y4m — weft";
    }));
    const PixelRect at = opened_clip(viewer);
    EXPECT_TRUE(viewer.shows(kFrames - 1, at));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// Its thumbnail is the clip in small, so that it is found like the clip.
TEST_F(GuiOpen, TheFirstPageShowsRecentFiles) {
    Viewer first = view({clip()});
    const PixelRect large = first.clip_place();
    (void)first.quit();
    Viewer viewer = view({});
    const PixelRect small = viewer.clip_place();
    EXPECT_LT(small.width, large.width / 2);
    viewer.click(small.middle());
    EXPECT_TRUE(viewer.shows(kFrames - 1, large));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

TEST_F(GuiOpen, RecentFilesSurviveACrash) {
    PixelRect large;
    {
        Viewer first = view({clip()});
        large = first.clip_place();
        first.process().send(SIGKILL);
        EXPECT_EQ(first.process().wait().signal, SIGKILL);
    }
    Viewer viewer = view({});
    viewer.click(viewer.clip_place().middle());
    EXPECT_TRUE(viewer.shows(kFrames - 1, large));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// The only recent file is the one that could be opened, and it has the first place.
TEST_F(GuiOpen, AFileThatCannotBeOpenedIsNoRecentOne) {
    Viewer first = view({clip()});
    const PixelRect large = first.clip_place();
    cli::write_file(path("bad.mp4"), "this is no video");
    ASSERT_TRUE(Screen::get().drop(first.window(), path("bad.mp4")));
    const auto has_message = [&] {
        const PixelRect all = first.place();
        const PixelRect below{all.x, all.y + all.height / 2, all.width * 7 / 10, all.height / 2};
        return !areas_of(Screen::get().shot(), below, {kPopup}).empty();
    };
    EXPECT_TRUE(eventually(has_message));
    EXPECT_EQ(first.quit()["errors"].size(), 1U);
    Viewer viewer = view({});
    const PixelRect small = viewer.clip_place();
    EXPECT_LT(small.x, viewer.place().x + viewer.place().width / 4) << "not the first place";
    viewer.click(small.middle());
    EXPECT_TRUE(viewer.shows(kFrames - 1, large));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// A file that was removed has no picture, and a click on its place does nothing.
TEST_F(GuiOpen, TheFirstPageDisablesMissingFiles) {
    const std::string gone = path("gone.y4m");
    write_numbered_clip(gone, kFrames);
    Viewer first = view({clip(), gone});
    (void)first.clip_place();
    first.press({"greater"});
    ASSERT_TRUE(eventually([&] { return first.title() == "gone.y4m — weft"; }));
    (void)first.clip_place();
    (void)first.quit();
    std::filesystem::remove(gone);
    Viewer viewer = view({});
    const PixelRect second = viewer.clip_place();
    const PixelRect window = viewer.place();
    EXPECT_GT(second.x, window.x + window.width / 5) << "the missing file has the first place";
    viewer.click({second.x - second.width / 2, second.middle().second});
    viewer.click(second.middle());
    EXPECT_TRUE(eventually([&] { return viewer.title() == "clip.y4m — weft"; }));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// By keys: the second entry of the first menu, then the first file.
TEST_F(GuiOpen, AMenuOpensRecentFilesWhereADialogIsInstalled) {
    Viewer first = view({clip()});
    (void)first.clip_place();
    (void)first.quit();
    write_dialog("zenity", "", 1);
    Viewer viewer = empty_view();
    const PixelRect window = viewer.place();
    viewer.click({window.x + 20, window.y + 10});
    viewer.press({"Down", "Right", "Return"});
    const PixelRect at = opened_clip(viewer);
    EXPECT_TRUE(viewer.shows(kFrames - 1, at));
    EXPECT_FALSE(std::filesystem::exists(asked("zenity")));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

TEST_F(GuiOpen, ADroppedFileReplacesThePlayingOne) {
    const std::string longer = path("longer.y4m");
    write_numbered_clip(longer, kFrames + 20);
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    ASSERT_TRUE(Screen::get().drop(viewer.window(), longer));
    EXPECT_TRUE(viewer.shows(kFrames + 19, at));
    (void)viewer.quit();
}

// The lower right half of the clip's thumbnail has one level, in a row as high as two lines.
TEST_F(GuiOpen, TheListShowsThumbnails) {
    Viewer viewer = view({"--gpu", "off"});
    viewer.press({"ctrl+o"});
    const int level = screen_level(kBright);
    const auto bright = [&] {
        return areas_of(Screen::get().shot(), viewer.place(), {{level, level, level}}).size();
    };
    EXPECT_TRUE(eventually([&] { return bright() == 1; })) << bright();
    viewer.do_all({"type", "none of these"});
    EXPECT_TRUE(eventually([&] { return bright() == 0; })) << bright();
    viewer.press({"Escape"});
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

TEST_F(GuiOpen, CtrlOAsksTheDesktopsDialog) {
    struct Row {
        std::string desktop, program, word;
    };
    for (const Row& row : {Row{"", "zenity", "--file-selection"}, Row{"GNOME", "zenity", "Open"},
                           Row{"KDE", "kdialog", "--getopenfilename"}}) {
        for (const char* name : {"zenity", "kdialog"}) {
            std::filesystem::remove(asked(name));
            write_dialog(name, clip(), 0);
        }
        Viewer viewer = empty_view(row.desktop);
        viewer.press({"ctrl+o"});
        const PixelRect at = opened_clip(viewer);
        EXPECT_TRUE(viewer.shows(kFrames - 1, at));
        EXPECT_TRUE(cli::contains(cli::read_file(asked(row.program)), row.word));
        const char* other = row.program == "zenity" ? "kdialog" : "zenity";
        EXPECT_FALSE(std::filesystem::exists(asked(other)));
        EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
    }
}

TEST_F(GuiOpen, ACancelledDialogChangesNothing) {
    write_dialog("zenity", "", 1);
    Viewer viewer = empty_view();
    viewer.press({"ctrl+o"});
    EXPECT_TRUE(eventually([&] { return std::filesystem::exists(asked("zenity")); }));
    ASSERT_TRUE(Screen::get().drop(viewer.window(), clip()));
    (void)viewer.clip_place();
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// The clip is the only entry of the list in the window's middle: one of the clicks, which go up
// from the list's end, hits it.
TEST_F(GuiOpen, WithoutADialogItShowsItsOwnList) {
    Viewer viewer = empty_view();
    const Screenshot before = Screen::get().shot();
    viewer.press({"ctrl+o"});
    const PixelRect window = viewer.place();
    const int x = window.x + window.width * 3 / 10;
    ASSERT_TRUE(eventually([&] {
        return Screen::get().shot().at(x, window.y + window.height / 2) !=
               before.at(x, window.y + window.height / 2);
    }));
    for (int percent = 80; percent >= 20; percent -= 2)
        viewer.click({x, window.y + window.height * percent / 100});
    const PixelRect at = viewer.clip_place();
    EXPECT_TRUE(viewer.shows(kFrames - 1, at));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// The keyboard is in the search.
TEST_F(GuiOpen, ItsOwnListTakesAPath) {
    std::filesystem::create_directories(path("empty/deep"));
    const Environment in_empty = {{"PATH", programs().string()}, {"HOME", path("empty")}};
    PixelRect at;  // found while the first page has no thumbnail yet
    for (const std::string& typed : {clip(), std::string("~/../clip.y4m")}) {
        SCOPED_TRACE(typed);
        Viewer viewer = view({}, in_empty);
        viewer.press({"ctrl+o"});
        viewer.do_all({"type", typed});
        viewer.press({"Return"});
        if (at.width == 0) at = opened_clip(viewer);
        EXPECT_TRUE(viewer.shows(kFrames - 1, at));
        EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
    }
}

// As in a shell: one Tab as far as the names agree, then the rest by hand.
TEST_F(GuiOpen, TabCompletesATypedPath) {
    write_numbered_clip(path("clip-longer.y4m"), kFrames + 20);
    const std::string folder = path("some films");
    for (const std::string& made : {folder, path("empty")})
        std::filesystem::create_directories(made);
    write_numbered_clip(folder + "/clip-longest.y4m", kFrames + 10);
    const Environment in_empty = {{"PATH", programs().string()}, {"HOME", path("empty")}};
    struct Row {
        std::vector<std::string> typed;  // with a Tab after each
        int frames;
    };
    for (const Row& row :
         {Row{{path("cl"), "-"}, kFrames + 20}, Row{{path("so"), "c"}, kFrames + 10},
          Row{{"~/../so", "clip"}, kFrames + 10}}) {
        SCOPED_TRACE(row.typed.front());
        Viewer viewer = view({}, in_empty);
        viewer.press({"ctrl+o"});
        for (const std::string& typed : row.typed) {
            viewer.do_all({"type", typed});
            viewer.press({"Tab"});
        }
        viewer.press({"Return"});
        const std::string name = row.frames == kFrames + 20 ? "clip-longer" : "clip-longest";
        EXPECT_TRUE(eventually([&] { return viewer.title() == name + ".y4m — weft"; }));
        EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
    }
}

}  // namespace
}  // namespace weft::gui
