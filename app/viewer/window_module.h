// What the program and its window plug-in know of each other. The plug-in takes everything but the
// window itself from the program that loads it.
#pragma once

#include "app/viewer/view_options.h"

namespace weft {

inline constexpr const char* kWindowModule = "libweft-gui.so";
inline constexpr const char* kRunWindow = "weft_run_window";

// The plug-in's one function, of C linkage. Opens the window and returns when it is closed. Throws
// std::runtime_error where there is no display or no OpenGL 3.3.
using RunWindow = void (*)(const ViewOptions& options, SessionReport& report);

}  // namespace weft
