// The interface between the program and its window plug-in: the options of `weft view`, and its
// report after the window is closed. The plug-in contains only the window itself and uses the
// program that loads it for everything else.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/pipeline/report/durations.h"
#include "app/viewer/plan/plan_progress.h"
#include "filters/stack.h"
#include "kernels/device/device.h"

namespace weft {

struct ViewOptions {
    std::vector<std::string> files;
    Stack stack;
    Device device;
    std::string device_note;  // why the CPU is used, if no GPU was usable
    double start_seconds = 0;
    std::optional<double> frame_rate;  // -framerate, of these files: see ReaderOptions
    int width = 0;                     // window size in screen units; 0: as last time
    int height = 0;
    PlanOpener plans;      // for files that are plans
    std::stop_token stop;  // closes the window
};

// Redraws that take longer are noticeable as a stutter.
inline constexpr double kSlowRedrawSeconds = 0.25;

// Statistics of the session.
struct SessionReport {
    std::string device;
    std::string renderer;         // as reported by OpenGL
    std::string why_no_interop;   // empty: frames reached the screen without leaving the GPU
    bool decoded_on_gpu = false;  // for the last file
    std::int64_t frames_shown = 0;
    std::int64_t frames_dropped = 0;
    std::int64_t redraws = 0;
    Durations swap_seconds;             // presenting a redraw, including the wait for the display
    Durations frame_seconds;            // from the end of a wait for events to before the swap
    Durations frame_cpu_seconds;        // the window thread's CPU time for them before OpenGL draws
    std::int64_t slow_redraws = 0;      // of frame_seconds above kSlowRedrawSeconds
    std::int64_t slow_redraws_cpu = 0;  // of frame_cpu_seconds above kSlowRedrawSeconds
    Durations shown_interval_seconds;   // between new frames of a playing video
    // From an input event to the end of the swap that shows the picture it asked for.
    Durations stack_response_seconds;  // after a change of a stack
    Durations seek_response_seconds;   // after a seek or a step
    std::vector<std::string> errors;
};

inline constexpr const char* kWindowModule = "libweft-gui.so";
inline constexpr const char* kRunWindow = "weft_run_window";

// The plug-in's only function, with C linkage. Opens the window and returns when it is closed.
// Throws std::runtime_error if there is no display or no OpenGL 3.3.
using RunWindow = void (*)(const ViewOptions& options, SessionReport& report);

}  // namespace weft
