// The Kernels panel: implementations of the selected step race on the shown frame.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "app/gui/panels/playing.h"
#include "app/gui/picture/gl_objects.h"
#include "app/gui/window/window.h"
#include "app/viewer/edit/stack_pair.h"
#include "app/viewer/play/stage_times.h"
#include "app/viewer/race/last_race.h"
#include "app/viewer/race/live_race.h"
#include "app/viewer/race/race_clocks.h"
#include "app/viewer/race/race_record.h"
#include "app/viewer/race/race_rows.h"
#include "app/viewer/screen/frame_worker.h"
#include "app/viewer/screen/gpu_watch.h"
#include "app/viewer/shell/file_dialog.h"
#include "app/viewer/shell/toasts.h"
#include "app/viewer/view/view_state.h"

namespace weft {

// A sheet that asks where to save something.
struct SaveSheet {
    std::string path;
    std::string taken = {};  // the path if a file had it when Save was pressed
};

// State of the panel between redraws, and the threads that do its work. `times` are those of the
// shown frames, and outlive the panel as `to` does.
struct KernelsPanel {
    KernelsPanel(const Device& device, const StageTimes& times, Toasts& to)
        : stage_times(times),
          toasts(to),
          last_race(races_folder(), [&to](const std::string& text) { to.error(text); }),
          race(device, Window::wake),
          gpu_watch(device, Window::wake) {}

    const StageTimes& stage_times;
    Toasts& toasts;
    bool racing = true;  // while the panel is open
    RaceSettings settings;
    RaceOrder order;
    std::optional<std::size_t> pointed;  // the kernel under the mouse, or the previous one
    std::optional<RaceSettings> asked;   // settings of the last frame request
    GlTexture map_texture;               // of drawn_map
    std::shared_ptr<const ErrorMap> drawn_map;
    std::string pinned;    // the kernel to show in the wipe, in this redraw
    std::size_t plot = 0;  // the open tab
    SaveSheet table_sheet{"kernels.csv"};
    FileDialog record_dialog;
    bool types_record = false;                 // without a dialog: the sheet for its path appears
    std::string record_path = "kernels.json";  // typed there, or chosen last
    // The opened record is shown instead of the last race; may be null.
    std::shared_ptr<const RaceRecord> record;
    std::size_t swept = 0;                      // of sweep_params(); after the last one: the width
    std::optional<SweepRequest> sweep_request;  // of the sweep drawn in the last redraw
    SaveSheet sweep_sheet{"sweep.csv"};
    std::optional<Rect> picture_wanted;  // a part of the window to save
    std::uint64_t drawn_revision = 0;    // revision of `curves`
    std::map<std::size_t, RunningBand> curves;
    RaceClocks clocks;
    LastRace last_race;
    std::uint64_t followed_revision = 0;  // the race's in last_race
    LiveRace race;
    GpuWatch gpu_watch;
    std::jthread exporting;
};

// The data for the parts of the panel.
struct RaceView {
    const RaceSnapshot& race;
    const std::vector<RaceRow>& rows;
    std::string recorded_as = {};          // what the race's medians are compared with, in words
    const RaceSnapshot* record = nullptr;  // with rows of its own; null: no record is open
    std::string record_work = {};          // see work_of()
};

// Shows the record of a race next to the race. A file that is none is one message.
void open_record(KernelsPanel& panel, const std::string& path);
// Takes the answer of the dialog for records. Call it once per redraw.
void poll_record(KernelsPanel& panel);

// Passes the panel's settings to the race; requests the frame again if the race needs its pixels.
// Call it once per redraw, whether the panel is visible or not.
void update_race(KernelsPanel& panel, StackPair& stacks, Playing& playing, bool visible);

void draw_kernels(KernelsPanel& panel, StackPair& stacks, ViewState& view, const Playing& playing,
                  const WorkerStatus& worker);

// Over the picture, while a row of the table is under the mouse: where that kernel's pixels differ
// from the reference. Call it after draw_kernels().
void draw_error_map(KernelsPanel& panel, const Playing& playing, const ViewState& view,
                    const WindowLayout& layout);

// ---- parts of the panel ----

void draw_kernels_table(KernelsPanel& panel, StackEditor& stack, const RaceView& view);
// Fill the content region.
void draw_race_curves(KernelsPanel& panel, const RaceView& view);
void draw_race_roofline(KernelsPanel& panel, const RaceView& view);
// With its controls; asks for the sweep of the raced step.
void draw_race_sweep(KernelsPanel& panel, const StackEditor& stack, const Playing& playing);
// Draws the limit that binds the pointed kernel or, without one, the fastest.
void draw_race_why(const KernelsPanel& panel, const RaceView& view);
void draw_stage_times(KernelsPanel& panel);

// A button that asks for a record, or closes the one that is open.
void draw_record_choice(KernelsPanel& panel);

// A button that opens the sheet. Returns how to write the file once that was chosen.
std::optional<Overwrite> draw_save_sheet(SaveSheet& sheet, const char* button,
                                         const char* explanation);
// Calls `write` in a thread, because writing waits for the disk, and reports the result.
void save_in_background(KernelsPanel& panel, const std::string& path, std::function<void()> write);

// The colour of a kernel in the table and in the plots: 0xAABBGGRR.
std::uint32_t colour_of(std::size_t kernel);
// The same by its name, for records, which have some of the kernels only.
std::uint32_t colour_of(std::string_view kernel);

}  // namespace weft
