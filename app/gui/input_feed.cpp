#include "app/gui/input_feed.h"

#include <algorithm>
#include <array>
#include <backends/imgui_impl_glfw.h>
#include <cfloat>
#include <chrono>
#include <imgui.h>
#include <string_view>

#include <fmt/format.h>

#include "app/gui/panels/actions.h"
#include "app/gui/panels/gui.h"
#include "app/viewer/shell/key_bindings.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace weft {
namespace {

struct KeyCode {
    int key;
    std::string_view name;
};

constexpr std::array kKeyCodes = {
    KeyCode{GLFW_KEY_SPACE, "Space"},
    KeyCode{GLFW_KEY_ESCAPE, "Escape"},
    KeyCode{GLFW_KEY_ENTER, "Enter"},
    KeyCode{GLFW_KEY_TAB, "Tab"},
    KeyCode{GLFW_KEY_BACKSPACE, "Backspace"},
    KeyCode{GLFW_KEY_INSERT, "Insert"},
    KeyCode{GLFW_KEY_DELETE, "Delete"},
    KeyCode{GLFW_KEY_LEFT, "Left"},
    KeyCode{GLFW_KEY_RIGHT, "Right"},
    KeyCode{GLFW_KEY_UP, "Up"},
    KeyCode{GLFW_KEY_DOWN, "Down"},
    KeyCode{GLFW_KEY_PAGE_UP, "PageUp"},
    KeyCode{GLFW_KEY_PAGE_DOWN, "PageDown"},
    KeyCode{GLFW_KEY_HOME, "Home"},
    KeyCode{GLFW_KEY_END, "End"},
};

// The user's file of keys names the same ones.
static_assert(std::ranges::equal(kKeyCodes, kNamedKeys, {}, &KeyCode::name));

// For keys that type no character, and for all keys with Ctrl or Alt; otherwise empty.
std::string key_name(const InputEvent& event) {
    const int key = event.code;
    const int mods = event.mods;
    const bool command = (mods & (GLFW_MOD_CONTROL | GLFW_MOD_ALT)) != 0;
    std::string name;
    for (const KeyCode& row : kKeyCodes)
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

// For a key that is pressed or repeats, or for a character. The name is empty if another event has
// it: keys that type a character have no name without Ctrl or Alt, and a typed space has none.
KeyEvent key_event(const InputEvent& event) {
    KeyEvent named{.scancode = event.scancode,
                   .repeated = event.change == InputEvent::Change::repeat};
    if (event.kind == InputEvent::Kind::key)
        named.name = key_name(event);
    else if (event.code != ' ')
        named.name = utf8(static_cast<unsigned>(event.code));
    return named;
}

// Change has GLFW's values.
static_assert(static_cast<int>(InputEvent::Change::release) == 0);
static_assert(static_cast<int>(InputEvent::Change::press) == 1);
static_assert(static_cast<int>(InputEvent::Change::repeat) == 2);

bool is_popup_open() {
    constexpr ImGuiPopupFlags kAny = ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel;
    return ImGui::IsPopupOpen("", kAny);
}

bool is_function_key(std::string_view name) {
    return name.starts_with('F') && name.size() > 1;
}

// Keys used by a text field, by an open menu, by the controls of a panel while one is marked, or as
// the answer to whether to quit. One Escape closes one thing.
bool is_for_panels(const Gui& gui, const KeyEvent& event) {
    const ImGuiIO& io = ImGui::GetIO();
    if (io.WantTextInput) return !is_function_key(event.name);
    constexpr std::array<std::string_view, 8> kMoves{"Left",  "Right", "Up",  "Down",
                                                     "Space", "Enter", "Tab", "Escape"};
    const bool popup = is_popup_open();
    if (popup && !gui.panels.quit_asked)
        return !event.name.starts_with("Ctrl+") && !is_function_key(event.name);
    const bool moves = io.NavVisible || popup || gui.panels.keys_mark_controls;
    return moves && std::ranges::find(kMoves, event.name) != kMoves.end();
}

void feed_actions(Gui& gui, const InputEvent& event) {
    if (event.change == InputEvent::Change::release) return release_key(gui, event.scancode);
    const KeyEvent key = key_event(event);
    if (key.name.empty()) return;
    // In a field Tab moves to the next one, or completes a path.
    if (key.name == "Tab" && !ImGui::GetIO().WantTextInput) gui.panels.keys_mark_controls = true;
    if (key.name == "Escape") gui.panels.keys_mark_controls = false;
    if (!is_for_panels(gui, key))
        (void)run_key(gui, key);
    else if (event.kind == InputEvent::Kind::key && !key.repeated)
        gui.window.input().settle();  // Enter closes a list
}

void feed_ui(GLFWwindow* window, const InputEvent& event) {
    const int change = static_cast<int>(event.change);
    switch (event.kind) {
        case InputEvent::Kind::key:
            return ImGui_ImplGlfw_KeyCallback(window, event.code, event.scancode, change,
                                              event.mods);
        case InputEvent::Kind::character:
            return ImGui_ImplGlfw_CharCallback(window, static_cast<unsigned>(event.code));
        case InputEvent::Kind::button:
            return ImGui_ImplGlfw_MouseButtonCallback(window, event.code, change, event.mods);
        case InputEvent::Kind::wheel:
            return ImGui_ImplGlfw_ScrollCallback(window, event.x, event.y);
        case InputEvent::Kind::enter:
            return ImGui_ImplGlfw_CursorEnterCallback(window, event.inside ? 1 : 0);
        case InputEvent::Kind::focus:
            return ImGui_ImplGlfw_WindowFocusCallback(window, event.inside ? 1 : 0);
        case InputEvent::Kind::pointer:
#if IMGUI_VERSION_NUM >= 18700
            return ImGui_ImplGlfw_CursorPosCallback(window, event.x, event.y);
#else
            return;  // place_mouse()
#endif
    }
}

// The window whose controls Tab marks first.
const char* window_to_mark(const Gui& gui) {
    if (!gui.playing.status.media) return "##first page";
    return gui.panels.side_open ? "##side" : "##bottom";
}

// ImGui's Tab stops only at fields, so that Tab and Shift+Tab become Down and Up elsewhere. When
// Tab is released, so are both, as the keyboard may have gone to a field, or Shift may be up by
// then.
void feed_tab(const Gui& gui, InputEvent event) {
    GLFWwindow* const window = gui.window.handle();
    const bool released = event.change == InputEvent::Change::release;
    const bool types = ImGui::GetIO().WantTextInput;
    if (released || types) feed_ui(window, event);
    const bool back = (event.mods & GLFW_MOD_SHIFT) != 0;
    for (const int code : {GLFW_KEY_UP, GLFW_KEY_DOWN}) {
        event.code = code;
        const bool pressed = (code == GLFW_KEY_UP) == back && !types;
        if (released || pressed) feed_ui(window, event);
    }
    if (!released && !types && !ImGui::GetIO().NavVisible && !is_popup_open())
        ImGui::SetWindowFocus(window_to_mark(gui));
}

bool is_tab(const InputEvent& event) {
    constexpr int kCommand = GLFW_MOD_CONTROL | GLFW_MOD_ALT;
    return event.kind == InputEvent::Kind::key && event.code == GLFW_KEY_TAB &&
           (event.mods & kCommand) == 0;
}

}  // namespace

std::optional<std::chrono::steady_clock::time_point> feed_input(Gui& gui) {
    std::optional<std::chrono::steady_clock::time_point> first;
    while (const std::optional<InputEvent> event = gui.window.input().next()) {
        if (!first) first = event->at;
        if (event->kind == InputEvent::Kind::key || event->kind == InputEvent::Kind::character)
            feed_actions(gui, *event);
        else if (event->kind != InputEvent::Kind::focus)
            gui.mouse_used = std::chrono::steady_clock::now();
        if (is_tab(*event))
            feed_tab(gui, *event);
        else
            feed_ui(gui.window.handle(), *event);
    }
    return first;
}

// From 1.87 on ImGui does so itself.
void let_enter_press() {
#if IMGUI_VERSION_NUM < 18700
    ImGuiIO& io = ImGui::GetIO();
    const bool down = io.KeysDown[GLFW_KEY_ENTER] || io.KeysDown[GLFW_KEY_KP_ENTER];
    if (down && is_popup_open() && !io.WantTextInput) io.NavInputs[ImGuiNavInput_Activate] = 1;
#endif
}

// Before 1.87 the back end queries the current mouse position from the window system, which may be
// far from the position at which a button was pressed.
void place_mouse([[maybe_unused]] const Gui& gui) {
#if IMGUI_VERSION_NUM < 18700
    const MouseState& mouse = gui.window.input().mouse();
    ImGuiIO& io = ImGui::GetIO();
    io.MousePos = mouse.belongs_to_window()
                      ? ImVec2(static_cast<float>(mouse.x), static_cast<float>(mouse.y))
                      : ImVec2(-FLT_MAX, -FLT_MAX);
    std::ranges::copy(mouse.down, io.MouseDown);
#endif
}

}  // namespace weft
