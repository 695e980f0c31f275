#include "tests/gui/screen.h"

#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "tests/gui/xdnd_source.h"

// Last, because Xlib defines common words as macros.
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>

namespace weft::gui {
namespace {

// In use until the display is closed: a window may vanish between two queries.
int ignore_error(Display* /*display*/, XErrorEvent* /*error*/) {
    return 0;
}

std::string given_display() {
    const char* given = std::getenv("WEFT_TEST_DISPLAY");
    return given == nullptr ? "" : given;
}

bool in_path(const std::string& program) {
    return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

// The X server of this process, which dies with it.
struct Xvfb {
    pid_t pid = -1;
    std::string display;

    void start() {
        int ends[2];
        if (pipe(ends) != 0) throw std::runtime_error("no pipe");
        pid = fork();
        if (pid == 0) become(ends[1]);
        close(ends[1]);
        const std::string number = line_of(ends[0]);
        close(ends[0]);
        if (number.empty()) throw std::runtime_error("Xvfb did not start");
        display = ":" + number;
    }

    // Reads to the newline, which Xvfb writes separately from the number: a closed pipe would kill
    // it.
    static std::string line_of(int fd) {
        std::string line;
        for (char c = 0; read(fd, &c, 1) == 1 && c != '\n';) line.push_back(c);
        return line;
    }

    [[noreturn]] static void become(int display_fd) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        dup2(display_fd, 3);
        (void)!freopen("/dev/null", "w", stderr);
        // -r disables key repeat: a key may be down for long while the machine is busy.
        execlp("Xvfb", "Xvfb", "-displayfd", "3", "-screen", "0", "1280x1024x24", "+extension",
               "GLX", "-nolisten", "tcp", "-noreset", "-r", nullptr);
        _exit(127);
    }

    ~Xvfb() {
        if (pid <= 0) return;
        kill(pid, SIGTERM);
        waitpid(pid, nullptr, 0);
    }
};

}  // namespace

struct Screen::Impl {
    Xvfb server;
    Display* display = nullptr;
    long pings = 0;

    ~Impl() {
        if (display != nullptr) XCloseDisplay(display);
    }

