// The filtered video, written from the Export panel.
#include <algorithm>
#include <csignal>
#include <functional>
#include <utility>

#include "tests/gui/export_panel.h"
#include "tests/support/mount.h"

namespace weft::gui {
namespace {

namespace fs = std::filesystem;

// Flat areas have no edges: sobel makes them black.
TEST_F(GuiExport, AButtonWritesTheFilteredVideo) {
    Viewer viewer = view({clip(), "-vf", "sobel"});
    open_panel(viewer);
    click(viewer, save_button(viewer));
    EXPECT_TRUE(eventually([&] { return is_written(); }));
    for (const std::string& picture : pictures_of(cli::read_file(output()))) {
        EXPECT_LE(luma(picture, 0.25, 0.73), 16);
        EXPECT_LE(luma(picture, 0.75, 0.73), 16);
        EXPECT_GE(luma(picture, 0.5, 0.73), 200);
    }
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// In a window of 1280x720 the settings below two filters scroll, and the buttons stay.
TEST_F(GuiExport, TheButtonsStayWhileTheSettingsScroll) {
    Viewer viewer = GuiTest::view({clip(), "-vf", "sobel,gaussian", "--window-size", "1280x720"});
    open_panel(viewer);
    const Areas before = buttons(viewer);
    viewer.move_to(before.at(0).x, viewer.section_top() + 40);
    for (int turn = 0; turn < 30; ++turn) viewer.do_all({"click", "5"});
    Screen::get().put_pointer_aside();
    EXPECT_EQ(buttons(viewer), before);
    click(viewer, before.at(0));
    EXPECT_TRUE(eventually([&] { return is_written(); }));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

TEST_F(GuiExport, APartIsMarkedWithButtons) {
    constexpr int kFirst = 7, kEnd = 20;
    Viewer viewer = view({clip(), "-vf", "sobel"});
    open_panel(viewer);
    viewer.hold("e");
    const PixelRect at = viewer.clip_place();
    viewer.press({"period", "Home"});  // a step pauses; from a moving picture none is exact
    const auto step_to = [&](int from, int to) {
        for (int k = from; k < to; ++k) viewer.press({"period"});
        EXPECT_TRUE(viewer.shows(to, at));
    };
    for (const int to : {0, kFirst}) step_to(0, to);
    click(viewer, part_buttons(viewer).at(0));
    step_to(kFirst, kEnd);
    click(viewer, part_buttons(viewer).at(1));
    viewer.let_go("e");
    click(viewer, save_button(viewer));
    EXPECT_TRUE(eventually([&] { return fs::exists(output()); }));
    EXPECT_EQ(pictures_of(cli::read_file(output())).size(), std::size_t{kEnd - kFirst});
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

TEST_F(GuiExport, AsksBeforeReplacingAFile) {
    cli::write_file(output(), "something of value");
    Viewer viewer = view({clip(), "-vf", "sobel"});
    open_panel(viewer);
    const Areas unasked = buttons(viewer);
    click(viewer, unasked.at(0));
    click(viewer, buttons(viewer, unasked).at(1));  // leave it
    (void)settled(viewer, [&](const Areas& all) { return main_row(all) == unasked; });
    EXPECT_EQ(cli::read_file(output()), "something of value");
    click(viewer, unasked.at(0));
    click(viewer, buttons(viewer, unasked).at(0));  // replace it
    EXPECT_TRUE(eventually([&] { return is_written(); }));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// Quitting during an export that is slow on every machine.
class GuiQuitDuringExport : public GuiExport {
 protected:
    Viewer slow_view() const { return GuiExport::slow_view({clip(), "-vf", "sobel"}); }
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
        click(viewer, save_button(viewer));
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
            found = areas_of(Screen::get().shot(), middle, {kButton});
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

// Even while another panel is open.
TEST_F(GuiQuitDuringExport, TheBarBelowThePictureShowsTheProgress) {
    Viewer viewer = slow_view();
    start_export(viewer);
    viewer.press({"F3"});
    const auto bars = [&] {
        const PixelRect window = viewer.place();
        return areas_of(Screen::get().shot(),
                        {window.x + window.width / 2, window.y + window.height * 9 / 10,
                         window.width / 2, window.height / 10},
                        {kPrimaryButton});
    };
    EXPECT_TRUE(eventually([&] { return bars().size() == 1; }));
    end(viewer);
}

TEST_F(GuiQuitDuringExport, AsksAndCanBeCancelled) {
    Viewer viewer = slow_view();
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
    Viewer viewer = slow_view();
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
        Viewer viewer = slow_view();
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
    Viewer viewer = slow_view();
    start_export(viewer);
    viewer.press({"q"});
    (void)keep_exporting(viewer);
    end_slowness();
    EXPECT_TRUE(eventually([&] { return is_written() || !viewer.is_running(); }));
    expect_unasked(viewer);
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
    EXPECT_TRUE(is_written());
}

TEST_F(GuiExportSettings, TheContainerIsChosenFromAList) {
    Viewer viewer = view({clip(), "-vf", "sobel"});
    open_panel(viewer);
    choose(viewer, arrows(viewer, 3).at(0), kMkv, kContainers);
    (void)arrows(viewer, 3);
    click(viewer, save_button(viewer));
    EXPECT_NE(bytes_of("clip-filtered.mkv").find("V_MPEG4/ISO/AVC"), std::string::npos);
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// Smaller, balanced, high, lossless, custom.
TEST_F(GuiExportSettings, LosslessIsAQuality) {
    Viewer viewer = view({clip(), "-vf", "sobel"});
    open_panel(viewer);
    choose(viewer, arrows(viewer, 3).at(0), kMkv, kContainers);
    choose(viewer, arrows(viewer, 3).at(2), 3, 5);
    click(viewer, save_button(viewer));
    EXPECT_NE(bytes_of("clip-filtered.mkv").find("V_MS/VFW/FOURCC"), std::string::npos);
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

TEST_F(GuiExportSettings, ACustomQualityHasASlider) {
    Viewer viewer = view({clip(), "-vf", "sobel"});
    open_panel(viewer);
    choose(viewer, arrows(viewer, 3).at(0), kMkv, kContainers);
    choose(viewer, arrows(viewer, 3).at(2), 4, 5);
    Areas before;
    const Areas grabs = viewer.side_areas({kSliderGrab}, [&](const Areas& all) {
        return std::exchange(before, all) == all && all.size() == 1;
    });
    const auto [x, y] = grabs.at(0).middle();
    viewer.drag({x, y}, {x - viewer.place().width / 4, y});
    click(viewer, save_button(viewer));
    EXPECT_NE(bytes_of("clip-filtered.mkv").find("crf=1.0"), std::string::npos);
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

TEST_F(GuiExportSettings, SmallerFilesHaveAHigherCrf) {
    Viewer viewer = view({clip(), "-vf", "sobel"});
    open_panel(viewer);
    choose(viewer, arrows(viewer, 3).at(0), kMkv, kContainers);
    choose(viewer, arrows(viewer, 3).at(2), 0, 5);
    click(viewer, save_button(viewer));
    EXPECT_NE(bytes_of("clip-filtered.mkv").find("crf=28.0"), std::string::npos);
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// Automatic, H.264, H.265, VP9, AV1 twice, ProRes, FFV1, H.264 in RGB.
TEST_F(GuiExportSettings, TheCodecIsChosenFromAList) {
    Viewer viewer = view({clip(), "-vf", "sobel"});
    open_panel(viewer);
    choose(viewer, arrows(viewer, 3).at(0), kMkv, kContainers);
    choose(viewer, arrows(viewer, 3).at(1), 7, 9);
    click(viewer, save_button(viewer));
    EXPECT_NE(bytes_of("clip-filtered.mkv").find("V_MS/VFW/FOURCC"), std::string::npos);
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

TEST_F(GuiExportSettings, SoundCanBeLeftOut) {
    cli::Command make;
    make.argv = {"ffmpeg", "-v",        "error", "-i",   clip(), "-f",  "lavfi",          "-i",
                 "sine",   "-shortest", "-c:v",  "ffv1", "-c:a", "aac", path("sound.mkv")};
    if (cli::run(make).exit_code != 0) GTEST_SKIP() << "ffmpeg is not installed";
    Viewer viewer = view({path("sound.mkv"), "-vf", "sobel"});
    open_panel(viewer);
    choose(viewer, arrows(viewer, 4).at(3), 1, 2);
    click(viewer, save_button(viewer));
    const std::string written = bytes_of("sound-filtered.mkv");
    EXPECT_NE(written.find("V_MPEG4/ISO/AVC"), std::string::npos);
    EXPECT_EQ(written.find("A_AAC"), std::string::npos);
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// Below the buttons of the part: the queue's own button, then a row per export with its small
// buttons, then those of the current frame. The main row is at the end of the section.
class GuiExportQueue : public GuiExportSettings {
 protected:
    static Areas below(const Areas& all) {
        const Areas part = part_row(all);
        Areas found;
        for (const PixelRect& area : all)
            if (!part.empty() && area.y > part.front().y + part.front().height &&
                area.y < main_row(all).front().y)
                found.push_back(area);
        return found;
    }
    static constexpr std::size_t kFrameButtons = 4;  // below the queue, for the current frame
    // The queue's button, which is the next wide one once the queue is there.
    static PixelRect queue_button(const Viewer& viewer, const PixelRect& unlike = {}) {
        const auto wide_below = [](const Areas& all) { return wide_ones(below(all)); };
        return wide_below(settled(viewer,
                                  [&](const Areas& all) {
                                      const Areas wide = wide_below(all);
                                      return wide.size() > kFrameButtons && wide.front() != unlike;
                                  }))
            .at(0);
    }
    // Once the first row below is that of a failed export, "Try again" and the button to remove it,
    // or of a written one, "Open" and that button.
    static PixelRect ended_button(const Viewer& viewer) {
        const auto row = [](const Areas& all) {
            const Areas found = below(all);
            return found.empty() ? found : first_row(found);
        };
        return row(settled(viewer,
                           [&](const Areas& all) {
                               return row(all).size() == 2 && is_wide(row(all)[0]) &&
                                      !is_wide(row(all)[1]);
                           }))
            .at(0);
    }
    // Rows of three small buttons: up, down, remove.
    static std::vector<Areas> waiting_rows(const Areas& all) {
        std::vector<Areas> rows;
        Areas left = below(all);
        std::erase_if(left, is_wide);
        while (!left.empty()) {
            const Areas row = first_row(left);
            if (row.size() == 3) rows.push_back(row);
            std::erase_if(left, [&](const PixelRect& area) {
                return std::ranges::find(row, area) != row.end();
            });
        }
        return rows;
    }
    static std::vector<Areas> wait_for_rows(const Viewer& viewer, std::size_t count) {
        return waiting_rows(
            settled(viewer, [&](const Areas& all) { return waiting_rows(all).size() == count; }));
    }
    // The uncompressed export, then one as Matroska.
    static void add_two(const Viewer& viewer) {
        open_panel(viewer);
        click(viewer, add_button(viewer));
        (void)wait_for_rows(viewer, 1);
        choose(viewer, arrows(viewer, 3).at(0), kMkv, kContainers);
        (void)arrows(viewer, 3);
        click(viewer, add_button(viewer));
    }
    std::string matroska() const { return path("clip-filtered.mkv"); }
};

TEST_F(GuiExportQueue, RunsInTheChosenOrder) {
    Viewer viewer = view({clip(), "-vf", "sobel"});
    add_two(viewer);
    click(viewer, wait_for_rows(viewer, 2).at(1).at(0));  // the second one up
    EXPECT_FALSE(fs::exists(output()) || fs::exists(matroska()));
    click(viewer, queue_button(viewer));
    EXPECT_TRUE(eventually([&] { return is_written() && fs::exists(matroska()); }));
    EXPECT_LE(fs::last_write_time(matroska()), fs::last_write_time(output()));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

TEST_F(GuiExportQueue, AWaitingExportCanBeMovedDownAndRemoved) {
    Viewer viewer = view({clip(), "-vf", "sobel"});
    add_two(viewer);
    click(viewer, wait_for_rows(viewer, 2).at(0).at(1));  // the first one down
    click(viewer, wait_for_rows(viewer, 2).at(0).at(2));  // removes the other one
    (void)wait_for_rows(viewer, 1);
    click(viewer, queue_button(viewer));
    EXPECT_TRUE(eventually([&] { return is_written(); }));
    EXPECT_FALSE(fs::exists(matroska()));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// The row of a written export has "Open", the second wide button below the queue's own.
TEST_F(GuiExportQueue, AnAddedExportIsAboveThoseThatHaveEnded) {
    Viewer viewer = view({clip(), "-vf", "sobel"});
    open_panel(viewer);
    click(viewer, save_button(viewer));
    EXPECT_TRUE(eventually([&] { return is_written(); }));
    (void)ended_button(viewer);
    choose(viewer, arrows(viewer, 3).at(0), kMkv, kContainers);
    (void)arrows(viewer, 3);
    click(viewer, add_button(viewer));
    const Areas all =
        settled(viewer, [&](const Areas& areas) { return waiting_rows(areas).size() == 1; });
    EXPECT_LT(waiting_rows(all).at(0).at(0).y, wide_ones(below(all)).at(1).y);
    viewer.press({"q"});
    viewer.press({"q"});
    EXPECT_EQ(viewer.wait_for_end()["errors"], nlohmann::json::array());
}

// "Open" and the button that removes the row, below the head that has no button any more.
TEST_F(GuiExportQueue, AWrittenFileCanBeOpened) {
    Viewer viewer = view({clip(), "-vf", "sobel"});
    open_panel(viewer);
    click(viewer, save_button(viewer));
    EXPECT_TRUE(eventually([&] { return is_written(); }));
    click(viewer, ended_button(viewer));
    EXPECT_TRUE(eventually([&] { return viewer.title().starts_with("clip-filtered.y4m"); }));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

TEST_F(GuiExportQueue, AFailedExportCanBeTriedAgain) {
    Viewer viewer = view({clip(), "-vf", "sobel"});
    open_panel(viewer);
    click(viewer, add_button(viewer));
    fs::rename(clip(), path("away.y4m"));
    click(viewer, queue_button(viewer));
    const PixelRect again = ended_button(viewer);
    fs::rename(path("away.y4m"), clip());
    click(viewer, again);
    EXPECT_TRUE(eventually([&] { return is_written(); }));
    EXPECT_EQ(viewer.quit()["errors"].size(), 1U);
}

class GuiPausedExport : public GuiExportQueue {};

TEST_F(GuiPausedExport, ContinuesWhenResumed) {
    Viewer viewer = slow_view({clip(), "-vf", "sobel"});
    open_panel(viewer);
    click(viewer, save_button(viewer));
    const PixelRect pause = queue_button(viewer);
    click(viewer, pause);
    (void)queue_button(viewer, pause);
    end_slowness();  // without the pause, the export would end now
    const PixelRect resume = queue_button(viewer, pause);
    EXPECT_FALSE(is_written());
    click(viewer, resume);
    EXPECT_TRUE(eventually([&] { return is_written(); }));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

TEST_F(GuiPausedExport, CanBeCancelled) {
    Viewer viewer = slow_view({clip(), "-vf", "sobel"});
    open_panel(viewer);
    click(viewer, save_button(viewer));
    const PixelRect pause = queue_button(viewer);
    click(viewer, pause);
    (void)queue_button(viewer, pause);
    // "Resume", then "Cancel".
    const Areas all = settled(viewer, [](const Areas& areas) {
        return wide_ones(below(areas)).size() > kFrameButtons + 1;
    });
    click(viewer, wide_ones(below(all)).at(1));
    (void)ended_button(viewer);
    EXPECT_FALSE(fs::exists(output()));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// A disk with room for the clip and half of the export.
TEST_F(GuiPausedExport, ContinuesAfterAFullDisk) {
    const fs::path disk = path("disk");
    fs::create_directory(disk);
    const auto room = static_cast<std::size_t>(fs::file_size(clip())) * 3 / 2;
    const test::Mount tmpfs(disk, "tmpfs", 0, "size=" + std::to_string(room));
    if (!tmpfs.mounted()) GTEST_SKIP() << "a tmpfs cannot be mounted here";
    fs::copy_file(clip(), disk / "clip.y4m");
    Viewer viewer = view({disk / "clip.y4m", "-vf", "sobel"});
    open_panel(viewer);
    click(viewer, save_button(viewer));
    EXPECT_TRUE(eventually([&] { return fs::space(disk).available == 0; }));
    EXPECT_TRUE(tmpfs.change("size=" + std::to_string(4 * room)));
    click(viewer, queue_button(viewer));
    const fs::path written = disk / "clip-filtered.y4m";
    EXPECT_TRUE(eventually([&] { return fs::exists(written); }));
    EXPECT_EQ(pictures_of(cli::read_file(written)).size(), std::size_t{kFrames});
    const nlohmann::json errors = viewer.quit()["errors"];
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_NE(errors[0].get<std::string>().find("is full"), std::string::npos);
}

// Waiting exports are lost with the window, too.
TEST_F(GuiQuitDuringExport, AsksBeforeGivingUpWaitingExports) {
    Viewer viewer = view({clip(), "-vf", "sobel"});
    open_panel(viewer);
    const PixelRect add = add_button(viewer);
    const Areas before = settled(viewer, [](const Areas& all) { return !all.empty(); });
    click(viewer, add);
    // The export's row: a request to close may overtake the click.
    (void)settled(viewer, [&](const Areas& all) { return all.size() > before.size(); });
    Screen::get().ask_to_close(viewer.window());
    click(viewer, keep_exporting(viewer));
    expect_unasked(viewer);
    viewer.press({"q"});
    (void)stop_and_quit(viewer);
    viewer.press({"q"});
    (void)viewer.wait_for_end();
    expect_nothing_left();
}

}  // namespace
}  // namespace weft::gui
