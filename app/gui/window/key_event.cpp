#include "app/gui/window/key_event.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace weft {
namespace {

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

// For keys that type no character, and for all keys with Ctrl or Alt; otherwise empty.
std::string key_name(const InputEvent& event) {
    const int key = event.code;
    const int mods = event.mods;
    const bool command = (mods & (GLFW_MOD_CONTROL | GLFW_MOD_ALT)) != 0;
    std::string name;
    for (const NamedKey& row : kNamedKeys)
        if (row.key == key) name = row.name;
    if (key >= GLFW_KEY_F1 && key <= GLFW_KEY_F12) name = fmt::format("F{}", key - GLFW_KEY_F1 + 1);
    if (name.empty() && command) {
        const char* typed = glfwGetKeyName(key, event.scancode);
        if (typed != nullptr) name = typed;
        if (name.size() == 1 && name[0] >= 'a' && name[0] <= 'z')
            name[0] = static_cast<char>(name[0] - 'a' + 'A');
    }
    if (name.empty()) return name;
    bool shift = (mods & GLFW_MOD_SHIFT) != 0;
    // If "+" needs Shift it is on the key of "=", on US, British and French keyboards alike.
    if (command && shift && name == "=") {
        name = "+";
        shift = false;
    }
    std::string prefix;
    if ((mods & GLFW_MOD_CONTROL) != 0) prefix += "Ctrl+";
    if ((mods & GLFW_MOD_ALT) != 0) prefix += "Alt+";
    if (shift) prefix += "Shift+";
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

KeyEvent key_event(const InputEvent& event) {
    KeyEvent named{.scancode = event.scancode,
                   .repeated = event.change == InputEvent::Change::repeat};
    if (event.kind == InputEvent::Kind::key)
        named.name = key_name(event);
    else if (event.code != ' ')
        named.name = utf8(static_cast<unsigned>(event.code));
    return named;
}

}  // namespace weft
