// Random input: keys, clicks, drags, wheel, sizes, drops of files and folders.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/viewer/shell/key_list.h"
#include "tests/gui/viewer.h"

namespace weft::gui {
namespace {

// X's name of a key of the product's table: "Ctrl+Shift+E" is "ctrl+shift+e", "." is "U002E".
std::string x_name(std::string_view key) {
    std::string name;
    for (std::size_t plus = key.find('+', 1);
         plus != std::string_view::npos && plus + 1 < key.size(); plus = key.find('+', 1)) {
        for (const char c : key.substr(0, plus + 1))
            name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        key.remove_prefix(plus + 1);
    }
    constexpr std::pair<std::string_view, std::string_view> kOthers[] = {
        {"Space", "space"}, {"Backspace", "BackSpace"}, {"PageUp", "Prior"}, {"PageDown", "Next"}};
    for (const auto& [ours, theirs] : kOthers)
        if (key == ours) return name + std::string(theirs);
    if (key.size() > 1) return name + std::string(key);
    char c = key.front();
    // With Ctrl the table has capital letters, which X would press with Shift.
    if (!name.empty()) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return name + fmt::format("U{:04X}", static_cast<int>(c));
}

// The keys of the product's table, but for those that quit, and the keys of lists and fields.
std::vector<std::string> monkey_keys() {
    std::vector<std::string> keys = {"Return", "Tab", "shift+Tab", "Delete"};
    for (const KeyRow& row : kKeyRows)
        for (const std::string_view key : row.keys)
            if (!key.empty() && !row.name.starts_with("Quit")) keys.push_back(x_name(key));
    return keys;
}

class Monkey {
 public:
    Monkey(std::vector<std::string> files, unsigned seed)
        : files_(std::move(files)), random_(seed) {}

    int done() const { return done_; }
    // The last actions, as words of xdotool.
    std::string last_actions() const { return fmt::format("{}", fmt::join(last_, "\n")); }

    // Acts until it has done that many things in all, or the viewer exits. The viewer must answer
    // again and again.
    void act(const Viewer& viewer, int actions) {
        constexpr int kAtOnce = 25;  // for one run of xdotool
        while (done_ < actions && viewer.is_running()) {
            const int count = std::min(kAtOnce, actions - done_);
            std::vector<std::string> words;
            place_ = viewer.place();
            for (int k = 0; k < count; ++k) add_action(words);
            done_ += count;
            note(fmt::format("{}", fmt::join(words, " ")));
            viewer.do_all(words);
            if (dice(8) == 0) resize(viewer);
            if (dice(8) == 0) drop(viewer);
            ASSERT_TRUE(answers(viewer)) << "the window does not answer after\n" << last_actions();
        }
    }

 private:
    std::size_t dice(std::size_t sides) {
        return std::uniform_int_distribution<std::size_t>(0, sides - 1)(random_);
    }

    // Moves the pointer to a place in the window. Every second place is in the side column, in the
    // compare bar or in the rows at the lower edge, which have most of the controls.
    void move(std::vector<std::string>& words) {
        const auto width = static_cast<std::size_t>(std::max(place_.width, 1));
        const auto height = static_cast<std::size_t>(std::max(place_.height, 1));
        std::size_t x = dice(width);
        std::size_t y = dice(height);
        switch (dice(6)) {
            case 0:
                x = width - 1 - x / 4;
                break;
            case 1:
                y = std::min<std::size_t>(y, 80);
                break;
            case 2:
                y = height - 1 - std::min<std::size_t>(y, 80);
                break;
            default:
                break;
        }
        words.insert(words.end(), {"mousemove", std::to_string(place_.x + static_cast<int>(x)),
                                   std::to_string(place_.y + static_cast<int>(y))});
    }

    void note(std::string actions) {
        constexpr std::size_t kKept = 8;
        last_.push_back(std::move(actions));
        if (last_.size() > kKept) last_.pop_front();
    }

    void add_action(std::vector<std::string>& words) {
        const std::string button = std::to_string(1 + dice(3));
        switch (dice(8)) {
            case 0:
            case 1:
                words.insert(words.end(), {"key", keys_[dice(keys_.size())]});
                break;
            case 2:
            case 3:
                move(words);
                words.insert(words.end(), {"click", "1"});
                break;
            case 4:
                move(words);
                words.insert(words.end(),
                             {"click", "--repeat", std::to_string(1 + dice(2)), button});
                break;
            case 5:
                drag(words, button);
                break;
            case 6:
                words.insert(words.end(), {"keydown", "ctrl"});
                drag(words, "1");
                words.insert(words.end(), {"keyup", "ctrl"});
                break;
            case 7:
                words.insert(words.end(), {"click", dice(2) == 0 ? "4" : "5"});
                break;
        }
    }

    void drag(std::vector<std::string>& words, const std::string& button) {
        move(words);
        words.insert(words.end(), {"mousedown", button});
        move(words);
        move(words);
        words.insert(words.end(), {"mouseup", button});
    }

    void resize(const Viewer& viewer) {
        // As a rule large: small windows hide most controls.
        const int width = static_cast<int>(200 + std::max(dice(1080), dice(1080)));
        const int height = static_cast<int>(200 + std::max(dice(600), dice(600)));
        note(fmt::format("resize {}x{}", width, height));
        Screen::get().resize(viewer.window(), width, height);
    }

