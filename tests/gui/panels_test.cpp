// The wide panel of kernels, and pictures saved by a key.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "tests/gui/viewer.h"

namespace weft::gui {
namespace {

std::set<std::string> files_in(const std::filesystem::path& folder) {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.is_regular_file()) names.insert(entry.path().filename());
    return names;
}

class GuiPanels : public GuiTest {
 protected:
    // The new file in the clip's folder since `before`, once it is complete: the writer's temporary
    // names begin with a dot.
    std::string new_file(const std::set<std::string>& before, const std::string& ending) const {
        for (const std::string& name : files_in(folder_.path()))
            if (!before.contains(name) && name.ends_with(ending) && !name.starts_with('.'))
                return name;
        return "";
    }
};

// Tab marks a control: from then on the arrow keys do not seek, until Escape.
TEST_F(GuiPanels, TabAndArrowsMarkControls) {
    Viewer viewer = view({clip(), "-vf", "gaussian=sigma=2"});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    viewer.press({"comma"});
    ASSERT_TRUE(viewer.shows(kFrames - 2, at));
    const PixelRect window = viewer.place();
    const auto side = [&] {
        const Screenshot shot = Screen::get().shot();
        std::vector<Rgb> pixels;
        for (int y = window.y; y < window.y + window.height * 9 / 10; ++y)
            for (int x = window.x + window.width * 74 / 100; x < window.x + window.width; ++x)
                pixels.push_back(shot.at(x, y));
        return pixels;
    };
    std::vector<Rgb> before = side();
    for (const char* key : {"Tab", "Tab", "shift+Tab", "Down"}) {
        viewer.press({key});
        EXPECT_TRUE(eventually([&] { return side() != before; })) << "no mark moved by " << key;
        // The last of the redraws that a key causes may still be missing.
        EXPECT_TRUE(eventually([&] { return std::exchange(before, side()) == before; }));
    }
    EXPECT_TRUE(viewer.shows(kFrames - 2, at));
    viewer.press({"Escape", "Left"});
    EXPECT_TRUE(viewer.shows(0, at));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// Below a paused video, kernels race until each has its samples, and again on the next picture.
TEST_F(GuiPanels, KernelsRaceBelowThePicture) {
    Viewer viewer = view({clip(), "-vf", "gaussian=sigma=2"});
    const PixelRect before = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, before));
    viewer.press({"F5"});
    ASSERT_TRUE(eventually([&] { return viewer.clip_place().height < before.height; }));
    const PixelRect window = viewer.place();
    const auto panel = [&] {
        const Screenshot shot = Screen::get().shot();
        const int first = window.y + window.height * 7 / 10;
        const int last = window.y + window.height * 9 / 10;
        const auto begin = shot.rgb.begin() + std::ptrdiff_t{3} * shot.width * first;
        return std::vector<std::uint8_t>(begin,
                                         begin + std::ptrdiff_t{3} * shot.width * (last - first));
    };
    for (int step = 0; step < 4; ++step) {
        const std::vector<std::uint8_t> last = panel();
        viewer.press({"comma"});
        EXPECT_TRUE(eventually([&] { return panel() != last; })) << "after " << step << " steps";
    }
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// The row of the handle in the upper edge of the bottom panel; 0: none. The quarter above holds
// buttons, whose frames have the handle's colour at a scale of 2.
int edge_row(const PixelRect& window) {
    const Screenshot shot = Screen::get().shot();
    constexpr int kHalf = 10;
    const int middle = window.x + window.width / 2;
    for (int y = window.y + window.height / 4; y < window.y + window.height; ++y) {
        int alike = 0;
        for (int x = middle - kHalf; x < middle + kHalf; ++x)
            alike += shot.at(x, y) == kEdgeHandle ? 1 : 0;
        if (alike == 2 * kHalf) return y;
    }
    return 0;
}

// From the handle in its edge to the end of the window.
PixelRect kernels_panel(const Viewer& viewer) {
    const PixelRect window = viewer.place();
    const int top = edge_row(window);
    return {window.x, top, window.width, window.y + window.height - top};
}

// The fields of the sheets have the keyboard, and would take the first Escape for itself.
TEST_F(GuiPanels, OneEscapeClosesTheSheetsOfFiles) {
    Viewer viewer = view({clip(), "-vf", "gaussian=sigma=2"});
    (void)viewer.clip_place();
    viewer.press({"F5"});
    std::vector<PixelRect> buttons;
    ASSERT_TRUE(eventually([&] {
        buttons = first_row(areas_of(Screen::get().shot(), kernels_panel(viewer), {kButton}));
        return edge_row(viewer.place()) > 0 && buttons.size() == 5;  // two of them are lists
    }));
    const auto sheets = [&] {
        return areas_of(Screen::get().shot(), viewer.place(), {kPopup}).size();
    };
    for (const std::size_t sheet : {3, 4}) {
        viewer.click(buttons[sheet].middle());
        ASSERT_TRUE(eventually([&] { return sheets() > 0; })) << sheet;
        viewer.press({"Escape"});
        EXPECT_TRUE(eventually([&] { return sheets() == 0; })) << sheet;
    }
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// The rows of text in the table's first column, as their middles from the top.
struct Columns {
    int left = 40;
    int right = 120;
};
std::vector<int> table_rows(const Viewer& viewer, Columns names = {}) {
    const PixelRect panel = kernels_panel(viewer);
    const Screenshot shot = Screen::get().shot();
    const std::vector<PixelRect> played = areas_of(shot, panel, {kPlayedTime});
    if (panel.height == 0 || played.empty()) return {};
    constexpr int kAbove = 8;
    constexpr std::uint8_t kText = 0x90;
    std::vector<int> rows;
    int first = 0;
    // Ticks have the colour of the played time, too.
    const int end = std::ranges::max_element(played, {}, &PixelRect::width)->y - kAbove;
    for (int y = panel.y; y < end; ++y) {
        bool text = false;
        for (int x = panel.x + names.left; x < panel.x + names.right; ++x)
            text |= shot.at(x, y).g > kText;
        if (text && first == 0) first = y;
        if (!text && first != 0) rows.push_back((std::exchange(first, 0) + y) / 2);
    }
    return rows;
}

// Five kernels of the CPU take the step. The row after them unfolds the others.
constexpr int kFoldedRows = 11;  // tools, header, three limits, five kernels, the folded ones

TEST_F(GuiPanels, KernelsThatCannotRunAreFolded) {
    Viewer viewer = view({clip(), "-vf", "gaussian=sigma=2", "--gpu", "off"});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    viewer.press({"F5"});
    const auto rows = [&] { return static_cast<int>(table_rows(viewer).size()); };
    ASSERT_TRUE(eventually([&] { return rows() == kFoldedRows; })) << rows();
    const std::pair<int, int> last = {viewer.place().x + 80, table_rows(viewer).back()};
    viewer.click(last);
    EXPECT_TRUE(eventually([&] { return rows() > kFoldedRows; })) << rows();
    viewer.click(last);
    viewer.move_to(last.first, viewer.place().y + viewer.place().height / 4);  // no tooltip
    EXPECT_TRUE(eventually([&] { return rows() == kFoldedRows; })) << rows();
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// Right of the table.
PixelRect plots_of_race(const Viewer& viewer) {
    PixelRect plots = kernels_panel(viewer);
    plots.x += plots.width * 2 / 3;
    plots.width /= 3;
    return plots;
}

// Why, Roofline, Sweep, Over time, Stages and GPU.
std::vector<PixelRect> race_tabs(const Viewer& viewer) {
    constexpr Rgb kTab{0x26, 0x26, 0x2B}, kOpenTab{0x43, 0x43, 0x4D};
    return first_row(areas_of(Screen::get().shot(), plots_of_race(viewer), {kTab, kOpenTab}));
}
constexpr std::size_t kTabs = 5;
constexpr std::size_t kSweepTab = 2;

// The size in a PNG's first chunk, big-endian at byte 16.
std::pair<int, int> png_size(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    stream.seekg(16);
    const auto side = [&] {
        int value = 0;
        for (int k = 0; k < 4; ++k) value = value << 8 | stream.get();
        return value;
    };
    const int width = side();
    return {width, side()};
}

// The buttons come with the first value: the list's, one for CSV, one for the picture.
TEST_F(GuiPanels, ASweepIsMeasuredAndItsPlotSavedAsAPicture) {
    Viewer viewer = view({clip(), "-vf", "gaussian=sigma=2", "--gpu", "off"});
    (void)viewer.clip_place();
    viewer.press({"F5"});
    std::vector<PixelRect> tabs;
    ASSERT_TRUE(eventually([&] {
        tabs = race_tabs(viewer);
        return tabs.size() == kTabs;
    })) << tabs.size();
    viewer.click(tabs[kSweepTab].middle());
    std::vector<PixelRect> buttons;
    ASSERT_TRUE(eventually([&] {
        buttons = first_row(areas_of(Screen::get().shot(), plots_of_race(viewer), {kButton}));
        return buttons.size() == 3;
    })) << buttons.size();
    const auto sheets = [&] {
        return areas_of(Screen::get().shot(), viewer.place(), {kPopup}).size();
    };
    const std::size_t before = sheets();
    viewer.click(buttons[1].middle());
    EXPECT_TRUE(eventually([&] { return sheets() > before; })) << "nothing asks where to save";
    viewer.press({"Escape"});
    EXPECT_TRUE(eventually([&] { return sheets() == before; }));
    const std::set<std::string> files = files_in(folder_.path());
    viewer.click(buttons[2].middle());
    ASSERT_TRUE(eventually([&] { return !new_file(files, ".png").empty(); }));
    const auto [width, height] = png_size(folder_.path() / new_file(files, ".png"));
    const PixelRect plots = plots_of_race(viewer);
    EXPECT_GT(width, plots.width * 8 / 10);
    EXPECT_LT(width, plots.width * 12 / 10) << "more than the plot was saved";
    EXPECT_GT(height, 0);
    EXPECT_LT(height, plots.height);
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// The lines between the table's columns.
std::vector<int> column_lines(const Screenshot& shot, const PixelRect& panel, int top, int bottom) {
    constexpr Rgb kLine{0x3B, 0x3B, 0x40};
    std::vector<int> lines;
    for (int x = panel.x; x < panel.x + panel.width; ++x) {
        int alike = 0;
        for (int y = top; y < bottom; ++y) alike += shot.at(x, y) == kLine ? 1 : 0;
        if (alike > (bottom - top) * 9 / 10) lines.push_back(x);
    }
    return lines;
}

// Numbers grow after the table has opened. A number that is cut ends at the line next to it.
TEST_F(GuiPanels, TheTablesNumbersAreNotCut) {
    constexpr Rgb kFastest{0x8F, 0xD9, 0x8F};
    constexpr int kPadding = 3;
    Viewer viewer = view({clip(), "-vf", "gaussian=sigma=2", "--gpu", "off"});
    (void)viewer.clip_place();
    viewer.press({"F5"});
    constexpr int kLooks = 10;  // for longer than a race takes to show new numbers
    Screenshot shot;
    int alike = 0;
    ASSERT_TRUE(eventually([&] {
        const Screenshot before = std::exchange(shot, Screen::get().shot());
        alike = before.rgb == shot.rgb ? alike + 1 : 0;
        bool measured = false;
        for (int y = shot.height / 2; y < shot.height && !measured; ++y)
            for (int x = 0; x < shot.width && !measured; ++x) measured = shot.at(x, y) == kFastest;
        return measured && alike >= kLooks;
    })) << "the race does not end";
    const std::vector<int> rows = table_rows(viewer);
    ASSERT_GE(rows.size(), 4U);
    const int top = rows[rows.size() - 4];
    const std::vector<int> lines =
        column_lines(shot, kernels_panel(viewer), top, rows[rows.size() - 2]);
    EXPECT_GE(lines.size(), 4U);
    for (const int line : lines)
        for (int x = line - kPadding; x < line; ++x)
            for (int y = top; y < rows[rows.size() - 2]; ++y)
                ASSERT_LT(shot.at(x, y).g, 0x90) << "text at " << x << ", " << y;
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// The film is dark where the kernel has the reference's pixels, which is nearly everywhere.
TEST_F(GuiPanels, AKernelUnderTheMouseShowsItsErrorsInTheFilm) {
    Viewer viewer = view({clip(), "-vf", "gaussian=sigma=2", "--gpu", "off"});
    const PixelRect before = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, before));
    viewer.press({"F5"});
    ASSERT_TRUE(eventually([&] { return viewer.clip_place().height < before.height; }));
    ASSERT_TRUE(eventually([&] { return table_rows(viewer).size() == kFoldedRows; }));
    const PixelRect at = viewer.clip_place();
    const auto brightness = [&] {
        const Screenshot shot = Screen::get().shot();
        std::int64_t sum = 0;
        for (int y = at.y; y < at.y + at.height; ++y)
            for (int x = at.x; x < at.x + at.width; ++x) sum += shot.at(x, y).g;
        return sum;
    };
    const std::int64_t bright = brightness();
    const std::vector<int> rows = table_rows(viewer);
    viewer.move_to(viewer.place().x + 300, rows[rows.size() - 3]);
    EXPECT_TRUE(eventually([&] { return brightness() < bright * 3 / 4; }));
    Screen::get().put_pointer_aside();
    EXPECT_TRUE(eventually([&] { return brightness() == bright; }));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// Controls above the table would leave room for one of them. The window's scale is 2.
TEST_F(GuiPanels, ALowPanelShowsSeveralKernels) {
    struct NormalDpi {
        ~NormalDpi() { Screen::get().set_dpi(96); }
    } normal;
    Screen::get().set_dpi(192);
    Viewer viewer =
        view({clip(), "-vf", "gaussian=sigma=2", "--gpu", "off", "--window-size", "640x360"});
    viewer.press({"F5"});
    ASSERT_TRUE(eventually([&] { return edge_row(viewer.place()) > 0; }));
    constexpr int kShown = 4;  // header, two kernels and a part of the next one; the table scrolls
    constexpr Columns kNames{112, 300};  // after the icon of the tools and the check boxes
    const auto rows = [&] { return static_cast<int>(table_rows(viewer, kNames).size()); };
    ASSERT_TRUE(eventually([&] { return rows() >= kShown; })) << rows();
    const auto sheets = [&] {
        return areas_of(Screen::get().shot(), viewer.place(), {kPopup}).size();
    };
    const std::size_t before = sheets();
    const PixelRect panel = kernels_panel(viewer);
    viewer.click({panel.x + 36, panel.y + 28});
    EXPECT_TRUE(eventually([&] { return sheets() > before; })) << "the controls do not open";
    viewer.press({"Escape"});
    EXPECT_TRUE(eventually([&] { return sheets() == before; }));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// Its upper edge is dragged, and stays there in the next window.
TEST_F(GuiPanels, TheKernelsPanelIsAsHighAsDragged) {
    constexpr int kHigher = 120;
    int dragged = 0;
    {
        Viewer viewer = view({clip()});
        (void)viewer.clip_place();
        viewer.press({"F5"});
        const PixelRect window = viewer.place();
        ASSERT_TRUE(eventually([&] { return edge_row(window) > 0; }));
        const int x = window.x + window.width / 2;
        const int y = edge_row(window);
        viewer.drag({x, y}, {x, y - kHigher});
        EXPECT_TRUE(eventually([&] {
            dragged = edge_row(window);
            return dragged > 0 && std::abs(y - kHigher - dragged) < 10;
        })) << "from "
            << y << " to " << dragged;
        EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
    }
    Viewer again = view({clip()});
    EXPECT_TRUE(eventually([&] { return edge_row(again.place()) == dragged; }));
    EXPECT_EQ(again.quit()["errors"], nlohmann::json::array());
}

// The column of the handle in the left edge of the side column; 0: none.
int side_edge_column(const PixelRect& window) {
    const Screenshot shot = Screen::get().shot();
    constexpr int kHigh = 20;
    for (int x = window.x + window.width / 5; x < window.x + window.width; ++x) {
        int run = 0;
        for (int y = window.y + window.height / 5; y < window.y + window.height * 4 / 5; ++y) {
            run = shot.at(x, y) == kEdgeHandle ? run + 1 : 0;
            if (run == kHigh) return x;
        }
    }
    return 0;
}

// Its left edge is dragged, and stays there in the next window.
TEST_F(GuiPanels, TheSideColumnIsAsWideAsDragged) {
    constexpr int kWider = 100;
    int dragged = 0;
    {
        Viewer viewer = view({clip()});
        (void)viewer.clip_place();
        const PixelRect window = viewer.place();
        const int x = side_edge_column(window);
        ASSERT_GT(x, 0);
        const int y = window.y + window.height / 5;  // anywhere along the edge
        viewer.drag({x, y}, {x - kWider, y});
        EXPECT_TRUE(eventually([&] {
            dragged = side_edge_column(window);
            return dragged > 0 && std::abs(x - kWider - dragged) < 10;
        })) << "from "
            << x << " to " << dragged;
        EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
    }
    Viewer again = view({clip()});
    EXPECT_TRUE(eventually([&] { return side_edge_column(again.place()) == dragged; }));
    EXPECT_EQ(again.quit()["errors"], nlohmann::json::array());
}

// A section unfolds below the stack, whose button stays; its key or a click on its bar folds it.
TEST_F(GuiPanels, SectionsUnfoldBelowTheStack) {
    Viewer viewer = view({clip()});
    (void)viewer.clip_place();
    const auto open_ones = [&] {
        const PixelRect window = viewer.place();
        const PixelRect side{window.x + window.width * 3 / 4, window.y, window.width / 4,
                             window.height * 9 / 10};
        return areas_of(Screen::get().shot(), side, {kOpenSection});
    };
    const auto one = [](const std::vector<PixelRect>& found) { return found.size() == 1; };
    const std::vector<PixelRect> add_filter = viewer.side_areas({kPrimaryButton}, one);
    for (const char* key : {"F4", "F7"}) {
        viewer.press({key});
        EXPECT_TRUE(eventually([&] { return one(open_ones()); })) << key;
        EXPECT_EQ(viewer.side_areas({kPrimaryButton}, one), add_filter);
    }
    viewer.press({"F7"});
    EXPECT_TRUE(eventually([&] { return open_ones().empty(); }));
    viewer.press({"F4"});
    EXPECT_TRUE(eventually([&] { return one(open_ones()); }));
    const std::vector<PixelRect> bar = open_ones();
    ASSERT_EQ(bar.size(), 1U);
    viewer.click(bar.front().middle());
    Screen::get().put_pointer_aside();
    EXPECT_TRUE(eventually([&] { return open_ones().empty(); }));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

TEST_F(GuiPanels, AKeySavesTheFrameNextToTheVideo) {
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(viewer.shows(kFrames - 1, at));
    const std::set<std::string> before = files_in(folder_.path());
    viewer.press({"s"});
    EXPECT_TRUE(eventually([&] { return !new_file(before, ".png").empty(); }));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

}  // namespace
}  // namespace weft::gui
