// All parts of the window. Panels and actions are functions over it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/gui/panels/export_panel.h"
#include "app/gui/panels/kernels_panel.h"
#include "app/gui/panels/open_panel.h"
#include "app/gui/panels/remembered.h"
#include "app/gui/panels/scopes_panel.h"
#include "app/gui/panels/stack_panel.h"
#include "app/gui/picture/picture_renderer.h"
#include "app/gui/window/transport_state.h"
#include "app/gui/window/window.h"
#include "app/viewer/edit/stack_editor.h"
#include "app/viewer/play/player.h"
#include "app/viewer/play/playlist.h"
#include "app/viewer/play/stage_times.h"
#include "app/viewer/play/thumbnails.h"
#include "app/viewer/race/live_race.h"
#include "app/viewer/screen/frame_worker.h"
#include "app/viewer/screen/gpu_watch.h"
#include "app/viewer/screen/presenter.h"
#include "app/viewer/shell/toasts.h"
#include "app/viewer/shell/view_options.h"
#include "app/viewer/view/view_state.h"
#include "app/viewer/view/window_layout.h"

namespace weft {

struct Action;
struct Gui;

// Which panels are open, and their state between redraws.
struct PanelState {
    bool side_open = true;
    bool keys_mark_controls = false;  // from Tab to Escape or a click
    bool bottom_open = false;
    void (*wanted_tab)(Gui&) = nullptr;  // the panel of the side column to bring to the front
    bool help_open = false;
    bool stats_open = false;
    bool quit_asked = false;  // while an export runs
    std::string help_search;
    std::array<StackPanelState, 2> filters;  // per stack
    KernelsPanel kernels;
    PresetStore presets = user_presets();
};

struct Look {
    double user_scale = 1;  // the user's factor on top of the display's
    double scale = 1;       // both together
    bool dark = true;
    bool applied = false;  // to ImGui's style
};

// The last position of the mouse over the picture.
struct Pointer {
    bool over_picture = false;
    Point screen;  // screen units
    Point coded;   // samples of the coded picture; see DisplayShape
};

// Members are destroyed in reverse order: threads before the objects they use, the renderer while
// its window exists.
struct Gui {
    Gui(Window& on, const ViewOptions& what, Remembered before, SessionReport& to);

    Window& window;
    const ViewOptions& options;
    Remembered remembered;
    SessionReport& report;
    Toasts toasts;
    std::array<StackEditor, 2> stacks;
    std::size_t edited = 0;   // index of the edited stack
    bool two_stacks = false;  // both are computed and can be compared
    ViewState view;
    PanelState panels;
    Pointer pointer;
    std::vector<std::pair<int, const Action*>> held_keys;  // scancodes of lasting actions
    WindowLayout layout;
    ShownFramePtr shown;
    PlayerStatus status;  // at the beginning of the redraw
    Look look;
    Playlist playlist;
    TransportState transport;
    OpenPanel open_panel;
    ExportPanel export_panel;
    PictureRenderer renderer;
    ScopesPanel scopes;
    StageTimes stage_times;
    LiveRace race;
    GpuWatch gpu_watch;
    Presenter presenter;
    Player player;
    FrameWorker worker;
    Thumbnails thumbnails;

    // Plays the first of the files; the others are the playlist.
    void open_all(const std::vector<std::string>& paths);
    // Opens the file `by` places further in the playlist, or back; shows a note at its ends.
    void open_neighbour(int by);
    // Continues at the remembered position, if that is enabled.
    void open_at_place(const std::string& path);
    void open(const std::string& path, double at_seconds = 0);
    void note(const std::string& sentence);
    void error(const std::string& sentence);

    // Rotated and stretched for display; nothing while no frame is shown.
    std::optional<DisplayShape> picture_shape() const;
    // The stack edited by the panels.
    StackEditor& stack() { return stacks[edited]; }
};

}  // namespace weft
