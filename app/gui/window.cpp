#include "app/gui/window.h"

#include <array>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace weft {
namespace {

[[noreturn]] void fail(const char* doing) {
    const char* words = nullptr;
    (void)glfwGetError(&words);
    throw std::runtime_error(
        fmt::format("cannot {}: {}", doing, words != nullptr ? words : "no reason was given"));
}

struct NamedKey {
    int key;
    std::string_view name;
};

constexpr std::array kNamedKeys = {
    NamedKey{GLFW_KEY_SPACE, "Space"},
    NamedKey{GLFW_KEY_ESCAPE, "Escape"},
    NamedKey{GLFW_KEY_ENTER, "Enter"},
    NamedKey{GLFW_KEY_TAB, "Tab"},
    NamedKey{GLFW_KEY_BACKSPACE, "Backspace"},
    NamedKey{GLFW_KEY_INSERT, "Insert"},
    NamedKey{GLFW_KEY_DELETE, "Delete"},
    NamedKey{GLFW_KEY_LEFT, "Left"},
    NamedKey{GLFW_KEY_RIGHT, "Right"},
    NamedKey{GLFW_KEY_UP, "Up"},
    NamedKey{GLFW_KEY_DOWN, "Down"},
    NamedKey{GLFW_KEY_PAGE_UP, "PageUp"},
    NamedKey{GLFW_KEY_PAGE_DOWN, "PageDown"},
    NamedKey{GLFW_KEY_HOME, "Home"},
    NamedKey{GLFW_KEY_END, "End"},
};

// Of keys that type no character, and of all keys with Ctrl or Alt; else empty.
std::string key_name(int key, int scancode, int mods) {
    const bool command = (mods & (GLFW_MOD_CONTROL | GLFW_MOD_ALT)) != 0;
    std::string name;
    for (const NamedKey& row : kNamedKeys)
        if (row.key == key) name = row.name;
    if (key >= GLFW_KEY_F1 && key <= GLFW_KEY_F12) name = fmt::format("F{}", key - GLFW_KEY_F1 + 1);
    if (name.empty() && command) {
        const char* typed = glfwGetKeyName(key, scancode);
        if (typed != nullptr) name = typed;
        if (name.size() == 1 && name[0] >= 'a' && name[0] <= 'z')
            name[0] = static_cast<char>(name[0] - 'a' + 'A');
    }
    if (name.empty()) return name;
    std::string prefix;
    if ((mods & GLFW_MOD_CONTROL) != 0) prefix += "Ctrl+";
    if ((mods & GLFW_MOD_ALT) != 0) prefix += "Alt+";
    if ((mods & GLFW_MOD_SHIFT) != 0) prefix += "Shift+";
    return prefix + name;
}

std::string utf8(unsigned c) {
    if (c < 0x80) return {static_cast<char>(c)};
    if (c < 0x800)
        return {static_cast<char>(0xC0 | (c >> 6)), static_cast<char>(0x80 | (c & 0x3F))};
    return {static_cast<char>(0xE0 | (c >> 12)), static_cast<char>(0x80 | ((c >> 6) & 0x3F)),
            static_cast<char>(0x80 | (c & 0x3F))};
}

}  // namespace

Window::Library::Library() {
    if (glfwInit() != GLFW_TRUE) fail("open the desktop's display");
}
Window::Library::~Library() {
    glfwTerminate();
}
void Window::Destroy::operator()(GLFWwindow* window) const noexcept {
    glfwDestroyWindow(window);
}

struct Window::Events {
    WindowHandlers handlers;
    int scancode = 0;  // of the key whose character may follow
    bool repeated = false;
    bool any = false;

    static Events& of(GLFWwindow* window) {
        return *static_cast<Events*>(glfwGetWindowUserPointer(window));
    }
    void key(int code, int scan, int action, int mods) {
        any = true;
        if (action == GLFW_RELEASE) {
            handlers.on_key_release(scan);
            return;
        }
        scancode = scan;
        repeated = action == GLFW_REPEAT;
        if (std::string name = key_name(code, scan, mods); !name.empty())
            handlers.on_key({std::move(name), scan, repeated});
    }
    void character(unsigned code) {
        any = true;
        if (code != ' ') handlers.on_key({utf8(code), scancode, repeated});
    }
    void drop(int count, const char** paths) {
        any = true;
        handlers.on_drop({paths, paths + count});
    }
    void install(GLFWwindow* window);
};

