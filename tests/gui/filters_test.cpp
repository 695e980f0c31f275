// The stack of filters, changed while the picture is there.
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "tests/gui/viewer.h"
#include "tests/support/few_cores.h"

namespace weft::gui {
namespace {

constexpr double kLeft = 0.25, kRight = 0.75, kLow = 0.73;

class GuiFilters : public GuiTest {
 protected:
    // By keyboard only, at typing speed: searches the list and takes the first hit. The result is
    // shown alone, not in the wipe that the first filter switches on.
    static void add_filter(const Viewer& viewer, const std::string& name) {
        viewer.do_all({"key", "ctrl+f", "type", name});
        viewer.press({"Return", "o"});
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

// Three changes of the stack, then a step and a seek. The film played before without being asked
// to.
TEST_F(GuiFilters, TheReportHasTheTimeOfEveryAnswer) {
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    add_filter(viewer, "sobel");
    ASSERT_TRUE(viewer.shows_level(kRight, kLow, 0, at));
    viewer.press({"ctrl+z"});
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    viewer.press({"ctrl+shift+z"});
    ASSERT_TRUE(viewer.shows_level(kRight, kLow, 0, at));
    viewer.hold("e");  // shows the original
    viewer.press({"comma"});
    ASSERT_TRUE(viewer.shows(kFrames - 2, at));
    viewer.press({"Home"});
    ASSERT_TRUE(viewer.shows(0, at));
    viewer.let_go("e");
    const nlohmann::json report = viewer.quit();
    EXPECT_GE(report["stack_response"]["count"].get<int>(), 3);
    EXPECT_EQ(report["seek_response"]["count"], 2);
}

// Enter adds the customary blur, a Gaussian. It mixes a tenth of the other side into a sample 2.5
// samples from the step; a box of the default radius does not reach that far.
TEST_F(GuiFilters, APlainWordAddsTheCustomaryFilter) {
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    add_filter(viewer, "blur");
    constexpr double kBeside = 82.5 / kClipWidth;
    const int dark = screen_level(kDark);
    const int bright = screen_level(kBright);
    EXPECT_TRUE(viewer.shows_level(kBeside, kLow, bright - (bright - dark) / 10, at));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// A number has a slider however wide its range is: the scale and the offset of Sobel take 65535.
TEST_F(GuiFilters, EveryNumberHasASlider) {
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    add_filter(viewer, "sobel");
    (void)viewer.side_areas({kSliderGrab}, [](const auto& found) { return found.size() == 2; });
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// The accent marks one control of the panel, the one to press first.
TEST_F(GuiFilters, ThePrimaryButtonOpensTheList) {
    Viewer viewer = view({clip()});
    (void)viewer.clip_place();
    const auto one = [](const std::vector<PixelRect>& found) { return found.size() == 1; };
    const std::vector<PixelRect> buttons = viewer.side_areas({kPrimaryButton}, one);
    ASSERT_EQ(buttons.size(), 1U);
    viewer.click(buttons.front().middle());
    EXPECT_TRUE(eventually(
        [&] { return !areas_of(Screen::get().shot(), viewer.place(), {kPopup}).empty(); }));
    viewer.press({"Escape"});
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// Pixels of the clip's border inside the open list, which covers the clip's own, from the top.
std::vector<std::pair<int, int>> border_in_list(const Viewer& viewer) {
    const Screenshot shot = Screen::get().shot();
    std::vector<std::pair<int, int>> border;
    for (const PixelRect& list : areas_of(shot, viewer.place(), {kPopup}))
        for (int y = list.y; y < list.y + list.height; ++y)
            for (int x = list.x; x < list.x + list.width; ++x) {
                const Rgb c = shot.at(x, y);
                if (c.r > 200 && c.b > 200 && c.g < 60) border.emplace_back(x, y);
            }
    return border;
}

std::size_t border_pixels_in_list(const Viewer& viewer) {
    return border_in_list(viewer).size();
}

// A new matrix copies the picture, and the average of frames keeps what does not change, so that
// their rows show the clip. A bank of matrices needs a file first.
TEST_F(GuiFilters, TheListShowsTheEffectOnTheFrame) {
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    viewer.do_all({"key", "ctrl+f", "type", "convolve"});
    constexpr std::size_t kFew = 30;
    EXPECT_TRUE(eventually([&] { return border_pixels_in_list(viewer) > kFew; }));
    for (int k = 0; k < 8; ++k) viewer.press({"BackSpace"});
    viewer.do_all({"type", "bank"});
    EXPECT_TRUE(eventually([&] { return border_pixels_in_list(viewer) == 0; }));
    for (int k = 0; k < 4; ++k) viewer.press({"BackSpace"});
    viewer.do_all({"type", "average"});
    EXPECT_TRUE(eventually([&] { return border_pixels_in_list(viewer) > kFew; }));
    viewer.press({"Escape"});
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// The second row shows the clip. The first has no picture, because the file of its matrix is
// missing, and the third is chosen.
TEST_F(GuiFilters, TheListOfPresetsShowsTheirEffectOnTheFrame) {
    std::filesystem::create_directories(path("warpweft/presets"));
    const auto write_preset = [&](const std::string& name, const std::string& stack) {
        cli::write_file(path("warpweft/presets/" + name + ".toml"), "stack = \"" + stack + "\"\n");
    };
    write_preset("0 missing", "convolve=file=gone.txt");
    write_preset("1 copy", "convolve=matrix='0 0 0; 0 1 0; 0 0 0'");
    write_preset("2 black", "sobel");
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    viewer.press({"ctrl+s"});
    std::vector<std::pair<int, int>> border;
    constexpr std::size_t kFew = 30;
    ASSERT_TRUE(eventually([&] {
        const auto before = std::exchange(border, border_in_list(viewer));
        return border == before && border.size() > kFew;
    }));
    constexpr int kRow = 55;  // from row to row at scale 1
    const std::vector<PixelRect> lists = areas_of(Screen::get().shot(), viewer.place(), {kPopup});
    const auto [x, y] = border.front();
    EXPECT_GT(y, lists.front().y + kRow);
    EXPECT_LT(y, lists.front().y + 2 * kRow);
    viewer.click({x, y + kRow + kRow / 4});
    viewer.press({"o"});
    EXPECT_TRUE(viewer.shows_level(kRight, kLow, 0, at));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// The editor of a new matrix is open in the side column. The middle is 1, the only coloured cell: a
// click on it, then 0, gives the matrix the sum 0, and makes the picture black, because chroma
// becomes neutral: filtered, it would be 0 as well, which is green.
TEST_F(GuiFilters, AClickedCellOfAMatrixTakesANumber) {
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    add_filter(viewer, "convolve");
    const PixelRect window = viewer.place();
    std::pair<int, int> middle;
    ASSERT_TRUE(eventually([&] {
        const Screenshot shot = Screen::get().shot();
        int x_sum = 0, y_sum = 0, count = 0;
        for (int y = window.y; y < window.y + window.height; y += 2)
            for (int x = window.x + window.width * 3 / 4; x < window.x + window.width; x += 2) {
                const Rgb c = shot.at(x, y);
                if (c.r < 200 || c.g < 100 || c.g > 180 || c.b > 80) continue;  // orange
                x_sum += x;
                y_sum += y;
                ++count;
            }
        if (count < 200) return false;
        const auto before = std::exchange(middle, {x_sum / count, y_sum / count});
        return before == middle;
    }));
    viewer.click(middle, 4);  // the wheel is for the column, and would make it 2
    viewer.click(middle);
    viewer.do_all({"type", "0"});
    viewer.press({"Return", "Escape"});
    EXPECT_TRUE(viewer.shows_level(kRight, kLow, 0, at));
    viewer.press({"ctrl+z"});
    EXPECT_TRUE(viewer.shows_level(kRight, kLow, screen_level(kBright), at));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// Next to the step in the clip a gaussian shows the normal distribution: 5.5 samples away, almost
// nothing of the other side with the default sigma of 2, and a quarter with 8.
TEST_F(GuiFilters, ASliderChangesThePictureAsOneStepOfUndo) {
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    add_filter(viewer, "gaussian");
    const int dark = screen_level(kDark);
    const int bright = screen_level(kBright);
    constexpr double kStep = 0.5 - 0.5 / kClipWidth;
    EXPECT_TRUE(viewer.shows_level(kStep, kLow, (dark + bright) / 2, at, 30));
    viewer.hold("e");
    EXPECT_TRUE(viewer.shows_level(kStep, kLow, dark, at));
    viewer.let_go("e");
    EXPECT_TRUE(viewer.shows_level(kStep, kLow, (dark + bright) / 2, at, 30));
    const auto any = [](const std::vector<PixelRect>& found) { return !found.empty(); };
    const std::vector<PixelRect> grabs = viewer.side_areas({kSliderGrab}, any);
    ASSERT_FALSE(grabs.empty());
    constexpr double kBeside = 0.5 + 5.5 / kClipWidth;
    EXPECT_TRUE(viewer.shows_level(kBeside, kLow, bright, at));
    const auto [x, y] = grabs.front().middle();
    viewer.do_all({"mousemove", std::to_string(x), std::to_string(y), "mousedown", "1"});
    const auto blurs = [&, row = y](int to) {
        viewer.move_to(to, row);
        return clip_pixel(Screen::get().shot(), at, kBeside, kLow).r <= (dark + 3 * bright) / 4;
    };
    int to = x;
    EXPECT_TRUE(eventually([&] { return blurs(++to) || to > x + 100; }));
    EXPECT_LE(to, x + 100);
    viewer.do_all({"mouseup", "1"});
    EXPECT_TRUE(viewer.shows_level(kBeside, kLow, (dark + 3 * bright) / 4, at, 30));
    viewer.press({"ctrl+z"});
    EXPECT_TRUE(viewer.shows_level(kBeside, kLow, bright, at));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// Next to the slider, at the panel's edge. It shows "2 px", and the mouse is after the unit.
TEST_F(GuiFilters, ADoubleClickOnANumberSelectsItWithItsUnit) {
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    add_filter(viewer, "gaussian");
    constexpr double kBeside = 0.5 + 5.5 / kClipWidth;
    const int dark = screen_level(kDark);
    const int bright = screen_level(kBright);
    EXPECT_TRUE(viewer.shows_level(kBeside, kLow, bright, at));
    const auto any = [](const std::vector<PixelRect>& found) { return !found.empty(); };
    const std::vector<PixelRect> grabs = viewer.side_areas({kSliderGrab}, any);
    ASSERT_FALSE(grabs.empty());
    const PixelRect window = viewer.place();
    viewer.do_all({"mousemove", std::to_string(window.x + window.width - 30),
                   std::to_string(grabs.front().middle().second), "click", "--repeat", "2",
                   "--delay", "60", "1", "type", "8"});
    EXPECT_TRUE(viewer.shows_level(kBeside, kLow, (dark + 3 * bright) / 4, at, 30));
    viewer.press({"Return"});
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// Where Tab stops, too. It is at the left end of the step's header. The menu covers no field of the
// step.
TEST_F(GuiFilters, TheHandleOfAStepOpensItsMenuNextToTheCard) {
    Viewer viewer = view({clip(), "-vf", "sobel"});
    viewer.hold("e");
    (void)viewer.clip_place();
    viewer.let_go("e");
    const auto any = [](const std::vector<PixelRect>& found) { return !found.empty(); };
    const std::vector<PixelRect> fields = viewer.side_areas({kField}, any);
    ASSERT_FALSE(fields.empty());
    const PixelRect header = fields.front();
    const auto menu_is_open = [&] {
        const auto found = areas_of(Screen::get().shot(), viewer.place(), {kPopup});
        return std::ranges::any_of(found, [&](const PixelRect& area) {
            return area.height > 3 * header.height && area.y >= header.y &&
                   area.x + area.width <= header.x;
        });
    };
    EXPECT_FALSE(menu_is_open());
    viewer.click({header.x + header.height / 2, header.middle().second});
    EXPECT_TRUE(eventually(menu_is_open));
    viewer.press({"Escape"});
    EXPECT_TRUE(eventually([&] { return !menu_is_open(); }));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// A large picture and a large disc take longer than the window's patience on one core. Sixteen
// cores were too fast.
TEST_F(GuiFilters, ASignIsShownWhileTheFilterTakesLong) {
    constexpr int kWidth = 2400, kHeight = 1500;
    cli::write_file(path("large.ppm"), fmt::format("P6 {} {} 255\n", kWidth, kHeight) +
                                           std::string(std::size_t{3} * kWidth * kHeight, 'x'));
    std::optional<test::FewCores> slow(1);
    Viewer viewer = view({"--gpu", "off", path("large.ppm")});
    slow.reset();
    const PixelRect window = viewer.place();
    const PixelRect top{window.x + window.width / 5, window.y + 50, window.width / 3, 60};
    const auto signs = [&] { return areas_of(Screen::get().shot(), top, {kPopup}).size(); };
    EXPECT_TRUE(eventually([&] {  // the picture is there
        return Screen::get().shot().at(window.x + window.width / 3, window.y + window.height / 2) ==
                   Rgb{'x', 'x', 'x'} &&
               signs() == 0;
    }));
    viewer.do_all({"key", "ctrl+f", "type", "disc"});
    viewer.press({"Return"});
    const auto any = [](const std::vector<PixelRect>& found) { return !found.empty(); };
    const std::vector<PixelRect> grabs = viewer.side_areas({kSliderGrab}, any);
    ASSERT_FALSE(grabs.empty());
    const auto [x, y] = grabs.front().middle();
    viewer.drag({x, y}, {window.x + window.width - 60, y});
    EXPECT_TRUE(eventually([&] { return signs() > 0; }));
    EXPECT_TRUE(eventually([&] { return signs() == 0; }));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

}  // namespace
}  // namespace weft::gui
