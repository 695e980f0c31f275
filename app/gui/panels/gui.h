// All parts of the window and their state. Panels and actions are functions over it.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/gui/panels/kernels_panel.h"
#include "app/gui/panels/panels.h"
#include "app/gui/panels/picture_area.h"
#include "app/gui/panels/plan_window.h"
#include "app/gui/panels/playing.h"
#include "app/gui/panels/scopes_panel.h"
#include "app/gui/panels/stack_panel.h"
#include "app/gui/panels/transport_bar.h"
#include "app/gui/widgets/thumbnail_image.h"
#include "app/gui/window/window.h"
#include "app/viewer/edit/filter_previews.h"
#include "app/viewer/edit/stack_pair.h"
#include "app/viewer/export/export_estimate.h"
#include "app/viewer/export/export_queue.h"
#include "app/viewer/export/frame_export.h"
#include "app/viewer/export/unfinished_export.h"
#include "app/viewer/play/file_thumbnails.h"
#include "app/viewer/play/playlist.h"
#include "app/viewer/play/stage_times.h"
#include "app/viewer/race/live_race.h"
#include "app/viewer/screen/frame_worker.h"
#include "app/viewer/screen/gpu_watch.h"
#include "app/viewer/screen/presenter.h"
#include "app/viewer/shell/file_dialog.h"
#include "app/viewer/shell/folder_listing.h"
#include "app/viewer/shell/key_bindings.h"
#include "app/viewer/shell/path_completion.h"
#include "app/viewer/shell/recent_files.h"
#include "app/viewer/shell/settings.h"
#include "app/viewer/shell/system_theme.h"
#include "app/viewer/shell/toasts.h"
#include "app/viewer/shell/view_options.h"
#include "app/viewer/view/view_geometry.h"
#include "app/viewer/view/view_state.h"

namespace weft {

struct Action;
struct Gui;

// Which panels are open, and their state between redraws.
struct PanelState {
    bool side_open = true;
    bool keys_mark_controls = false;  // from Tab to Escape or a click
    bool bottom_open = false;
    double bottom_height = 0;  // as dragged, at scale 1; 0: automatic
    std::string_view wanted_tab =
        "";  // title of the panel to bring to the front of the side column
    bool stats_open = false;
    bool quit_asked = false;  // while an export runs
    bool about_open = false;
    std::array<StackPanelState, 2> filters;  // per stack
    KernelsPanel kernels;
    PresetStore presets = user_presets();
};

// Opens files: with the desktop's dialog if available, otherwise from a list in the window.
struct OpenPanel {
    bool open = false;  // the list in the window
    std::string typed;  // the name of a folder or a file
    std::string search;
    std::string sample;        // a clip to try, "" if none is installed
    bool takes_first = false;  // Enter in the search
    FileDialog dialog;
    FolderBrowser browser;
    PathCompleter completer;
    std::optional<PathCompletion> completion;     // the last one
    std::shared_ptr<const MediaInfo> remembered;  // the last file that was opened
    std::vector<RecentFiles::File> listed;        // recent files when a list of them appeared
    FileThumbnails thumbnails{Window::wake};      // of these, while the first page is visible
    ThumbnailTextures textures;
    bool first_page_shown = false;

    // Whether poll_open() must be called again soon although no event wakes the window.
    bool waits() const { return dialog.is_open() || browser.busy() || completer.busy(); }
};

// The button whose export was refused because its file exists.
enum class ExportButton : std::uint8_t { save, add };

// State of the Export panel, and the threads that do its work.
struct ExportPanel {
    explicit ExportPanel(const Device& device) : planner(device, Window::wake) {}

