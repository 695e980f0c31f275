// All that the window is made of. Panels and actions are functions over it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/gui/export_panel.h"
#include "app/gui/kernels_panel.h"
#include "app/gui/open_panel.h"
#include "app/gui/picture_renderer.h"
#include "app/gui/remembered.h"
#include "app/gui/scopes_panel.h"
#include "app/gui/stack_panel.h"
#include "app/gui/transport_state.h"
#include "app/gui/window.h"
#include "app/viewer/frame_worker.h"
#include "app/viewer/gpu_watch.h"
#include "app/viewer/kernel_choice.h"
#include "app/viewer/live_race.h"
#include "app/viewer/player.h"
#include "app/viewer/playlist.h"
#include "app/viewer/presenter.h"
#include "app/viewer/stack_editor.h"
#include "app/viewer/stage_times.h"
#include "app/viewer/thumbnails.h"
#include "app/viewer/toasts.h"
#include "app/viewer/view_options.h"
#include "app/viewer/view_state.h"
#include "app/viewer/window_layout.h"

namespace weft {

struct Action;

// Which panels are open, and what they remember between two redraws.
struct PanelState {
    bool side_open = true;
    bool keys_mark_controls = false;  // from Tab to Escape or a click
    bool bottom_open = false;
    std::string_view wanted_tab;  // of the side column: to be brought to the front
    bool help_open = false;
    bool stats_open = false;
    bool quit_asked = false;  // while an export runs
    std::string help_search;
    std::array<StackPanelState, 2> filters;  // of each stack
    KernelsPanel kernels;
    PresetStore presets = user_presets();
};

// Where the mouse last was over the picture.
struct Pointer {
    bool over_picture = false;
    Point screen;  // screen units
    Point coded;   // samples of the coded picture; see DisplayShape
};

// Members are made in this order and go in the opposite one: threads before what they use, the
// renderer while its window lives.
struct Gui {
    Gui(Window& on, const ViewOptions& what, Remembered before, SessionReport& to);

    Window& window;
    const ViewOptions& options;
    Remembered remembered;
    SessionReport& report;
    Toasts toasts;
    std::array<StackEditor, 2> stacks;
    std::array<KernelChoice, 2> kernels;  // forced ones
    std::size_t edited = 0;               // which of them the panel edits
    bool two_stacks = false;              // both are computed and can be compared
    ViewState view;
    PanelState panels;
    Pointer pointer;
    std::vector<std::pair<int, const Action*>> held_keys;  // scancodes of actions that last
    WindowLayout layout;
    ShownFramePtr shown;
    std::uint64_t wanted_revision = 0;              // of the stacks, as the worker counts
    std::optional<std::vector<StackRequest>> sent;  // to the worker, last
    double ui_scale = 1;                            // of the display and the user together
    double user_scale = 1;                          // what the user wants on top of the display's
    bool dark = true;
    bool themed = false;  // once the theme was applied
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
    // The file `by` places on in the playlist, or back; a note at its ends.
    void open_neighbour(int by);
    // Goes on where it was left, if that was asked for.
    void open_at_place(const std::string& path);
    void open(const std::string& path, double at_seconds = 0);
    void note(const std::string& sentence);
    void error(const std::string& sentence);

    // Turned and stretched as a player shows it; nothing while no frame is there.
    std::optional<DisplayShape> picture_shape() const;
    // The stack that the panels edit.
    StackEditor& stack() { return stacks[edited]; }
};

}  // namespace weft
