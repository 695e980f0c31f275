// Exports that are ended in the middle, and continued in another window.
#include <csignal>

#include "tests/gui/export_panel.h"

namespace weft::gui {
namespace {

namespace fs = std::filesystem;

// Exports of a long video to Matroska that a later window continues.
class GuiResumedExport : public GuiExportSettings {
 protected:
    static constexpr int kLong = 2000;

    void SetUp() override {
        GuiExportSettings::SetUp();
        if (!IsSkipped()) write_numbered_clip(path("long.y4m"), kLong);
    }
    Viewer long_view(const std::string& stack) const {
        return view({"--gpu", "off", path("long.y4m"), "-vf", stack});
    }
    Viewer slow_view(int first_slow) const {
        return GuiExport::slow_view({"--gpu", "off", path("long.y4m"), "-vf", "sobel"}, first_slow);
    }
    // Opens the Export panel and chooses Matroska.
    static void prepare(const Viewer& viewer) {
        open_panel(viewer);
        choose(viewer, arrows(viewer, 3).at(0), kMkv, kContainers);
    }
    // The last box above the buttons: "Continue after an interruption". Where the export is
    // expected to take long, it is ticked by itself.
    static void tick_continue(const Viewer& viewer) {
        const PixelRect save = save_button(viewer);
        const auto boxes = [&](const Areas& all) {
            Areas found;
            for (const PixelRect& area : all)
                if (area.y < save.y && area.width <= area.height * 5 / 4) found.push_back(area);
            return found;
        };
        Areas before;
        const Areas all = boxes(viewer.side_areas({kField}, [&](const Areas& areas) {
            return std::exchange(before, areas) == areas && !boxes(areas).empty();
        }));
        const Screenshot shot = Screen::get().shot();
        for (int x = all.back().x; x < all.back().x + all.back().width; ++x)
            if (shot.at(x, all.back().middle().second).g > kTick) return;
        click(viewer, all.back());
    }
    static constexpr int kTick = 0xC0;
    std::string kept() const { return path(".long-filtered.mkv.weft-resume"); }
    std::uintmax_t bytes_kept() const {
        std::error_code error;
        const std::uintmax_t bytes = fs::file_size(kept(), error);
        return error ? 0 : bytes;
    }
    // Exports the whole video with `sobel` to whole.mkv, and a third of it once more, killed then.
    void interrupt() const {
        std::uintmax_t whole = 0;
        {
            Viewer viewer = long_view("sobel");
            prepare(viewer);
            tick_continue(viewer);
            click(viewer, save_button(viewer));
            whole = bytes_of("long-filtered.mkv").size();
            EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
            fs::rename(path("long-filtered.mkv"), path("whole.mkv"));
        }
        Viewer viewer = slow_view(kLong * 2 / 3);
        prepare(viewer);
        tick_continue(viewer);
        click(viewer, save_button(viewer));
        EXPECT_TRUE(eventually([&] { return bytes_kept() > whole / 3; }));
        viewer.process().send(SIGKILL);
        EXPECT_EQ(viewer.process().wait().signal, SIGKILL);
        ASSERT_FALSE(fs::exists(path("long-filtered.mkv")));
    }
};

// The file of segments is there while the export runs.
TEST_F(GuiResumedExport, ARunningExportKeepsWhatALaterOneContinues) {
    Viewer viewer = slow_view(0);
    prepare(viewer);
    tick_continue(viewer);
    click(viewer, save_button(viewer));
    EXPECT_TRUE(eventually([&] { return fs::exists(kept()); }));
    viewer.process().send(SIGTERM);
    EXPECT_EQ(viewer.process().wait().exit_code, 143);
}

// Nothing is chosen or ticked in the next window: its first button resumes. The finished segments
// stay; a new beginning would remove them.
TEST_F(GuiResumedExport, AKilledExportContinuesInTheNextWindow) {
    ASSERT_NO_FATAL_FAILURE(interrupt());
    const std::uintmax_t before = bytes_kept();
    Viewer viewer = long_view("sobel");
    open_panel(viewer);
    std::uintmax_t least = before;
    click(viewer, save_button(viewer));
    EXPECT_TRUE(eventually([&] {
        if (fs::exists(path("long-filtered.mkv"))) return true;
        if (fs::exists(kept())) least = std::min(least, bytes_kept());
        return false;
    }));
    EXPECT_GE(least, before / 2) << "the segments were removed";
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
    EXPECT_TRUE(cli::read_file(path("long-filtered.mkv")) == cli::read_file(path("whole.mkv")));
    EXPECT_FALSE(fs::exists(kept()));
}

// With another filter: the first button asks, and its first answer begins again.
TEST_F(GuiResumedExport, AsksBeforeItRemovesFinishedFrames) {
    ASSERT_NO_FATAL_FAILURE(interrupt());
    const std::uintmax_t before = bytes_kept();
    Viewer viewer = long_view("box");
    open_panel(viewer);
    const Areas unasked = buttons(viewer);
    click(viewer, unasked.at(0));
    const Areas asked = buttons(viewer, unasked);
    EXPECT_EQ(bytes_kept(), before);
    click(viewer, asked.at(1));  // leave it
    (void)settled(viewer, [&](const Areas& all) { return main_row(all) == unasked; });
    EXPECT_EQ(bytes_kept(), before);
    click(viewer, unasked.at(0));
    click(viewer, buttons(viewer, unasked).at(0));
    EXPECT_GT(bytes_of("long-filtered.mkv").size(), 0U);
    EXPECT_FALSE(fs::exists(kept()));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

}  // namespace
}  // namespace weft::gui
