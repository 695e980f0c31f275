// The window of the desktop: made, fed with events, shown.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/viewer/view_geometry.h"

struct GLFWwindow;

namespace weft {

// Keys come as mpv and desktop programs name them: "Space", "Left", "Shift+Left", "Ctrl+O", "F1",
// and for what types a character the character itself: ".", "[", "?", "S".
struct KeyEvent {
    std::string name;
    int scancode = 0;
    bool repeated = false;
};

struct WindowHandlers {
    std::function<void(const KeyEvent&)> on_key;
    std::function<void(int scancode)> on_key_release;
    std::function<void(std::vector<std::string>)> on_drop;
};

// For the main thread. Throws std::runtime_error where there is no display or no OpenGL 3.3.
class Window {
 public:
    Window(int width, int height, const std::string& title);
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    // Before the user interface installs its own callbacks, which call these first.
    void set_handlers(WindowHandlers handlers);
    GLFWwindow* handle() const { return window_.get(); }

    bool wants_to_close() const;
    void ask_to_close();
    // Waits for an event, for `seconds` at most; negative: as long as it takes. Returns whether
    // there was an event of this window.
    bool wait(double seconds);
    // Ends a wait() from any thread.
    static void wake();
    void swap();

    ScreenSize size() const;         // screen units
    ScreenSize framebuffer() const;  // pixels
    double content_scale() const;
    bool minimised() const;
    void set_title(const std::string& title);
    void set_fullscreen(bool on);
    std::string clipboard() const;
    void set_clipboard(const std::string& text);

 private:
    struct Library {
        Library();
        ~Library();
    };
    struct Destroy {
        void operator()(GLFWwindow* window) const noexcept;
    };
    struct Events;

    Library library_;
    std::unique_ptr<Events> events_;
    std::unique_ptr<GLFWwindow, Destroy> window_;
    Rect before_fullscreen_;
};

}  // namespace weft
