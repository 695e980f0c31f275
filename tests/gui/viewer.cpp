#include "tests/gui/viewer.h"

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <utility>

namespace weft::gui {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// With sanitizers the program is up to ten times as slow.
constexpr std::chrono::minutes kPatience{cli::kSanitized ? 20 : 2};
// Longer than a redraw, so that what two looks find alike has settled.
constexpr std::chrono::milliseconds kBetweenLooks{cli::kSanitized ? 200 : 20};

// Neither reads nor writes the user's own files.
cli::Command command(std::vector<std::string> words, const fs::path& folder,
                     const fs::path& report) {
    cli::Arguments arguments = {"view"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    arguments.insert(arguments.end(), {"--json", report.string()});
    cli::Command command = window_command(arguments);
    command.env["DBUS_SESSION_BUS_ADDRESS"] = std::nullopt;  // the desktop's theme
    for (const char* home : {"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME",
                             "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "TMPDIR"})
        command.env[home] = folder.string();
    command.folder = folder;
    command.hang_guard = std::chrono::hours(12);  // the tests have their own timeouts
    return command;
}

cli::Command changed(cli::Command command, const Environment& changes) {
    for (const auto& [name, value] : changes) command.env[name] = value;
    return command;
}

// Returns the output of xdotool.
std::string xdotool(const std::vector<std::string>& words) {
    cli::Command command;
    command.argv = {"xdotool"};
    command.argv.insert(command.argv.end(), words.begin(), words.end());
    command.env["DISPLAY"] = Screen::get().name();
    const cli::Result result = cli::run(command);
    if (result.exit_code != 0) throw std::runtime_error("xdotool: " + cli::describe(result));
    return result.out;
}

fs::path new_report(const fs::path& folder) {
    static int count = 0;
    return folder / ("report-" + std::to_string(++count) + ".json");
}

}  // namespace

cli::Command window_command(const cli::Arguments& arguments) {
    cli::Command command = cli::weft_command(arguments);
    command.env["DISPLAY"] = Screen::get().name();
    command.env["WAYLAND_DISPLAY"] = std::nullopt;
    if (cli::kSanitized) command.env["LD_PRELOAD"] = library_for_tests("weft-kept-libraries.so");
    return command;
}

std::string library_for_tests(const std::string& name) {
    return fs::read_symlink("/proc/self/exe").parent_path() / name;
}

bool eventually(const std::function<bool()>& is_so) {
    const Clock::time_point end = Clock::now() + kPatience;
    while (!is_so()) {
        if (Clock::now() > end) return false;
        std::this_thread::sleep_for(kBetweenLooks);
    }
    return true;
}

Viewer::Viewer(std::vector<std::string> words, const fs::path& folder, const Environment& changes)
    : report_(new_report(folder)),
      process_(changed(command(std::move(words), folder, report_), changes)) {
    const bool came = eventually([&] {
        window_ = Screen::get().window_of(process_.pid()).value_or(0);
        return (window_ != 0 && Screen::get().has_keyboard(window_)) || !is_running();
    });
    if (came && is_running()) return;
    if (came) throw std::runtime_error("no window: " + cli::describe(process_.wait()));
    throw std::runtime_error("no window with the keyboard within two minutes");
}

void Viewer::do_all(const std::vector<std::string>& words) const {
    (void)xdotool(words);
}

std::string Viewer::title() const {
    const std::string line = xdotool({"getwindowname", std::to_string(window_)});
    return line.substr(0, line.find('\n'));
}

void Viewer::press(const std::vector<std::string>& keys) const {
    std::vector<std::string> words;
    for (const std::string& key : keys) words.insert(words.end(), {"key", key});
    do_all(words);
}
void Viewer::hold(const std::string& key) const {
    do_all({"keydown", key});
}
void Viewer::let_go(const std::string& key) const {
    do_all({"keyup", key});
}
void Viewer::move_to(int x, int y) const {
    do_all({"mousemove", std::to_string(x), std::to_string(y)});
}
void Viewer::click(std::pair<int, int> at, int button) const {
    do_all({"mousemove", std::to_string(at.first), std::to_string(at.second), "click",
            std::to_string(button)});
}
// Moves the pointer in steps, as a hand does.
void Viewer::drag(std::pair<int, int> from, std::pair<int, int> to) const {
    std::vector<std::string> words = {"mousemove", std::to_string(from.first),
                                      std::to_string(from.second), "mousedown", "1"};
    for (int step = 1; step <= 8; ++step)
        words.insert(words.end(),
                     {"mousemove", std::to_string(from.first + (to.first - from.first) * step / 8),
                      std::to_string(from.second + (to.second - from.second) * step / 8)});
    words.insert(words.end(), {"mouseup", "1"});
    do_all(words);
}

PixelRect Viewer::clip_place() const {
    std::optional<PixelRect> place;
    const bool found = eventually([&] {
        const auto before = std::exchange(place, find_clip(Screen::get().shot()));
        return (place && place == before) || !is_running();
    });
    EXPECT_TRUE(found && is_running()) << "the clip is not on the screen";
    return place.value_or(PixelRect{});
}

testing::AssertionResult Viewer::shows(int number, const PixelRect& clip) const {
    int seen = -1;
    const bool right = eventually([&] {
        seen = frame_number(Screen::get().shot(), clip);
        return seen == number || !is_running();
    });
    if (right && is_running()) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "picture " << seen << " is shown, not " << number
                                       << (is_running() ? "" : ", and the program has ended");
}

testing::AssertionResult Viewer::shows_level(double x, double y, int level, const PixelRect& clip,
                                             int tolerance) const {
    Rgb seen;
    const bool right = eventually([&] {
        seen = clip_pixel(Screen::get().shot(), clip, x, y);
        return std::ranges::max({std::abs(seen.r - level), std::abs(seen.g - level),
                                 std::abs(seen.b - level)}) <= tolerance ||
               !is_running();
    });
    if (right && is_running()) return testing::AssertionSuccess();
    return testing::AssertionFailure()
           << "(" << seen.r << ", " << seen.g << ", " << seen.b << ") is shown at " << x << ", "
           << y << ", not " << level << (is_running() ? "" : ", and the program has ended");
}

constexpr int kTransport = 64;  // pixels from the side column to the window's lower edge

std::vector<PixelRect> Viewer::side_areas(
    const std::vector<Rgb>& colours,
    const std::function<bool(const std::vector<PixelRect>&)>& accepts) const {
    std::vector<PixelRect> found;
    const bool accepted = eventually([&] {
        const PixelRect window = place();
        const PixelRect side{window.x + window.width * 74 / 100, window.y, window.width * 26 / 100,
                             window.height - kTransport};
        found = areas_of(Screen::get().shot(), side, colours);
        return accepts(found) || !is_running();
    });
    EXPECT_TRUE(accepted && is_running()) << found.size() << " areas in the side column";
    return found;
}

int Viewer::section_top() const {
    std::vector<PixelRect> before;
    const std::vector<PixelRect> bars = side_areas({kOpenSection}, [&](const auto& all) {
        return std::exchange(before, all) == all && !all.empty();
    });
    return bars.empty() ? 0 : bars.back().y + bars.back().height;
}

nlohmann::json Viewer::quit() {
    press({"q"});
    return wait_for_end();
}

nlohmann::json Viewer::wait_for_end() {
    EXPECT_TRUE(eventually([&] { return !is_running(); })) << "the window did not close";
    if (is_running()) process_.send(SIGKILL);
    const cli::Result result = process_.wait();
    EXPECT_TRUE(cli::exits(result, 0));
    EXPECT_EQ(result.err, "");
    std::ifstream file(report_);
    return nlohmann::json::parse(file, nullptr, false);
}

// A pointer left over the timeline by the previous test would show a thumbnail of the clip, and
// find_clip() would see two clips.
void GuiTest::SetUp() {
    if (const std::string reason = Screen::why_none(); !reason.empty()) GTEST_SKIP() << reason;
    Screen::get().put_pointer_aside();
    const fs::path bin = fs::path(cli::weft_program()).parent_path();
    if (!fs::exists(bin / "libweft-gui.so") && !fs::exists(bin / "../lib/warpweft/libweft-gui.so"))
        GTEST_SKIP() << "this build has no window";
    write_numbered_clip(clip(), kFrames);
    // Most tests wait for the last frame of a short clip, which would play again.
    fs::create_directory(path("warpweft"));
    cli::write_file(path("warpweft/settings.toml"), "loop_below_seconds = 0\n");
}

std::string GuiTest::clip() const {
    return path("clip.y4m");
}

}  // namespace weft::gui