    std::string folder, name;  // parts of output()
    std::string proposed_for;  // the input that they were proposed for
    std::string output() const;
    bool part_only = false;  // from A to B
    bool compared = false;
    bool keep_damaged = false;
    bool resumable = false;
    bool interrupted = false;  // an earlier export of this name has left segments
    Unfinished unfinished = Unfinished::none;
    bool audio = true;
    std::string codec;  // CodecChoice::encoder
    ExportQuality quality = ExportQuality::high;
    float crf = 0;                         // for ExportQuality::custom
    std::optional<ExportRefusal> refusal;  // from the last attempt
    ExportButton refused = ExportButton::save;
    std::string extension = "png";  // for single pictures
    bool window_shot_wanted = false;
    FilterPace pace;
    ExportPlanner planner;
    ExportQueue queue{Window::wake};
    std::string reported_disk;  // the last ExportStatus::full_disk
    ShotSaver shots{Window::wake};
};

// The pictures of the list of filters.
struct FilterPictures {
    explicit FilterPictures(const Device& device) : previews(device, Window::wake) {}

    FilterPreviews previews;
    ThumbnailTextures textures;
};

// State kept from one run to the next.
struct Remembered {
    Settings settings;
    RecentFiles recent;
    KeyBindings keys;
    std::vector<std::string> problems;  // sentences for the user
};

struct Appearance {
    double user_scale = 1;  // the user's factor on top of the display's
    double scale = 1;       // both together
    Theme theme = Theme::system;
    bool dark = true;      // the theme in use
    bool applied = false;  // to ImGui's style
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
    StackPair stacks;
    ViewState view;
    PanelState panels;
    HelpOverlay help;
    Pointer pointer;
    std::chrono::steady_clock::time_point mouse_used;      // moved or pressed
    bool controls_shown = true;                            // in full screen: see run_window.cpp
    std::vector<std::pair<int, const Action*>> held_keys;  // scancodes of lasting actions
    WindowLayout layout;
    Appearance look;
    SystemTheme system_theme{Window::wake};
    Playlist playlist;
    TransportBar transport;
    OpenPanel open_panel;
    PlanPanel plan;
    ExportPanel export_panel;
    PictureRenderer renderer;
    ScopesPanel scopes;
    FilterPictures filter_pictures;
    StageTimes stage_times;
    LiveRace race;
    GpuWatch gpu_watch;
    Presenter presenter;
    Playing playing;
    FrameWorker worker;

    // Opens the file that the playlist requests, at its remembered position if that is enabled.
    void open_requested();
    void open(const std::string& path, double at_seconds = 0);
};

// The panels, one line each: place, title, and the call that draws the panel inside the ImGui
// window of that place. The column at the side shows its panels as tabs, in this order.
enum class Place : std::uint8_t { side, bottom };
struct PanelRow {
    Place place = Place::side;
    std::string_view title;
    void (*draw)(Gui&) = nullptr;
};
inline constexpr std::array kPanels{
    PanelRow{Place::side, "Filters", [](Gui& gui) { draw_filters(gui); }},
    PanelRow{Place::side, "View",
             [](Gui& gui) { draw_view(gui.view, gui.stacks, gui.playing, gui.layout.picture); }},
    PanelRow{Place::side, "Inspector", [](Gui& gui) { draw_inspector(gui.playing, gui.pointer); }},
    PanelRow{Place::side, "Scopes",
             [](Gui& gui) { draw_scopes(gui.scopes, gui.playing.shown, gui.view.right); }},
    PanelRow{Place::side, "Export", [](Gui& gui) { draw_export(gui); }},
    PanelRow{Place::bottom, "Kernels", [](Gui& gui) { draw_kernels(gui); }},
};

// The menu, and the columns that contain the panels (panels.cpp).
void draw_menu(Gui& gui);
void draw_side(Gui& gui);
void draw_bottom(Gui& gui);

// Reads the user's folders; uses defaults for missing files. Never throws.
Remembered recall();

// Applies the settings to a new window.
void apply(const Remembered& remembered, Gui& gui);

// Writes all changes. Problems are shown in the window and, as it may be closing, added to the
// session's report.
void keep(Gui& gui);

// Writes the recent files, so that a crash does not lose the last ones. keep() reports problems.
void keep_recent(const Gui& gui);

// Remembers the current file and its position.
void keep_place(Gui& gui);

}  // namespace weft