    void drop(const Viewer& viewer) {
        const std::string& file = files_[dice(files_.size())];
        note("drop " + file);
        (void)Screen::get().drop(viewer.window(), file);
    }

    // An end is judged by its exit code, later.
    static bool answers(const Viewer& viewer) {
        return eventually([&] {
            return Screen::get().answers(viewer.window(), std::chrono::seconds(1)) ||
                   !viewer.is_running();
        });
    }

    const std::vector<std::string> keys_ = monkey_keys();
    std::vector<std::string> files_;
    std::deque<std::string> last_;
    PixelRect place_;  // of the window
    std::mt19937 random_;
    int done_ = 0;
};

int wanted_actions() {
    return cli::long_tests() ? 10000 : 240;
}

unsigned wanted_seed() {
    const char* given = std::getenv("WEFT_RANDOM_SEED");
    return given == nullptr ? 20261121U : static_cast<unsigned>(std::strtoul(given, nullptr, 10));
}

// Closes the window with keys after all others; where a field would take q, Escape leaves it. A
// slow machine does not have to process all keys: there the desktop closes the window.
void leave(const Viewer& viewer) {
    constexpr int kMostTries = 900;  // three minutes, or a quarter of an hour
    for (int tries = 0; tries < kMostTries && viewer.is_running(); ++tries)
        viewer.do_all(
            {"key", "Escape", "key", "Escape", "key", "q", "sleep", cli::kSanitized ? "1" : "0.2"});
    if (!viewer.is_running()) return;
    std::printf("not all actions were seen\n");
    Screen::get().ask_to_close(viewer.window());
}

// The redraws of one start, judged by the CPU time of the window's thread until OpenGL draws: their
// wall time is also other programs' work, but a blocking call shows in nothing else, so it is
// printed.
void expect_fast(const nlohmann::json& report) {
    ASSERT_TRUE(report.is_object()) << "the viewer left no report";
    const auto ms = [&](const char* times) { return report[times]["max_ms"].get<double>(); };
    std::printf("slowest frame %.0f ms (CPU time %.0f ms), %d of %d over 250 ms (CPU time: %d)\n",
                ms("redraw"), ms("redraw_cpu"), report["slow_redraws"].get<int>(),
                report["redraws"].get<int>(), report["slow_redraws_cpu"].get<int>());
    std::fflush(stdout);
    if (!cli::kSanitized) {
        EXPECT_EQ(report["slow_redraws_cpu"], 0);
    }
}

class GuiMonkey : public GuiTest {
 protected:
    // A fake desktop dialog, which knows one file, replaces the list that shows the whole disk.
    Viewer start(const std::string& file) const {
        const std::filesystem::path dialog = path("programs/zenity");
        std::filesystem::create_directories(dialog.parent_path());
        cli::write_file(dialog, "#!/bin/sh\nprintf '%s\\n' '" + file + "'\n");
        std::filesystem::permissions(dialog, std::filesystem::perms::owner_all);
        return view({file, "-vf", "convolve=1 2 1 2 4 2 1 2 1,sobel"},
                    {{"PATH", dialog.parent_path().string()}, {"XDG_CURRENT_DESKTOP", ""}});
    }

    // A wide picture of random samples.
    std::string picture() const {
        constexpr int kWidth = 301, kHeight = 83;
        std::string bytes = fmt::format("P6\n{} {}\n255\n", kWidth, kHeight);
        std::minstd_rand samples(1);
        for (int k = 0; k < 3 * kWidth * kHeight; ++k)
            bytes.push_back(static_cast<char>(samples() >> 8));
        cli::write_file(path("picture.ppm"), bytes);
        return path("picture.ppm");
    }

    // Of numbered pictures, which open as one film.
    std::string folder_of_pictures() const {
        std::filesystem::create_directories(path("pictures"));
        std::filesystem::create_directories(path("empty"));
        for (int k = 1; k <= 3; ++k)
            std::filesystem::copy_file(picture(), path(fmt::format("pictures/shot_{}.ppm", k)));
        return path("pictures");
    }

    // It may find Quit in the menu, which is a normal exit with code 0: it starts again then.
    void survives(const std::string& file, Monkey& monkey, int actions) const {
        int starts = 0;
        for (; monkey.done() < actions && !HasFailure(); ++starts) {
            ASSERT_LE(starts, 3 + actions / 100) << "it ends too often";
            Viewer viewer = start(file);
            monkey.act(viewer, actions);
            leave(viewer);
            expect_fast(viewer.wait_for_end());
        }
        std::printf("%d actions, %d starts with %s\n", monkey.done(), starts, file.c_str());
        if (HasFailure()) std::printf("The last actions:\n%s\n", monkey.last_actions().c_str());
    }
};

TEST_F(GuiMonkey, SurvivesRandomInput) {
    const unsigned seed = wanted_seed();
    const int actions = wanted_actions();
    std::printf("WEFT_RANDOM_SEED=%u, %d actions\n", seed, actions);
    std::fflush(stdout);  // before a possible hang
    cli::write_file(path("bad.mp4"), "this is no video");
    const std::string longer = path("longer.y4m");
    write_numbered_clip(longer, 200);
    Monkey monkey({clip(), longer, path("bad.mp4"), picture(), folder_of_pictures(), path("empty")},
                  seed);
    survives(longer, monkey, actions / 2);
    if (!HasFailure()) survives(picture(), monkey, actions);
}

}  // namespace
}  // namespace weft::gui