    Window root() const { return DefaultRootWindow(display); }
    Atom atom(const char* name) const { return XInternAtom(display, name, False); }
    long process_of(Window window) const;
    // Sends a message of the window manager's protocols.
    void send(Window window, const char* protocol, long number) const;
    bool is_visible(Window window) const;
    Window find(Window below, long process) const;
};

long Screen::Impl::process_of(Window window) const {
    Atom type = 0;
    int format = 0;
    unsigned long count = 0;
    unsigned long left = 0;
    unsigned char* bytes = nullptr;
    const int got = XGetWindowProperty(display, window, atom("_NET_WM_PID"), 0, 1, False,
                                       XA_CARDINAL, &type, &format, &count, &left, &bytes);
    const long process = got == Success && count == 1 ? *reinterpret_cast<const long*>(bytes) : -1;
    if (bytes != nullptr) XFree(bytes);
    return process;
}

void Screen::Impl::send(Window window, const char* protocol, long number) const {
    XEvent event{};
    event.xclient.type = ClientMessage;
    event.xclient.window = window;
    event.xclient.message_type = atom("WM_PROTOCOLS");
    event.xclient.format = 32;
    event.xclient.data.l[0] = static_cast<long>(atom(protocol));
    event.xclient.data.l[1] = number;
    event.xclient.data.l[2] = static_cast<long>(window);
    XSendEvent(display, window, False, NoEventMask, &event);
    XSync(display, False);
}

bool Screen::Impl::is_visible(Window window) const {
    XWindowAttributes attributes{};
    return XGetWindowAttributes(display, window, &attributes) != 0 &&
           attributes.map_state == IsViewable;
}

// Searches children too, because a window manager puts windows into its own frames. 0: none.
Window Screen::Impl::find(Window below, long process) const {
    Window ignored = 0;
    Window* children = nullptr;
    unsigned count = 0;
    if (XQueryTree(display, below, &ignored, &ignored, &children, &count) == 0) return 0;
    Window found = 0;
    for (unsigned k = 0; k < count && found == 0; ++k) {
        if (process_of(children[k]) == process && is_visible(children[k]))
            found = children[k];
        else
            found = find(children[k], process);
    }
    if (children != nullptr) XFree(children);
    return found;
}

Screen::Screen() : impl_(std::make_unique<Impl>()) {
    name_ = given_display();
    if (name_.empty()) {
        impl_->server.start();
        name_ = impl_->server.display;
    }
    XSetErrorHandler(ignore_error);
    impl_->display = XOpenDisplay(name_.c_str());
    if (impl_->display == nullptr) throw std::runtime_error("cannot open display " + name_);
}

Screen::~Screen() = default;

Screen& Screen::get() {
    static Screen screen;
    return screen;
}

std::string Screen::why_none() {
    if (!in_path("xdotool")) return "xdotool is not installed";
    if (given_display().empty() && !in_path("Xvfb")) return "Xvfb is not installed";
    return "";
}

Screenshot Screen::shot() const {
    XWindowAttributes root{};
    XGetWindowAttributes(impl_->display, impl_->root(), &root);
    Screenshot shot{root.width, root.height, {}};
    XImage* image =
        XGetImage(impl_->display, impl_->root(), 0, 0, shot.width, shot.height, AllPlanes, ZPixmap);
    if (image == nullptr) throw std::runtime_error("no screenshot");
    shot.rgb.reserve(std::size_t{3} * shot.width * shot.height);
    for (int y = 0; y < shot.height; ++y)
        for (int x = 0; x < shot.width; ++x) {
            const unsigned long pixel = XGetPixel(image, x, y);
            for (const int shift : {16, 8, 0})
                shot.rgb.push_back(static_cast<std::uint8_t>(pixel >> shift));
        }
    XDestroyImage(image);
    return shot;
}

std::optional<WindowId> Screen::window_of(pid_t process) const {
    const Window found = impl_->find(impl_->root(), process);
    return found == 0 ? std::nullopt : std::optional<WindowId>(found);
}

PixelRect Screen::place_of(WindowId window) const {
    XWindowAttributes attributes{};
    XGetWindowAttributes(impl_->display, window, &attributes);
    PixelRect place{0, 0, attributes.width, attributes.height};
    Window ignored = 0;
    XTranslateCoordinates(impl_->display, window, impl_->root(), 0, 0, &place.x, &place.y,
                          &ignored);
    return place;
}

bool Screen::has_keyboard(WindowId window) const {
    Window focused = 0;
    int reverts_to = 0;
    XGetInputFocus(impl_->display, &focused, &reverts_to);
    return focused == window;
}

void Screen::resize(WindowId window, int width, int height) const {
    XMoveResizeWindow(impl_->display, window, 0, 0, width, height);
    XSync(impl_->display, False);
}

void Screen::set_dpi(int dpi) const {
    const std::string text = "Xft.dpi:\t" + std::to_string(dpi) + "\n";
    XChangeProperty(impl_->display, impl_->root(), XA_RESOURCE_MANAGER, XA_STRING, 8,
                    PropModeReplace, reinterpret_cast<const unsigned char*>(text.data()),
                    static_cast<int>(text.size()));
    XSync(impl_->display, False);
}

void Screen::put_pointer_aside() const {
    const int right = DisplayWidth(impl_->display, DefaultScreen(impl_->display)) - 1;
    XWarpPointer(impl_->display, 0, impl_->root(), 0, 0, 0, 0, right, 0);
    XSync(impl_->display, False);
}

// The answer arrives at the root window, with the number that was sent.
bool Screen::answers(WindowId window, std::chrono::milliseconds patience) const {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point end = Clock::now() + patience;
    const long number = ++impl_->pings;
    XSelectInput(impl_->display, impl_->root(), SubstructureNotifyMask);
    impl_->send(window, "_NET_WM_PING", number);
    bool answered = false;
    while (!answered && Clock::now() < end) {
        XEvent event{};
        while (XPending(impl_->display) > 0) {
            XNextEvent(impl_->display, &event);
            answered |= event.type == ClientMessage && event.xclient.data.l[1] == number;
        }
        if (!answered) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    XSelectInput(impl_->display, impl_->root(), NoEventMask);
    return answered;
}

void Screen::ask_to_close(WindowId window) const {
    impl_->send(window, "WM_DELETE_WINDOW", CurrentTime);
}

bool Screen::drop(WindowId window, const std::filesystem::path& file) const {
    const PixelRect place = place_of(window);
    return drop_file(name_, window, file, {place.x + place.width / 2, place.y + place.height / 2});
}

Rgb Screenshot::at(int x, int y) const {
    const std::uint8_t* p = rgb.data() + std::size_t{3} * (std::size_t{1} * y * width + x);
    return {p[0], p[1], p[2]};
}

}  // namespace weft::gui
