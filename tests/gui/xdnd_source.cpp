#include "tests/gui/xdnd_source.h"

#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <array>
#include <chrono>
#include <poll.h>

namespace weft::gui {
namespace {

using Clock = std::chrono::steady_clock;

class Source {
 public:
    Source(const std::string& display, Window target, const std::filesystem::path& file)
        : display_(XOpenDisplay(display.c_str())),
          target_(target),
          text_("file://" + file.string() + "\r\n") {
        window_ = XCreateSimpleWindow(display_, DefaultRootWindow(display_), 0, 0, 1, 1, 0, 0, 0);
        XSetSelectionOwner(display_, atom("XdndSelection"), window_, CurrentTime);
    }
    ~Source() { XCloseDisplay(display_); }
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;

    void enter() { send("XdndEnter", {5L << 24, list_type(), 0, 0}); }
    void move(std::pair<int, int> at) {
        send("XdndPosition", {0, (static_cast<long>(at.first) << 16) | at.second, CurrentTime,
                              static_cast<long>(atom("XdndActionCopy"))});
    }
    void drop() { send("XdndDrop", {0, CurrentTime, 0, 0}); }

    // Answers requests for the file until that message arrives. Returns whether it reports success
    // (GLFW writes the number of bytes where the protocol has a bit).
    bool wait_for(const char* message) {
        const Clock::time_point end = Clock::now() + std::chrono::minutes(1);
        while (Clock::now() < end && target_lives()) {
            while (XPending(display_) > 0) {
                XEvent event{};
                XNextEvent(display_, &event);
                if (event.type == SelectionRequest) answer(event.xselectionrequest);
                if (event.type == ClientMessage && event.xclient.message_type == atom(message))
                    return event.xclient.data.l[1] != 0;
            }
            pollfd fd{ConnectionNumber(display_), POLLIN, 0};
            (void)poll(&fd, 1, 100);
        }
        return false;
    }

 private:
    bool target_lives() const {
        XWindowAttributes attributes{};
        return XGetWindowAttributes(display_, target_, &attributes) != 0;
    }
    Atom atom(const char* name) const { return XInternAtom(display_, name, False); }
    long list_type() const { return static_cast<long>(atom("text/uri-list")); }

    void send(const char* message, const std::array<long, 4>& words) {
        XEvent event{};
        event.xclient.type = ClientMessage;
        event.xclient.window = target_;
        event.xclient.message_type = atom(message);
        event.xclient.format = 32;
        event.xclient.data.l[0] = static_cast<long>(window_);
        for (std::size_t k = 0; k < words.size(); ++k) event.xclient.data.l[k + 1] = words[k];
        XSendEvent(display_, target_, False, NoEventMask, &event);
        XFlush(display_);
    }

    void answer(const XSelectionRequestEvent& question) {
        XChangeProperty(display_, question.requestor, question.property, question.target, 8,
                        PropModeReplace, reinterpret_cast<const unsigned char*>(text_.data()),
                        static_cast<int>(text_.size()));
        XEvent event{};
        event.xselection.type = SelectionNotify;
        event.xselection.requestor = question.requestor;
        event.xselection.selection = question.selection;
        event.xselection.target = question.target;
        event.xselection.property = question.property;
        event.xselection.time = question.time;
        XSendEvent(display_, question.requestor, False, NoEventMask, &event);
        XFlush(display_);
    }

    Display* display_;
    Window target_;
    std::string text_;
    Window window_ = 0;
};

}  // namespace

bool drop_file(const std::string& display, unsigned long target, const std::filesystem::path& file,
               std::pair<int, int> at) {
    Source source(display, target, file);
    source.enter();
    source.move(at);
    if (!source.wait_for("XdndStatus")) return false;
    source.drop();
    return source.wait_for("XdndFinished");
}

}  // namespace weft::gui
