// What hands do between two redraws, kept in order: a window that is looked at once a redraw must
// not miss a key that was pressed and released, or take a click for one where the mouse is by now.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace weft {

struct InputEvent {
    enum class Kind : std::uint8_t { key, character, button, wheel, pointer, enter, focus };
    enum class Change : std::uint8_t { release, press, repeat };

    Kind kind = Kind::key;
    int code = 0;  // key and button as the window system numbers them; character: its code point
    int scancode = 0;                 // of the key; of a character, that of the key that typed it
    Change change = Change::release;  // of a character: press or repeat, as its key
    int mods = 0;                     // as the window system counts them
    double x = 0, y = 0;              // pointer: screen units; wheel: steps
    bool inside = false;              // enter: the pointer is in the window; focus: keys come here
};

// The mouse as the events so far left it.
struct MouseState {
    static constexpr std::size_t kButtons = 5;

    double x = 0, y = 0;  // screen units
    bool inside = false;
    std::array<bool, kButtons> down = {};

    // Whether the position means this window: a drag goes on outside of it.
    bool here() const;
};

// For one thread.
class InputQueue {
 public:
    // So many redraws later the window is what an event has made of it: fields that it opened take
    // what is typed.
    static constexpr int kRedrawsToSettle = 3;

    void push(const InputEvent& event) { waiting_.push_back(event); }
    bool empty() const { return waiting_.empty(); }

    // The next event that this redraw can show beside those it was given already; nothing where a
    // redraw has to come first. One redraw sees one thing: where the pointer moved to, or one
    // change of a button, or the wheel, or one press of a key and what it typed. Keys wait until
    // the window has settled after a button.
    std::optional<InputEvent> next();
    // All that waits does so until the window has settled.
    void settle() { held_redraws_ = kRedrawsToSettle; }
    // A redraw has shown the events that were given out.
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
