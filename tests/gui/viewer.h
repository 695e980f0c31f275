// `weft view` as a user has it: started, watched on the screen, driven by keys and mouse.
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

// Asks again and again until it is so; false after two minutes, on machines that are hardly there.
bool eventually(const std::function<bool()>& is_so);

// A running window. Killed if it is still there at the end.
class Viewer {
 public:
    // Starts `weft view WORDS…` with `folder` as its home, and waits until its window is there and
    // has the keyboard. Throws if that does not come, with what the program said.
    Viewer(std::vector<std::string> words, const std::filesystem::path& folder,
           const Environment& changes = {});

    bool is_running() const { return process_.running(); }
    cli::Process& process() { return process_; }
    WindowId window() const { return window_; }
    PixelRect place() const { return Screen::get().place_of(window_); }

    // Keys by X's names: "space", "period", "ctrl+q". All at once, in order.
    void press(const std::vector<std::string>& keys) const;
    void hold(const std::string& key) const;
    void let_go(const std::string& key) const;
    // On the screen. The program must take them as they come, however slow it redraws.
    void move_to(int x, int y) const;
    void click(std::pair<int, int> at, int button = 1) const;
    void drag(std::pair<int, int> from, std::pair<int, int> to) const;
    // Any words for xdotool, which does them in order.
    void do_all(const std::vector<std::string>& words) const;

    // Where the clip is, once it is there and stays: its border must be unfiltered. Fails the test
    // if it does not come.
    PixelRect clip_place() const;
    // Waits until picture `number` is shown at `clip`.
    testing::AssertionResult shows(int number, const PixelRect& clip) const;
    // Waits until the clip's place (x, y), from 0 to 1, has that level of gray, more or less.
    testing::AssertionResult shows_level(double x, double y, int level, const PixelRect& clip,
                                         int tolerance = 6) const;

    // Waits until `accepts` takes the areas of that colour in the side column, and gives them.
    // Fails the test if that does not come.
    std::vector<PixelRect> side_areas(
        const Rgb& colour, const std::function<bool(const std::vector<PixelRect>&)>& accepts) const;

    // Presses q; the program's report. Fails the test unless it ends by itself with 0.
    nlohmann::json quit();
    // The same after something else that closes it.
    nlohmann::json wait_for_end();

 private:
    std::filesystem::path report_;
    cli::Process process_;
    WindowId window_ = 0;
};

// The base of every suite here: a folder with the clip `clip()`, and a skip where no window can be.
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
