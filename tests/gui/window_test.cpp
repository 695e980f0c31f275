// The window itself: its size, its end, and a machine without a display.
#include "tests/gui/viewer.h"

namespace weft::gui {
namespace {

class GuiWindow : public GuiTest {};

TEST_F(GuiWindow, ThePictureFollowsTheWindowsSizeAndKeepsItsShape) {
    Viewer viewer = view({clip(), "--window-size", "900x600"});
    const PixelRect before = viewer.clip_place();
    const std::vector<std::pair<int, int>> sizes = {
        {1200, 760}, {640, 760}, {1200, 300}, {900, 600}};
    for (const auto& [width, height] : sizes) {
        Screen::get().resize(viewer.window(), width, height);
        EXPECT_TRUE(eventually([&, wide = width, high = height] {
            const auto now = find_clip(Screen::get().shot());
            return viewer.place().width == wide && now && now->width <= wide &&
                   now->height <= high && (*now != before || wide == 900);
        })) << width
            << "×" << height;
    }
    EXPECT_TRUE(eventually([&] { return find_clip(Screen::get().shot()) == before; }));
    (void)viewer.quit();
}

TEST_F(GuiWindow, ThePictureIsTheLargestThing) {
    Viewer viewer = view({clip()});
    const PixelRect window = viewer.place();
    const PixelRect at = viewer.clip_place();
    EXPECT_GT(2 * at.width, window.width);
    EXPECT_GT(2 * at.height, window.height);
    (void)viewer.quit();
}

TEST_F(GuiWindow, ClosesByKeyByShortcutAndByTheDesktop) {
    Viewer by_key = view({clip()});
    (void)by_key.quit();
    Viewer by_shortcut = view({clip()});
    by_shortcut.press({"ctrl+q"});
    (void)by_shortcut.wait_for_end();
    Viewer by_desktop = view({});
    Screen::get().ask_to_close(by_desktop.window());
    (void)by_desktop.wait_for_end();
}

TEST_F(GuiWindow, WithoutADisplayItPrintsOneSentence) {
    cli::Command command = cli::weft_command({"view", clip()});
    command.env["DISPLAY"] = std::nullopt;
    command.env["WAYLAND_DISPLAY"] = std::nullopt;
    EXPECT_TRUE(cli::exits(cli::run(command), 1));
}

// "+" is Shift and "=" on the keyboard of the test's display.
TEST_F(GuiWindow, CtrlPlusMakesTextLarger) {
    Viewer viewer = view({clip()});
    const PixelRect before = viewer.clip_place();
    viewer.press({"ctrl+shift+equal", "ctrl+shift+equal", "ctrl+shift+equal"});
    EXPECT_TRUE(eventually([&] { return viewer.clip_place() != before; }));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// The text of all files that the window left in its home.
std::string left_text(const std::filesystem::path& home) {
    std::string text;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(home))
        if (entry.path().extension() == ".toml") text += cli::read_file(entry.path());
    return text;
}

TEST_F(GuiWindow, RemembersTheFolderAndOnlyFilesThatExist) {
    Viewer viewer = view({clip(), path("missing.mkv")});
    (void)viewer.clip_place();
    viewer.press({"greater"});
    (void)viewer.clip_place();
    (void)viewer.quit();
    const std::string text = left_text(folder_.path());
    EXPECT_TRUE(cli::contains(text, "last_folder = ")) << text;
    EXPECT_FALSE(cli::contains(text, "missing.mkv")) << text;
}

}  // namespace
}  // namespace weft::gui
