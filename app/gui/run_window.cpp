#include <epoxy/gl.h>
#include <stop_token>

#include "app/gui/frame_loop.h"
#include "app/gui/panels/gui.h"
#include "app/gui/panels/remembered.h"
#include "app/gui/ui_session.h"
#include "app/viewer/shell/window_module.h"

namespace weft {
namespace {

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
    window.on_drop([&gui](const std::vector<std::string>& paths) { gui.open_all(paths); });
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
    const PlayerStatus player = gui.player.status();
    report.frames_dropped = player.dropped;
    report.decoded_on_gpu = player.media && player.media->decoding.on_gpu;
    report.errors = gui.toasts.errors();
}

static_assert(std::is_same_v<RunWindow, decltype(&weft_run_window)>);

}  // namespace weft
