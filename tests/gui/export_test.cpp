// The filtered video, written from the Export panel.
#include <csignal>
#include <utility>

#include "tests/gui/viewer.h"

namespace weft::gui {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFrameBytes = std::size_t{3} * kClipWidth * kClipHeight;
constexpr std::string_view kFrameHead = "FRAME\n";

// The pictures of an uncompressed file, three planes each; empty if the file is incomplete.
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
    // Waits for the clip first: the panel of an empty window has other buttons.
    static void open_panel(const Viewer& viewer) {
        viewer.hold("e");
        (void)viewer.clip_place();
        viewer.let_go("e");
        viewer.press({"ctrl+shift+e"});
    }
    // All buttons of the panel, once its first row has that many and they have stopped moving: the
    // one that starts an export, or two that answer the question before it.
    static Areas buttons(const Viewer& viewer, std::size_t in_first_row) {
        Areas before;
        return viewer.side_areas(kButton, [&](const Areas& all) {
            const bool stays = std::exchange(before, all) == all;
            return stays && !all.empty() && first_row(all).size() == in_first_row;
        });
    }
    // Moves the mouse away afterwards: a button has another colour under the mouse.
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

TEST_F(GuiExport, AsksBeforeReplacingAFile) {
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

// Quitting during an export that is slow on every machine: many large filters on the CPU.
class GuiQuitDuringExport : public GuiExport {
 protected:
    static constexpr int kManyFrames = 2000;
    static constexpr const char* kSlow =
        "gaussian=sigma=40,gaussian=sigma=41,gaussian=sigma=42,gaussian=sigma=43,gaussian=sigma=44,"
        "gaussian=sigma=45";

    Viewer view_long_clip() {
        write_numbered_clip(path("long.y4m"), kManyFrames);
        return view({"--gpu", "off", path("long.y4m"), "-vf", kSlow});
    }
    // The output has no name until it is complete, or a temporary one where it needs a name.
    bool has_unfinished(Viewer& viewer) const {
        const fs::path files = "/proc/" + std::to_string(viewer.process().pid()) + "/fd";
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(files, error)) {
            const fs::path target = fs::read_symlink(entry.path(), error);
            const std::string name = target.filename().string();
            if (target.parent_path() == folder_.path() &&
                (name.ends_with(" (deleted)") || name.ends_with(".partial")))
                return true;
        }
        return false;
    }
    void start_export(Viewer& viewer) const {
        open_panel(viewer);
        click(viewer, buttons(viewer, 1).at(0));
        EXPECT_TRUE(eventually([&] { return has_unfinished(viewer); }));
    }
    bool still_exports(Viewer& viewer) const {
        return viewer.is_running() && has_unfinished(viewer);
    }
    // The buttons of the question, in the middle of the window; none if no question is shown.
    static Areas answers(const Viewer& viewer, std::size_t count) {
        const PixelRect window = viewer.place();
        const PixelRect middle = {window.x, window.y + window.height * 2 / 5, window.width * 2 / 3,
                                  window.height / 5};
        Areas found;
        EXPECT_TRUE(eventually([&] {
            found = areas_of(Screen::get().shot(), middle, kButton);
            return found.size() == count || !viewer.is_running();
        }));
        EXPECT_TRUE(viewer.is_running() && found.size() == count) << found.size() << " buttons";
        found.resize(count);
        return found;
    }
    static PixelRect keep_exporting(const Viewer& viewer) { return answers(viewer, 2).at(0); }
    static PixelRect stop_and_quit(const Viewer& viewer) { return answers(viewer, 2).at(1); }
    static void expect_unasked(const Viewer& viewer) { (void)answers(viewer, 0); }

    void expect_nothing_left() const {
        for (const std::string& name : cli::names_in(folder_.path()))
            EXPECT_EQ(name.find("filtered"), std::string::npos) << name;
    }
    void end(Viewer& viewer) const {
        viewer.process().send(SIGTERM);
        EXPECT_EQ(viewer.process().wait().exit_code, 143);
        expect_nothing_left();
    }
};

TEST_F(GuiQuitDuringExport, AsksAndCanBeCancelled) {
    Viewer viewer = view_long_clip();
    start_export(viewer);
    for (const char* answer : {"Escape", "Return"}) {
        SCOPED_TRACE(answer);
        viewer.press({"q"});
        (void)keep_exporting(viewer);
        viewer.press({answer});
        expect_unasked(viewer);
        EXPECT_TRUE(still_exports(viewer));
    }
    Screen::get().ask_to_close(viewer.window());
    click(viewer, keep_exporting(viewer));
    expect_unasked(viewer);
    EXPECT_TRUE(still_exports(viewer));
    end(viewer);  // a signal shows no question
}

TEST_F(GuiQuitDuringExport, StopsTheExportByMouse) {
    Viewer viewer = view_long_clip();
    start_export(viewer);
    Screen::get().ask_to_close(viewer.window());
    viewer.click(stop_and_quit(viewer).middle());
    (void)viewer.wait_for_end();
    expect_nothing_left();
}

TEST_F(GuiQuitDuringExport, StopsTheExportByKeys) {
    for (const std::vector<std::string>& answer :
         std::vector<std::vector<std::string>>{{"q"}, {"Right", "Return"}}) {
        SCOPED_TRACE(answer.front());
        Viewer viewer = view_long_clip();
        start_export(viewer);
        viewer.press({"q"});
        (void)stop_and_quit(viewer);
        viewer.press(answer);
        (void)viewer.wait_for_end();
        expect_nothing_left();
    }
}

// The question disappears with the export, the window stays.
TEST_F(GuiQuitDuringExport, AFinishedExportIsComplete) {
    Viewer viewer = view({"--gpu", "off", clip(), "-vf", kSlow});
    open_panel(viewer);
    const auto [x, y] = buttons(viewer, 1).at(0).middle();
    viewer.do_all({"mousemove", std::to_string(x), std::to_string(y), "click", "1", "key", "q"});
    EXPECT_TRUE(eventually([&] { return is_written() || !viewer.is_running(); }));
    expect_unasked(viewer);
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
    EXPECT_TRUE(is_written());
}

}  // namespace
}  // namespace weft::gui
