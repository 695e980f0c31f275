#include <algorithm>
#include <array>
#include <epoxy/gl.h>
#include <imgui.h>
#include <stop_token>
#include <string_view>

#include "app/gui/actions.h"
#include "app/gui/frame_loop.h"
#include "app/gui/gui.h"
#include "app/gui/remembered.h"
#include "app/gui/ui_session.h"
#include "app/viewer/window_module.h"

namespace weft {
namespace {

// What is typed into a field, and what moves among the controls of a panel while one is marked.
bool is_for_panels(const KeyEvent& event) {
    const ImGuiIO& io = ImGui::GetIO();
    if (io.WantTextInput) return !event.name.starts_with('F') || event.name.size() == 1;
    constexpr std::array<std::string_view, 8> kMoves{"Left",  "Right", "Up",  "Down",
                                                     "Space", "Enter", "Tab", "Escape"};
    return io.NavVisible && std::ranges::find(kMoves, event.name) != kMoves.end();
}

void connect(Gui& gui) {
    gui.window.set_handlers(
        {.on_key =
             [&gui](const KeyEvent& event) {
                 if (event.name == "Tab") gui.panels.keys_mark_controls = true;
                 if (event.name == "Escape") gui.panels.keys_mark_controls = false;
                 if (!is_for_panels(event)) (void)run_key(gui, event);
             },
         .on_key_release = [&gui](int scancode) { release_key(gui, scancode); },
         .on_drop = [&gui](const std::vector<std::string>& paths) { gui.open_all(paths); }});
}

std::string gl_text(GLenum name) {
    const auto* text = reinterpret_cast<const char*>(glGetString(name));
    return text == nullptr ? "" : text;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void weft_run_window(const ViewOptions& options,
                                                                       SessionReport& report) {
    Remembered remembered = recall();
    const Settings& settings = remembered.settings;
    Window window(options.width > 0 ? options.width : static_cast<int>(settings.window_width),
                  options.height > 0 ? options.height : static_cast<int>(settings.window_height),
                  "weft");
    Gui gui(window, options, std::move(remembered), report);
    connect(gui);
    const UiSession session(window);
    report.device = options.device.name;
    report.renderer = gl_text(GL_RENDERER);
    report.why_no_interop = gui.renderer.why_no_interop();
    if (!options.device_note.empty()) gui.note(options.device_note);
    if (options.start_seconds > 0 && !options.files.empty())
        gui.open(options.files.front(), options.start_seconds);
    else
        gui.open_all(options.files);
    const std::stop_callback on_stop(options.stop, [&window] {
        window.ask_to_close();
        Window::wake();
    });
    run_frame_loop(gui);
    keep(gui);
    report.frames_dropped = gui.player.status().dropped;
    report.errors = gui.toasts.errors();
}

static_assert(std::is_same_v<RunWindow, decltype(&weft_run_window)>);

}  // namespace weft
