// The panel "Filters": the stack editor for the currently edited stack.
#include <imgui.h>

#include "app/gui/panels/gui.h"
#include "app/gui/panels/panels.h"
#include "app/gui/panels/stack_panel.h"
#include "app/gui/widgets/small_widgets.h"

namespace weft {
namespace {

CommandFiles shown_files(const Gui& gui) {
    const std::shared_ptr<const MediaInfo> media = gui.status.media;
    return media ? CommandFiles{.input = media->path} : CommandFiles{};
}

}  // namespace

void draw_filters(Gui& gui) {
    if (gui.two_stacks) dim_text(gui.edited == 0 ? "The first stack" : "The second stack");
    StackPanelState& state = gui.panels.filters[gui.edited];
    draw_stack_panel(state, gui.stack(), {gui.panels.presets, shown_files(gui)});
    if (!state.note.empty()) gui.note(state.note);
    state.note.clear();
}

void draw_matrix(Gui& gui) {
    draw_matrix_window(gui.panels.filters[gui.edited].matrix, gui.stack());
}

}  // namespace weft
