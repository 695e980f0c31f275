// The numbers on the pixels at a high zoom. No test reads digits: a number is compared with that of
// another place or view where its value is known to be the same, or another one.
#include <array>
#include <vector>

#include "tests/gui/viewer.h"

namespace weft::gui {
namespace {

constexpr int kCell = 64;        // screen pixels per sample at the largest zoom
constexpr int kRow = 52;         // of the clip, in the half that has a dark and a bright area
constexpr int kDarkColumn = 76;  // the middle of the clip is at 80, as is the wipe's line
constexpr int kBrightColumn = 84;
constexpr int kInside = 28;  // from the middle of a cell to its corners, within its outline

// The cells of two samples. The zoom keeps the middle of the picture where it was.
class Cells {
 public:
    explicit Cells(const PixelRect& clip) : middle_(clip.middle()) {}

    // All pixels of the sample's cell.
    std::vector<Rgb> of(const Screenshot& shot, int column) const {
        const auto [x, y] = centre(column);
        std::vector<Rgb> pixels;
        for (int dy = -kInside; dy <= kInside; ++dy)
            for (int dx = -kInside; dx <= kInside; ++dx) pixels.push_back(shot.at(x + dx, y + dy));
        return pixels;
    }

    // The pixels of the cell that are not its colour: the number.
    std::vector<bool> number_of(const Screenshot& shot, int column) const {
        std::vector<bool> ink;
        const std::vector<Rgb> pixels = of(shot, column);
        for (const Rgb& pixel : pixels) ink.push_back(pixel != pixels.front());
        return ink;
    }

    // Waits until the corners of both cells, where no number is, have these gray levels.
    Screenshot shot_with(int dark_level, int bright_level) const {
        Screenshot shot;
        EXPECT_TRUE(eventually([&] {
            shot = Screen::get().shot();
            return has_corners(shot, kDarkColumn, dark_level) &&
                   has_corners(shot, kBrightColumn, bright_level);
        })) << dark_level
            << " and " << bright_level;
        return shot;
    }

 private:
    std::pair<int, int> centre(int column) const {
        return {middle_.first + (2 * column + 1 - kClipWidth) * kCell / 2,
                middle_.second + (2 * kRow + 1 - kClipHeight) * kCell / 2};
    }
    bool has_corners(const Screenshot& shot, int column, int level) const {
        const auto [x, y] = centre(column);
        for (const auto& [dx, dy] : {std::pair(-kInside, -kInside),
                                     {kInside, -kInside},
                                     {-kInside, kInside},
                                     {kInside, kInside}}) {
            const Rgb c = shot.at(x + dx, y + dy);
            for (const int value : {c.r, c.g, c.b})
                if (std::abs(value - level) > 3) return false;
        }
        return true;
    }

    std::pair<int, int> middle_;
};

class GuiPixelValues : public GuiTest {
 protected:
    static Cells zoom_in(const Viewer& viewer) {
        viewer.hold("e");
        const PixelRect at = viewer.clip_place();
        viewer.let_go("e");
        viewer.press(std::vector<std::string>(14, "plus"));
        return Cells(at);
    }
};

// Flat areas have no edges: sobel makes both areas black.
TEST_F(GuiPixelValues, EachSideOfAWipeHasItsOwn) {
    Viewer viewer = view({clip(), "-vf", "sobel"});
    const Cells cells = zoom_in(viewer);
    const int dark = screen_level(kDark);
    const int bright = screen_level(kBright);
    viewer.hold("e");
    const Screenshot original = cells.shot_with(dark, bright);
    viewer.let_go("e");
    const Screenshot filtered = cells.shot_with(0, 0);
    for (const int column : {kDarkColumn, kBrightColumn})
        EXPECT_NE(cells.number_of(original, column), cells.number_of(filtered, column));
    EXPECT_EQ(cells.of(filtered, kDarkColumn), cells.of(filtered, kBrightColumn));
    viewer.press({"w"});
    const Screenshot wipe = cells.shot_with(dark, 0);
    EXPECT_EQ(cells.of(wipe, kDarkColumn), cells.of(original, kDarkColumn));
    EXPECT_EQ(cells.of(wipe, kBrightColumn), cells.of(filtered, kBrightColumn));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// A box leaves flat areas as they are: the numbers of the dark and the bright one are 0.
TEST_F(GuiPixelValues, ADifferenceHasDifferences) {
    Viewer viewer = view({clip(), "-vf", "box=radius=1"});
    const Cells cells = zoom_in(viewer);
    viewer.press({"d"});  // seen after the zoom, unlike the flat areas
    const Screenshot difference = cells.shot_with(128, 128);
    viewer.press({"d"});
    const Screenshot filtered = cells.shot_with(screen_level(kDark), screen_level(kBright));
    EXPECT_NE(cells.number_of(filtered, kDarkColumn), cells.number_of(filtered, kBrightColumn));
    const std::vector<Rgb> zero = cells.of(difference, kDarkColumn);
    EXPECT_EQ(zero, cells.of(difference, kBrightColumn));
    EXPECT_NE(zero, std::vector<Rgb>(zero.size(), zero.front())) << "no numbers are shown";
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// A swatch has the colour of its pixel, here that of the border, which the filter changes. The bar
// below a picture that is wider than its area is empty otherwise.
TEST_F(GuiPixelValues, BothSidesAreReadOnTheLowerEdge) {
    Viewer viewer = view({clip(), "-vf", "sobel"});
    viewer.hold("e");
    const PixelRect at = viewer.clip_place();
    const std::pair<int, int> border = {at.x + 5, at.y + at.height / 2};
    const Rgb magenta = Screen::get().shot().at(border.first, border.second);
    viewer.let_go("e");
    const auto swatches = [&] {
        const PixelRect below{at.x, at.y + at.height + 2, at.width, 44};
        return areas_of(Screen::get().shot(), below, {magenta}).size();
    };
    EXPECT_EQ(swatches(), 0U);
    viewer.move_to(border.first, border.second);
    EXPECT_TRUE(eventually([&] { return swatches() == 1; }));
    viewer.move_to(at.x + at.width / 2, at.y + at.height / 4);
    EXPECT_TRUE(eventually([&] { return swatches() == 0; }));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

}  // namespace
}  // namespace weft::gui
