#include "app/gui/input_feed.h"

#include <algorithm>
#include <array>
#include <backends/imgui_impl_glfw.h>
#include <cfloat>
#include <imgui.h>
#include <string_view>

#include "app/gui/panels/actions.h"
#include "app/gui/panels/gui.h"

namespace weft {
namespace {

// Change has GLFW's values.
static_assert(static_cast<int>(InputEvent::Change::release) == 0);
static_assert(static_cast<int>(InputEvent::Change::press) == 1);
static_assert(static_cast<int>(InputEvent::Change::repeat) == 2);

// Keys used by a text field, by the controls of a panel while one is marked, or as the answer to
// whether to quit.
bool is_for_panels(const Gui& gui, const KeyEvent& event) {
    const ImGuiIO& io = ImGui::GetIO();
    if (io.WantTextInput) return !event.name.starts_with('F') || event.name.size() == 1;
    constexpr std::array<std::string_view, 8> kMoves{"Left",  "Right", "Up",  "Down",
                                                     "Space", "Enter", "Tab", "Escape"};
    const bool moves = io.NavVisible || gui.panels.quit_asked;
    return moves && std::ranges::find(kMoves, event.name) != kMoves.end();
}

void feed_actions(Gui& gui, const InputEvent& event) {
    if (event.change == InputEvent::Change::release) return release_key(gui, event.scancode);
    const KeyEvent key = key_event(event);
    if (key.name.empty()) return;
    if (key.name == "Tab") gui.panels.keys_mark_controls = true;
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

}  // namespace

bool feed_input(Gui& gui) {
    bool any = false;
    while (const std::optional<InputEvent> event = gui.window.input().next()) {
        any = true;
        if (event->kind == InputEvent::Kind::key || event->kind == InputEvent::Kind::character)
            feed_actions(gui, *event);
        feed_ui(gui.window.handle(), *event);
    }
    return any;
}

// Before 1.87 the back end queries the current mouse position from the window system, which may be
// far from the position at which a button was pressed.
void place_mouse([[maybe_unused]] const Gui& gui) {
#if IMGUI_VERSION_NUM < 18700
    const MouseState& mouse = gui.window.input().mouse();
    ImGuiIO& io = ImGui::GetIO();
    io.MousePos = mouse.here() ? ImVec2(static_cast<float>(mouse.x), static_cast<float>(mouse.y))
                               : ImVec2(-FLT_MAX, -FLT_MAX);
    std::ranges::copy(mouse.down, io.MouseDown);
#endif
}

}  // namespace weft
