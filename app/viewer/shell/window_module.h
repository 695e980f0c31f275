// The interface between the program and its window plug-in. The plug-in contains only the window
// itself and uses the program that loads it for everything else.
#pragma once

#include "app/viewer/shell/view_options.h"

namespace weft {

inline constexpr const char* kWindowModule = "libweft-gui.so";
inline constexpr const char* kRunWindow = "weft_run_window";

// The plug-in's only function, with C linkage. Opens the window and returns when it is closed.
// Throws std::runtime_error if there is no display or no OpenGL 3.3.
using RunWindow = void (*)(const ViewOptions& options, SessionReport& report);

}  // namespace weft
