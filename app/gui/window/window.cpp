#include "app/gui/window/window.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include <fmt/format.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace weft {
namespace {

using Kind = InputEvent::Kind;

[[noreturn]] void fail(const char* doing) {
    const char* words = nullptr;
    const int code = glfwGetError(&words);
    const bool no_driver = code == GLFW_API_UNAVAILABLE || code == GLFW_VERSION_UNAVAILABLE;
    throw std::runtime_error(fmt::format(
        "cannot {}: {}{}", doing, words != nullptr ? words : "no reason given",
        // libgl1 depends on Mesa's drivers, which do not depend on it.
        no_driver ? "; install your GPU's OpenGL driver (Debian: libgl1, or NVIDIA's own)" : ""));
}

InputEvent::Change change_of(int action) {
    switch (action) {
        case GLFW_PRESS:
            return InputEvent::Change::press;
        case GLFW_REPEAT:
            return InputEvent::Change::repeat;
        default:
            return InputEvent::Change::release;
    }
}

}  // namespace

Window::Library::Library() {
    if (glfwInit() != GLFW_TRUE) fail("connect to the display");
}
Window::Library::~Library() {
    glfwTerminate();
}
void Window::Destroy::operator()(GLFWwindow* window) const noexcept {
    glfwDestroyWindow(window);
}

struct Window::Events {
    std::function<void(std::vector<std::string>)> on_drop;
    InputQueue input;
    InputEvent last_key;  // a character event for it may follow
    bool any = false;

    static Events& of(GLFWwindow* window) {
        return *static_cast<Events*>(glfwGetWindowUserPointer(window));
    }
    void push(InputEvent event) {
        any = true;
        event.at = std::chrono::steady_clock::now();
        input.push(event);
    }
    void install(GLFWwindow* window);
    void install_keys(GLFWwindow* window);
    void install_mouse(GLFWwindow* window);
};

void Window::Events::install_keys(GLFWwindow* window) {
    glfwSetKeyCallback(window, [](GLFWwindow* w, int key, int scan, int action, int mods) {
        of(w).last_key = {.kind = Kind::key,
                          .code = key,
                          .scancode = scan,
                          .change = change_of(action),
                          .mods = mods};
        of(w).push(of(w).last_key);
    });
    glfwSetCharCallback(window, [](GLFWwindow* w, unsigned code) {
        InputEvent event = of(w).last_key;
        event.kind = Kind::character;
        event.code = static_cast<int>(code);
        of(w).push(event);
    });
    glfwSetWindowFocusCallback(window, [](GLFWwindow* w, int focused) {
        of(w).push({.kind = Kind::focus, .inside = focused != 0});
    });
}

void Window::Events::install_mouse(GLFWwindow* window) {
    glfwSetMouseButtonCallback(window, [](GLFWwindow* w, int button, int action, int mods) {
        of(w).push(
            {.kind = Kind::button, .code = button, .change = change_of(action), .mods = mods});
    });
    glfwSetCursorPosCallback(window, [](GLFWwindow* w, double x, double y) {
        of(w).push({.kind = Kind::pointer, .x = x, .y = y});
    });
    glfwSetCursorEnterCallback(window, [](GLFWwindow* w, int entered) {
        of(w).push({.kind = Kind::enter, .inside = entered != 0});
    });
    glfwSetScrollCallback(window, [](GLFWwindow* w, double x, double y) {
        of(w).push({.kind = Kind::wheel, .x = x, .y = y});
    });
}

void Window::Events::install(GLFWwindow* window) {
    glfwSetWindowUserPointer(window, this);
    install_keys(window);
    install_mouse(window);
    glfwSetDropCallback(window, [](GLFWwindow* w, int count, const char** paths) {
        of(w).any = true;
        of(w).on_drop({paths, paths + count});
    });
    glfwSetWindowRefreshCallback(window, [](GLFWwindow* w) { of(w).any = true; });
    glfwSetFramebufferSizeCallback(window, [](GLFWwindow* w, int, int) { of(w).any = true; });
    glfwSetWindowCloseCallback(window, [](GLFWwindow* w) { of(w).any = true; });
}

Window::Window(int width, int height, const std::string& title)
    : events_(std::make_unique<Events>()), title_(title) {
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    glfwWindowHintString(GLFW_X11_CLASS_NAME, "weft");
    glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "weft");
    window_.reset(glfwCreateWindow(width, height, title.c_str(), nullptr, nullptr));
    if (!window_) fail("open a window with OpenGL 3.3");
    fit_to_monitor();
    glfwMakeContextCurrent(handle());
    glfwSwapInterval(1);
    events_->install(handle());
}

Window::~Window() = default;

// Not every window manager does it.
void Window::fit_to_monitor() {
    GLFWmonitor* monitor = glfwGetPrimaryMonitor();
    if (monitor == nullptr) return;
    int most_width = 0;
    int most_height = 0;
    glfwGetMonitorWorkarea(monitor, nullptr, nullptr, &most_width, &most_height);
    const ScreenSize now = size();
    if (most_width <= 0 || (now.width <= most_width && now.height <= most_height)) return;
    glfwSetWindowSize(handle(), std::min(static_cast<int>(now.width), most_width),
                      std::min(static_cast<int>(now.height), most_height));
}

void Window::on_drop(std::function<void(std::vector<std::string>)> handler) {
    events_->on_drop = std::move(handler);
}

InputQueue& Window::input() {
    return events_->input;
}

bool Window::wants_to_close() const {
    return glfwWindowShouldClose(handle()) != 0;
}
void Window::ask_to_close() {
    glfwSetWindowShouldClose(handle(), GLFW_TRUE);
}
void Window::stay_open() {
    glfwSetWindowShouldClose(handle(), GLFW_FALSE);
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

double Window::unit_scale() const {
    const ScreenSize units = size();
    const double density = units.width > 0 ? framebuffer().width / units.width : 1;
    return content_scale() / density;
}

bool Window::minimised() const {
    return glfwGetWindowAttrib(handle(), GLFW_ICONIFIED) != 0;
}

void Window::set_title(const std::string& title) {
    if (title == title_) return;
    title_ = title;
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

}  // namespace weft
