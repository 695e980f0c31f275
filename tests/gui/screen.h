// The display that the window under test is on: Xvfb of our own, or the one that $WEFT_TEST_DISPLAY
// names. Never $DISPLAY: somebody may sit there.
#pragma once

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

// For one thread.
class Screen {
 public:
    // One a process, started at the first use and ended with it.
    static Screen& get();
    // Empty if get() and the programs that press keys can work here, else why not.
    static std::string why_none();

    ~Screen();
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;

    const std::string& name() const { return name_; }  // ":99"
    Screenshot shot() const;
    // The visible window that this process put on the display.
    std::optional<WindowId> window_of(pid_t process) const;
    PixelRect place_of(WindowId window) const;
    // Whether keys go to the window.
    bool has_keyboard(WindowId window) const;
    void resize(WindowId window, int width, int height) const;
    // Into the upper right corner, where the window shows nothing of its own for a pointer.
    void put_pointer_aside() const;
    // What a desktop's close button sends.
    void ask_to_close(WindowId window) const;
    // Drags a file over the middle of the window and lets it fall (XDND 5). False: the window did
    // not take it.
    bool drop(WindowId window, const std::filesystem::path& file) const;

 private:
    Screen();
    struct Impl;
    std::string name_;
    std::unique_ptr<Impl> impl_;
};

}  // namespace weft::gui
