// Random input: keys, clicks, drags, wheel, sizes, drops.
#include <cstdio>
#include <cstdlib>
#include <random>

#include "tests/gui/viewer.h"

namespace weft::gui {
namespace {

class GuiMonkey : public GuiTest {
 protected:
    // A fake desktop dialog, which knows one file, replaces the list that shows the whole disk.
    Viewer start(const std::string& file) const {
        const std::filesystem::path dialog = path("programs/zenity");
        std::filesystem::create_directories(dialog.parent_path());
        cli::write_file(dialog, "#!/bin/sh\nprintf '%s\\n' '" + file + "'\n");
        std::filesystem::permissions(dialog, std::filesystem::perms::owner_all);
        return view({file, "-vf", "box,sobel"},
                    {{"PATH", dialog.parent_path().string()}, {"XDG_CURRENT_DESKTOP", ""}});
    }
};

// Keys that end the program, or open a dialog of the desktop, are left out.
const std::vector<std::string> kKeys = {
    "space",
    "period",
    "comma",
    "Left",
    "Right",
    "Up",
    "Down",
    "shift+Left",
    "shift+Right",
    "Home",
    "End",
    "bracketleft",
    "bracketright",
    "braceleft",
    "braceright",
    "BackSpace",
    "ctrl+z",
    "ctrl+shift+z",
    "e",
    "w",
    "W",
    "d",
    "D",
    "x",
    "plus",
    "minus",
    "1",
    "2",
    "alt+Left",
    "alt+Right",
    "alt+Up",
    "alt+Down",
    "f",
    "F2",
    "F3",
    "F4",
    "F5",
    "F6",
    "question",
    "Escape",
    "Tab",
    "l",
    "i",
    "I",
    "m",
    "9",
    "0",
    "Return",
    "Delete",
    "s",
    "a",
    "shift+Tab",
    "Prior",
    "Next",
};

class Monkey {
 public:
    Monkey(std::vector<std::string> files, unsigned seed)
        : files_(std::move(files)), random_(seed) {}

    int done() const { return done_; }

    // Acts until it has done that many things in all, or the viewer exits.
    void act(const Viewer& viewer, int actions) {
        constexpr int kAtOnce = 25;  // for one run of xdotool
        for (; done_ < actions && viewer.is_running(); done_ += kAtOnce) {
            std::vector<std::string> words;
            for (int k = 0; k < kAtOnce; ++k) add_action(words);
            viewer.do_all(words);
            if (dice(8) == 0) resize(viewer);
            if (dice(8) == 0)
                (void)Screen::get().drop(viewer.window(), files_[dice(files_.size())]);
        }
    }

 private:
    std::size_t dice(std::size_t sides) {
        return std::uniform_int_distribution<std::size_t>(0, sides - 1)(random_);
    }

    std::string across() { return std::to_string(dice(1280)); }
    std::string down() { return std::to_string(dice(800)); }

    void add_action(std::vector<std::string>& words) {
        const std::string button = std::to_string(1 + dice(3));
        switch (dice(5)) {
            case 0:
            case 1:
                words.insert(words.end(), {"key", kKeys[dice(kKeys.size())]});
                break;
            case 2:
                words.insert(words.end(), {"mousemove", across(), down(), "click", button});
                break;
            case 3:
                words.insert(words.end(), {"mousemove", across(), down(), "mousedown", button,
                                           "mousemove", across(), down(), "mouseup", button});
                break;
            case 4:
                words.insert(words.end(), {"click", dice(2) == 0 ? "4" : "5"});
                break;
        }
    }

    void resize(const Viewer& viewer) {
        Screen::get().resize(viewer.window(), static_cast<int>(200 + dice(1080)),
                             static_cast<int>(200 + dice(600)));
    }

    std::vector<std::string> files_;
    std::mt19937 random_;
    int done_ = 0;
};

int wanted_actions() {
    return std::getenv("WEFT_LONG_TESTS") != nullptr ? 10000 : 2000;
}

unsigned wanted_seed() {
    const char* given = std::getenv("WEFT_MONKEY_SEED");
    return given == nullptr ? 20261121U : static_cast<unsigned>(std::strtoul(given, nullptr, 10));
}

// Closes the window with keys after all others; where a field would take q, Escape leaves it. A
// slow machine does not have to process all keys: there the desktop closes the window.
void leave(const Viewer& viewer) {
    constexpr int kMostTries = 180;  // one per second
    for (int tries = 0; tries < kMostTries && viewer.is_running(); ++tries)
        viewer.do_all({"key", "Escape", "key", "Escape", "key", "q", "sleep", "1"});
    if (!viewer.is_running()) return;
    std::printf("not all actions were seen\n");
    Screen::get().ask_to_close(viewer.window());
}

// It may find Quit in the menu, which is a normal exit with code 0, not a crash.
TEST_F(GuiMonkey, SurvivesRandomInput) {
    const unsigned seed = wanted_seed();
    const int actions = wanted_actions();
    std::printf("WEFT_MONKEY_SEED=%u, %d actions\n", seed, actions);
    cli::write_file(path("bad.mp4"), "this is no video");
    const std::string longer = path("longer.y4m");
    write_numbered_clip(longer, 200);
    Monkey monkey({clip(), longer, path("bad.mp4")}, seed);
    int starts = 0;
    for (; monkey.done() < actions && !HasFailure(); ++starts) {
        ASSERT_LE(starts, actions / 100) << "it ends too often";
        Viewer viewer = start(longer);
        monkey.act(viewer, actions);
        leave(viewer);
        (void)viewer.wait_for_end();
    }
    std::printf("%d actions, %d starts\n", monkey.done(), starts);
}

}  // namespace
}  // namespace weft::gui
