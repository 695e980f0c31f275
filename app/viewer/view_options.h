// What `weft view` was asked for, and what it tells when the window is closed.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "app/pipeline/durations.h"
#include "filters/stack.h"
#include "kernels/device.h"

namespace weft {

struct ViewOptions {
    std::vector<std::string> files;
    Stack stack;
    Device device;
    std::string device_note;  // why the CPU, where a GPU was looked for
    double start_seconds = 0;
    int width = 0;  // of the window, in screen units; 0: as the last one
    int height = 0;
    std::stop_token stop;  // closes the window
};

// What happened while the window was open.
struct SessionReport {
    std::string device;
    std::string renderer;         // OpenGL's own words
    std::string why_no_interop;   // empty: frames reached the screen without leaving the GPU
    bool decoded_on_gpu = false;  // the last file
    std::int64_t frames_shown = 0;
    std::int64_t frames_dropped = 0;
    std::int64_t redraws = 0;
    Durations swap_seconds;   // handing a redraw to the screen: waits for its turn there
    Durations frame_seconds;  // work of the window's thread for one redraw, without waiting
    Durations shown_interval_seconds;  // between new frames of a playing video
    std::vector<std::string> errors;
};

}  // namespace weft
