// `weft view` as a user sees it: started, watched on the screen, driven by keys and mouse.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/gui/controls.h"
#include "tests/gui/numbered_clip.h"
#include "tests/gui/screen.h"

namespace weft::gui {

using Environment = std::map<std::string, std::optional<std::string>>;

// weft with these arguments, on the tests' display.
cli::Command window_command(const cli::Arguments& arguments);

// The path of a library for LD_PRELOAD.
std::string library_for_tests(const std::string& name);

// Polls until `is_so` is true; false after two minutes, which allows for very slow machines,
// or after twenty with sanitizers.
bool eventually(const std::function<bool()>& is_so);

// A running window. Killed if it is still there at the end.
class Viewer {
 public:
    // Starts `weft view WORDS…` with `folder` as its home, and waits until its window is there and
    // has the keyboard. If that fails, throws with the program's output.
    Viewer(std::vector<std::string> words, const std::filesystem::path& folder,
           const Environment& changes = {});

    bool is_running() const { return process_.running(); }
    cli::Process& process() { return process_; }
    WindowId window() const { return window_; }
    std::string title() const;
    PixelRect place() const { return Screen::get().place_of(window_); }

    // Presses keys by their X names: "space", "period", "ctrl+q". All at once, in order.
    void press(const std::vector<std::string>& keys) const;
    void hold(const std::string& key) const;
    void let_go(const std::string& key) const;
    // In screen coordinates. The program must handle them in order, however slowly it redraws.
    void move_to(int x, int y) const;
    void click(std::pair<int, int> at, int button = 1) const;
    void drag(std::pair<int, int> from, std::pair<int, int> to) const;
    // Any xdotool commands, executed in order.
    void do_all(const std::vector<std::string>& words) const;

    // The place of the clip, once it is visible and stays; its border must be unfiltered. Fails the
    // test if it does not appear.
    PixelRect clip_place() const;
    // Waits until picture `number` is shown at `clip`.
    testing::AssertionResult shows(int number, const PixelRect& clip) const;
    // Waits until the clip at (x, y), from 0 to 1, has that gray level within `tolerance`.
    testing::AssertionResult shows_level(double x, double y, int level, const PixelRect& clip,
                                         int tolerance = 6) const;

    // Waits until `accepts` takes the areas of these colours in the side column, row by row from
    // the top, and returns them. Fails the test if that does not happen.
    std::vector<PixelRect> side_areas(
        const std::vector<Rgb>& colours,
        const std::function<bool(const std::vector<PixelRect>&)>& accepts) const;

    // The row below the bar of the open section in the side column. Fails the test if none is open.
    int section_top() const;

    // Presses q and returns the program's report. Fails the test unless it exits by itself with 0
    // and nothing on standard error.
    nlohmann::json quit();
    // The same after the window was closed in another way.
    nlohmann::json wait_for_end();

 private:
    std::filesystem::path report_;
    cli::Process process_;
    WindowId window_ = 0;
};

// The base of every suite here: a folder with the clip `clip()`; skips where no window can open.
class GuiTest : public testing::Test {
 protected:
    static constexpr int kFrames = 60;

    void SetUp() override;
    std::string clip() const;
    std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
    Viewer view(std::vector<std::string> words, const Environment& changes = {}) const {
        return {std::move(words), folder_.path(), changes};
    }

    cli::TempFolder folder_;
};

}  // namespace weft::gui
