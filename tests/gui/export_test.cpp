// The filtered video, written from the Export panel.
#include <csignal>

#include "tests/gui/viewer.h"

namespace weft::gui {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFrameBytes = std::size_t{3} * kClipWidth * kClipHeight;
constexpr std::string_view kFrameHead = "FRAME\n";

// The pictures of an uncompressed file, three planes each; none unless it is whole.
std::vector<std::string> pictures_of(const std::string& y4m) {
    std::vector<std::string> pictures;
    std::size_t at = y4m.find('\n') + 1;
    for (; at < y4m.size(); at += kFrameHead.size() + kFrameBytes) {
        if (y4m.compare(at, kFrameHead.size(), kFrameHead) != 0) return {};
        pictures.push_back(y4m.substr(at + kFrameHead.size(), kFrameBytes));
        if (pictures.back().size() != kFrameBytes) return {};
    }
    return pictures;
}

int luma(const std::string& picture, double x, double y) {
    const int column = static_cast<int>(x * kClipWidth);
    const int row = static_cast<int>(y * kClipHeight);
    return static_cast<unsigned char>(picture[std::size_t{1} * row * kClipWidth + column]);
}

using Areas = std::vector<PixelRect>;

class GuiExport : public GuiTest {
 protected:
    // Once the clip is there: the panel of an empty window has other buttons.
    static void open_panel(const Viewer& viewer) {
        viewer.hold("e");
        (void)viewer.clip_place();
        viewer.let_go("e");
        viewer.press({"ctrl+shift+e"});
    }
    // All buttons of the panel, once its first row has so many: the one that starts an export, or
    // two that answer the question before it.
    static Areas buttons(const Viewer& viewer, std::size_t in_first_row) {
        return viewer.side_areas(kButton, [&](const Areas& all) {
            return !all.empty() && first_row(all).size() == in_first_row;
        });
    }
    // Takes the mouse away again: a button has another colour while it is there.
    static void click(const Viewer& viewer, const PixelRect& button) {
        viewer.click(button.middle());
        const PixelRect window = viewer.place();
        viewer.move_to(window.x + window.width / 4, window.y + window.height / 4);
    }
    std::string output() const { return path("clip-filtered.y4m"); }
    bool is_written() const {
        return fs::exists(output()) &&
               pictures_of(cli::read_file(output())).size() == std::size_t{kFrames};
    }
};

// Flat areas have no edges: sobel makes them black.
TEST_F(GuiExport, AButtonWritesTheFilteredVideo) {
    Viewer viewer = view({clip(), "-vf", "sobel"});
    open_panel(viewer);
    click(viewer, buttons(viewer, 1).at(0));
    EXPECT_TRUE(eventually([&] { return is_written(); }));
    for (const std::string& picture : pictures_of(cli::read_file(output()))) {
        EXPECT_LE(luma(picture, 0.25, 0.73), 16);
        EXPECT_LE(luma(picture, 0.75, 0.73), 16);
        EXPECT_GE(luma(picture, 0.5, 0.73), 200);
    }
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

TEST_F(GuiExport, AFileThatIsThereIsAskedAbout) {
    cli::write_file(output(), "something of value");
    Viewer viewer = view({clip(), "-vf", "sobel"});
    open_panel(viewer);
    const Areas unasked = buttons(viewer, 1);
    click(viewer, unasked.at(0));
    click(viewer, first_row(buttons(viewer, 2)).at(1));  // leave it
    (void)viewer.side_areas(kButton, [&](const Areas& all) { return all == unasked; });
    EXPECT_EQ(cli::read_file(output()), "something of value");
    click(viewer, unasked.at(0));
    click(viewer, first_row(buttons(viewer, 2)).at(0));  // replace it
    EXPECT_TRUE(eventually([&] { return is_written(); }));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

}  // namespace
}  // namespace weft::gui
