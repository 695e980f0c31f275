// Input events between two redraws, in order: a window that polls input once per redraw must not
// miss a key pressed and released in between, or apply a click at the mouse's later position.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace weft {

struct InputEvent {
    enum class Kind : std::uint8_t { key, character, button, wheel, pointer, enter, focus };
    enum class Change : std::uint8_t { release, press, repeat };

    Kind kind = Kind::key;
    int code = 0;      // key, button: the window system's code; character: its code point
    int scancode = 0;  // of the key; for a character, of the key that typed it
    Change change = Change::release;  // for a character: press or repeat, like its key
    int mods = 0;                     // the window system's modifier bits
    double x = 0, y = 0;              // pointer: screen units; wheel: steps
    bool inside = false;  // enter: the pointer is in the window; focus: the window has focus
    std::chrono::steady_clock::time_point at = {};  // when it came from the window system
};

// The mouse state after the events so far.
struct MouseState {
    static constexpr std::size_t kButtons = 5;

    double x = 0, y = 0;  // screen units
    bool inside = false;
    std::array<bool, kButtons> down = {};

    // Whether the position applies to this window: a drag continues outside of it.
    bool belongs_to_window() const;
};

// Used by one thread.
class InputQueue {
 public:
    // Number of redraws until the window has responded to an event: fields it opened then accept
    // typed text.
    static constexpr int kRedrawsToSettle = 3;

    void push(const InputEvent& event) { waiting_.push_back(event); }
    bool empty() const { return waiting_.empty(); }

    // The next event that this redraw can show along with those already returned; nullopt if a
    // redraw must come first. A redraw sees one kind of change: pointer motion, or one button
    // change, or the wheel, or one key press with the text it typed. Keys wait until the window has
    // settled after a button event.
    std::optional<InputEvent> next();
    // Holds back all queued events until the window has settled.
    void settle() { held_redraws_ = kRedrawsToSettle; }
    // To be called after a redraw has shown the returned events.
    void redrawn();

    const MouseState& mouse() const { return mouse_; }

 private:
    bool fits(const InputEvent& event) const;
    void follow(const InputEvent& event);

    std::deque<InputEvent> waiting_;
    std::optional<InputEvent::Kind> seen_;  // in this redraw
    bool pressed_ = false;                  // a key, in this redraw
    int held_redraws_ = 0;
    int keys_held_redraws_ = 0;
    MouseState mouse_;
};

}  // namespace weft
