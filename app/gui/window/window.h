// The desktop window: creation, events, display, theme.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/viewer/shell/input_queue.h"
#include "app/viewer/view/view_geometry.h"

struct GLFWwindow;

namespace weft {

// For the main thread. Throws std::runtime_error without a display or OpenGL 3.3.
class Window {
 public:
    Window(int width, int height, const std::string& title);
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    // Called from within wait() for files dropped on the window.
    void on_drop(std::function<void(std::vector<std::string>)> handler);
    // The keyboard and mouse events of wait().
    InputQueue& input();
    GLFWwindow* handle() const { return window_.get(); }

    bool wants_to_close() const;
    void ask_to_close();
    void stay_open();  // cancels ask_to_close()
    // Waits for an event, at most `seconds`; negative: indefinitely. Returns whether there was an
    // event for this window.
    bool wait(double seconds);
    // Ends a wait(); callable from any thread.
    static void wake();
    void swap();

    ScreenSize size() const;         // screen units
    ScreenSize framebuffer() const;  // pixels
    double content_scale() const;
    // The display's scale, without the part already included in screen units.
    double unit_scale() const;
    bool minimised() const;
    void set_title(const std::string& title);
    void set_fullscreen(bool on);

 private:
    struct Library {
        Library();
        ~Library();
    };
    struct Destroy {
        void operator()(GLFWwindow* window) const noexcept;
    };
    struct Events;

    void fit_to_monitor();

    Library library_;
    std::unique_ptr<Events> events_;
    std::unique_ptr<GLFWwindow, Destroy> window_;
    std::string title_;
    Rect before_fullscreen_;
};

// Sets ImGui's colours and distances for the scale of the display, where 1 is 96 dpi. Call it
// between two frames.
void apply_theme(double scale, bool dark);

}  // namespace weft
