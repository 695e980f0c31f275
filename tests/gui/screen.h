// The display of the window under test: our own Xvfb, or the display named by $WEFT_TEST_DISPLAY.
// Never $DISPLAY, which may be in use.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace weft::gui {

struct Rgb {
    int r = 0, g = 0, b = 0;

    bool operator==(const Rgb&) const = default;
};

struct PixelRect {
    int x = 0, y = 0, width = 0, height = 0;

    std::pair<int, int> middle() const { return {x + width / 2, y + height / 2}; }

    bool operator==(const PixelRect&) const = default;
};

struct Screenshot {
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgb;  // width × height × 3

    Rgb at(int x, int y) const;
};

using WindowId = unsigned long;

// Not thread-safe.
class Screen {
 public:
    // One per process, started at the first use and stopped at exit.
    static Screen& get();
    // Empty if get() and the programs that press keys work here, otherwise the reason.
    static std::string why_none();

    ~Screen();
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;

    const std::string& name() const { return name_; }  // ":99"
    Screenshot shot() const;
    // The visible window that this process put on the display.
    std::optional<WindowId> window_of(pid_t process) const;
    PixelRect place_of(WindowId window) const;
    // Whether the window has the keyboard focus.
    bool has_keyboard(WindowId window) const;
    void resize(WindowId window, int width, int height) const;
    // The scale of the display for programs that start now; 96 is normal.
    void set_dpi(int dpi) const;
    // Moves it to the upper right corner, where the window does not react to a pointer.
    void put_pointer_aside() const;
    // Sends _NET_WM_PING, which the window's main thread returns when it handles its events: true
    // if that happens within `patience`.
    bool answers(WindowId window, std::chrono::milliseconds patience) const;
    // Sends the message of a desktop's close button.
    void ask_to_close(WindowId window) const;
    // Drags a file over the middle of the window and drops it (XDND 5). False if the window did not
    // take it.
    bool drop(WindowId window, const std::filesystem::path& file) const;

 private:
    Screen();
    struct Impl;
    std::string name_;
    std::unique_ptr<Impl> impl_;
};

}  // namespace weft::gui