void Window::Events::install(GLFWwindow* window) {
    glfwSetWindowUserPointer(window, this);
    glfwSetKeyCallback(window, [](GLFWwindow* w, int key, int scan, int action, int mods) {
        of(w).key(key, scan, action, mods);
    });
    glfwSetCharCallback(window, [](GLFWwindow* w, unsigned code) { of(w).character(code); });
    glfwSetDropCallback(window,
                        [](GLFWwindow* w, int n, const char** paths) { of(w).drop(n, paths); });
    glfwSetMouseButtonCallback(window, [](GLFWwindow* w, int, int, int) { of(w).any = true; });
    glfwSetCursorPosCallback(window, [](GLFWwindow* w, double, double) { of(w).any = true; });
    glfwSetCursorEnterCallback(window, [](GLFWwindow* w, int) { of(w).any = true; });
    glfwSetScrollCallback(window, [](GLFWwindow* w, double, double) { of(w).any = true; });
    glfwSetWindowRefreshCallback(window, [](GLFWwindow* w) { of(w).any = true; });
    glfwSetWindowFocusCallback(window, [](GLFWwindow* w, int) { of(w).any = true; });
    glfwSetFramebufferSizeCallback(window, [](GLFWwindow* w, int, int) { of(w).any = true; });
    glfwSetWindowCloseCallback(window, [](GLFWwindow* w) { of(w).any = true; });
}

Window::Window(int width, int height, const std::string& title)
    : events_(std::make_unique<Events>()) {
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    glfwWindowHintString(GLFW_X11_CLASS_NAME, "weft");
    glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "weft");
    window_.reset(glfwCreateWindow(width, height, title.c_str(), nullptr, nullptr));
    if (!window_) fail("open a window with OpenGL 3.3");
    glfwMakeContextCurrent(handle());
    glfwSwapInterval(1);
    events_->install(handle());
}

Window::~Window() = default;

void Window::set_handlers(WindowHandlers handlers) {
    events_->handlers = std::move(handlers);
}

bool Window::wants_to_close() const {
    return glfwWindowShouldClose(handle()) != 0;
}
void Window::ask_to_close() {
    glfwSetWindowShouldClose(handle(), GLFW_TRUE);
}

bool Window::wait(double seconds) {
    events_->any = false;
    if (seconds < 0)
        glfwWaitEvents();
    else if (seconds == 0)
        glfwPollEvents();
    else
        glfwWaitEventsTimeout(seconds);
    return events_->any;
}

void Window::wake() {
    glfwPostEmptyEvent();
}

void Window::swap() {
    glfwSwapBuffers(handle());
}

ScreenSize Window::size() const {
    int width = 0;
    int height = 0;
    glfwGetWindowSize(handle(), &width, &height);
    return {1.0 * width, 1.0 * height};
}

ScreenSize Window::framebuffer() const {
    int width = 0;
    int height = 0;
    glfwGetFramebufferSize(handle(), &width, &height);
    return {1.0 * width, 1.0 * height};
}

double Window::content_scale() const {
    float x = 1;
    float y = 1;
    glfwGetWindowContentScale(handle(), &x, &y);
    return x > 0 ? x : 1;
}

bool Window::minimised() const {
    return glfwGetWindowAttrib(handle(), GLFW_ICONIFIED) != 0;
}

void Window::set_title(const std::string& title) {
    glfwSetWindowTitle(handle(), title.c_str());
}

void Window::set_fullscreen(bool on) {
    if (on == (glfwGetWindowMonitor(handle()) != nullptr)) return;
    GLFWmonitor* monitor = glfwGetPrimaryMonitor();
    if (on && monitor != nullptr) {
        int x = 0;
        int y = 0;
        glfwGetWindowPos(handle(), &x, &y);
        before_fullscreen_ = {1.0 * x, 1.0 * y, size().width, size().height};
        const GLFWvidmode* mode = glfwGetVideoMode(monitor);
        glfwSetWindowMonitor(handle(), monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
        return;
    }
    const Rect& r = before_fullscreen_;
    glfwSetWindowMonitor(handle(), nullptr, static_cast<int>(r.x), static_cast<int>(r.y),
                         static_cast<int>(r.width), static_cast<int>(r.height), GLFW_DONT_CARE);
}

std::string Window::clipboard() const {
    const char* text = glfwGetClipboardString(handle());
    return text == nullptr ? "" : text;
}
void Window::set_clipboard(const std::string& text) {
    glfwSetClipboardString(handle(), text.c_str());
}

}  // namespace weft
