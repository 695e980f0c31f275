#include "app/viewer/shell/input_queue.h"

#include <algorithm>

namespace weft {
namespace {

using Kind = InputEvent::Kind;
using Change = InputEvent::Change;

// Groups the kinds that may share a redraw.
Kind sort_of(const InputEvent& event) {
    if (event.kind == Kind::character) return Kind::key;
    return event.kind == Kind::enter ? Kind::pointer : event.kind;
}

}  // namespace

bool MouseState::belongs_to_window() const {
    return inside || std::ranges::find(down, true) != down.end();
}

bool InputQueue::fits(const InputEvent& event) const {
    const bool is_key = sort_of(event) == Kind::key;
    if (held_redraws_ > 0 || (is_key && keys_held_redraws_ > 0)) return false;
    if (!seen_) return true;
    if (*seen_ != sort_of(event) || event.kind == Kind::button) return false;
    if (event.kind != Kind::key || event.change == Change::repeat) return true;
    return event.change == Change::release && !pressed_;
}

void InputQueue::follow(const InputEvent& event) {
    seen_ = sort_of(event);
    if (event.kind == Kind::key && event.change == Change::press) pressed_ = true;
    if (event.kind == Kind::enter) mouse_.inside = event.inside;
    if (event.kind == Kind::pointer) {
        mouse_.x = event.x;
        mouse_.y = event.y;
    }
    if (event.kind != Kind::button) return;
    keys_held_redraws_ = kRedrawsToSettle;
    const auto button = static_cast<std::size_t>(event.code);
    if (button < mouse_.down.size()) mouse_.down[button] = event.change == Change::press;
}

std::optional<InputEvent> InputQueue::next() {
    if (waiting_.empty() || !fits(waiting_.front())) return std::nullopt;
    const InputEvent event = waiting_.front();
    waiting_.pop_front();
    follow(event);
    return event;
}

void InputQueue::redrawn() {
    seen_.reset();
    pressed_ = false;
    held_redraws_ = std::max(held_redraws_ - 1, 0);
    keys_held_redraws_ = std::max(keys_held_redraws_ - 1, 0);
}

}  // namespace weft
